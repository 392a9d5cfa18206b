// What the lowering of scalar operations builds with: typed constants, calls of vector math and of
// run-time helpers, rare branches, and arithmetic that reads like arithmetic. A LaneBuilder works
// on values that all have the same number of lanes.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

#include <llvm/IR/IRBuilder.h>

#include "kernel/target.h"

namespace heddle::kernel {

class LaneBuilder;

// A value with its builder, so that formulas can be written with operators. Arithmetic is floating
// point or integer after the type; numbers are converted to the other operand's type.
struct Lane {
  LaneBuilder* lanes = nullptr;
  llvm::Value* value = nullptr;
  operator llvm::Value*() const { return value; }
};
using LaneList = llvm::SmallVector<Lane, 6>;  // several values, each of all lanes

class LaneBuilder {
 public:
  LaneBuilder(llvm::IRBuilder<>& builder, const Target& target, int lanes)
      : b(builder), target(target), lanes(lanes) {}

  llvm::IRBuilder<>& b;
  const Target& target;
  const int lanes;
  bool brief = false;  // what is built runs once a row: it need not be quick, but short

  Lane operator()(llvm::Value* value) { return {this, value}; }

  llvm::Type* widen(llvm::Type* scalar) const;   // this many lanes of a scalar type
  llvm::Type* int_like(llvm::Type* type) const;  // integers of the same width
  Lane number(llvm::Type* like, double value);
  Lane integer(llvm::Type* like, std::uint64_t bits);

  Lane where(llvm::Value* condition, llvm::Value* yes, llvm::Value* no);
  Lane intrinsic(llvm::Intrinsic::ID id, std::initializer_list<llvm::Value*> args);
  Lane abs(llvm::Value* x) { return intrinsic(llvm::Intrinsic::fabs, {x}); }
  Lane sqrt(llvm::Value* x) { return intrinsic(llvm::Intrinsic::sqrt, {x}); }
  Lane floor(llvm::Value* x) { return intrinsic(llvm::Intrinsic::floor, {x}); }
  Lane trunc(llvm::Value* x) { return intrinsic(llvm::Intrinsic::trunc, {x}); }
  Lane rint(llvm::Value* x) { return intrinsic(llvm::Intrinsic::roundeven, {x}); }
  Lane copysign(llvm::Value* x, llvm::Value* sign) {
    return intrinsic(llvm::Intrinsic::copysign, {x, sign});
  }
  Lane is_nan(llvm::Value* x) { return (*this)(b.CreateFCmpUNO(x, x)); }
  // x * y + z, fused where the machine can (has_fma), else in two steps.
  Lane mad(llvm::Value* x, llvm::Value* y, llvm::Value* z);
  // c[0] + c[1] x + c[2] x^2 + ...
  Lane polynomial(llvm::Value* x, std::initializer_list<double> coefficients);
  Lane bits_of(llvm::Value* x);                      // float -> integer of the same width
  Lane float_of(llvm::Value* bits);                  // and back
  Lane convert(llvm::Value* x, llvm::Type* scalar);  // float <-> double

  bool has_fma() const { return target.fma; }
  bool has_avx512() const { return target.avx512; }

  // How many lanes of this scalar type one register of the machine has.
  int register_lanes(llvm::Type* scalar) const;
  // Calls f on register-size pieces of the arguments (padded with zeros where the lanes do not fill
  // a register) and puts the results together.
  Lane by_register(std::initializer_list<llvm::Value*> args, llvm::Type* result_scalar,
                   const std::function<llvm::Value*(llvm::ArrayRef<llvm::Value*>)>& f);
  // Calls f on the scalars of every lane and puts the results, of the same type, together.
  Lane lane_by_lane(std::initializer_list<llvm::Value*> args,
                    const std::function<llvm::Value*(llvm::ArrayRef<llvm::Value*>)>& f);
  // The C library's function of this name ("sin": sinf or sin after the type) on every lane.
  Lane math(std::string_view name, std::initializer_list<llvm::Value*> args);
  // The same on rare arguments: kept out of line where code is inlined otherwise.
  Lane rare_math(std::string_view name, std::initializer_list<llvm::Value*> args);
  // heddle_rt_<name>(out*, in*..., n): arguments and results pass through memory, an array each.
  Lane helper(const std::string& name, llvm::Type* result,
              std::initializer_list<llvm::Value*> args);
  // `usual`, replaced by slow() in the lanes where `condition` holds; slow() runs only when it
  // holds somewhere. A condition of one lane is for all of them. Ends the current block and
  // continues in a new one.
  Lane rarely(llvm::Value* condition, llvm::Value* usual,
              const std::function<llvm::Value*()>& slow);
  LaneList rarely(llvm::Value* condition, const LaneList& usual,
                  const std::function<LaneList()>& slow);
  // The same for several results, made by one copy of the code for lanes that take turns. For
  // threads, which have few lanes, and no memory that is quick to index.
  LaneList rarely_in_turn(llvm::Value* condition, const LaneList& usual, const LaneList& args,
                          const std::function<LaneList(LaneBuilder&, const LaneList&)>& slow);
  // The same where few lanes have to be done again, one after the other: that some have to is the
  // more likely the more lanes there are. slow() makes a lane's value of the lane's arguments, with
  // a builder of one lane (on a grid, whose threads have few, of all of them). Ends the current
  // block and continues in a new one.
  Lane one_by_one(llvm::Value* condition, llvm::Value* usual, const LaneList& args,
                  const std::function<Lane(LaneBuilder&, const LaneList&)>& slow);
  // f(x), a register of lanes after the other, in a loop: less code where f is long and rare.
  Lane in_turns(llvm::Value* x, llvm::Type* result_scalar,
                const std::function<Lane(LaneBuilder&, Lane)>& f);
  // f(args), computed once where all arguments are the same in every lane.
  LaneList shared(const LaneList& args,
                  const std::function<LaneList(LaneBuilder&, const LaneList&)>& f);
  // Steps all lanes until active() holds in none of them; step() must leave the state of lanes
  // where it does not hold as it is. Ends the current block and continues in a new one.
  LaneList repeat_while(const LaneList& initial, const std::function<Lane(const LaneList&)>& active,
                        const std::function<LaneList(const LaneList&)>& step);
  // Memory for an array of elements, as long as the function runs.
  llvm::Value* stack_slot(llvm::Type* element, int count);

 private:
  Lane device_math(std::string_view name, std::initializer_list<llvm::Value*> args, bool rare);
  llvm::Value* any(llvm::Value* condition);
  llvm::Value* extract_piece(llvm::Value* value, int first, int count);
};

Lane operator+(Lane x, Lane y);
Lane operator-(Lane x, Lane y);
Lane operator*(Lane x, Lane y);
Lane operator/(Lane x, Lane y);  // floats only
Lane operator-(Lane x);
Lane operator+(Lane x, double y);
Lane operator-(Lane x, double y);
Lane operator-(double x, Lane y);
Lane operator*(Lane x, double y);
Lane operator/(double x, Lane y);
Lane operator&(Lane x, Lane y);
Lane operator|(Lane x, Lane y);
Lane operator^(Lane x, Lane y);
Lane operator!(Lane x);
Lane operator<<(Lane x, int count);
// Ordered comparisons (false for nan), signed for integers; != is true for nan.
Lane operator<(Lane x, Lane y);
Lane operator<=(Lane x, Lane y);
Lane operator>(Lane x, Lane y);
Lane operator>=(Lane x, Lane y);
Lane operator==(Lane x, Lane y);
Lane operator!=(Lane x, Lane y);
Lane operator<(Lane x, double y);
Lane operator<=(Lane x, double y);
Lane operator>(Lane x, double y);
Lane operator>=(Lane x, double y);
Lane operator==(Lane x, double y);
Lane operator!=(Lane x, double y);

}  // namespace heddle::kernel
