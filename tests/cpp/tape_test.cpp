// Programs that a tape has heard, run again.
#include "graph/tape.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "graph/storage.h"
#include <heddle/heddle.h>

namespace heddle {
namespace {

using Recorded = std::shared_ptr<const Recording>;

template <class F>
Recorded record(F&& program) {
  Tape tape;
  program();
  return tape.take();
}

array ramp(double first, std::int64_t count) {
  std::vector<double> elements;
  for (std::int64_t i = 0; i < count; ++i) {
    elements.push_back(std::sin(first + static_cast<double>(i)));
  }
  return array(elements);
}

std::vector<std::string> check(const Recorded& program, const Recorded& other) {
  return check_replay(*program, *other, program->entries.size());
}

// Both programs are one, on other inputs, and the first computes what the second did.
void expect_replay(const Recorded& first, const Recorded& second) {
  ASSERT_EQ(difference(*first, *second), "");
  EXPECT_TRUE(other_inputs(*first, *second, first->entries.size()));
  EXPECT_EQ(check(first, first), std::vector<std::string>());
  EXPECT_EQ(check(first, second), std::vector<std::string>());
}

int steps_of_kind(const Recording& recording, NodeKind kind) {
  int count = 0;
  for (const auto& step : recording.steps) count += step.node->kind == kind;
  return count;
}

TEST(Tape, StencilInPlace) {
  auto program = [](double first) {
    return record([&] {
      array u = ramp(first, 200);
      for (int i = 0; i < 20; ++i) {
        u(Slice{1, -1}) += 0.25 * (u(Slice{2, {}}) - 2.0 * u(Slice{1, -1}) + u(Slice{{}, -2}));
      }
      u.to_vector<double>();
    });
  };
  const Recorded first = program(0), second = program(1);
  EXPECT_EQ(steps_of_kind(*first, NodeKind::update), 20);
  EXPECT_EQ(first->looks.size(), 1u);
  expect_replay(first, second);
}

TEST(Tape, LongFormula) {
  auto program = [](double first) {
    return record([&] {
      array x = ramp(first, 1000), y = x;
      for (int i = 0; i < 125; ++i) y = y * 0.5 + (i % 3 == 0 ? x : sqrt(abs(y)));
      y.to_vector<double>();
      sum(y).item<double>();
    });
  };
  const Recorded first = program(0), second = program(1);
  EXPECT_GE(steps_of_kind(*first, NodeKind::elementwise), 250);
  EXPECT_EQ(first->looks.size(), 2u);
  expect_replay(first, second);
}

TEST(Tape, LibrarySteps) {
  auto program = [](double first) {
    return record([&] {
      array a = ramp(first, 16).reshape({4, 4});
      matmul(a + 1.0, a.transpose()).to_vector<double>();
    });
  };
  const Recorded first = program(0), second = program(1);
  EXPECT_EQ(steps_of_kind(*first, NodeKind::library), 1);
  expect_replay(first, second);
}

// The tape holds the old value, so writing keeps it.
TEST(Tape, AnInputIsNotOverwritten) {
  array x = ramp(0, 10);
  x.eval();
  const double before = x(3).item<double>();
  Tape tape;
  array doubled = x * 2.0;
  x(Slice{2, 5}) = 7.0;
  EXPECT_EQ(x(3).item<double>(), 7);
  EXPECT_EQ(doubled(3).item<double>(), 2 * before);
  const Recorded recorded = tape.take();
  EXPECT_EQ(check(recorded, recorded), std::vector<std::string>());
}

TEST(Tape, MemoryThatTheOutsideWrites) {
  auto program = [](double first) {
    return record([&] {
      std::vector<double> memory(10, first);
      array x = alias(std::span(memory));
      (x + 1.0).to_vector<double>();
      memory[4] = first * 3;
      (x + 1.0).to_vector<double>();
      x(Slice{0, 5}) = 2.0;
      EXPECT_EQ(memory[4], 2);
      memory[0] = first + 5;
      (x * 2.0).to_vector<double>();
    });
  };
  expect_replay(program(1), program(2));
}

TEST(Tape, NumbersThatTheHostComputedAreInputs) {
  auto program = [](double first) {
    return record([&] {
      array x = ramp(first, 50);
      const double largest = max(x).item<double>();
      (x / largest).to_vector<double>();
    });
  };
  expect_replay(program(0), program(1));
}

TEST(Tape, OtherProgramsDiffer) {
  auto program = [](const array& x, const Scalar& by, bool more) {
    return record([&] {
      array y = x * by;
      if (more) y = y + 1;
      y.to_vector<double>();
    });
  };
  const array x = ramp(0, 10).eval(), y = ramp(0, 11).eval();
  const Recorded plain = program(x, 2.0, false);
  EXPECT_TRUE(same_structure(*plain, *program(x, 3.0, false)));
  EXPECT_FALSE(same_structure(*plain, *program(x, 2.0, true)));
  EXPECT_FALSE(same_structure(*plain, *program(y, 2.0, false)));
}

TEST(Tape, ProgramsWithACommonBeginning) {
  auto program = [](double first) {
    return record([&] {
      array x = ramp(first, 10);
      array y = x * 2.0;
      if (y(0).item<double>() > 1) y = y + 1.0;
      y.to_vector<double>();
    });
  };
  const Recorded first = program(0), second = program(1);
  const auto common = common_entries(*first, *second);
  EXPECT_LT(common, first->entries.size());
  EXPECT_TRUE(other_inputs(*first, *second, common));
  EXPECT_EQ(check_replay(*first, *second, common), std::vector<std::string>());
}

TEST(Tape, NestedTapesHearTheSame) {
  Tape outer;
  array x = ramp(0, 10);
  Recorded inner;
  {
    Tape tape;
    EXPECT_EQ(Recorder::current(), &tape);
    EXPECT_EQ(tape.outer(), &outer);
    (x + 1.0).to_vector<double>();
    inner = tape.take();
  }
  EXPECT_EQ(Recorder::current(), &outer);
  (x * 2.0).to_vector<double>();
  const Recorded all = outer.take();
  EXPECT_EQ(inner->looks.size(), 1u);
  EXPECT_EQ(all->looks.size(), 2u);
  EXPECT_LT(inner->steps.size(), all->steps.size());
  for (const Recorded& recorded : {inner, all}) {
    EXPECT_EQ(check(recorded, recorded), std::vector<std::string>());
  }
}

// A replay is a program like others: a tape hears it.
TEST(Tape, ReplaysAreHeard) {
  const Recorded first = record([&] { (ramp(0, 10) * 2.0).to_vector<double>(); });
  const Recorded again = record([&] { replay(*first, Inputs::of(*first)); });
  EXPECT_EQ(again->steps.size(), first->steps.size());
}

TEST(Tape, WrongInputsAreRefused) {
  const array x = ramp(0, 10).eval();
  const Recorded first = record([&] { (x * 2.0).to_vector<double>(); });
  Inputs none;
  EXPECT_THROW(replay(*first, std::move(none)), value_error);
  Inputs other = Inputs::of(*first);
  other.values[0] = ramp(0, 11).eval().storage().value();
  EXPECT_THROW(replay(*first, std::move(other)), value_error);
}

TEST(Tape, GivesUpOnMuchMemory) {
  Tape tape(1000);
  const array x = ramp(0, 1000);
  EXPECT_EQ((x * 2.0)(1).item<double>(), 2 * std::sin(1.0));
  EXPECT_FALSE(tape.take()->incomplete.empty());
}

}  // namespace
}  // namespace heddle
