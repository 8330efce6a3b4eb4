// How the sets of buckets of a multiplication are dealt to threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace cuzk {

// The sets [first, last), over one of several shards of the terms.
struct Share {
  std::size_t first, last, shard, shards;

  std::size_t begin(std::size_t terms) const { return terms * shard / shards; }
  std::size_t end(std::size_t terms) const { return terms * (shard + 1) / shards; }
};

// Threads take shares as they come free: each `together` sets or a few less. Sets that would be left over for some
// threads are dealt among all by shards of the terms.
inline std::vector<Share> deal(std::size_t sets, std::size_t together, std::size_t threads, std::size_t terms) {
  constexpr std::size_t SMALLEST_SHARD = 1024;
  std::vector<Share> shares;
  const std::size_t each = sets / threads, whole = each * threads, left = sets - whole;
  const std::size_t groups = threads * ((each + together - 1) / together);
  for (std::size_t group = 0; group < groups; ++group)
    shares.push_back({whole * group / groups, whole * (group + 1) / groups, 0, 1});
  const std::size_t shards_of_left = left > 0 ? (threads + left - 1) / left : 1;
  const std::size_t shards = std::clamp<std::size_t>(terms / SMALLEST_SHARD, 1, shards_of_left);
  for (std::size_t set = whole; set < sets; ++set)
    for (std::size_t shard = 0; shard < shards; ++shard) shares.push_back({set, set + 1, shard, shards});
  return shares;
}

}  // namespace cuzk
