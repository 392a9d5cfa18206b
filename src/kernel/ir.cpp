#include "kernel/ir.h"

#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "kernel/schedule.h"

namespace heddle::kernel {
namespace {

constexpr char format_mark = 2;  // changes with the layout of the bytes below

class Writer {
 public:
  template <class T>
  void put(T value) {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    bytes.append(raw, sizeof(T));
  }
  std::string bytes;
};

class Reader {
 public:
  explicit Reader(const std::string& bytes) : bytes_(bytes) {}
  template <class T>
  T get() {
    if (bytes_.size() - at_ < sizeof(T)) throw std::logic_error("kernel: truncated bytes");
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  bool done() const { return at_ == bytes_.size(); }

 private:
  const std::string& bytes_;
  std::size_t at_ = 0;
};

const char* level_name(const Instr& instr) {
  switch (instr.level) {
    case Level::uniform:
      return "uniform";
    case Level::row:
      return "row";
    case Level::body:
      return "body";
  }
  return "?";
}

}  // namespace

std::string serialize(const Kernel& kernel) {
  Writer out;
  out.bytes.reserve(16 + kernel.slots.size() * 11 + kernel.instrs.size() * 19);
  out.put(format_mark);
  out.put(kernel.kept_dims);
  out.put(kernel.reduced_dims);
  out.put(kernel.phases);
  out.put(static_cast<std::uint8_t>(kernel.lanes));
  out.put(static_cast<std::uint8_t>(kernel.split | kernel.sequential << 1));
  out.put(kernel.scalars);
  out.put(static_cast<std::uint16_t>(kernel.slots.size()));
  out.put(static_cast<std::uint16_t>(kernel.instrs.size()));
  for (const Slot& slot : kernel.slots) {
    out.put(slot.dtype);
    out.put(static_cast<std::uint8_t>(slot.written | slot.scratch << 1 | slot.streamed << 2));
    out.put(slot.lane);
    out.put(slot.zero_dims);
  }
  for (const Instr& instr : kernel.instrs) {
    out.put(instr.op);
    out.put(instr.dtype);
    out.put(instr.level);
    out.put(instr.phase);
    out.put(instr.combine);
    out.put(instr.slot);
    for (std::uint16_t arg : instr.args) out.put(arg);
  }
  return std::move(out.bytes);
}

Kernel deserialize(const std::string& bytes) {
  Reader in(bytes);
  if (in.get<char>() != format_mark) throw std::logic_error("kernel: bytes of another version");
  Kernel kernel;
  kernel.kept_dims = in.get<std::uint8_t>();
  kernel.reduced_dims = in.get<std::uint8_t>();
  kernel.phases = in.get<std::uint8_t>();
  kernel.lanes = in.get<Lanes>();
  const auto flags = in.get<std::uint8_t>();
  kernel.split = flags & 1;
  kernel.sequential = flags & 2;
  kernel.scalars = in.get<std::uint16_t>();
  kernel.slots.resize(in.get<std::uint16_t>());
  kernel.instrs.resize(in.get<std::uint16_t>());
  for (Slot& slot : kernel.slots) {
    slot.dtype = in.get<Dtype>();
    const auto slot_flags = in.get<std::uint8_t>();
    slot.written = slot_flags & 1;
    slot.scratch = slot_flags & 2;
    slot.streamed = slot_flags & 4;
    slot.lane = in.get<Stride>();
    slot.zero_dims = in.get<std::uint64_t>();
  }
  for (Instr& instr : kernel.instrs) {
    instr.op = in.get<Op>();
    instr.dtype = in.get<Dtype>();
    instr.level = in.get<Level>();
    instr.phase = in.get<std::uint8_t>();
    instr.combine = in.get<Op>();
    instr.slot = in.get<std::uint16_t>();
    for (std::uint16_t& arg : instr.args) arg = in.get<std::uint16_t>();
  }
  if (!in.done()) throw std::logic_error("kernel: trailing bytes");
  return kernel;
}

std::string to_string(const Kernel& kernel) {
  std::string text = fmt::format(
      "kernel kept={} reduced={} phases={} lanes={}{}{}\n", kernel.kept_dims, kernel.reduced_dims,
      kernel.phases, kernel.lanes == Lanes::kept ? "kept" : "reduced", kernel.split ? " split" : "",
      kernel.sequential ? " sequential" : "");
  static constexpr const char* stride_names[] = {"zero", "unit", "any"};
  for (std::size_t s = 0; s < kernel.slots.size(); ++s) {
    const Slot& slot = kernel.slots[s];
    text += fmt::format("  slot {}: {} lane={} varies=[", s, name(slot.dtype),
                        stride_names[static_cast<int>(slot.lane)]);
    for (int d = 0; d < kernel.dims(); ++d) text += slot.zero_dims >> d & 1 ? '.' : 'x';
    text += fmt::format("]{}{}{}\n", slot.written ? " written" : "", slot.scratch ? " scratch" : "",
                        slot.streamed ? " streamed" : "");
  }
  for (std::size_t i = 0; i < kernel.instrs.size(); ++i) {
    const Instr& instr = kernel.instrs[i];
    text += fmt::format("  %{} = {}", i, heddle::name(instr.op));
    switch (instr.op) {
      case Op::scalar:
      case Op::load:
      case Op::store:
      case Op::index:
      case Op::random:
        text += fmt::format(" #{}", instr.slot);
        break;
      case Op::reduce:
      case Op::scan:
        text += fmt::format(".{}", heddle::name(instr.combine));
        break;
      default:
        break;
    }
    for (std::uint16_t arg : instr.args) {
      if (arg != no_arg) text += fmt::format(" %{}", arg);
    }
    if (instr.op == Op::store && instr.args[1] == no_arg && instr.args[2] != no_arg)
      text += " (mask)";
    text += fmt::format(" : {} {}", name(instr.dtype), level_name(instr));
    const bool phased = instr.level == Level::body || is_reduction(instr.op);
    if (phased) text += fmt::format(" {}", instr.phase);
    text += '\n';
  }
  return text;
}

namespace {

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel) : k(kernel) {}

  void run() {
    check(k.kept_dims >= 1, "no kept dimension");
    check(k.dims() <= 64, "more than 64 dimensions");
    check((k.reduced_dims == 0) == (k.phases == 0),
          "phases without reduced dimensions, or none with");
    check(k.lanes == Lanes::kept || k.reduced_dims > 0,
          "lanes along a reduced dimension there is not");
    check(!k.split || (k.lanes == Lanes::reduced && !k.sequential), "split needs Lanes::reduced");
    check(k.instrs.size() < no_arg && k.slots.size() < no_arg, "too large");
    verify_slots();
    for (at_ = 0; at_ < static_cast<int>(k.instrs.size()); ++at_) instruction(k.instrs[at_]);
  }

 private:
  void check(bool holds, const char* reason) const {
    if (holds) return;
    throw std::logic_error(at_ < 0 ? fmt::format("kernel: {}", reason)
                                   : fmt::format("kernel: %{}: {}", at_, reason));
  }

  void verify_slots() const {
    const int lane_dim = (k.lanes == Lanes::kept ? k.kept_dims : k.dims()) - 1;
    for (const Slot& slot : k.slots) {
      check(static_cast<int>(slot.dtype) < dtype_count, "a slot of no type");
      const bool zero = slot.zero_dims >> lane_dim & 1;
      check(zero == (slot.lane == Stride::zero), "a slot's lane class contradicts zero_dims");
      check(!slot.streamed || (slot.written && slot.lane == Stride::unit && k.dims() == 1),
            "a streamed slot that is not a dense result");
    }
  }

  const Instr& arg(const Instr& instr, int n) const {
    check(instr.args[n] < at_, "an argument is missing or not earlier");
    return k.instrs[instr.args[n]];
  }

  void slot_of(const Instr& instr) const {
    check(instr.slot < k.slots.size(), "no such slot");
    check(k.slots[instr.slot].dtype == instr.dtype || instr.op == Op::store,
          "the type is not the slot's");
  }

  void offset(const Instr& instr, int n) const {
    if (instr.args[n] == no_arg) return;
    check(arg(instr, n).dtype == Dtype::int64, "an offset that is not int64");
  }

  // Whether a value made at `value` may be used at `user`.
  void visible(const Instr& value, const Instr& user) const {
    check(value.op != Op::store, "a store has no value");
    check(value.level <= user.level || is_reduction(user.op), "an argument of a deeper level");
    const bool phased = user.level == Level::body || is_reduction(user.op);
    if (value.level == Level::body)
      check(phased && value.phase == user.phase, "a body value used outside its phase");
    if (is_reduction(value.op) && phased)
      check(value.phase < user.phase, "a reduction used before its phase is over");
  }

  void instruction(const Instr& instr) const {
    check(static_cast<int>(instr.dtype) < dtype_count, "no such type");
    check(instr.level != Level::body || instr.phase < k.phases, "no such phase");
    if (is_elementwise(instr.op)) {
      for (int n = 0; n < max_args; ++n) {
        if (n < info(instr.op).inputs)
          arg(instr, n);
        else
          check(instr.args[n] == no_arg, "too many arguments");
      }
    } else {
      structural(instr);
    }
    for (int n = 0; n < max_args; ++n) {
      if (instr.args[n] != no_arg) visible(arg(instr, n), instr);
    }
  }

  void structural(const Instr& instr) const {
    switch (instr.op) {
      case Op::scalar:
        check(instr.slot < k.scalars, "no such scalar");
        break;
      case Op::load:
        slot_of(instr);
        offset(instr, 0);
        if (instr.args[1] != no_arg)
          check(arg(instr, 1).dtype == Dtype::bool_, "a guard that is not bool");
        break;
      case Op::store:
        slot_of(instr);
        check(k.slots[instr.slot].written, "a store to a slot that is not written");
        check(arg(instr, 0).dtype == k.slots[instr.slot].dtype,
              "the value's type is not the slot's");
        check(instr.level != Level::uniform, "a store at the uniform level");
        offset(instr, 1);
        if (instr.args[2] != no_arg)
          check(arg(instr, 2).dtype == Dtype::bool_, "a mask that is not bool");
        break;
      case Op::index:
        check(instr.slot < k.dims(), "no such dimension");
        check(instr.dtype == Dtype::int64, "an index that is not int64");
        check(instr.level == Level::body || (instr.level == Level::row && instr.slot < k.kept_dims),
              "an index above its dimension");
        break;
      case Op::reduce:
        reduction(instr);
        check(arg(instr, 0).dtype == instr.dtype, "an accumulator of another type than the value");
        combine(instr);
        break;
      case Op::argmin:
      case Op::argmax:
        reduction(instr);
        check(instr.dtype == Dtype::int64 && arg(instr, 1).dtype == Dtype::int64,
              "an index that is not int64");
        break;
      case Op::scan:
        check(k.lanes == Lanes::kept, "a scan needs Lanes::kept");
        check(instr.level == Level::body, "a scan is body-level");
        check(arg(instr, 0).dtype == instr.dtype, "a running value of another type");
        combine(instr);
        break;
      case Op::random:
        check(instr.slot + 3 <= k.scalars, "no such scalars");
        check(arg(instr, 0).dtype == Dtype::int64, "a position that is not int64");
        check(instr.dtype == Dtype::uint64 || instr.dtype == Dtype::uint32, "no word");
        break;
      default:
        check(false, "no such operation");
    }
  }

  void reduction(const Instr& instr) const {
    check(instr.level == Level::row, "a reduction is row-level");
    check(instr.phase < k.phases, "no such phase");
    arg(instr, 0);
  }

  void combine(const Instr& instr) const {
    check(is_elementwise(instr.combine) && info(instr.combine).inputs == 2,
          "combining needs an operation of two operands");
  }

  const Kernel& k;
  int at_ = -1;
};

}  // namespace

void verify(const Kernel& kernel) { Verifier(kernel).run(); }

}  // namespace heddle::kernel
