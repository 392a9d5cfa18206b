// What the kernel tests share: a builder for kernels written by hand, a plain interpreter of the
// kernel IR that serves as the oracle, and a check that runs a kernel on every level of this CPU
// and compares all memory, byte for byte, with what the interpreter leaves.
//
// Test data are small integers (also as floats), so that sums are exact in every order.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backend/cpu/compiler.h"
#include "kernel/ir.h"
#include "kernel/schedule.h"

namespace heddle::test {

using namespace heddle::kernel;

// --- building kernels ---

class KernelBuilder {
 public:
  Kernel k;

  KernelBuilder(int kept, int reduced = 0, int phases = 0, Lanes lanes = Lanes::kept) {
    k.kept_dims = static_cast<std::uint8_t>(kept);
    k.reduced_dims = static_cast<std::uint8_t>(reduced);
    k.phases = static_cast<std::uint8_t>(phases);
    k.lanes = lanes;
  }

  int lane_dim() const { return (k.lanes == Lanes::kept ? k.kept_dims : k.dims()) - 1; }

  // `varies`: one character per dimension, '.' where the stride is zero.
  int slot(Dtype dtype, const std::string& varies, Stride lane = Stride::unit,
           bool written = false) {
    Slot s;
    s.dtype = dtype;
    s.written = written;
    for (int d = 0; d < k.dims(); ++d) {
      if (varies[d] == '.') s.zero_dims |= std::uint64_t{1} << d;
    }
    s.lane = varies[lane_dim()] == '.' ? Stride::zero : lane;
    k.slots.push_back(s);
    return static_cast<int>(k.slots.size()) - 1;
  }

  int add(Instr instr) {
    k.instrs.push_back(instr);
    return static_cast<int>(k.instrs.size()) - 1;
  }

  Instr make(Op op, Dtype dtype, int slot, int a = -1, int b = -1, int c = -1, int d = -1,
             int e = -1) const {
    Instr instr;
    instr.op = op;
    instr.dtype = dtype;
    instr.level = level;
    instr.phase = static_cast<std::uint8_t>(phase);
    instr.slot = static_cast<std::uint16_t>(slot);
    const int args[] = {a, b, c, d, e};
    for (int n = 0; n < max_args; ++n) {
      if (args[n] >= 0) instr.args[n] = static_cast<std::uint16_t>(args[n]);
    }
    return instr;
  }

  int load(int slot, int offset = -1) {
    return add(make(Op::load, k.slots[slot].dtype, slot, offset));
  }
  int store(int slot, int value, int offset = -1, int mask = -1) {
    return add(make(Op::store, k.slots[slot].dtype, slot, value, offset, mask));
  }
  int index(int dim) { return add(make(Op::index, Dtype::int64, dim)); }
  int random(Dtype dtype, int position) {
    k.scalars += 3;
    return add(make(Op::random, dtype, k.scalars - 3, position));
  }
  int scalar(Dtype dtype) { return add(make(Op::scalar, dtype, k.scalars++)); }
  int op(Op op, Dtype result, int a, int b = -1, int c = -1, int d = -1, int e = -1) {
    return add(make(op, result, 0, a, b, c, d, e));
  }
  int op(Op o, int a, int b = -1) { return op(o, k.instrs[a].dtype, a, b); }
  int reduce(Op combine, int value) {
    Instr instr = make(Op::reduce, k.instrs[value].dtype, 0, value);
    instr.level = Level::row;
    instr.combine = combine;
    return add(instr);
  }
  int extreme(Op op, int value, int index) {
    Instr instr = make(op, Dtype::int64, 0, value, index);
    instr.level = Level::row;
    return add(instr);
  }
  int scan(Op combine, int value) {
    Instr instr = make(Op::scan, k.instrs[value].dtype, 0, value);
    instr.combine = combine;
    return add(instr);
  }

  // Where the next instructions go.
  KernelBuilder& uniform() { return at(Level::uniform, 0); }
  KernelBuilder& row() { return at(Level::row, 0); }
  KernelBuilder& body(int p = 0) { return at(Level::body, p); }

 private:
  KernelBuilder& at(Level l, int p) {
    level = l;
    phase = p;
    return *this;
  }
  Level level = Level::row;
  int phase = 0;
};

// --- numbers ---

// A number of any type: a long double holds every int64, uint64 and double.
struct Number {
  long double re = 0, im = 0;
};

inline Number read_number(Dtype dtype, const unsigned char* at) {
  return dispatch(dtype, [&]<class T>(T) -> Number {
    if constexpr (std::is_same_v<T, bool>) {
      return {*at != 0 ? 1.0L : 0.0L, 0};
    } else {
      T value;
      std::memcpy(&value, at, sizeof value);
      if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>)
        return {static_cast<float>(value), 0};
      else if constexpr (requires { value.real(); })
        return {value.real(), value.imag()};
      else
        return {static_cast<long double>(value), 0};
    }
  });
}

inline void write_number(Dtype dtype, unsigned char* at, Number number) {
  dispatch(dtype, [&]<class T>(T) {
    T value;
    if constexpr (requires(T v) { v.real(); }) {
      using R = typename T::value_type;
      value = T(static_cast<R>(number.re), static_cast<R>(number.im));
    } else if constexpr (std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>) {
      value = T(static_cast<float>(number.re));
    } else if constexpr (std::is_same_v<T, bool>) {
      value = number.re != 0;
    } else {
      value = static_cast<T>(number.re);
    }
    std::memcpy(at, &value, sizeof value);
  });
}

inline Number rounded(Dtype dtype, Number number) {
  unsigned char bytes[16];
  write_number(dtype, bytes, number);
  return read_number(dtype, bytes);
}

inline Number apply_number(Op op, Dtype result, const Number* a) {
  const long double x = a[0].re, y = a[1].re;
  switch (op) {
    case Op::add:
      return rounded(result, {x + y, a[0].im + a[1].im});
    case Op::subtract:
      return rounded(result, {x - y, a[0].im - a[1].im});
    case Op::multiply:
      return rounded(result, {x * y - a[0].im * a[1].im, x * a[1].im + a[0].im * y});
    case Op::divide:
      return rounded(result, {x / y});
    case Op::square:
      return rounded(result, {x * x});
    case Op::sqrt:
      return rounded(result, {std::sqrt(x)});
    case Op::negative:
      return rounded(result, {-x, -a[0].im});
    case Op::maximum:
      return std::isnan(x) || x >= y ? a[0] : a[1];
    case Op::minimum:
      return std::isnan(x) || x <= y ? a[0] : a[1];
    case Op::less:
      return {x < y ? 1.0L : 0.0L};
    case Op::equal:
      return {x == y && a[0].im == a[1].im ? 1.0L : 0.0L};
    case Op::logical_or:
      return {x != 0 || y != 0 ? 1.0L : 0.0L};
    case Op::logical_and:
      return {x != 0 && y != 0 ? 1.0L : 0.0L};
    case Op::select:
      return x != 0 ? a[1] : a[2];
    case Op::cast:
      return rounded(result, a[0]);
    default:
      throw std::logic_error(std::string("no oracle for ") + info(op).name);
  }
}

// --- a launch ---

struct Memory {
  std::vector<std::vector<unsigned char>> buffers;  // per slot
  std::vector<unsigned char> scratch;
};

struct Launch {
  Kernel kernel;
  std::vector<std::int64_t> extents, origin;
  std::vector<std::int64_t> strides;  // [slot][dimension], bytes
  std::vector<std::int64_t> starts;   // per slot: where in its buffer index 0 lies, bytes
  std::vector<ScalarBits> scalars;
  Memory memory;

  // Gives every slot memory for its extents, with `gap` elements between lanes of Stride::any
  // (negative: backwards) and guard bytes around, filled with small integers.
  Launch(Kernel k, std::vector<std::int64_t> sizes, int gap = 3)
      : kernel(std::move(k)), extents(std::move(sizes)) {
    const int dims = kernel.dims();
    origin.assign(dims, 0);
    strides.assign(kernel.slots.size() * dims, 0);
    unsigned seed = 1;
    for (std::size_t s = 0; s < kernel.slots.size(); ++s) {
      const Slot& slot = kernel.slots[s];
      const int lane_dim = (kernel.lanes == Lanes::kept ? kernel.kept_dims : dims) - 1;
      std::int64_t step = itemsize(slot.dtype), lowest = 0, highest = 0;
      std::vector<int> order;
      order.push_back(lane_dim);
      for (int d = dims - 1; d >= 0; --d) {
        if (d != lane_dim) order.push_back(d);
      }
      for (int d : order) {
        if (slot.zero_dims >> d & 1) continue;
        const bool any = d == lane_dim && slot.lane == Stride::any;
        const std::int64_t stride = any ? step * gap : step;
        strides[s * dims + d] = stride;
        const std::int64_t span = stride * std::max<std::int64_t>(extents[d] - 1, 0);
        (span < 0 ? lowest : highest) += span;
        step *= std::max<std::int64_t>(extents[d], 1) * (any ? std::abs(gap) : 1);
      }
      const std::int64_t guard = 64;
      starts.push_back(slot.scratch ? 0 : guard - lowest);
      const std::int64_t bytes = 2 * guard + highest - lowest + itemsize(slot.dtype);
      auto& buffer = memory.buffers.emplace_back(bytes);
      for (std::int64_t at = 0; at + itemsize(slot.dtype) <= bytes; at += itemsize(slot.dtype)) {
        seed = seed * 1664525u + 1013904223u;
        const int small = static_cast<int>(seed >> 24) % 7;
        write_number(slot.dtype, buffer.data() + (at + starts[s] % itemsize(slot.dtype)) % bytes,
                     {static_cast<long double>(small + (is_signed(slot.dtype) ? -3 : 0)), 0});
      }
      fill_complex(slot.dtype, s);
      if (slot.scratch) memory.scratch.resize(std::max(memory.scratch.size(), std::size_t(bytes)));
    }
    scalars.resize(kernel.scalars);
  }

  void scalar(int n, Dtype dtype, Number value) {
    unsigned char bytes[16];
    write_number(dtype, bytes, value);
    const int part = component_size(dtype);
    std::memcpy(&scalars[n].word[0], bytes, part);
    if (is_complex(dtype)) std::memcpy(&scalars[n].word[1], bytes + part, part);
  }

  template <class T>
  T& at(int slot, std::int64_t element) {
    return reinterpret_cast<T*>(memory.buffers[slot].data() + starts[slot])[element];
  }

 private:
  void fill_complex(Dtype dtype, std::size_t s) {
    if (!is_complex(dtype)) return;
    auto& buffer = memory.buffers[s];
    int n = 0;
    for (std::size_t at = 0; at + itemsize(dtype) <= buffer.size(); at += itemsize(dtype), ++n)
      write_number(dtype, buffer.data() + at,
                   {static_cast<long double>(n % 5 - 2), static_cast<long double>(n % 3 - 1)});
  }
};

// --- the oracle ---

class Interpreter {
 public:
  Interpreter(const Launch& launch, Memory& memory)
      : l(launch), k(launch.kernel), m(memory), values_(k.instrs.size()), index_(k.dims()) {}

  void run() {
    for (std::int64_t extent : std::vector(l.extents.begin(), l.extents.begin() + k.kept_dims)) {
      if (extent == 0) return;
    }
    over(0, k.kept_dims, [&] { row(); });
  }

 private:
  void over(int from, int to, const std::function<void()>& body) {
    if (from == to) return body();
    for (index_[from] = 0; index_[from] < l.extents[from]; ++index_[from]) over(from + 1, to, body);
    index_[from] = 0;
  }

  void row() {
    done_.assign(k.instrs.size(), false);
    for (int p = 0; p <= k.phases; ++p) {
      for (std::size_t i = 0; i < k.instrs.size(); ++i) {
        const Instr& instr = k.instrs[i];
        if (done_[i] || instr.level == Level::body || is_reduction(instr.op)) continue;
        if (instr.op == Op::store && p < k.phases) continue;
        bool ready = true;
        for (auto arg : instr.args) ready &= arg == no_arg || done_[arg];
        if (!ready) continue;
        eval(i);
        done_[i] = true;
      }
      if (p < k.phases) phase(p);
    }
  }

  void phase(int p) {
    bool first = true;
    for (std::size_t i = 0; i < k.instrs.size(); ++i) {
      const Instr& instr = k.instrs[i];
      if (!is_reduction(instr.op) || instr.phase != p) continue;
      done_[i] = true;
      values_[i] = instr.op != Op::reduce ? Number{-1} : start(instr);
    }
    extremes_.assign(k.instrs.size(), {});
    over(k.kept_dims, k.dims(), [&] {
      for (std::size_t i = 0; i < k.instrs.size(); ++i) {
        const Instr& instr = k.instrs[i];
        if (instr.phase != p) continue;
        if (instr.op == Op::scan) {
          const Number pair[] = {running_[i], values_[instr.args[0]]};
          running_[i] = first ? pair[1] : apply_number(instr.combine, instr.dtype, pair);
          values_[i] = running_[i];
        } else if (instr.level == Level::body) {
          eval(i);
        } else if (is_reduction(instr.op)) {
          accumulate(i, first);
        }
      }
      first = false;
    });
  }

  Number start(const Instr& instr) const {
    if (instr.combine == Op::multiply || instr.combine == Op::logical_and) return {1};
    return {0};
  }

  void accumulate(std::size_t i, bool first) {
    const Instr& instr = k.instrs[i];
    const Number value = values_[instr.args[0]];
    if (instr.op == Op::reduce) {
      const Number pair[] = {values_[i], value};
      values_[i] = first ? value : apply_number(instr.combine, instr.dtype, pair);
      return;
    }
    const long double old = extremes_[i].re;
    const bool wins = instr.op == Op::argmax ? value.re > old : value.re < old;
    if (first || (!std::isnan(old) && (wins || std::isnan(value.re)))) {
      extremes_[i] = value;
      values_[i] = values_[instr.args[1]];
    }
  }

  unsigned char* address(const Instr& instr, std::uint16_t offset) {
    const Slot& slot = k.slots[instr.slot];
    std::int64_t at = l.starts[instr.slot];
    const int dims = instr.level == Level::body ? k.dims() : k.kept_dims;
    for (int d = 0; d < dims; ++d) at += index_[d] * l.strides[instr.slot * k.dims() + d];
    if (offset != no_arg)
      at += static_cast<std::int64_t>(values_[offset].re) * itemsize(slot.dtype);
    auto& buffer = slot.scratch ? m.scratch : m.buffers[instr.slot];
    if (at < 0 || at + itemsize(slot.dtype) > static_cast<std::int64_t>(buffer.size()))
      throw std::logic_error("the oracle left its memory");
    return buffer.data() + at;
  }

  // The word of Philox 4x64-10 at a position.
  Number random(const Instr& instr) const {
    using Wide = unsigned __int128;
    const bool half = instr.dtype == Dtype::uint32;
    auto position = static_cast<std::uint64_t>(values_[instr.args[0]].re);
    const std::uint64_t word = half ? position / 2 : position;
    const ScalarBits* given = &l.scalars[instr.slot];
    std::uint64_t key[] = {given[0].word[0], given[0].word[1]};
    std::uint64_t c[] = {given[1].word[0], given[1].word[1], given[2].word[0], given[2].word[1]};
    std::uint64_t carry = word / 4;
    for (std::uint64_t& part : c) {
      part += carry;
      carry = part < carry ? 1 : 0;
    }
    for (int round = 0; round < 10; ++round) {
      const Wide first = Wide{0xD2E7470EE14C6C93} * c[0], second = Wide{0xCA5A826395121157} * c[2];
      const std::uint64_t next[] = {static_cast<std::uint64_t>(second >> 64) ^ c[1] ^ key[0],
                                    static_cast<std::uint64_t>(second),
                                    static_cast<std::uint64_t>(first >> 64) ^ c[3] ^ key[1],
                                    static_cast<std::uint64_t>(first)};
      std::copy(next, next + 4, c);
      key[0] += 0x9E3779B97F4A7C15;
      key[1] += 0xBB67AE8584CAA73B;
    }
    const std::uint64_t bits = c[word % 4];
    if (!half) return {static_cast<long double>(bits)};
    return {static_cast<long double>(position % 2 == 0 ? bits & 0xffffffff : bits >> 32)};
  }

  void eval(std::size_t i) {
    const Instr& instr = k.instrs[i];
    Number& value = values_[i];
    switch (instr.op) {
      case Op::scalar: {
        unsigned char bytes[16];
        const int part = component_size(instr.dtype);
        std::memcpy(bytes, &l.scalars[instr.slot].word[0], part);
        if (is_complex(instr.dtype))
          std::memcpy(bytes + part, &l.scalars[instr.slot].word[1], part);
        value = read_number(instr.dtype, bytes);
        break;
      }
      case Op::load:
        value = read_number(instr.dtype, address(instr, instr.args[0]));
        break;
      case Op::store:
        if (instr.args[2] == no_arg || values_[instr.args[2]].re != 0)
          write_number(k.slots[instr.slot].dtype, address(instr, instr.args[1]),
                       values_[instr.args[0]]);
        break;
      case Op::index:
        value = {static_cast<long double>(index_[instr.slot] + l.origin[instr.slot])};
        break;
      case Op::random:
        value = random(instr);
        break;
      default: {
        Number args[max_args];
        for (int n = 0; n < max_args; ++n) {
          if (instr.args[n] != no_arg) args[n] = values_[instr.args[n]];
        }
        value = apply_number(instr.op, instr.dtype, args);
      }
    }
  }

  const Launch& l;
  const Kernel& k;
  Memory& m;
  std::vector<Number> values_, extremes_;
  std::map<std::size_t, Number> running_;
  std::vector<std::int64_t> index_;
  std::vector<bool> done_;
};

// --- running compiled kernels ---

inline std::vector<Target> host_targets() {
  std::vector<Target> targets;
  for (auto level : {cpu::CpuLevel::v2, cpu::CpuLevel::v3, cpu::CpuLevel::v4}) {
    if (level <= cpu::host_level())
      targets.push_back(cpu::make_target(level, cpu::vector_math_library() != nullptr));
  }
  return targets;
}

// Calls the kernel on `memory`; a split kernel over `pieces` of its first reduced dimension.
inline void call(const EntryPoints& entry, const Launch& launch, Memory& memory, int pieces = 3) {
  const Kernel& k = launch.kernel;
  std::vector<void*> pointers;
  for (std::size_t s = 0; s < k.slots.size(); ++s) {
    pointers.push_back(k.slots[s].scratch ? reinterpret_cast<void*>(launch.starts[s])
                                          : memory.buffers[s].data() + launch.starts[s]);
  }
  LaunchArgs args{pointers.data(),      launch.strides.data(), launch.extents.data(),
                  launch.origin.data(), launch.scalars.data(), memory.scratch.data()};
  if (!k.split) return entry.run(&args);
  const int first = k.kept_dims;
  std::vector<Accumulator> total(k.instrs.size()), piece(k.instrs.size());
  const auto whole = pointers;
  for (int p = 0; p < k.phases; ++p) {
    std::vector<Accumulator> out(k.instrs.size());
    for (int n = 0; n < pieces; ++n) {
      auto extents = launch.extents, origin = launch.origin;
      const std::int64_t begin = launch.extents[first] * n / pieces;
      extents[first] = launch.extents[first] * (n + 1) / pieces - begin;
      origin[first] += begin;
      for (std::size_t s = 0; s < k.slots.size(); ++s)
        pointers[s] = static_cast<char*>(whole[s]) + begin * launch.strides[s * k.dims() + first];
      args.extents = extents.data();
      args.origin = origin.data();
      entry.part(&args, p, total.data(), n == 0 ? out.data() : piece.data());
      if (n > 0) entry.combine(p, out.data(), piece.data());
    }
    int ordinal = 0;
    for (const Instr& instr : k.instrs) {
      if (!is_reduction(instr.op)) continue;
      if (instr.phase == p) total[ordinal] = out[ordinal];
      ++ordinal;
    }
  }
  pointers = whole;
  args.extents = launch.extents.data();
  args.origin = launch.origin.data();
  entry.finish(&args, total.data());
}

inline void check(const Launch& launch) {
  ASSERT_NO_THROW(verify(launch.kernel)) << to_string(launch.kernel);
  Memory expected = launch.memory;
  Interpreter(launch, expected).run();
  for (const Target& target : host_targets()) {
    Memory actual = launch.memory;
    call(cpu::compile(launch.kernel, target), launch, actual);
    for (std::size_t s = 0; s < actual.buffers.size(); ++s) {
      if (launch.kernel.slots[s].scratch || actual.buffers[s] == expected.buffers[s]) continue;
      const Dtype dtype = launch.kernel.slots[s].dtype;
      std::string wrong;
      const auto size = static_cast<std::int64_t>(actual.buffers[s].size());
      for (std::int64_t at = launch.starts[s] % itemsize(dtype); at + itemsize(dtype) <= size;
           at += itemsize(dtype)) {
        const auto *a = &actual.buffers[s][at], *e = &expected.buffers[s][at];
        if (std::memcmp(a, e, itemsize(dtype)) == 0) continue;
        wrong += fmt::format(" [{}] {} != {}", (at - launch.starts[s]) / itemsize(dtype),
                             double(read_number(dtype, a).re), double(read_number(dtype, e).re));
        if (wrong.size() > 200) break;
      }
      std::string extents;
      for (auto extent : launch.extents) extents += fmt::format(" {}", extent);
      FAIL() << target.cpu << " slot " << s << " extents" << extents << ":" << wrong << "\n"
             << to_string(launch.kernel);
    }
  }
}

}  // namespace heddle::test
