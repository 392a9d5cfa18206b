#include "kernel_harness.h"

namespace heddle::test {
namespace {

Kernel binary(Op op, Dtype dtype, Stride a = Stride::unit, Stride b = Stride::unit,
              Stride out = Stride::unit) {
  KernelBuilder builder(1);
  auto varies = [](Stride s) { return s == Stride::zero ? "." : "x"; };
  const int sa = builder.slot(dtype, varies(a), a);
  const int sb = builder.slot(dtype, varies(b), b);
  const int so = builder.slot(dtype, varies(out), out, true);
  const int x = builder.load(sa), y = builder.load(sb);
  builder.store(so, builder.op(op, x, y));
  return builder.k;
}

constexpr Dtype plain_types[] = {Dtype::bool_,     Dtype::int8,    Dtype::uint8,   Dtype::int16,
                                 Dtype::uint16,    Dtype::int32,   Dtype::uint32,  Dtype::int64,
                                 Dtype::uint64,    Dtype::float32, Dtype::float64, Dtype::complex64,
                                 Dtype::complex128};

TEST(KernelElementwise, EveryTailOfContiguousData) {
  for (Dtype dtype : plain_types) {
    const Kernel kernel = binary(Op::add, dtype);
    for (int n = 0; n <= 70; ++n) check(Launch(kernel, {n}));
    for (int n : {127, 128, 129, 200, 300}) check(Launch(kernel, {n}));
  }
}

TEST(KernelElementwise, EveryStrideClass) {
  const Stride classes[] = {Stride::zero, Stride::unit, Stride::any};
  for (Dtype dtype : {Dtype::bool_, Dtype::int8, Dtype::int16, Dtype::float32, Dtype::int64,
                      Dtype::complex64, Dtype::complex128}) {
    for (Stride a : classes) {
      for (Stride b : classes) {
        for (Stride out : {Stride::unit, Stride::any}) {
          const Kernel kernel = binary(Op::multiply, dtype, a, b, out);
          for (int n : {0, 1, 5, 16, 37, 131}) {
            check(Launch(kernel, {n}));
            check(Launch(kernel, {n}, -2));
          }
        }
      }
    }
  }
}

TEST(KernelElementwise, HalfPrecisionInMemory) {
  for (Dtype dtype : {Dtype::float16, Dtype::bfloat16}) {
    for (Stride in : {Stride::unit, Stride::any, Stride::zero}) {
      for (Stride out : {Stride::unit, Stride::any}) {
        KernelBuilder b(1);
        const int x = b.load(b.slot(dtype, in == Stride::zero ? "." : "x", in));
        const int y = b.load(b.slot(Dtype::float32, "x"));
        const int sum = b.op(Op::add, b.op(Op::cast, Dtype::float32, x), y);
        b.store(b.slot(dtype, "x", out, true), b.op(Op::cast, dtype, sum));
        for (int n : {1, 8, 23, 64, 99}) check(Launch(b.k, {n}));
      }
    }
  }
}

TEST(KernelElementwise, StoreWithoutStride) {
  check(Launch(binary(Op::add, Dtype::float32, Stride::zero, Stride::zero, Stride::zero), {1}));
}

TEST(KernelElementwise, BroadcastInSeveralDimensions) {
  KernelBuilder b(3);
  const int x = b.load(b.slot(Dtype::float32, "xxx"));
  const int column = b.load(b.slot(Dtype::float32, "xx."));
  const int line = b.load(b.slot(Dtype::float32, "..x"));
  const int plane = b.load(b.slot(Dtype::float64, "x..", Stride::zero));
  const int one = b.load(b.slot(Dtype::float32, "..."));
  int sum = b.op(Op::add, b.op(Op::multiply, x, column), b.op(Op::subtract, line, one));
  sum = b.op(Op::add, b.op(Op::cast, Dtype::float64, sum), plane);
  b.store(b.slot(Dtype::float64, "xxx", Stride::unit, true), sum);
  for (const auto& sizes : std::vector<std::vector<std::int64_t>>{
           {2, 3, 45}, {1, 1, 1}, {3, 0, 4}, {0, 2, 2}, {2, 2, 0}, {4, 5, 16}, {2, 7, 3}})
    check(Launch(b.k, sizes));
}

TEST(KernelElementwise, UniformScalarsAndHoisting) {
  KernelBuilder b(1);
  b.uniform();
  const int c = b.scalar(Dtype::float64), z = b.scalar(Dtype::complex64),
            f = b.scalar(Dtype::bool_);
  const int twice = b.op(Op::add, c, c);
  b.row();
  const int x = b.load(b.slot(Dtype::float64, "x"));
  const int w = b.load(b.slot(Dtype::complex64, "x"));
  const int chosen = b.op(Op::select, Dtype::float64, f, b.op(Op::multiply, x, twice), c);
  b.store(b.slot(Dtype::float64, "x", Stride::unit, true), chosen);
  b.store(b.slot(Dtype::complex64, "x", Stride::unit, true), b.op(Op::multiply, w, z));
  b.store(b.slot(Dtype::float64, "x", Stride::unit, true), twice);
  for (int n : {1, 9, 64, 77}) {
    for (int flag : {0, 1}) {
      Launch launch(b.k, {n});
      launch.scalar(0, Dtype::float64, {2.5});
      launch.scalar(1, Dtype::complex64, {2, -1});
      launch.scalar(2, Dtype::bool_, {static_cast<long double>(flag)});
      check(launch);
    }
  }
}

TEST(KernelElementwise, IndexWithOrigin) {
  KernelBuilder b(2);
  const int i = b.index(0), j = b.index(1);
  b.store(b.slot(Dtype::int64, "xx", Stride::unit, true),
          b.op(Op::add, b.op(Op::multiply, i, i), j));
  for (int n : {1, 8, 33}) {
    Launch launch(b.k, {3, n});
    launch.origin = {10, 1000};
    check(launch);
  }
}

TEST(KernelElementwise, ComparisonAndBool) {
  KernelBuilder b(1);
  const int x = b.load(b.slot(Dtype::float32, "x")),
            y = b.load(b.slot(Dtype::float32, "x", Stride::any));
  const int less = b.op(Op::less, Dtype::bool_, x, y);
  const int mask = b.load(b.slot(Dtype::bool_, "x"));
  b.store(b.slot(Dtype::bool_, "x", Stride::unit, true), b.op(Op::logical_or, less, mask));
  b.store(b.slot(Dtype::bool_, "x", Stride::any, true), less);
  b.store(b.slot(Dtype::float32, "x", Stride::unit, true),
          b.op(Op::select, Dtype::float32, mask, x, y));
  for (int n : {1, 7, 32, 100, 161}) check(Launch(b.k, {n}));
}

TEST(KernelElementwise, MaskedStore) {
  for (Dtype dtype : {Dtype::bool_, Dtype::int16, Dtype::float32, Dtype::float64, Dtype::complex64,
                      Dtype::complex128}) {
    for (Stride stride : {Stride::unit, Stride::any}) {
      KernelBuilder b(1);
      const int x = b.load(b.slot(dtype, "x"));
      const int mask = b.load(b.slot(Dtype::bool_, "x"));
      b.store(b.slot(dtype, "x", stride, true), x, -1, mask);
      for (int n : {0, 1, 6, 32, 75}) check(Launch(b.k, {n}));
    }
  }
}

TEST(KernelElementwise, GatherAndScatter) {
  for (Dtype dtype : {Dtype::bool_, Dtype::int8, Dtype::float32, Dtype::float64, Dtype::complex64,
                      Dtype::complex128}) {
    KernelBuilder b(1);
    const int where = b.load(b.slot(Dtype::int64, "x"));
    const int table = b.slot(dtype, ".");
    const int out = b.slot(dtype, ".", Stride::zero, true);
    const int mask = b.load(b.slot(Dtype::bool_, "x"));
    const int x = b.load(table, where);
    b.store(out, x, where, mask);
    b.store(b.slot(dtype, "x", Stride::unit, true), x);
    for (int n : {0, 1, 13, 16, 50}) {
      Launch launch(b.k, {n});
      for (int s : {1, 2}) {
        launch.memory.buffers[s].assign(400 * itemsize(dtype), 1);
        launch.starts[s] = 100 * itemsize(dtype);
      }
      for (int i = 0; i < 300; ++i)
        write_number(dtype, &launch.memory.buffers[1][i * itemsize(dtype)],
                     {static_cast<long double>(i % 50)});
      // Equal targets: the last one stays.
      for (int i = 0; i < n; ++i) launch.at<std::int64_t>(0, i) = (i * 7) % 11 - 5;
      check(launch);
    }
  }
}

TEST(KernelElementwise, SequentialKernelsSeeTheirOwnStores) {
  KernelBuilder b(1);
  b.k.sequential = true;
  const int where = b.load(b.slot(Dtype::int64, "x"));
  const int counts = b.slot(Dtype::float64, ".", Stride::zero, true);
  const int old = b.load(counts, where);
  const int weight = b.load(b.slot(Dtype::float64, "x"));
  b.store(counts, b.op(Op::add, old, weight), where);
  Launch launch(b.k, {57});
  launch.memory.buffers[1].assign(50 * 8, 0);
  for (int i = 0; i < 57; ++i) launch.at<std::int64_t>(0, i) = i % 4;
  check(launch);
}

TEST(KernelElementwise, InPlace) {
  // The written slot and the read slot are the same memory.
  KernelBuilder b(1);
  const int x = b.load(b.slot(Dtype::float32, "x")),
            out = b.slot(Dtype::float32, "x", Stride::unit, true);
  b.store(out, b.op(Op::square, x));
  std::vector<float> data(101);
  for (int i = 0; i < 101; ++i) data[i] = static_cast<float>(i);
  void* pointers[] = {data.data(), data.data()};
  const std::int64_t strides[] = {4, 4}, extents[] = {101}, origin[] = {0};
  const LaunchArgs args{pointers, strides, extents, origin, nullptr, nullptr};
  for (const Target& target : host_targets()) {
    auto before = data;
    cpu::compile(b.k, target).run(&args);
    for (int i = 0; i < 101; ++i) ASSERT_EQ(data[i], before[i] * before[i]);
    data = before;
  }
}

TEST(KernelElementwise, ResultsDoNotDependOnPosition) {
  for (Op op : {Op::sin, Op::exp, Op::log, Op::tanh, Op::sqrt}) {
    KernelBuilder b(1);
    const int x = b.load(b.slot(Dtype::float32, "x"));
    b.store(b.slot(Dtype::float32, "x", Stride::unit, true), b.op(op, x));
    for (const Target& target : host_targets()) {
      const auto entry = cpu::compile(b.k, target);
      std::vector<float> in(97, 1.2345f), out(97);
      void* pointers[] = {in.data(), out.data()};
      const std::int64_t strides[] = {4, 4}, extents[] = {97}, origin[] = {0};
      const LaunchArgs args{pointers, strides, extents, origin, nullptr, nullptr};
      entry.run(&args);
      for (float value : out) ASSERT_EQ(value, out[0]) << info(op).name << " " << target.cpu;
    }
  }
}

}  // namespace
}  // namespace heddle::test
