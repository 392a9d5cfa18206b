// Order statistics: the keys of some ranks, without sorting the rest. The range that a sample of
// the keys has is cut into buckets, with one more at each end for what lies outside; only the
// buckets that ranks fall into are looked at again.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "backend/cpu/sort_keys.h"
#include "backend/cpu/sort_parts.h"
#include "backend/cpu/vector_sort.h"
#include "runtime/device.h"
#include "runtime/parallel.h"

namespace heddle::cpu {

namespace {

constexpr std::int64_t few_keys = 8 * 1024;  // are sorted
constexpr std::int64_t piece_keys = 32 * 1024;
constexpr int bucket_bits = 12;
constexpr std::size_t inner_buckets = std::size_t{1} << bucket_bits;
constexpr std::size_t buckets = inner_buckets + 2;

template <class F>
void in_pieces(std::int64_t pieces, F body, bool interruptible = true) {
  if (pieces == 1) {
    body(std::int64_t{0});
  } else {
    parallel_for(pieces, interruptible, body);
  }
}

// A bucket with keys that are asked for.
struct Wanted {
  std::size_t bucket;
  std::int64_t below;               // keys in buckets before it
  std::int64_t total;               // keys in it
  std::size_t first;                // of its ranks among all
  std::vector<std::int64_t> ranks;  // in the bucket
};

template <class K>
class Selection {
 public:
  Selection(K* keys, std::int64_t count)
      : keys_(keys),
        count_(count),
        pieces_(std::clamp<std::int64_t>(count / piece_keys, 1, 4 * thread_count())) {}

  // found[i] = the key of rank ranks[i]; ranks ascend.
  void find(std::span<const std::int64_t> ranks, K* found) {
    cut(ranks);
    std::erase_if(wanted_, [&](const Wanted& wanted) {
      if (!same_keys(wanted.bucket)) return false;
      std::fill_n(found + wanted.first, wanted.ranks.size(),
                  static_cast<K>(least_ + static_cast<K>(wanted.bucket - 1)));
      return true;
    });
    if (wanted_.empty()) return;
    // The keys of each wanted bucket in a row of its own. Those that nobody wants go to a place of
    // the piece behind the others, one over the other.
    std::vector<std::uint16_t> region(buckets, 0);
    for (std::size_t w = 0; w < wanted_.size(); ++w) {
      region[wanted_[w].bucket] = static_cast<std::uint16_t>(w + 1);
    }
    auto starts = starts_of(region, wanted_.size() + 1, 1);
    const auto room = starts.back();
    starts.pop_back();
    for (std::int64_t piece = 0; piece < pieces_; ++piece) {
      starts[static_cast<std::size_t>(piece) * (wanted_.size() + 1)] = room + piece;
    }
    auto memory = allocate(room + pieces_);
    auto* rows = static_cast<K*>(memory->data());
    scatter(region, starts, wanted_.size() + 1, rows, 0);
    for (auto& wanted : wanted_) {
      if (wanted.total <= few_keys) {
        sort_keys_here(rows, wanted.total);
        for (std::size_t i = 0; i < wanted.ranks.size(); ++i) {
          found[wanted.first + i] = rows[wanted.ranks[i]];
        }
      } else {
        Selection(rows, wanted.total).find(wanted.ranks, found + wanted.first);
      }
      rows += wanted.total;
    }
  }

  // Arranges the keys themselves.
  void partition(std::span<const std::int64_t> ranks) {
    if (count_ <= few_keys) return partition_keys_here(keys_, count_, ranks);
    cut(ranks);
    // Between wanted buckets the order of buckets does not matter.
    std::vector<std::uint16_t> region(buckets);
    std::uint16_t current = 0;
    for (std::size_t b = 0, w = 0; b < buckets; ++b) {
      const bool is_wanted = w < wanted_.size() && wanted_[w].bucket == b;
      region[b] = static_cast<std::uint16_t>(current + is_wanted);
      if (is_wanted) {
        current = static_cast<std::uint16_t>(current + 2);
        ++w;
      }
    }
    const auto regions = 2 * wanted_.size() + 1;
    auto starts = starts_of(region, regions, 0);
    starts.pop_back();
    auto memory = allocate(count_);
    auto* arranged = static_cast<K*>(memory->data());
    scatter(region, starts, regions, arranged, regions);
    auto copy_back = [&](std::int64_t piece) {
      std::copy(arranged + first(piece), arranged + first(piece + 1), keys_ + first(piece));
    };
    in_pieces(pieces_, copy_back, false);
    for (auto& wanted : wanted_) {
      if (same_keys(wanted.bucket)) continue;
      Selection(keys_ + wanted.below, wanted.total).partition(wanted.ranks);
    }
  }

 private:
  std::int64_t first(std::int64_t piece) const { return count_ * piece / pieces_; }
  std::size_t bucket_of(K key) const {
    const auto inner = static_cast<std::size_t>(static_cast<K>(key - least_) >> shift_) + 1;
    return key < least_ ? 0 : key > most_ ? buckets - 1 : inner;
  }
  // Whether all keys of the bucket are the same.
  bool same_keys(std::size_t bucket) const {
    return shift_ == 0 && bucket != 0 && bucket != buckets - 1;
  }
  static Ref<Buffer> allocate(std::int64_t count) {
    return Buffer::allocate(cpu_device(), static_cast<std::size_t>(count) * sizeof(K));
  }

  // Counts the keys in buckets and finds those that the ranks are in. No bucket that has to be cut
  // again has all the keys: the ends of the sample are in two of them, or in one of equal keys.
  void cut(std::span<const std::int64_t> ranks) {
    sample();
    counts_.resize(static_cast<std::size_t>(pieces_));
    in_pieces(pieces_, [&](std::int64_t piece) {
      auto& mine = counts_[static_cast<std::size_t>(piece)];
      mine.assign(buckets, 0);
      for (auto i = first(piece); i < first(piece + 1); ++i) ++mine[bucket_of(keys_[i])];
    });
    std::int64_t below = 0;
    std::size_t bucket = 0;
    auto total_of = [&](std::size_t b) {
      std::int64_t total = 0;
      for (auto& mine : counts_) total += mine[b];
      return total;
    };
    auto total = total_of(0);
    for (std::size_t i = 0; i < ranks.size();) {
      while (below + total <= ranks[i]) {
        below += total;
        total = total_of(++bucket);
      }
      Wanted wanted{bucket, below, total, i, {}};
      for (; i < ranks.size() && ranks[i] < below + total; ++i) {
        wanted.ranks.push_back(ranks[i] - below);
      }
      wanted_.push_back(std::move(wanted));
    }
  }

  void sample() {
    constexpr std::int64_t samples = 1024;
    least_ = most_ = keys_[0];
    // Steps that have no common rhythm with what may repeat in the keys.
    const auto step = std::max<std::int64_t>(1, count_ / samples) | 1;
    for (std::int64_t i = 0; i < count_; i += step) {
      least_ = std::min(least_, keys_[i]);
      most_ = std::max(most_, keys_[i]);
    }
    const int bits = std::bit_width(static_cast<std::uint64_t>(most_ - least_));
    shift_ = std::max(0, bits - bucket_bits);
  }

  // Where each piece puts its keys of each region, [piece][region], from region `begin` on; and the
  // number of all of them at the end.
  std::vector<std::int64_t> starts_of(const std::vector<std::uint16_t>& region, std::size_t regions,
                                      std::size_t begin) const {
    std::vector<std::int64_t> starts(counts_.size() * regions + 1);
    for (std::size_t piece = 0; piece < counts_.size(); ++piece) {
      for (std::size_t b = 0; b < buckets; ++b) {
        starts[piece * regions + region[b]] += counts_[piece][b];
      }
    }
    std::int64_t start = 0;
    for (std::size_t r = begin; r < regions; ++r) {
      for (std::size_t piece = 0; piece < counts_.size(); ++piece) {
        start += std::exchange(starts[piece * regions + r], start);
      }
    }
    starts.back() = start;
    return starts;
  }

  // Region `fixed` has one place for all its keys.
  void scatter(const std::vector<std::uint16_t>& region, std::vector<std::int64_t>& starts,
               std::size_t regions, K* to, std::size_t fixed) {
    in_pieces(pieces_, [&](std::int64_t piece) {
      std::int64_t* next = &starts[static_cast<std::size_t>(piece) * regions];
      for (auto i = first(piece); i < first(piece + 1); ++i) {
        const auto r = region[bucket_of(keys_[i])];
        to[next[r]] = keys_[i];
        next[r] += r != fixed;
      }
    });
  }

  K* keys_;
  std::int64_t count_;
  std::int64_t pieces_;
  K least_ = 0, most_ = 0;
  int shift_ = 0;
  std::vector<std::vector<std::int64_t>> counts_;  // of each piece, by buckets
  std::vector<Wanted> wanted_;
};

}  // namespace

template <class K>
void select_keys(K* keys, std::int64_t count, std::span<const std::int64_t> ranks, K* found) {
  if (count > few_keys) return Selection<K>(keys, count).find(ranks, found);
  sort_keys_here(keys, count);
  for (std::size_t i = 0; i < ranks.size(); ++i) found[i] = keys[ranks[i]];
}

template <class K>
void partition_keys(K* keys, std::int64_t count, std::span<const std::int64_t> ranks) {
  if constexpr (sizeof(K) > 1) {
    if (ranks.size() == 1 && count > long_to_select && selects_by_vectors<K>()) {
      select_copy_in_parts(keys, keys, count, ranks[0]);
      return;
    }
  }
  Selection<K>(keys, count).partition(ranks);
}

#define HEDDLE_INSTANTIATE(K)                                                     \
  template void select_keys(K*, std::int64_t, std::span<const std::int64_t>, K*); \
  template void partition_keys(K*, std::int64_t, std::span<const std::int64_t>);
HEDDLE_INSTANTIATE(std::uint8_t)
HEDDLE_INSTANTIATE(std::uint16_t)
HEDDLE_INSTANTIATE(std::uint32_t)
HEDDLE_INSTANTIATE(std::uint64_t)
#undef HEDDLE_INSTANTIATE

}  // namespace heddle::cpu
