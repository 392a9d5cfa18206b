// A random order without sorting: a bijection of the numbers below `count`, chosen by a key, so
// that each place of a permutation is computed by itself. A Feistel network over pairs of digits:
// the numbers below `rows * columns`, where both are near the root of `count`. Few numbers of that
// range are not below `count`; they are mapped on until they are (cycle walking).
#include <llvm/IR/IRBuilder.h>

#include "kernel/scalar_lowering.h"

namespace heddle::kernel {

namespace {

constexpr int rounds = 8;  // four would do with perfect round functions (Luby and Rackoff, 1988)

struct Digits {
  Lane rows, columns;  // float64
  Lane key0, key1;
};

Lane whole(LaneBuilder& l, Lane x) { return l(l.b.CreateFPToSI(x, l.widen(l.b.getInt64Ty()))); }

// A number below `range`, which is less than 2^32, of a hash of another one.
Lane below(LaneBuilder& l, Lane x, Lane key0, Lane key1, Lane range) {
  auto& b = l.b;
  llvm::Type* type = x.value->getType();
  auto upper = [&](Lane v) { return l(b.CreateLShr(v, 32)); };
  Lane h = (x ^ key0) * l.integer(type, 0xd6e8feb86659fd93);
  h = ((h ^ upper(h)) + key1) * l.integer(type, 0xff51afd7ed558ccd);
  h = (h ^ upper(h)) * l.integer(type, 0xc4ceb9fe1a85ec53);
  return upper(upper(h) * range);
}

Lane permuted(LaneBuilder& l, Lane x, const Digits& d) {
  auto& b = l.b;
  llvm::Type* type = x.value->getType();
  Lane number = l(b.CreateSIToFP(x, d.rows.value->getType()));
  Lane quotient = l.floor((number + 0.5) / d.columns);
  Lane row = whole(l, quotient), column = whole(l, number - quotient * d.columns);
  Lane rows = whole(l, d.rows), columns = whole(l, d.columns);
  for (int round = 0; round < rounds; ++round) {
    Lane& moved = round % 2 == 0 ? row : column;
    Lane range = round % 2 == 0 ? rows : columns;
    Lane key = d.key0 + l.integer(type, 0x9e3779b97f4a7c15 * static_cast<std::uint64_t>(round));
    Lane sum = moved + below(l, round % 2 == 0 ? column : row, key, d.key1, range);
    moved = l.where(sum < range, sum, sum - range);
  }
  return row * columns + column;
}

}  // namespace

// args: the place, the count, which is at least 2, and a key of two words.
Lane lower_shuffle(LaneBuilder& l, std::span<const Lane> args) {
  auto& b = l.b;
  llvm::Type* given = args[0].value->getType();
  LaneList wide;
  for (Lane arg : args) wide.push_back(l(b.CreateZExtOrTrunc(arg, l.widen(b.getInt64Ty()))));
  const LaneList sides = l.shared({wide[1]}, [](LaneBuilder& on, const LaneList& count) {
    Lane all = on(on.b.CreateSIToFP(count[0], on.widen(on.b.getDoubleTy())));
    auto ceiling = [&](Lane x) { return on.intrinsic(llvm::Intrinsic::ceil, {x}); };
    Lane rows = ceiling(on.sqrt(all));
    return LaneList{rows, ceiling(all / rows)};
  });
  Lane first = permuted(l, wide[0], {sides[0], sides[1], wide[2], wide[3]});
  Lane last = l.one_by_one(
      first >= wide[1], first, {first, wide[1], sides[0], sides[1], wide[2], wide[3]},
      [](LaneBuilder& own, const LaneList& lane) {
        const Digits digits{lane[2], lane[3], lane[4], lane[5]};
        return own.repeat_while(
            {lane[0]}, [&](const LaneList& s) { return s[0] >= lane[1]; },
            [&](const LaneList& s) {
              // On a grid other lanes of a thread may be done.
              return LaneList{own.where(s[0] < lane[1], s[0], permuted(own, s[0], digits))};
            })[0];
      });
  // Such a network has nearly always the same sign: a swap of two numbers, or none, leaves it open.
  Lane swapped = last ^ (wide[3] & l.integer(wide[3].value->getType(), 1));
  return l(b.CreateZExtOrTrunc(l.where(last < 2.0, swapped, last), given));
}

}  // namespace heddle::kernel
