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

// The words of the blocks that one vector works on: it has a lane for two words.
int words_of_vector(const Target& target) { return target.vector_bytes / 4; }

// How many of these words vectors make; scalar registers make the rest, a vector's share. CPUs
// multiply 64 bits in scalar registers about as fast as in vectors, and do both at once.
int vector_share(const Target& target, int words) {
  if (target.model == Model::grid) return words;
  const int share = words_of_vector(target);
  return words > share ? words - share : words;
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
  const int length = std::max(others, count);
  LaneBuilder same(b, all.target, length);
  if (count < length) made = permute(same, made, made, [&](int n) { return n < count ? n : 0; });
  if (others < length) other = permute(same, other, other, [&](int n) { return n % others; });
  return permute(all, made, other, [&](int n) { return n < count ? n : length + n - count; });
}

// Vectors of one length, one after the other.
Value* joined(LaneBuilder& l, llvm::ArrayRef<Value*> parts) {
  Value* all = parts.front();
  int lanes = l.lanes;
  for (Value* part : parts.drop_front()) {  // both have to be of one length
    LaneBuilder before(l.b, l.target, lanes), after(l.b, l.target, lanes + l.lanes);
    part = permute(before, part, part, [&](int n) { return n < l.lanes ? n : 0; });
    all = permute(after, all, part, [](int n) { return n; });
    lanes += l.lanes;
  }
  return all;
}

// The state after the first two rounds of blocks that follow one another from `number` blocks after
// the start on, a lane for each. Only the lowest words of their counters differ: the first round's
// products are that of the start plus multiples of the factor, and the second round has one product
// that all blocks share.
Block two_rounds(LaneBuilder& l, const PhiloxStream& stream, const Block& start, int number) {
  auto& b = l.b;
  LaneBuilder one(b, l.target, 1);
  auto constant = [&](const std::function<std::uint64_t(int)>& value) {
    return l(l.lanes == 1 ? b.getInt64(value(0)) : constants(l, value));
  };
  auto multiple = [&](int n) {
    return static_cast<unsigned __int128>(multipliers[0]) * static_cast<unsigned>(number + n);
  };
  auto factor = [&](int i) { return one.integer(b.getInt64Ty(), multipliers[i]); };
  auto word = [&](Value* x) { return splat(l, x); };
  const Wide first = multiply(one, one(start[0]), factor(0));
  const Wide shared = multiply(one, one(start[2]), factor(1));
  Lane added = constant([&](int n) { return static_cast<std::uint64_t>(multiple(n)); });
  Lane low = word(first.low) + added;
  Lane carry = l(b.CreateZExt(b.CreateICmpULT(low, added), low.value->getType()));
  Lane high = word(first.high) + carry +
              constant([&](int n) { return static_cast<std::uint64_t>(multiple(n) >> 64); });
  Lane same = shared.high ^ one(start[1]) ^ one(stream.key[0]);
  Lane own = high ^ word(one(start[3]) ^ one(stream.key[1]));

  std::array<Lane, 2> key;
  for (std::size_t i = 0; i < 2; ++i)
    key[i] = one(stream.key[i]) + one.integer(b.getInt64Ty(), key_steps[i]);
  const Wide again = multiply(one, same, factor(0));
  const Wide product = multiply(l, own, word(factor(1)));
  return {product.high ^ word(shared.low ^ key[0]), product.low, low ^ word(again.high ^ key[1]),
          word(again.low)};
}

constexpr int rounds_left = philox_rounds - 2;

std::array<Lane, 2> key_after_two(LaneBuilder& one, const PhiloxStream& stream) {
  auto key = [&](std::size_t i) {
    return one(stream.key[i]) + one.integer(one.b.getInt64Ty(), 2 * key_steps[i]);
  };
  return {key(0), key(1)};
}

// Some of these blocks, a lane for each, in pairs of lanes.
LaneBlocks in_pairs(LaneBuilder& pairs, const Block& blocks, int lanes, int first, Value* key) {
  auto pick = [&](Value* x, Value* y) {
    return permute(pairs, x, y, [&](int n) { return first + n / 2 + (n % 2 == 0 ? 0 : lanes); });
  };
  auto vector = [&](int i) {
    return lanes == 1 ? pairs.b.CreateVectorSplat(1, blocks[i]) : blocks[i];
  };
  return {pick(vector(0), vector(2)), pick(vector(3), vector(1)), pairs(key)};
}

// Words of blocks that follow one another, where their counters differ in the lowest word only.
// Half of the scalar blocks, which are few enough for the registers, are done while the vectors go
// through the first half of their rounds; the others during the second half.
Value* whole_blocks(LaneBuilder& all, const PhiloxStream& stream, const Block& start) {
  auto& b = all.b;
  const int made = vector_share(all.target, all.lanes);
  const bool grid = all.target.model == Model::grid;
  const int vectors = grid ? 1 : std::max(1, made / words_of_vector(all.target));
  const int share = made / vectors / philox_words;  // blocks of each
  LaneBuilder one(b, all.target, 1), pairs(b, all.target, 2 * share);
  LaneBuilder own(b, all.target, made / philox_words);  // a lane for each block
  const Block begun = two_rounds(own, stream, start, 0);
  const auto key = key_after_two(one, stream);
  std::vector<LaneBlocks> lanes;
  for (int v = 0; v < vectors; ++v)
    lanes.push_back(in_pairs(pairs, begun, own.lanes, v * share, alternate(pairs, key[1], key[0])));
  LaneList scalars;
  const int blocks = all.lanes / philox_words;
  int next = own.lanes;
  for (const int end : {next + (blocks - next + 1) / 2, blocks}) {
    // The loop's state: the number of rounds, the key, vectors, and scalar blocks.
    LaneList state{one(b.getInt64(0)), key[0], key[1]};
    const std::size_t first_lane = state.size();
    for (const LaneBlocks& l : lanes) state.append({l.even, l.odd, l.key});
    const std::size_t first_word = state.size();
    for (; next < end; ++next) {
      for (Value* word : two_rounds(one, stream, start, next)) state.push_back(one(word));
    }
    state = one.repeat_while(
        state, [](const LaneList& s) { return s[0] < 0.5 * rounds_left; },
        [&](LaneList s) {
          for (std::size_t at = first_lane; at < first_word; at += 3) {
            LaneBlocks l = lane_round(pairs, {pairs(s[at]), pairs(s[at + 1]), pairs(s[at + 2])});
            s[at] = l.even;
            s[at + 1] = l.odd;
            s[at + 2] = l.key;
          }
          for (int round = 0; round < 2; ++round) {
            for (std::size_t at = first_word; at < s.size(); at += 4) {
              Block block = one_round(one, {s[at], s[at + 1], s[at + 2], s[at + 3]}, s[1], s[2]);
              for (std::size_t i = 0; i < 4; ++i) s[at + i] = one(block[i]);
            }
            for (std::size_t i = 0; i < 2; ++i)
              s[1 + i] = s[1 + i] + one.integer(b.getInt64Ty(), key_steps[i]);
          }
          s[0] = s[0] + 1.0;
          return s;
        });
    for (std::size_t v = 0; v < lanes.size(); ++v) {
      const std::size_t at = first_lane + 3 * v;
      lanes[v] = {pairs(state[at]), pairs(state[at + 1]), pairs(state[at + 2])};
    }
    scalars.append(state.begin() + first_word, state.end());
  }
  LaneBuilder part(b, all.target, share * philox_words);
  std::vector<Value*> parts;
  for (const LaneBlocks& l : lanes) parts.push_back(words_of(pairs, l));
  return put_together(all, joined(part, parts), scalars);
}

// All rounds of a block, or of one in each lane.
Block all_rounds(LaneBuilder& l, const Block& counter, Lane key0, Lane key1) {
  llvm::Type* type = counter[0]->getType();
  LaneList state;
  for (Value* word : counter) state.push_back(l(word));
  state.append({key0, key1, l.integer(type, philox_rounds)});
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
  return {state[0], state[1], state[2], state[3]};
}

// The block of every lane, and its word of it.
Lane own_block(LaneBuilder& l, const PhiloxStream& stream, Lane position) {
  auto& b = l.b;
  llvm::Type* type = position.value->getType();
  Block counter;
  for (int i = 0; i < 4; ++i) counter[i] = splat(l, stream.counter[i]);
  counter = advance(l, counter, l(b.CreateLShr(position, 2)));
  const Block words = all_rounds(l, counter, splat(l, stream.key[0]), splat(l, stream.key[1]));
  Lane upper = (position & l.integer(type, 2)) != 0.0;
  Lane odd = (position & l.integer(type, 1)) != 0.0;
  return l.where(odd, l.where(upper, words[3], words[1]), l.where(upper, words[2], words[0]));
}

Lane own_half(LaneBuilder& l, const PhiloxStream& stream, Lane position) {
  auto& b = l.b;
  Lane word = own_block(l, stream, l(b.CreateLShr(position, 1)));
  Lane odd = (position & l.integer(position.value->getType(), 1)) != 0.0;
  return l(b.CreateTrunc(l.where(odd, b.CreateLShr(word, 32), word), l.widen(b.getInt32Ty())));
}

}  // namespace

std::array<Lane, philox_words> philox_block(LaneBuilder& l, Lane key0, Lane key1, Lane counter) {
  Value* zero = llvm::Constant::getNullValue(counter.value->getType());
  const Block words = all_rounds(l, {counter, zero, zero, zero}, key0, key1);
  return {l(words[0]), l(words[1]), l(words[2]), l(words[3])};
}

Lane philox_at(LaneBuilder& l, const PhiloxStream& stream, const PhiloxPlace& place, bool half) {
  auto& b = l.b;
  auto following = [&](Value* first) {  // the positions from the first one on
    if (l.lanes == 1) return l(first);
    return splat(l, first) + l(constants(l, [](int n) { return n; }));
  };
  auto alone = [&] {
    Lane position = place.first ? following(place.first) : l(place.position);
    llvm::Type* word = half ? b.getInt32Ty() : b.getInt64Ty();
    return l.in_turns(position, word, [&](LaneBuilder& some, Lane at) {
      return half ? own_half(some, stream, at) : own_block(some, stream, at);
    });
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
