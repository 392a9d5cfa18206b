// Fourier transforms by ducc0. Compiled once for every level of instructions, each time with
// another HEDDLE_CPU_LEVEL and a namespace of its own for ducc0: see cmake/Ducc.cmake.
#include "backend/cpu/ducc/transform.h"

#include <algorithm>
#include <complex>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include <ducc0/fft/fftnd_impl.h>

#include "runtime/parallel.h"

namespace heddle::cpu::HEDDLE_CPU_LEVEL {

namespace {

// What transforms of one length have in common, mostly roots of unity: the most recently used.
// ducc0's own cache leaves out long transforms, for which making a plan costs most.
template <class Plan>
class PlanCache {
 public:
  std::shared_ptr<Plan> get(std::size_t length, bool vectorized) {
    if (auto plan = find(length, vectorized)) return plan;
    auto plan = std::make_shared<Plan>(length, vectorized);
    keep({length, vectorized, plan->footprint(), plan});
    return plan;
  }

 private:
  static constexpr std::size_t max_plans = 64;
  static constexpr std::size_t max_bytes = std::size_t{64} << 20;

  struct Entry {
    std::size_t length;
    bool vectorized;
    std::size_t bytes;
    std::shared_ptr<Plan> plan;
  };

  std::shared_ptr<Plan> find(std::size_t length, bool vectorized) {
    std::lock_guard lock(mutex_);
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (entry->length != length || entry->vectorized != vectorized) continue;
      entries_.splice(entries_.begin(), entries_, entry);
      return entry->plan;
    }
    return nullptr;
  }

  void keep(Entry entry) {
    std::lock_guard lock(mutex_);
    bytes_ += entry.bytes;
    entries_.push_front(std::move(entry));
    while (entries_.size() > max_plans || (bytes_ > max_bytes && entries_.size() > 1)) {
      bytes_ -= entries_.back().bytes;
      entries_.pop_back();
    }
  }

  std::mutex mutex_;
  std::list<Entry> entries_;  // the last used first
  std::size_t bytes_ = 0;
};

template <class Plan>
std::shared_ptr<Plan> cached_plan(std::size_t length, bool vectorized) {
  static auto* cache = new PlanCache<Plan>;
  return cache->get(length, vectorized);
}

}  // namespace

}  // namespace heddle::cpu::HEDDLE_CPU_LEVEL

namespace DUCC0_NAMESPACE {

namespace detail_threading {

namespace {

// All work goes to the threads that everything else runs on.
class Pool final : public thread_pool {
 public:
  size_t nthreads() const override { return adjust_nthreads(0); }
  size_t adjust_nthreads(size_t wanted) const override {
    if (in_parallel_region) return 1;
    auto all = static_cast<size_t>(heddle::thread_count());
    return wanted == 0 ? all : std::min(all, wanted);
  }
  void submit(std::function<void()> work) override { work(); }
  void parallel_for(size_t pieces, std::function<void(size_t)> work) override {
    heddle::parallel_for(static_cast<std::int64_t>(pieces), false,
                         [&](std::int64_t piece) { work(static_cast<size_t>(piece)); });
  }
};

}  // namespace

thread_pool* get_active_pool() {
  static auto* pool = new Pool;
  return pool;
}

thread_pool* set_active_pool(thread_pool*) { return get_active_pool(); }

size_t available_hardware_threads() { return get_active_pool()->nthreads(); }

}  // namespace detail_threading

namespace detail_fft {

namespace {

#define HEDDLE_KEEP_PLANS(Plan)                                                  \
  template <>                                                                    \
  std::shared_ptr<Plan> get_plan<Plan>(std::size_t length, bool vectorized) {    \
    return heddle::cpu::HEDDLE_CPU_LEVEL::cached_plan<Plan>(length, vectorized); \
  }
HEDDLE_KEEP_PLANS(pocketfft_c<float>)
HEDDLE_KEEP_PLANS(pocketfft_c<double>)
HEDDLE_KEEP_PLANS(pocketfft_r<float>)
HEDDLE_KEEP_PLANS(pocketfft_r<double>)
HEDDLE_KEEP_PLANS(Long1dPlan<float>)
HEDDLE_KEEP_PLANS(Long1dPlan<double>)
#undef HEDDLE_KEEP_PLANS

}  // namespace

}  // namespace detail_fft

}  // namespace DUCC0_NAMESPACE

namespace heddle::cpu::HEDDLE_CPU_LEVEL {

namespace {

namespace ducc = DUCC0_NAMESPACE;

ducc::fmav_info::shape_t unsigned_dims(const Dims& dims) { return {dims.begin(), dims.end()}; }
ducc::fmav_info::stride_t signed_dims(const Dims& dims) { return {dims.begin(), dims.end()}; }

template <class T>
ducc::cfmav<T> readable(const TransformOperand& a) {
  return {static_cast<const T*>(a.data), unsigned_dims(a.shape), signed_dims(a.strides)};
}

template <class T>
ducc::vfmav<T> writable(const TransformOperand& a) {
  return {static_cast<T*>(a.data), unsigned_dims(a.shape), signed_dims(a.strides)};
}

constexpr std::size_t all_threads = 0;
using Axes = ducc::fmav_info::shape_t;

// One axis after the other in this order, whatever the layout: ducc0 would choose one that suits
// it, and arrays of the same elements would differ in their last bits.
template <class In, class T>
void transform_axes(const In& in, const ducc::vfmav<std::complex<T>>& out, const Axes& axes,
                    bool forward, T scale) {
  ducc::detail_fft::c2c<T>(in, out, {axes[0]}, forward, scale, all_threads);
  if (axes.size() == 1) return;
  Axes rest(axes.begin() + 1, axes.end());
  ducc::detail_fft::c2c<T>(out, out, rest, forward, T{1}, all_threads);
}

// Long rows of an even number of real numbers are transformed as half as many complex ones, which
// ducc0 does in blocks that fit the cache, on all cores. What is left is a pass over pairs of
// frequencies k and n/2 - k.
constexpr std::int64_t long_row = 1 << 17;

bool is_long_row(const TransformOperand& real, const TransformOperand& spectrum) {
  return real.shape.size() == 1 && real.shape[0] >= long_row && real.shape[0] % 2 == 0 &&
         real.strides[0] == 1 && spectrum.strides[0] == 1;
}

// Calls pass(k, root) for k in [1, n/4] with exp(2 pi i k / n), on all cores.
template <class T, class Pass>
void for_pairs(std::int64_t n, const Pass& pass) {
  constexpr std::int64_t piece = 1 << 14;
  auto plan = ducc::detail_fft::get_plan<ducc::detail_fft::Long1dPlan<T>>(
      static_cast<std::size_t>(n), false);
  const auto& roots = *plan;
  parallel_for((n / 4 + piece) / piece, false, [&](std::int64_t i) {
    auto last = std::min((i + 1) * piece, n / 4 + 1);
    for (auto k = std::max<std::int64_t>(i * piece, 1); k < last; ++k) {
      pass(k, std::complex<T>(roots[static_cast<std::size_t>(k)]));
    }
  });
}

template <class T>
ducc::vfmav<std::complex<T>> as_row(void* data, std::int64_t count) {
  return {static_cast<std::complex<T>*>(data), {static_cast<std::size_t>(count)}};
}

template <class T>
void long_from_real(const Transform& t) {
  using Complex = std::complex<T>;
  std::int64_t n = t.input.shape[0], half = n / 2;
  auto* x = static_cast<Complex*>(t.output.data);
  ducc::detail_fft::c2c<T>(as_row<T>(t.input.data, half), as_row<T>(x, half), {0}, true,
                           static_cast<T>(t.scale), all_threads);
  auto signed_part = [forward = t.forward](Complex z) { return forward ? z : std::conj(z); };
  Complex first = x[0];
  x[0] = first.real() + first.imag();
  x[half] = first.real() - first.imag();
  for_pairs<T>(n, [&](std::int64_t k, Complex root) {
    Complex a = x[k], b = std::conj(x[half - k]);
    Complex even = (a + b) * T(0.5), odd = (a - b) * T(0.5);
    // odd times -i exp(-2 pi i k / n)
    Complex turned(odd.imag() * root.real() - odd.real() * root.imag(),
                   -odd.real() * root.real() - odd.imag() * root.imag());
    x[k] = signed_part(even + turned);
    x[half - k] = signed_part(std::conj(even - turned));
  });
}

template <class T>
void long_to_real(const Transform& t) {
  using Complex = std::complex<T>;
  std::int64_t n = t.output.shape[0], half = n / 2;
  const auto* x = static_cast<const Complex*>(t.input.data);
  auto* z = static_cast<Complex*>(t.output.data);
  auto signed_part = [forward = t.forward](Complex v) { return forward ? std::conj(v) : v; };
  z[0] = {x[0].real() + x[half].real(), x[0].real() - x[half].real()};
  for_pairs<T>(n, [&](std::int64_t k, Complex root) {
    Complex a = signed_part(x[k]), b = std::conj(signed_part(x[half - k]));
    Complex even = a + b, odd = a - b;
    // odd times i exp(2 pi i k / n)
    Complex turned(-odd.real() * root.imag() - odd.imag() * root.real(),
                   odd.real() * root.real() - odd.imag() * root.imag());
    z[k] = even + turned;
    z[half - k] = std::conj(even - turned);
  });
  auto row = as_row<T>(z, half);
  ducc::detail_fft::c2c<T>(row, row, {0}, false, static_cast<T>(t.scale), all_threads);
}

// The order of axes is NumPy's: the last one first.
template <class T>
void run(const Transform& t) {
  using Complex = std::complex<T>;
  auto scale = static_cast<T>(t.scale);
  auto axes = unsigned_dims(t.axes);
  std::reverse(axes.begin(), axes.end());
  switch (t.kind) {
    case Transform::Kind::complex:
      return transform_axes(readable<Complex>(t.input), writable<Complex>(t.output), axes,
                            t.forward, scale);
    case Transform::Kind::from_real: {
      if (is_long_row(t.input, t.output)) return long_from_real<T>(t);
      auto out = writable<Complex>(t.output);
      ducc::detail_fft::r2c(readable<T>(t.input), out, axes[0], t.forward, scale, all_threads);
      axes.erase(axes.begin());
      if (!axes.empty()) ducc::detail_fft::c2c<T>(out, out, axes, t.forward, T{1}, all_threads);
      return;
    }
    case Transform::Kind::to_real:
      if (is_long_row(t.output, t.input)) return long_to_real<T>(t);
      return ducc::detail_fft::c2r(readable<Complex>(t.input), writable<T>(t.output), axes[0],
                                   t.forward, scale, all_threads);
  }
}

}  // namespace

void transform(const Transform& t) {
  t.precision == Dtype::float32 ? run<float>(t) : run<double>(t);
}

}  // namespace heddle::cpu::HEDDLE_CPU_LEVEL
