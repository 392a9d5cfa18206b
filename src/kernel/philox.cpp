#include "kernel/philox.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace heddle::kernel {

using llvm::Value;

namespace {

constexpr std::uint64_t multipliers[2] = {0xD2E7470EE14C6C93, 0xCA5A826395121157};
constexpr std::uint64_t key_steps[2] = {0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B};

using Block = std::array<Value*, 4>;

struct Wide {
  Lane high, low;
};

// The 128-bit product of every lane with a constant of its own.
Wide multiply(LaneBuilder& l, Lane x, Lane factor) {
  auto& b = l.b;
  if (l.lanes == 1) {
    llvm::Type* wide = b.getInt128Ty();
    Value* product = b.CreateMul(b.CreateZExt(x, wide), b.CreateZExt(factor, wide));
    return {l(b.CreateTrunc(b.CreateLShr(product, 64), b.getInt64Ty())),
            l(b.CreateTrunc(product, b.getInt64Ty()))};
  }
  if (l.target.model == Model::grid) {  // lane by lane: it has the high half of a product
    LaneBuilder one(b, l.target, 1);
    Value* high = llvm::PoisonValue::get(x.value->getType());
    Value* low = high;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(l.lanes); ++i) {
      Wide lane =
          multiply(one, one(b.CreateExtractElement(x, i)), one(b.CreateExtractElement(factor, i)));
      high = b.CreateInsertElement(high, lane.high, i);
      low = b.CreateInsertElement(low, lane.low, i);
    }
    return {l(high), l(low)};
  }
  // Vector units multiply 32 bits by 32.
  Lane mask = l.integer(x.value->getType(), 0xffffffff);
  auto lower = [&](Lane v) { return v & mask; };
  auto upper = [&](Lane v) { return l(b.CreateLShr(v, 32)); };
  Lane x0 = lower(x), x1 = upper(x), f0 = lower(factor), f1 = upper(factor);
  Lane p00 = x0 * f0;
  Lane p01 = x0 * f1 + upper(p00);
  Lane p10 = x1 * f0 + lower(p01);
  Lane high = x1 * f1 + upper(p01) + upper(p10);
  return {high, l.has_avx512() ? x * factor : (p10 << 32) | lower(p00)};
}

// counter + count, 256 bits, for one or many lanes.
Block advance(LaneBuilder& l, const Block& counter, Lane count) {
  auto& b = l.b;
  llvm::Type* type = count.value->getType();
  Block sum;
  sum[0] = b.CreateAdd(counter[0], count);
  Value* carry = b.CreateICmpULT(sum[0], count);
  for (int i = 1; i < 4; ++i) {
    sum[i] = b.CreateAdd(counter[i], b.CreateZExt(carry, type));
    if (i < 3)
      carry = b.CreateAnd(carry, b.CreateICmpEQ(sum[i], llvm::Constant::getNullValue(type)));
  }
  return sum;
}

// How many of these words vectors make; scalar registers make the rest. CPUs multiply 64 bits in
// scalar registers about as fast as in vectors, and do both at once.
int vector_share(const Target& target, int words) {
  const int whole = target.vector_bytes / 4;  // half of the words of a block at a time
  return target.model == Model::grid ? words : std::min(words, whole);
}

Lane splat(LaneBuilder& l, Value* x) {
  return l(l.lanes == 1 ? x : l.b.CreateVectorSplat(l.lanes, x));
}

llvm::Constant* constants(LaneBuilder& l, const std::function<std::uint64_t(int)>& value) {
  std::vector<std::uint64_t> list;
  for (int n = 0; n < l.lanes; ++n) list.push_back(value(n));
  return llvm::ConstantDataVector::get(l.b.getContext(), list);
}

Lane permute(LaneBuilder& l, Value* x, Value* y, const std::function<int(int)>& from) {
  std::vector<int> order;
  for (int n = 0; n < l.lanes; ++n) order.push_back(from(n));
  return l(l.b.CreateShuffleVector(x, y, order));
}

// Blocks that follow one another in vectors, two lanes for each: words 0 and 2, which a round
// multiplies, in `even`, and words 3 and 1, which it adds in, in `odd`.
struct LaneBlocks {
  Lane even, odd, key;
};

// Lanes x, y, x, y, ...
Lane alternate(LaneBuilder& l, Value* x, Value* y) {
  return permute(l, splat(l, x), splat(l, y), [&](int n) { return n % 2 == 0 ? n : l.lanes + n; });
}

LaneBlocks first_lanes(LaneBuilder& l, const PhiloxStream& stream, const Block& start) {
  Value* steps = constants(l, [](int n) { return n % 2 == 0 ? n / 2 : 0; });
  return {alternate(l, start[0], start[2]) + l(steps), alternate(l, start[3], start[1]),
          alternate(l, stream.key[1], stream.key[0])};
}

Lane neighbours(LaneBuilder& l, Lane x) {
  return permute(l, x, x, [](int n) { return n ^ 1; });
}

LaneBlocks lane_round(LaneBuilder& l, const LaneBlocks& blocks) {
  auto alternating = [&](const std::uint64_t (&pair)[2], int shift) {
    return l(constants(l, [&](int n) { return pair[(n + shift) % 2]; }));
  };
  Wide product = multiply(l, blocks.even, alternating(multipliers, 0));
  return {neighbours(l, product.high ^ (blocks.odd ^ blocks.key)), product.low,
          blocks.key + alternating(key_steps, 1)};
}

Value* words_of(LaneBuilder& l, const LaneBlocks& blocks) {
  LaneBuilder all(l.b, l.target, 2 * l.lanes);
  return permute(all, blocks.even, blocks.odd,
                 [&](int n) { return n % 2 == 0 ? n / 2 : l.lanes + (n / 2 ^ 1); });
}

// A round of one block in registers of its own.
Block one_round(LaneBuilder& l, const Block& block, Lane key0, Lane key1) {
  llvm::Type* type = block[0]->getType();
  Wide first = multiply(l, l(block[0]), l.integer(type, multipliers[0]));
  Wide second = multiply(l, l(block[2]), l.integer(type, multipliers[1]));
  return {second.high ^ l(block[1]) ^ key0, second.low, first.high ^ l(block[3]) ^ key1, first.low};
}

// The words of all blocks in order: those of vectors, then those of scalars.
Value* put_together(LaneBuilder& all, Value* made, const LaneList& scalars) {
  auto& b = all.b;
  if (scalars.empty()) return made;
  const int others = static_cast<int>(scalars.size()), count = all.lanes - others;
  LaneBuilder rest(b, all.target, others);
  Value* other = llvm::PoisonValue::get(rest.widen(b.getInt64Ty()));
  for (std::size_t n = 0; n < scalars.size(); ++n)
    other = b.CreateInsertElement(other, scalars[n], n);
  // Both have to be of one length.
  if (others != count) made = permute(rest, made, made, [&](int n) { return n < count ? n : 0; });
  return permute(all, made, other, [&](int n) { return n < count ? n : others + n - count; });
}

// Words of blocks that follow one another, where their counters differ in the lowest word only.
// Half of the scalar blocks, which are few enough for the registers, are done while the lanes go
// through the first half of their rounds; the others during the second half.
Value* whole_blocks(LaneBuilder& all, const PhiloxStream& stream, const Block& start) {
  auto& b = all.b;
  const int made = vector_share(all.target, all.lanes);
  LaneBuilder one(b, all.target, 1), pairs(b, all.target, made / 2);
  LaneBlocks lanes = first_lanes(pairs, stream, start);
  LaneList scalars;
  const int blocks = (all.lanes - made) / philox_words;
  int next = 0;
  for (const int end : {(blocks + 1) / 2, blocks}) {
    // The loop's state: the number of rounds, the key, a vector, and scalar blocks.
    LaneList state{one(b.getInt64(0)), one(stream.key[0]), one(stream.key[1]),
                   lanes.even,         lanes.odd,          lanes.key};
    const std::size_t words = state.size();
    for (; next < end; ++next) {
      const int place = made / philox_words + next;
      state.push_back(one(start[0]) + place);
      for (int i = 1; i < 4; ++i) state.push_back(one(start[i]));
    }
    state = one.repeat_while(
        state, [](const LaneList& s) { return s[0] < 0.5 * philox_rounds; },
        [&](LaneList s) {
          lanes = lane_round(pairs, {pairs(s[3]), pairs(s[4]), pairs(s[5])});
          for (int round = 0; round < 2; ++round) {
            for (std::size_t at = words; at < s.size(); at += 4) {
              Block block = one_round(one, {s[at], s[at + 1], s[at + 2], s[at + 3]}, s[1], s[2]);
              for (std::size_t i = 0; i < 4; ++i) s[at + i] = one(block[i]);
            }
            for (std::size_t i = 0; i < 2; ++i)
              s[1 + i] = s[1 + i] + one.integer(b.getInt64Ty(), key_steps[i]);
          }
          s[0] = s[0] + 1.0;
          s[3] = lanes.even;
          s[4] = lanes.odd;
          s[5] = lanes.key;
          return s;
        });
    lanes = {pairs(state[3]), pairs(state[4]), pairs(state[5])};
    scalars.append(state.begin() + words, state.end());
  }
  return put_together(all, words_of(pairs, lanes), scalars);
}

// The block of every lane, and its word of it.
Lane own_block(LaneBuilder& l, const PhiloxStream& stream, Lane position) {
  auto& b = l.b;
  llvm::Type* type = position.value->getType();
  Block counter;
  for (int i = 0; i < 4; ++i) counter[i] = splat(l, stream.counter[i]);
  counter = advance(l, counter, l(b.CreateLShr(position, 2)));
  LaneList state;
  for (Value* word : counter) state.push_back(l(word));
  for (Value* word : stream.key) state.push_back(splat(l, word));
  state.push_back(l.integer(type, philox_rounds));
  state = l.repeat_while(
      state, [](const LaneList& s) { return s[6] > 0.0; },
      [&](const LaneList& s) {
        Block block = one_round(l, {s[0], s[1], s[2], s[3]}, s[4], s[5]);
        return LaneList{l(block[0]),
                        l(block[1]),
                        l(block[2]),
                        l(block[3]),
                        s[4] + l.integer(type, key_steps[0]),
                        s[5] + l.integer(type, key_steps[1]),
                        s[6] - 1.0};
      });
  Lane upper = (position & l.integer(type, 2)) != 0.0;
  Lane odd = (position & l.integer(type, 1)) != 0.0;
  return l.where(odd, l.where(upper, state[3], state[1]), l.where(upper, state[2], state[0]));
}

Lane own_half(LaneBuilder& l, const PhiloxStream& stream, Lane position) {
  auto& b = l.b;
  Lane word = own_block(l, stream, l(b.CreateLShr(position, 1)));
  Lane odd = (position & l.integer(position.value->getType(), 1)) != 0.0;
  return l(b.CreateTrunc(l.where(odd, b.CreateLShr(word, 32), word), l.widen(b.getInt32Ty())));
}

}  // namespace

Lane philox_at(LaneBuilder& l, const PhiloxStream& stream, const PhiloxPlace& place, bool half) {
  auto& b = l.b;
  auto following = [&](Value* first) {  // the positions from the first one on
    if (l.lanes == 1) return l(first);
    return splat(l, first) + l(constants(l, [](int n) { return n; }));
  };
  auto alone = [&] {
    Lane position = place.first ? following(place.first) : l(place.position);
    return half ? own_half(l, stream, position) : own_block(l, stream, position);
  };
  const int words = half ? l.lanes / 2 : l.lanes;
  if (words < philox_words) return alone();
  const std::uint64_t step = half ? 2 * philox_words : philox_words;
  LaneBuilder one(b, l.target, 1), all(b, l.target, words);
  Value* first =
      place.first ? place.first : b.CreateExtractElement(place.position, std::uint64_t{0});
  Block start = advance(one, stream.counter, one(b.CreateLShr(first, half ? 3 : 2)));
  // Whole blocks, whose counters have no carry between them, and one lane after the other.
  Value* inside = b.CreateICmpNE(b.CreateAnd(first, b.getInt64(step - 1)), b.getInt64(0));
  Value* carries = b.CreateICmpUGT(start[0], b.getInt64(-static_cast<std::uint64_t>(words)));
  Value* other = b.CreateOr(inside, carries);
  if (!place.first) {
    Value* moved = b.CreateICmpNE(place.position, following(first));
    other = b.CreateOr(splat(l, other), moved);
  }
  Value* usual = whole_blocks(all, stream, start);
  if (half) usual = b.CreateBitCast(usual, l.widen(b.getInt32Ty()));
  return l.rarely(other, usual, alone);
}

}  // namespace heddle::kernel
