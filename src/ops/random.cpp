#include "ops/random.h"

#include <ranges>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "graph/make.h"
#include "graph/recorder.h"
#include "graph/storage.h"
#include "graph/value.h"
#include "ops/deferred.h"
#include "runtime/device.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

void check_word(Dtype dtype) {
  if (dtype == Dtype::uint64 || dtype == Dtype::uint32) return;
  throw type_error(fmt::format("random words are uint64 or uint32, not {}", name(dtype)));
}

std::vector<Operand> operands_of(const RandomStream& stream) {
  std::vector<Operand> operands(3);
  for (Operand& operand : operands) operand.dtype = Dtype::uint64;
  operands[0].scalar = {{stream.key[0], stream.key[1]}};
  operands[1].scalar = {{stream.counter[0], stream.counter[1]}};
  operands[2].scalar = {{stream.counter[2], stream.counter[3]}};
  return operands;
}

}  // namespace

std::array<std::uint64_t, 4> random_block(const RandomStream& stream) {
  auto key = stream.key;
  auto c = stream.counter;
  for (int round = 0; round < 10; ++round) {
    const auto first = static_cast<unsigned __int128>(c[0]) * 0xD2E7470EE14C6C93;
    const auto second = static_cast<unsigned __int128>(c[2]) * 0xCA5A826395121157;
    c = {static_cast<std::uint64_t>(second >> 64) ^ c[1] ^ key[0],
         static_cast<std::uint64_t>(second),
         static_cast<std::uint64_t>(first >> 64) ^ c[3] ^ key[1],
         static_cast<std::uint64_t>(first)};
    key = {key[0] + 0x9E3779B97F4A7C15, key[1] + 0xBB67AE8584CAA73B};
  }
  return c;
}

std::uint64_t HostWords::next() {
  constexpr int words = 4;
  if (used_ == words) {
    ++stream_.counter[0];
    used_ = 0;
    block_.reset();
  }
  if (!block_) block_ = random_block(stream_);
  return (*block_)[static_cast<std::size_t>(used_++)];
}

std::uint64_t HostWords::next_half() {
  if (half_) return *std::exchange(half_, std::nullopt);
  const std::uint64_t word = next();
  half_ = last_half_ = word >> 32;
  return word & 0xffffffff;
}

std::uint64_t HostWords::next_number(std::uint64_t span) {
  const bool narrow = span <= 0xffffffff;
  const int bits = narrow ? 32 : 64;
  const std::uint64_t most = ~std::uint64_t{0} >> (64 - bits);
  if (span == 0) return 0;
  if (span == most) return narrow ? next_half() : next();
  const std::uint64_t size = span + 1;
  const std::uint64_t rejected = (most - span) % size;  // of all 2**bits
  for (;;) {
    const auto product = static_cast<unsigned __int128>(narrow ? next_half() : next()) * size;
    if ((static_cast<std::uint64_t>(product) & most) >= rejected) {
      return static_cast<std::uint64_t>(product >> bits);
    }
  }
}

namespace {

constinit thread_local std::uint32_t drawing_batches = 0;  // 0: all; else one more than they are

// The innermost first.
std::vector<Recorder*> batches_of_this_thread() {
  std::vector<Recorder*> batches;
  for (Recorder* one = Recorder::current(); one; one = one->outer()) {
    if (one->rows() > 0) batches.push_back(one);
  }
  const auto count = static_cast<std::int64_t>(batches.size());
  const auto most = std::int64_t{drawing_batches} - 1;
  if (most >= 0 && count > most) batches.erase(batches.begin(), batches.begin() + (count - most));
  return batches;
}

std::int64_t rows_of(std::span<Recorder* const> batches) {
  std::int64_t count = 1;
  for (const Recorder* batch : batches) count *= batch->rows();
  return count;
}

array made_words(const RandomStream& stream, const Dims& shape, Dtype dtype, Device& device,
                 std::int64_t skipped) {
  if (shape.empty() && skipped == 0 && device.host_accessible() && !Recorder::current()) {
    // One word is known at once, and what is made of it with numbers needs no graph.
    const std::uint64_t word = random_block(stream)[0];
    return array::of_number({{dtype == Dtype::uint64 ? word : word & 0xffffffff}}, dtype);
  }
  auto operands = operands_of(stream);
  const Dims drawn = skipped == 0 ? shape : Dims{skipped + size_of(shape)};
  Ref<Value> value = graph::make(graph::draft(NodeKind::random), dtype, drawn, device, operands);
  if (Recorder* recorder = Recorder::current()) recorder->draw(*value, stream.source);
  const array words = deferred(std::move(value), false);
  return skipped == 0 ? words : words.slice(0, Slice{skipped, {}}).reshape(shape);
}

}  // namespace

array random_words(const RandomStream& stream, const Dims& shape, Dtype dtype, Device& device,
                   std::int64_t skipped) {
  check_word(dtype);
  const auto batches = batches_of_this_thread();
  if (batches.empty()) return made_words(stream, shape, dtype, device, skipped);
  const array rows = [&] {
    const Recorder::Outside outside(*batches.back());
    Dims all = shape;
    all.insert(0, rows_of(batches));
    return made_words(stream, all, dtype, device, skipped);
  }();
  return row_of_drawn(rows);
}

array row_of_drawn(const array& rows) {
  const auto batches = batches_of_this_thread();
  Dims shape(rows.shape().begin() + 1, rows.shape().end());
  for (const Recorder* batch : batches) shape.insert(0, batch->rows());
  array made = rows.reshape(shape);
  for (Recorder* batch : std::views::reverse(batches)) made = batch->stand_for(made);
  return made;
}

std::int64_t rows_at_once() { return rows_of(batches_of_this_thread()); }

std::int64_t set_drawing_batches(std::int64_t most) {
  const auto before = std::exchange(drawing_batches, static_cast<std::uint32_t>(most + 1));
  return std::int64_t{before} - 1;
}

}  // namespace heddle
