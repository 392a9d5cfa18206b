// A recorder that runs every step as it is made, and says which one makes a floating-point error:
// what NumPy calls divide, over, under and invalid. NumPy reads flags of the machine; these errors
// are found by what operands and results are, so that kernels are what they always are.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "transform/step_checking.h"
#include <heddle/array.h>

namespace heddle::transform {

// In the order in which NumPy tells of them.
enum class FloatError : std::uint8_t { divide, over, under, invalid };
inline constexpr std::size_t float_errors = 4;

// Errors of an operation count only where a mask is true, while there is one of these: elsewhere
// nobody sees its results (`where=`). Masks that do not broadcast to a result do not concern it.
class HEDDLE_API CountedWhere {
 public:
  explicit CountedWhere(const array* mask);
  ~CountedWhere();
  CountedWhere(const CountedWhere&) = delete;
  CountedWhere& operator=(const CountedWhere&) = delete;

 private:
  const array* before_;
};

class HEDDLE_API FloatChecking : public StepChecking {
 public:
  using Kinds = std::array<bool, float_errors>;

  FloatChecking() : StepChecking(Outermost()) {}

  // Which errors are looked for.
  Kinds kinds = {};

  // A step, by the name that NumPy gives it, has made an error.
  virtual void found(FloatError error, const std::string& step) = 0;

 protected:
  void check(const Heard& heard) override;

 private:
  void check_elementwise(const Heard& heard);
  void check_reduction(const Heard& heard);
  void check_whole(const Heard& heard);
  void tell(const Heard& heard, FloatError error, const array& where);
};

}  // namespace heddle::transform
