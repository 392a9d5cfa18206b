#include "kernel_harness.h"

namespace heddle::test {
namespace {

Kernel sample() {
  KernelBuilder b(2, 1, 1, Lanes::reduced);
  b.uniform();
  const int c = b.scalar(Dtype::float32);
  b.body();
  const int x = b.load(b.slot(Dtype::float32, "xxx"));
  const int sum = b.reduce(Op::add, b.op(Op::multiply, x, c));
  b.row();
  b.store(b.slot(Dtype::float32, "xx.", Stride::unit, true), sum);
  return b.k;
}

TEST(KernelIr, BytesRoundTrip) {
  const Kernel kernel = sample();
  const std::string bytes = serialize(kernel);
  EXPECT_EQ(deserialize(bytes), kernel);
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THROW(deserialize(bytes.substr(0, n)), std::logic_error);
  EXPECT_THROW(deserialize(bytes + "x"), std::logic_error);
}

TEST(KernelIr, BytesTellKernelsApart) {
  const std::string bytes = serialize(sample());
  auto changed = [&](auto change) {
    Kernel kernel = sample();
    change(kernel);
    return serialize(kernel) != bytes;
  };
  EXPECT_TRUE(changed([](Kernel& k) { k.split = true; }));
  EXPECT_TRUE(changed([](Kernel& k) { k.sequential = true; }));
  EXPECT_TRUE(changed([](Kernel& k) { k.lanes = Lanes::kept; }));
  EXPECT_TRUE(changed([](Kernel& k) { k.slots[0].scratch = true; }));
  EXPECT_TRUE(changed([](Kernel& k) { k.slots[0].lane = Stride::any; }));
  EXPECT_TRUE(changed([](Kernel& k) { k.slots[0].zero_dims = 1; }));
  EXPECT_TRUE(changed([](Kernel& k) { k.instrs[2].op = Op::add; }));
  EXPECT_TRUE(changed([](Kernel& k) { k.instrs[3].combine = Op::maximum; }));
  EXPECT_TRUE(changed([](Kernel& k) { k.instrs[2].args[1] = 1; }));
}

TEST(KernelIr, Text) {
  EXPECT_EQ(to_string(sample()),
            "kernel kept=2 reduced=1 phases=1 lanes=reduced\n"
            "  slot 0: float32 lane=unit varies=[xxx]\n"
            "  slot 1: float32 lane=zero varies=[xx.] written\n"
            "  %0 = scalar #0 : float32 uniform\n"
            "  %1 = load #0 : float32 body 0\n"
            "  %2 = multiply %1 %0 : float32 body 0\n"
            "  %3 = reduce.add %2 : float32 row 0\n"
            "  %4 = store #1 %3 : float32 row\n");
}

TEST(KernelIr, VerifierNamesTheInstruction) {
  auto reason = [](auto change) -> std::string {
    Kernel kernel = sample();
    change(kernel);
    try {
      verify(kernel);
    } catch (const std::logic_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(reason([](Kernel&) {}), "");
  EXPECT_EQ(reason([](Kernel& k) { k.instrs[2].args[1] = 4; }),
            "kernel: %2: an argument is missing or not earlier");
  EXPECT_EQ(reason([](Kernel& k) { k.instrs[4].slot = 7; }), "kernel: %4: no such slot");
  EXPECT_EQ(reason([](Kernel& k) { k.instrs[4].slot = 0; }),
            "kernel: %4: a store to a slot that is not written");
  EXPECT_EQ(reason([](Kernel& k) { k.instrs[4].args[0] = 2; }),
            "kernel: %4: an argument of a deeper level");
  EXPECT_EQ(reason([](Kernel& k) { k.slots[0].lane = Stride::zero; }),
            "kernel: a slot's lane class contradicts zero_dims");
  EXPECT_EQ(reason([](Kernel& k) { k.instrs[3].dtype = Dtype::float64; }),
            "kernel: %3: an accumulator of another type than the value");
  EXPECT_EQ(reason([](Kernel& k) { k.reduced_dims = 0; }),
            "kernel: phases without reduced dimensions, or none with");
}

}  // namespace
}  // namespace heddle::test
