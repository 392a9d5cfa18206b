// Order statistics: the keys of some ranks, without sorting the rest. The range of the keys is cut
// into buckets; only the buckets that ranks fall into are looked at again.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "backend/cpu/parallel.h"
#include "backend/cpu/sort_keys.h"
#include "runtime/device.h"

namespace heddle::cpu {

namespace {

constexpr std::int64_t few_keys = 8 * 1024;  // are sorted
constexpr std::int64_t piece_keys = 64 * 1024;
constexpr int bucket_bits = 12;
constexpr std::size_t buckets = std::size_t{1} << bucket_bits;

template <class F>
void in_pieces(std::int64_t pieces, F body) {
  if (pieces == 1) {
    body(std::int64_t{0});
  } else {
    parallel_for(pieces, true, body);
  }
}

template <class K>
class Selection {
 public:
  Selection(const K* keys, std::int64_t count)
      : keys_(keys),
        count_(count),
        pieces_(std::clamp<std::int64_t>(count / piece_keys, 1, 4 * thread_count())) {}

  // found[i] = the key of rank ranks[i]; ranks ascend.
  void find(std::span<const std::int64_t> ranks, K* found) {
    measure();
    if (least_ == most_) {
      std::fill_n(found, ranks.size(), least_);
      return;
    }
    count_buckets();
    std::vector<std::int64_t> totals(buckets);
    for (auto& mine : counts_) {
      for (std::size_t b = 0; b < buckets; ++b) totals[b] += mine[b];
    }
    std::int64_t below = 0;
    std::size_t bucket = 0;
    for (std::size_t i = 0; i < ranks.size();) {
      while (below + totals[bucket] <= ranks[i]) below += totals[bucket++];
      std::vector<std::int64_t> inside;
      for (auto k = i; k < ranks.size() && ranks[k] < below + totals[bucket]; ++k) {
        inside.push_back(ranks[k] - below);
      }
      if (shift_ == 0) {
        std::fill_n(found + i, inside.size(), static_cast<K>(least_ + static_cast<K>(bucket)));
      } else {
        wanted_.push_back({bucket, totals[bucket], found + i, std::move(inside)});
        i += wanted_.back().ranks.size();
        continue;
      }
      i += inside.size();
    }
    if (!wanted_.empty()) look_inside();
  }

 private:
  struct Wanted {
    std::size_t bucket;
    std::int64_t total;
    K* found;
    std::vector<std::int64_t> ranks;  // in the bucket
  };

  std::int64_t first(std::int64_t piece) const { return count_ * piece / pieces_; }
  std::size_t bucket_of(K key) const { return static_cast<std::size_t>((key - least_) >> shift_); }

  void measure() {
    std::vector<std::pair<K, K>> ranges(static_cast<std::size_t>(pieces_));
    in_pieces(pieces_, [&](std::int64_t piece) {
      K least = keys_[0], most = keys_[0];
      for (auto i = first(piece); i < first(piece + 1); ++i) {
        least = std::min(least, keys_[i]);
        most = std::max(most, keys_[i]);
      }
      ranges[static_cast<std::size_t>(piece)] = {least, most};
    });
    least_ = most_ = keys_[0];
    for (auto& [least, most] : ranges) {
      least_ = std::min(least_, least);
      most_ = std::max(most_, most);
    }
    const int bits = std::bit_width(static_cast<std::uint64_t>(most_ - least_));
    shift_ = std::max(0, bits - bucket_bits);
  }

  void count_buckets() {
    counts_.resize(static_cast<std::size_t>(pieces_));
    in_pieces(pieces_, [&](std::int64_t piece) {
      auto& mine = counts_[static_cast<std::size_t>(piece)];
      mine.assign(buckets, 0);
      for (auto i = first(piece); i < first(piece + 1); ++i) ++mine[bucket_of(keys_[i])];
    });
  }

  // Collects the keys of the wanted buckets, each in a row of its own, and finds the ranks there.
  void look_inside() {
    std::vector<std::uint16_t> place(buckets, 0);  // in wanted_, from 1
    std::int64_t room = 0;
    for (std::size_t w = 0; w < wanted_.size(); ++w) {
      place[wanted_[w].bucket] = static_cast<std::uint16_t>(w + 1);
      room += wanted_[w].total;
    }
    const auto width = wanted_.size() + 1;
    std::vector<std::int64_t> starts(static_cast<std::size_t>(pieces_) * width);
    std::int64_t start = 0;
    for (std::size_t w = 0; w < wanted_.size(); ++w) {
      for (std::size_t piece = 0; piece < counts_.size(); ++piece) {
        starts[piece * width + w + 1] = start;
        start += counts_[piece][wanted_[w].bucket];
      }
    }
    // Keys that nobody wants go to a place of the piece behind the others, one over the other.
    for (std::size_t piece = 0; piece < counts_.size(); ++piece) {
      starts[piece * width] = room + static_cast<std::int64_t>(piece);
    }
    auto memory =
        Buffer::allocate(cpu_device(), static_cast<std::size_t>(room + pieces_) * sizeof(K));
    auto* rows = static_cast<K*>(memory->data());
    in_pieces(pieces_, [&](std::int64_t piece) {
      std::int64_t* next = &starts[static_cast<std::size_t>(piece) * width];
      for (auto i = first(piece); i < first(piece + 1); ++i) {
        const auto w = place[bucket_of(keys_[i])];
        rows[next[w]] = keys_[i];
        next[w] += w != 0;
      }
    });
    counts_.clear();
    for (auto& wanted : wanted_) {
      if (wanted.total <= few_keys) {
        sort_keys_here(rows, wanted.total);
        for (std::size_t i = 0; i < wanted.ranks.size(); ++i) {
          wanted.found[i] = rows[wanted.ranks[i]];
        }
      } else {
        Selection(rows, wanted.total).find(wanted.ranks, wanted.found);
      }
      rows += wanted.total;
    }
  }

  const K* keys_;
  std::int64_t count_;
  std::int64_t pieces_;
  K least_ = 0, most_ = 0;
  int shift_ = 0;
  std::vector<std::vector<std::int64_t>> counts_;  // of each piece
  std::vector<Wanted> wanted_;
};

}  // namespace

template <class K>
void select_keys(K* keys, std::int64_t count, std::span<const std::int64_t> ranks) {
  if (count <= few_keys) return sort_keys_here(keys, count);
  std::vector<K> found(ranks.size());
  Selection<K>(keys, count).find(ranks, found.data());
  for (std::size_t i = 0; i < ranks.size(); ++i) keys[ranks[i]] = found[i];
}

template void select_keys(std::uint8_t*, std::int64_t, std::span<const std::int64_t>);
template void select_keys(std::uint16_t*, std::int64_t, std::span<const std::int64_t>);
template void select_keys(std::uint32_t*, std::int64_t, std::span<const std::int64_t>);
template void select_keys(std::uint64_t*, std::int64_t, std::span<const std::int64_t>);

}  // namespace heddle::cpu
