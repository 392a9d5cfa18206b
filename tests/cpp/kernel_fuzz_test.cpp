// Random kernels of every shape, against the interpreter: what no hand-written test thinks of.
#include <cstdlib>
#include <random>
#include <string>

#include "kernel_harness.h"

namespace heddle::test {
namespace {

class RandomKernel {
 public:
  explicit RandomKernel(unsigned seed) : random_(seed), b_(make()) {}

  Launch launch() {
    uniform();
    rows(Level::row);
    for (int p = 0; p < b_.k.phases; ++p) phase(p);
    const int outputs = 1 + pick(2);
    for (int n = 0; n < outputs; ++n) store_row();
    std::vector<std::int64_t> sizes;
    for (int d = 0; d < b_.k.dims(); ++d) {
      static constexpr int usual[] = {1, 2, 3, 5, 8, 17, 40, 70};
      sizes.push_back(b_.k.split && d < b_.k.kept_dims ? 1 : usual[pick(b_.k.dims() > 2 ? 6 : 8)]);
    }
    Launch result(b_.k, sizes, pick(2) ? 2 : -3);
    for (int n = 0; n < b_.k.scalars; ++n) result.scalar(n, Dtype::int32, {2});
    for (auto& origin : result.origin) origin = pick(3);
    for (int n : float_scalars_) result.scalar(n, Dtype::float32, {2});
    return result;
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  KernelBuilder make() {
    const int reduced = pick(3), kept = 1 + pick(3 - reduced / 2);
    const bool lanes_reduced = reduced > 0 && pick(2);
    KernelBuilder b(kept, reduced, reduced ? 1 + pick(3) : 0,
                    lanes_reduced ? Lanes::reduced : Lanes::kept);
    b.k.split = lanes_reduced && pick(3) == 0;
    return b;
  }

  std::string varies(bool body) {
    std::string text;
    for (int d = 0; d < b_.k.dims(); ++d) {
      const bool inside = d < b_.k.kept_dims || body;
      text += inside && pick(4) ? 'x' : '.';
    }
    return text;
  }

  Dtype type() {
    static constexpr Dtype types[] = {Dtype::int32, Dtype::float32, Dtype::int64};
    return types[pick(3)];
  }

  // Any value that is visible where the builder stands, converted to the type wanted.
  int value(Dtype wanted) {
    const auto& from = phase_ >= 0 && !body_.empty() && pick(4) ? body_ : rows_;
    const int found = from[pick(static_cast<int>(from.size()))];
    if (b_.k.instrs[found].dtype == wanted) return found;
    return b_.op(Op::cast, wanted, found);
  }

  void remember(int i) { (phase_ >= 0 ? body_ : rows_).push_back(i); }

  void at(Level level) {
    if (level == Level::uniform)
      b_.uniform();
    else if (level == Level::row)
      b_.row();
    else
      b_.body(phase_);
  }

  void uniform() {
    b_.uniform();
    rows_.push_back(b_.scalar(Dtype::int32));
    float_scalars_.push_back(b_.k.scalars);
    rows_.push_back(b_.scalar(Dtype::float32));
    rows_.push_back(b_.op(Op::add, rows_[0], rows_[0]));
  }

  void rows(Level level) {
    at(level);
    const bool body = level == Level::body;
    for (int n = pick(3) + body; n > 0; --n)
      remember(b_.load(b_.slot(type(), varies(body), pick(3) ? Stride::unit : Stride::any)));
    if (pick(3) == 0) remember(b_.index(pick(body ? b_.k.dims() : b_.k.kept_dims)));
    for (int n = pick(4); n > 0; --n) {
      const Dtype t = type();
      static constexpr Op ops[] = {Op::add, Op::subtract, Op::maximum, Op::minimum};
      const int x = value(t), y = value(t);
      if (pick(5) == 0) {
        const int less = b_.op(Op::less, Dtype::bool_, x, y);
        const int z = value(t);
        remember(b_.op(Op::select, t, less, x, z));
      } else {
        remember(b_.op(ops[pick(4)], t, x, y));
      }
    }
  }

  void phase(int p) {
    phase_ = p;
    body_.clear();
    rows(Level::body);
    std::vector<int> results;
    for (int n = 1 + pick(2); n > 0; --n) {
      const Dtype t = type();
      const int x = body_value(t);
      switch (pick(4)) {
        case 0:
          results.push_back(b_.reduce(pick(2) ? Op::maximum : Op::minimum, x));
          break;
        case 1: {
          const int i = b_.index(b_.k.dims() - 1);
          // With one reduced dimension indices are unique.
          if (b_.k.reduced_dims == 1) results.push_back(b_.extreme(Op::argmax, x, i));
          break;
        }
        default:
          results.push_back(b_.reduce(Op::add, x));
      }
    }
    if (pick(3) == 0) {
      const Dtype t = type();
      const int x = body_value(t);
      const int mask = pick(2) ? b_.op(Op::less, Dtype::bool_, x, body_value(t)) : -1;
      b_.store(b_.slot(t, std::string(b_.k.dims(), 'x'), stride(), true), x, -1, mask);
    }
    phase_ = -1;
    rows_.insert(rows_.end(), results.begin(), results.end());
    rows(Level::row);
  }

  int body_value(Dtype t) {
    const int found = body_[pick(static_cast<int>(body_.size()))];
    // The smaller of two, so that sums stay exact in float32.
    return b_.op(Op::minimum, t, b_.op(Op::cast, t, found), value(t));
  }

  Stride stride() { return pick(3) ? Stride::unit : Stride::any; }

  void store_row() {
    b_.row();
    const Dtype t = type();
    const std::string where =
        std::string(b_.k.kept_dims, 'x') + std::string(b_.k.reduced_dims, '.');
    const int x = value(t);
    const int mask = pick(3) == 0 ? b_.op(Op::less, Dtype::bool_, x, value(t)) : -1;
    b_.store(b_.slot(t, where, stride(), true), x, -1, mask);
  }

  std::mt19937 random_;
  KernelBuilder b_;
  std::vector<int> rows_, body_, float_scalars_;
  int phase_ = -1;
};

TEST(KernelFuzz, RandomKernelsAgreeWithTheInterpreter) {
  const char* asked = std::getenv("HEDDLE_FUZZ_KERNELS");
  const int count = asked ? std::stoi(asked) : 150;
  for (int seed = 0; seed < count && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    check(RandomKernel(static_cast<unsigned>(seed)).launch());
  }
}

}  // namespace
}  // namespace heddle::test
