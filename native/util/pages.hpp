// Large uninitialized arrays, on huge pages where the system gives them: bucket accumulation touches memory at random,
// and with 4 KiB pages most of those touches would miss the TLB.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace cuzk {

template <class T>
class PageArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  PageArray() = default;
  explicit PageArray(std::size_t size) : size_(size), data_(allocate(size)) {}

  std::size_t size() const { return size_; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }

 private:
  static constexpr std::size_t HUGE_PAGE = std::size_t{1} << 21;
  static constexpr std::size_t CACHE_LINE = 64;
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };

  static T* allocate(std::size_t size) {
    const std::size_t bytes = size * sizeof(T);
    const std::size_t alignment = bytes >= HUGE_PAGE ? HUGE_PAGE : std::max(CACHE_LINE, alignof(T));
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* data = std::aligned_alloc(alignment, rounded > 0 ? rounded : alignment);
    if (data == nullptr) throw std::bad_alloc();
#if defined(__linux__)
    if (alignment == HUGE_PAGE) madvise(data, rounded, MADV_HUGEPAGE);  // advice only: a refusal costs speed alone
#endif
    return static_cast<T*>(data);
  }

  std::size_t size_ = 0;
  std::unique_ptr<T[], Free> data_;
};

}  // namespace cuzk
