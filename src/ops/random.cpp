#include "ops/random.h"

#include <fmt/format.h>

#include "graph/make.h"
#include "graph/storage.h"
#include "graph/value.h"
#include "ops/deferred.h"
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

array random_words(const RandomStream& stream, const Dims& shape, Dtype dtype, Device& device) {
  check_word(dtype);
  auto operands = operands_of(stream);
  Ref<Value> value = graph::make(graph::draft(NodeKind::random), dtype, shape, device, operands);
  return deferred(std::move(value), false);
}

}  // namespace heddle
