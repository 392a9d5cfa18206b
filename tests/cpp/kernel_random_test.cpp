// Random words: whole blocks in vectors and scalars, single ones, and carries of the counter.
#include "kernel_harness.h"

namespace heddle::test {
namespace {

Launch words(Dtype dtype, std::int64_t count, std::uint64_t lowest, std::int64_t first = 0) {
  KernelBuilder b(1);
  b.store(b.slot(dtype, "x", Stride::unit, true), b.random(dtype, b.index(0)));
  Launch launch(b.k, {count});
  launch.origin[0] = first;
  launch.scalars[0] = {{0x0123456789abcdef, 0xfedcba9876543210}};
  launch.scalars[1] = {{lowest, ~std::uint64_t{0}}};
  launch.scalars[2] = {{~std::uint64_t{0}, 7}};
  return launch;
}

TEST(KernelRandom, EveryLength) {
  for (const Dtype dtype : {Dtype::uint64, Dtype::uint32}) {
    for (int n = 0; n <= 140; ++n) check(words(dtype, n, 0));
    for (const int n : {255, 256, 1000}) check(words(dtype, n, 5));
  }
}

TEST(KernelRandom, PiecesThatBeginInsideOfABlock) {
  for (const Dtype dtype : {Dtype::uint64, Dtype::uint32}) {
    for (const int first : {1, 2, 3, 4, 7, 8, 64, 100}) check(words(dtype, 150, 1, first));
  }
}

TEST(KernelRandom, TheCounterCarries) {
  for (const Dtype dtype : {Dtype::uint64, Dtype::uint32}) {
    for (const std::uint64_t before : {1, 2, 9, 20, 33}) {
      check(words(dtype, 300, std::uint64_t{0} - before));
      check(words(dtype, 300, std::uint64_t{0} - before, 64));
    }
  }
}

TEST(KernelRandom, PositionsFromMemory) {
  for (const Dtype dtype : {Dtype::uint64, Dtype::uint32}) {
    KernelBuilder b(1);
    const int source = b.slot(Dtype::int64, "x");
    const int squared = b.op(Op::square, b.load(source));
    b.store(b.slot(dtype, "x", Stride::unit, true), b.random(dtype, squared));
    for (const int n : {1, 15, 64, 99}) check(Launch(b.k, {n}));
  }
}

// Rows of a reduction: the position is made of two indices.
TEST(KernelRandom, Rows) {
  for (const Lanes lanes : {Lanes::kept, Lanes::reduced}) {
    KernelBuilder b(1, 1, 1, lanes);
    const int place = b.uniform().scalar(Dtype::int64);
    const int row = b.row().op(Op::multiply, b.index(0), place);
    const int position = b.body().op(Op::add, row, b.index(1));
    const int word = b.random(Dtype::uint32, position);
    b.row().store(b.slot(Dtype::uint32, "x.", Stride::unit, true), b.reduce(Op::maximum, word));
    Launch launch(b.k, {37, 64});
    launch.scalar(0, Dtype::int64, {64});
    check(launch);
  }
}

}  // namespace
}  // namespace heddle::test
