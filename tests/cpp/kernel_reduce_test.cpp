#include <cmath>
#include <limits>
#include <random>

#include "kernel_harness.h"

namespace heddle::test {
namespace {

using Sizes = std::vector<std::vector<std::int64_t>>;

Kernel simple(Op combine, Dtype dtype, Lanes lanes, Stride stride = Stride::unit, int reduced = 1) {
  KernelBuilder b(1, reduced, 1, lanes);
  b.body();
  const int x = b.load(b.slot(dtype, "xxxx", stride));
  const int sum = b.reduce(combine, x);
  b.row();
  b.store(b.slot(dtype, lanes == Lanes::kept ? "x..." : "x...", Stride::unit, true), sum);
  return b.k;
}

TEST(KernelReduce, SimpleInBothLanePlacements) {
  for (Lanes lanes : {Lanes::kept, Lanes::reduced}) {
    for (Dtype dtype : {Dtype::int8, Dtype::int32, Dtype::int64, Dtype::float32, Dtype::float64,
                        Dtype::complex64, Dtype::complex128}) {
      const Kernel kernel = simple(Op::add, dtype, lanes);
      for (const auto& sizes :
           Sizes{{1, 0}, {0, 5}, {1, 1}, {3, 7}, {70, 5}, {5, 70}, {33, 129}, {2, 3000}})
        check(Launch(kernel, sizes));
      check(Launch(simple(Op::add, dtype, lanes, Stride::any), {9, 150}));
    }
  }
}

TEST(KernelReduce, SeveralReducedDimensions) {
  for (Lanes lanes : {Lanes::kept, Lanes::reduced}) {
    for (Dtype dtype : {Dtype::int32, Dtype::float32}) {
      const Kernel kernel = simple(Op::add, dtype, lanes, Stride::unit, 3);
      for (const auto& sizes : Sizes{{2, 3, 4, 5},
                                     {3, 50, 2, 3},
                                     {1, 2, 3, 200},
                                     {2, 1, 1, 1},
                                     {2, 3, 0, 4},
                                     {17, 4, 20, 2},
                                     {1, 40, 40, 3}})
        check(Launch(kernel, sizes));
    }
  }
}

TEST(KernelReduce, OtherOperations) {
  for (Lanes lanes : {Lanes::kept, Lanes::reduced}) {
    for (const auto& sizes : Sizes{{1, 1}, {5, 6}, {2, 200}}) {
      for (Op op : {Op::maximum, Op::minimum}) {
        for (Dtype dtype : {Dtype::int8, Dtype::uint16, Dtype::float32, Dtype::float64})
          check(Launch(simple(op, dtype, lanes), sizes));
      }
      for (Op op : {Op::logical_or, Op::logical_and})
        check(Launch(simple(op, Dtype::bool_, lanes), sizes));
      check(Launch(simple(Op::multiply, Dtype::int64, lanes), {sizes[0], 6}));
      check(Launch(simple(Op::subtract, Dtype::int64, lanes), sizes));  // no identity: in order
    }
  }
}

TEST(KernelReduce, MaximumOfNan) {
  for (Lanes lanes : {Lanes::kept, Lanes::reduced}) {
    Launch launch(simple(Op::maximum, Dtype::float32, lanes), {1, 90});
    launch.at<float>(0, 41) = NAN;
    Memory memory = launch.memory;
    call(cpu::compile(launch.kernel), launch, memory);
    EXPECT_TRUE(std::isnan(read_number(Dtype::float32, &memory.buffers[1][launch.starts[1]]).re));
  }
}

Kernel extreme(Op op, Dtype dtype, Lanes lanes) {
  KernelBuilder b(1, 1, 1, lanes);
  b.body();
  const int x = b.load(b.slot(dtype, "xx"));
  const int found = b.extreme(op, x, b.index(1));
  b.row();
  b.store(b.slot(Dtype::int64, "x.", Stride::unit, true), found);
  return b.k;
}

TEST(KernelReduce, FirstExtremeWins) {
  for (Lanes lanes : {Lanes::kept, Lanes::reduced}) {
    for (Op op : {Op::argmin, Op::argmax}) {
      for (Dtype dtype :
           {Dtype::bool_, Dtype::int8, Dtype::int32, Dtype::float32, Dtype::float64}) {
        const Kernel kernel = extreme(op, dtype, lanes);  // the data are full of ties
        for (const auto& sizes : Sizes{{1, 1}, {3, 5}, {40, 9}, {2, 500}, {5, 64}})
          check(Launch(kernel, sizes));
      }
    }
  }
}

TEST(KernelReduce, ExtremesWithNanAndInfinity) {
  for (Lanes lanes : {Lanes::kept, Lanes::reduced}) {
    for (Op op : {Op::argmin, Op::argmax}) {
      for (int nan : {-1, 0, 3, 40, 98}) {
        Launch launch(extreme(op, Dtype::float64, lanes), {1, 99});
        const double worst = op == Op::argmax ? -INFINITY : INFINITY;
        for (int i = 0; i < 99; ++i) launch.at<double>(0, i) = worst;
        if (nan >= 0) launch.at<double>(0, nan) = launch.at<double>(0, 98) = NAN;
        check(launch);
      }
    }
  }
}

TEST(KernelReduce, RowsBeforeAndAfter) {
  // (sum over r of x * w) * c + row value, several reductions in one phase
  for (Lanes lanes : {Lanes::kept, Lanes::reduced}) {
    KernelBuilder b(2, 1, 1, lanes);
    b.uniform();
    const int c = b.scalar(Dtype::float32);
    b.row();
    const int v = b.load(b.slot(Dtype::float32, "xx.", Stride::unit));
    b.body();
    const int x = b.load(b.slot(Dtype::float32, "xxx")), w = b.load(b.slot(Dtype::float32, "..x"));
    const int one = b.load(b.slot(Dtype::float32, "x.."));
    const int weighted = b.reduce(Op::add, b.op(Op::multiply, x, b.op(Op::add, w, v)));
    const int largest = b.reduce(Op::maximum, x);
    const int count = b.reduce(Op::add, one);
    b.row();
    const int total = b.op(Op::add, b.op(Op::multiply, weighted, c), b.op(Op::add, largest, count));
    b.store(b.slot(Dtype::float32, "xx.", Stride::unit, true), total);
    b.store(b.slot(Dtype::float32, "xx.", Stride::any, true), v);
    for (const auto& sizes : Sizes{{2, 3, 4}, {1, 70, 20}, {3, 2, 100}, {2, 2, 1}}) {
      Launch launch(b.k, sizes);
      launch.scalar(0, Dtype::float32, {2});
      check(launch);
    }
  }
}

TEST(KernelReduce, NothingIsReadWhenNothingIsReduced) {
  for (Lanes lanes : {Lanes::kept, Lanes::reduced}) {
    KernelBuilder b(1, 1, 1, lanes);
    b.body();
    const int one = b.load(b.slot(Dtype::int32, "..")), row = b.load(b.slot(Dtype::int32, "x."));
    const int sum = b.reduce(Op::add, b.op(Op::add, one, row));
    b.row();
    b.store(b.slot(Dtype::int32, "x.", Stride::unit, true), sum);
    Launch launch(b.k, {40, 0});
    check(launch);
    for (const Target& target : host_targets()) {
      std::vector<int> out(40, 7);
      void* pointers[] = {nullptr, nullptr, out.data()};
      const LaunchArgs args{
          pointers, launch.strides.data(), launch.extents.data(), launch.origin.data(), nullptr,
          nullptr};
      cpu::compile(b.k, target).run(&args);
      EXPECT_EQ(out, std::vector<int>(40, 0));
    }
  }
}

// mean and sum of squares about it, in two phases; and the centred values as a third
Kernel centred(Lanes lanes, bool split) {
  KernelBuilder b(1, 1, 3, lanes);
  b.k.split = split;
  const int in = b.slot(Dtype::float64, "xx"),
            out = b.slot(Dtype::float64, "xx", Stride::unit, true);
  b.uniform();
  const int n = b.scalar(Dtype::float64);
  b.body(0);
  const int sum = b.reduce(Op::add, b.load(in));
  b.row();
  const int mean = b.op(Op::divide, sum, n);
  b.body(1);
  const int squares = b.reduce(Op::add, b.op(Op::square, b.op(Op::subtract, b.load(in), mean)));
  b.row();
  const int deviation = b.op(Op::sqrt, b.op(Op::divide, squares, n));
  b.body(2);
  b.store(out, b.op(Op::divide, b.op(Op::subtract, b.load(in), mean), deviation));
  b.row();
  b.store(b.slot(Dtype::float64, "x.", Stride::unit, true), mean);
  return b.k;
}

TEST(KernelReduce, SeveralPhases) {
  for (Lanes lanes : {Lanes::kept, Lanes::reduced}) {
    for (const auto& sizes : Sizes{{3, 16}, {40, 4}, {5, 64}, {1, 256}}) {
      Launch launch(centred(lanes, false), sizes);
      launch.scalar(0, Dtype::float64, {static_cast<long double>(sizes[1])});
      check(launch);
    }
  }
}

TEST(KernelReduce, SplitKernels) {
  for (int n : {1, 2, 4, 64, 512}) {
    Launch launch(centred(Lanes::reduced, true), {1, n});
    launch.scalar(0, Dtype::float64, {static_cast<long double>(n)});
    check(launch);
  }
  for (Dtype dtype : {Dtype::int8, Dtype::float32, Dtype::complex128}) {
    Kernel kernel = simple(Op::add, dtype, Lanes::reduced, Stride::unit, 2);
    kernel.split = true;
    for (const auto& sizes : Sizes{{1, 5, 7}, {1, 1, 100}, {1, 64, 3}, {1, 0, 3}})
      check(Launch(kernel, sizes));
  }
  for (Op op : {Op::argmin, Op::argmax}) {
    Kernel kernel = extreme(op, Dtype::float32, Lanes::reduced);
    kernel.split = true;
    for (int n : {1, 2, 50, 300}) check(Launch(kernel, {1, n}));
  }
}

TEST(KernelReduce, Softmax) {
  for (Lanes lanes : {Lanes::kept, Lanes::reduced}) {
    KernelBuilder b(1, 1, 3, lanes);
    const int in = b.slot(Dtype::float32, "xx"),
              out = b.slot(Dtype::float32, "xx", Stride::unit, true);
    const int kept =
        b.slot(Dtype::float32, lanes == Lanes::reduced ? ".x" : "xx", Stride::unit, true);
    if (lanes == Lanes::reduced) b.k.slots[kept].scratch = true;
    b.body(0);
    const int largest = b.reduce(Op::maximum, b.load(in));
    b.body(1);
    const int e = b.op(Op::exp, b.op(Op::subtract, b.load(in), largest));
    b.store(kept, e);
    const int sum = b.reduce(Op::add, e);
    b.body(2);
    b.store(out, b.op(Op::divide, b.load(kept), sum));
    verify(b.k);
    for (int n : {1, 5, 33, 200}) {
      Launch launch(b.k, {3, n});
      for (const Target& target : host_targets()) {
        Memory memory = launch.memory;
        call(cpu::compile(b.k, target), launch, memory);
        const auto* x = reinterpret_cast<const float*>(&memory.buffers[0][launch.starts[0]]);
        const auto* y = reinterpret_cast<const float*>(&memory.buffers[1][launch.starts[1]]);
        const std::int64_t row = launch.strides[0] / 4, step = launch.strides[1] / 4;
        for (int r = 0; r < 3; ++r) {
          double total = 0;
          for (int i = 0; i < n; ++i) total += std::exp(double(x[r * row + i * step]));
          for (int i = 0; i < n; ++i)
            ASSERT_NEAR(y[r * row + i * step], std::exp(double(x[r * row + i * step])) / total,
                        1e-6)
                << target.cpu << " n=" << n;
        }
      }
    }
  }
}

TEST(KernelReduce, Scan) {
  for (Dtype dtype : {Dtype::int32, Dtype::float32, Dtype::float64, Dtype::complex64}) {
    for (Op op : {Op::add, Op::subtract, Op::maximum}) {
      if (is_complex(dtype) && op == Op::maximum) continue;
      KernelBuilder b(1, 1, 1);
      b.body();
      const int x = b.load(b.slot(dtype, "xx"));
      b.store(b.slot(dtype, "xx", Stride::unit, true), b.scan(op, x));
      for (const auto& sizes : Sizes{{1, 1}, {1, 50}, {37, 9}, {4, 0}, {16, 3}})
        check(Launch(b.k, sizes));
    }
  }
}

TEST(KernelReduce, ScanKeepsTheSignOfZero) {
  KernelBuilder b(1, 1, 1);
  b.body();
  b.store(b.slot(Dtype::float32, "xx", Stride::unit, true),
          b.scan(Op::add, b.load(b.slot(Dtype::float32, "xx"))));
  Launch launch(b.k, {1, 2});
  const auto out = launch.kernel.slots[0].written ? 0 : 1;
  launch.at<float>(1 - out, 0) = launch.at<float>(1 - out, 1) = -0.0f;
  Memory memory = launch.memory;
  call(cpu::compile(b.k), launch, memory);
  float first;
  std::memcpy(&first, &memory.buffers[out][launch.starts[out]], 4);
  EXPECT_TRUE(std::signbit(first));
}

// The error of a sum, in units of eps * sum(|x|), next to NumPy's pairwise bound.
template <class T>
void check_accuracy(Lanes lanes, std::int64_t rows, std::int64_t n) {
  Launch launch(simple(Op::add, dtype_of<T>, lanes), {rows, n});
  std::mt19937 random(7);
  std::uniform_real_distribution<T> uniform(0, 1);
  for (std::int64_t i = 0; i < rows * n; ++i) launch.at<T>(0, i) = uniform(random);
  const std::int64_t row = launch.strides[0] / sizeof(T), step = launch.strides[1] / sizeof(T);
  for (const Target& target : host_targets()) {
    Memory memory = launch.memory;
    call(cpu::compile(launch.kernel, target), launch, memory);
    for (std::int64_t r = 0; r < rows; ++r) {
      long double exact = 0;
      for (std::int64_t i = 0; i < n; ++i) exact += launch.at<T>(0, r * row + i * step);
      T sum;
      std::memcpy(&sum, &memory.buffers[1][launch.starts[1] + r * launch.strides[2]], sizeof sum);
      const long double error = std::abs(sum - exact) / exact / std::numeric_limits<T>::epsilon();
      ASSERT_LT(error, 4) << target.cpu << " " << rows << "x" << n;
    }
  }
}

TEST(KernelReduce, PairwiseAccuracy) {
  check_accuracy<float>(Lanes::reduced, 1, 1000);
  check_accuracy<float>(Lanes::reduced, 1, 3'000'001);
  check_accuracy<float>(Lanes::reduced, 3, 100'003);
  check_accuracy<float>(Lanes::kept, 20, 100'000);
  check_accuracy<float>(Lanes::kept, 1, 1'000'000);
  check_accuracy<double>(Lanes::reduced, 1, 1'000'001);
  check_accuracy<double>(Lanes::kept, 40, 10'000);
}

}  // namespace
}  // namespace heddle::test
