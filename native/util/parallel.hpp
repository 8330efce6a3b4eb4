// Splits work over a caller-given number of threads. Results must not depend on that number.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <thread>
#include <vector>

namespace cuzk {

// Calls body(thread, begin, end) for `threads` contiguous, near-equal parts of [0, count), one part a thread, the
// first on the calling thread. Returns when all are done; the first exception (by part) is rethrown.
template <class Body>
void parallel_for(std::size_t count, int threads, Body&& body) {
  const std::size_t parts =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), 1, std::max<std::size_t>(count, 1));
  std::vector<std::exception_ptr> errors(parts);
  auto run_part = [&](std::size_t part) noexcept {
    try {
      body(static_cast<int>(part), count * part / parts, count * (part + 1) / parts);
    } catch (...) {
      errors[part] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(parts - 1);
    for (std::size_t part = 1; part < parts; ++part) others.emplace_back(run_part, part);
    run_part(0);
  }
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

// Calls body(thread, task) for every task in [0, count), each as soon as a thread is free. Returns when all are done;
// the exception of the first task that threw is rethrown.
template <class Body>
void parallel_tasks(std::size_t count, int threads, Body&& body) {
  const std::size_t workers = std::min(static_cast<std::size_t>(std::max(threads, 1)), count);
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> errors(count);
  parallel_for(workers, static_cast<int>(workers), [&](int thread, std::size_t, std::size_t) {
    for (std::size_t task; (task = next.fetch_add(1)) < count;) try {
        body(thread, task);
      } catch (...) {
        errors[task] = std::current_exception();
      }
  });
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

// What each thread keeps from task to task, made when it is first asked for.
template <class T>
class PerThread {
 public:
  explicit PerThread(std::size_t threads) : states_(threads) {}

  template <class... Args>
  T& of(int thread, const Args&... args) {
    auto& state = states_[static_cast<std::size_t>(thread)];
    if (!state) state = std::make_unique<T>(args...);
    return *state;
  }

  T* find(std::size_t thread) const { return states_[thread].get(); }  // null if it was never asked for

 private:
  std::vector<std::unique_ptr<T>> states_;
};

}  // namespace cuzk
