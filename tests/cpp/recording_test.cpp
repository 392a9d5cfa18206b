// Writes while work is being recorded: they happen in the memory that is there.
#include "runtime/recording.h"

#include <gtest/gtest.h>

#include "graph/look.h"
#include "graph/storage.h"
#include <heddle/heddle.h>

namespace heddle {
namespace {

const void* memory_of(const array& a) { return look(*a.storage().value()).data(); }

TEST(Recording, WholeArraysAreWrittenInPlace) {
  array x = full({1000}, 1, Dtype::float32).eval();
  array other = full({1000}, 5, Dtype::float32).eval();
  const void* before = memory_of(x);
  ++recordings;
  x += Scalar(1);
  EXPECT_FALSE(x.pending());
  EXPECT_EQ(memory_of(x), before);
  x.assign(other);
  EXPECT_EQ(memory_of(x), before);
  --recordings;
  EXPECT_EQ(x.to_vector<float>()[7], 5);
  x.assign(other);
  EXPECT_EQ(memory_of(x), memory_of(other));  // takes the value over
}

}  // namespace
}  // namespace heddle
