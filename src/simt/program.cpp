#include "simt/program.h"

#include <algorithm>

#include <fmt/format.h>

#include <heddle/errors.h>

namespace heddle::simt {

namespace {

constexpr int most_nested = 400;
constexpr std::size_t most_nodes = std::size_t{1} << 20;

class Reader {
 public:
  Reader(std::span<const std::int64_t> words, Program& program) : words_(words), p_(program) {}

  void read() {
    p_.host = flag();
    p_.checks = one_of(Checks::races);
    p_.rounding = one_of(Rounding::fast);
    p_.file = number();
    if (p_.file >= 0) in_range(p_.file, p_.texts.size());
    p_.most_registers = count();
    p_.optimized = flag();
    const int locals = count();
    for (int i = 0; i < locals; ++i) {
      Local local;
      local.dtype = dtype();
      local.counter = flag();
      p_.locals.push_back(local);
    }
    const int arrays = count();
    for (int i = 0; i < arrays; ++i) read_array(i);
    const int parameters = count();
    for (int i = 0; i < parameters; ++i) {
      Parameter parameter;
      int& which = flag() ? parameter.array : parameter.local;
      which = number();
      if (parameter.array >= 0) {
        in_range(parameter.array, p_.arrays.size());
        need(p_.array(parameter.array).kind == ArrayKind::parameter);
      } else {
        in_range(parameter.local, p_.locals.size());
      }
      p_.parameters.push_back(parameter);
    }
    read_functions();
    p_.body = list(0, 0, 0);
    in_function_ = true;
    for (Function& function : p_.functions) function.body = list(0, 0, 0);
    need(at_ == words_.size());
  }

 private:
  [[noreturn]] static void refuse() { throw value_error("simt: these words are no program"); }
  static void need(bool holds) {
    if (!holds) refuse();
  }
  static void in_range(int i, std::size_t size) {
    need(i >= 0 && static_cast<std::size_t>(i) < size);
  }

  std::int64_t word() {
    need(at_ < words_.size());
    return words_[at_++];
  }
  int number() {
    const auto value = word();
    need(value >= -1 && value < (std::int64_t{1} << 31));
    return static_cast<int>(value);
  }
  int count() {
    const int n = number();
    need(n >= 0 && static_cast<std::size_t>(n) <= most_nodes);
    return n;
  }
  bool flag() { return word() != 0; }
  template <class E>
  E one_of(E last) {
    const auto value = word();
    need(value >= 0 && value <= static_cast<std::int64_t>(last));
    return static_cast<E>(value);
  }
  Dtype dtype() { return one_of(Dtype::complex128); }
  int local() {
    const int i = number();
    in_range(i, p_.locals.size());
    return i;
  }
  int array() {
    const int i = number();
    in_range(i, p_.arrays.size());
    return i;
  }

  std::vector<int> some_locals() {
    std::vector<int> made;
    const int n = count();
    for (int i = 0; i < n; ++i) made.push_back(local());
    return made;
  }
  // Their bodies come after that of the program.
  void read_functions() {
    if (p_.host) p_.results = some_locals();
    const int n = count();
    for (int i = 0; i < n; ++i) {
      Function function;
      function.parameters = some_locals();
      function.results = some_locals();
      function.too_deep = text();
      p_.functions.push_back(std::move(function));
    }
  }

  void read_array(int position) {
    Array a;
    a.kind = one_of(ArrayKind::field);
    a.dtype = dtype();
    a.ndim = count();
    need(a.ndim <= 64);
    a.root = position;
    switch (a.kind) {
      case ArrayKind::parameter:
        a.unit = flag();
        a.written = flag();
        break;
      case ArrayKind::shared:
      case ArrayKind::local:
        for (int d = 0; d < a.ndim; ++d) {
          a.extents.push_back(word());
          need(a.extents.back() >= 0 && a.extents.back() < (std::int64_t{1} << 40));
        }
        break;
      case ArrayKind::dynamic:
        need(a.ndim == 1 || (a.ndim == 2 && a.dtype == Dtype::uint8));
        if (a.ndim == 2) {
          a.extents = {word()};
          need(a.extents[0] > 0 && a.extents[0] < (std::int64_t{1} << 31));
        }
        break;
      case ArrayKind::view:
        a.of = number();
        in_range(a.of, static_cast<std::size_t>(position));
        need(p_.array(a.of).kind != ArrayKind::view && p_.array(a.of).kind != ArrayKind::held);
        a.root = p_.root_of(a.of);
        a.alignment = p_.array(a.of).alignment;
        a.offset = index_local();
        for (int d = 0; d < a.ndim; ++d) a.shape.push_back(index_local());
        for (int d = 0; d < a.ndim; ++d) a.strides.push_back(index_local());
        a.unit = flag();
        need(p_.array(a.of).dtype == a.dtype);
        break;
      case ArrayKind::field:
        read_field(a, position);
        break;
      case ArrayKind::held:
        a.address = index_local();
        a.owner = index_local();
        for (int d = 0; d < a.ndim; ++d) a.shape.push_back(index_local());
        for (int d = 0; d < a.ndim; ++d) a.strides.push_back(index_local());
        a.unit = flag();
        break;
    }
    const bool own = a.kind == ArrayKind::local || a.kind >= ArrayKind::view;
    if (p_.host) need(a.kind == ArrayKind::parameter || own);
    p_.arrays.push_back(std::move(a));
  }
  void read_field(Array& a, int position) {
    a.of = number();
    in_range(a.of, static_cast<std::size_t>(position));
    const Array& records = p_.array(a.of);
    need(records.dtype == Dtype::uint8 && records.kind != ArrayKind::field);
    need(records.ndim >= 1 && a.ndim >= records.ndim - 1 && records.alignment == 0);
    a.root = p_.root_of(a.of);
    a.at = word();
    need(a.at >= 0 && a.at < (std::int64_t{1} << 31));
    a.alignment = number();
    need(a.alignment > 0 && a.alignment <= 16 && (a.alignment & (a.alignment - 1)) == 0);
    for (int d = records.ndim - 1; d < a.ndim; ++d) {
      a.extents.push_back(word());
      need(a.extents.back() >= 0 && a.extents.back() < (std::int64_t{1} << 31));
    }
  }
  int index_local() {
    const int i = local();
    need(p_.locals[static_cast<std::size_t>(i)].dtype == Dtype::int64);
    return i;
  }

  void arguments(Expr& e, int n, int depth) {
    for (int i = 0; i < n; ++i) e.args.push_back(expr(depth + 1));
  }
  void indices(Expr& e, int depth) {
    const int n = p_.array(e.index).ndim;
    for (int i = 0; i < n; ++i) {
      e.args.push_back(expr(depth + 1));
      need(p_.expr(e.args.back()).dtype == Dtype::int64);
    }
  }

  int expr(int depth) {
    need(depth < most_nested && p_.exprs.size() < most_nodes);
    Expr e;
    e.kind = one_of(ExprKind::address);
    e.line = number();
    switch (e.kind) {
      case ExprKind::constant:
        e.dtype = dtype();
        for (auto& bits : e.bits) bits = static_cast<std::uint64_t>(word());
        break;
      case ExprKind::local:
        e.index = local();
        e.dtype = p_.locals[static_cast<std::size_t>(e.index)].dtype;
        break;
      case ExprKind::op: {
        const int op = number();
        in_range(op, static_cast<std::size_t>(table_ops));
        e.op = static_cast<Op>(op);
        need(!leaves_marks(e.op));
        e.compute = dtype();
        e.dtype = dtype();
        arguments(e, info(e.op).inputs, depth);
        break;
      }
      case ExprKind::geometry:
        e.index = static_cast<int>(one_of(Geometry::numbers));
        e.axis = number();
        need(e.axis >= 0 && e.axis < 3);
        break;
      case ExprKind::load:
        e.index = array();
        e.dtype = p_.array(e.index).dtype;
        indices(e, depth);
        break;
      case ExprKind::extent:
      case ExprKind::stride:
        e.index = array();
        e.axis = number();
        in_range(e.axis, static_cast<std::size_t>(p_.array(e.index).ndim));
        break;
      case ExprKind::atomic:
        e.axis = static_cast<int>(one_of(Atomic::compare_and_swap));
        e.index = array();
        e.dtype = p_.array(e.index).dtype;
        e.values = static_cast<Atomic>(e.axis) == Atomic::compare_and_swap ? 2 : 1;
        arguments(e, e.values, depth);
        for (int i = 0; i < e.values; ++i)
          need(p_.expr(e.args[static_cast<std::size_t>(i)]).dtype == e.dtype);
        indices(e, depth);
        break;
      case ExprKind::warp: {
        const auto what = one_of(Warp::active);
        e.axis = static_cast<int>(what);
        e.dtype = dtype();
        const int inputs = what <= Warp::shuffle_xor ? 4 : what == Warp::active ? 0 : 2;
        arguments(e, inputs, depth);
        p_.has_warp = true;
        break;
      }
      case ExprKind::bits:
        e.axis = static_cast<int>(one_of(Bits::fused));
        e.dtype = dtype();
        arguments(e, static_cast<Bits>(e.axis) == Bits::fused ? 3 : 1, depth);
        break;
      case ExprKind::address:
        e.index = array();
        break;
    }
    need(e.kind != ExprKind::geometry ||
         p_.host == (static_cast<Geometry>(e.index) == Geometry::numbers));
    need(!(p_.host || in_function_) || e.kind != ExprKind::warp);
    if (e.kind == ExprKind::geometry && static_cast<Geometry>(e.index) == Geometry::lane)
      p_.has_warp = true;
    p_.exprs.push_back(std::move(e));
    return static_cast<int>(p_.exprs.size()) - 1;
  }

  std::vector<int> list(int depth, int loops, int scopes) {
    need(depth < most_nested);
    std::vector<int> made;
    const int n = count();
    for (int i = 0; i < n; ++i) made.push_back(stmt(depth, loops, scopes));
    return made;
  }

  int stmt(int depth, int loops, int scopes) {
    need(p_.stmts.size() < most_nodes);
    Stmt s;
    s.kind = one_of(StmtKind::attempt);
    need(p_.host || s.kind <= StmtKind::fail || s.kind == StmtKind::call);
    need(!(p_.host || in_function_) || (s.kind != StmtKind::barrier && s.kind != StmtKind::fence));
    s.line = number();
    switch (s.kind) {
      case StmtKind::assign:
        s.index = local();
        s.exprs = {expr(0)};
        need(p_.expr(s.exprs[0]).dtype == p_.locals[static_cast<std::size_t>(s.index)].dtype);
        break;
      case StmtKind::store: {
        s.index = array();
        s.exprs = {expr(0)};
        need(p_.expr(s.exprs[0]).dtype == p_.array(s.index).dtype);
        for (int d = 0; d < p_.array(s.index).ndim; ++d) {
          s.exprs.push_back(expr(0));
          need(p_.expr(s.exprs.back()).dtype == Dtype::int64);
        }
        break;
      }
      case StmtKind::branch:
        s.exprs = {condition()};
        s.lists.push_back(list(depth + 1, loops, scopes));
        s.lists.push_back(list(depth + 1, loops, scopes));
        break;
      case StmtKind::loop:
        s.lists.push_back(list(depth + 1, 0, scopes));
        s.exprs = {condition()};
        s.lists.push_back(list(depth + 1, 1, scopes));
        s.lists.push_back(list(depth + 1, 0, scopes));
        break;
      case StmtKind::leave_loop:
      case StmtKind::next_turn:
        need(loops > 0);
        break;
      case StmtKind::scope:
        s.lists.push_back(list(depth + 1, 0, scopes + 1));
        break;
      case StmtKind::leave:
        s.index = number();
        in_range(s.index, static_cast<std::size_t>(scopes));
        break;
      case StmtKind::barrier:
        s.index = static_cast<int>(one_of(Barrier::grid));
        if (static_cast<Barrier>(s.index) == Barrier::grid) {
          p_.cooperative = true;
        } else if (static_cast<Barrier>(s.index) != Barrier::plain) {
          s.axis = local();
          need(p_.locals[static_cast<std::size_t>(s.axis)].dtype == Dtype::int64);
          s.exprs = {condition()};
        }
        p_.has_barrier = true;
        break;
      case StmtKind::evaluate:
        s.exprs = {expr(0)};
        break;
      case StmtKind::fence:
        s.index = number();
        need(s.index >= 0 && s.index <= 2);
        if (s.index != 0) break;
        p_.has_warp = true;
        s.exprs = {expr(0)};
        need(p_.expr(s.exprs[0]).dtype == Dtype::int64);
        break;
      case StmtKind::print: {
        const int n = count();
        for (int i = 0; i <= n; ++i) {
          s.texts.push_back(text());
          if (i < n) s.exprs.push_back(expr(0));
        }
        p_.prints = true;
        break;
      }
      case StmtKind::fail: {
        s.index = text();
        const int n = count();
        need(n == 0 || (p_.host && n <= 3));
        for (int i = 0; i < n; ++i) s.exprs.push_back(expr(0));
        p_.fails = true;
        break;
      }
      case StmtKind::range:
        read_range(s, depth, scopes);
        break;
      case StmtKind::allocate:
        s.index = array();
        need(p_.array(s.index).kind == ArrayKind::held);
        s.axis = flag() ? 1 : 0;
        s.texts = {text(), text()};
        for (int d = 0; d < p_.array(s.index).ndim; ++d) s.exprs.push_back(index_expr());
        p_.fails = true;
        break;
      case StmtKind::retain:
      case StmtKind::release:
        s.index = index_local();
        break;
      case StmtKind::call:
        read_call(s);
        break;
      case StmtKind::attempt:
        need(p_.host);
        s.axis = flag() ? 1 : 0;
        s.lists.push_back(list(depth + 1, loops, scopes));
        s.lists.push_back(list(depth + 1, loops, scopes));
        break;
    }
    p_.stmts.push_back(std::move(s));
    return static_cast<int>(p_.stmts.size()) - 1;
  }
  void read_range(Stmt& s, int depth, int scopes) {
    s.index = index_local();
    s.axis = flag() ? 1 : 0;
    for (int i = 0; i < 3; ++i) s.exprs.push_back(index_expr());
    s.locals = some_locals();
    need(s.axis == 1 || s.locals.empty());
    for (std::size_t i = 0; i < s.locals.size(); ++i) {
      const int op = number();
      in_range(op, static_cast<std::size_t>(table_ops));
      s.reductions.push_back(static_cast<Op>(op));
      need(info(s.reductions.back()).inputs == 2);
    }
    // Nobody leaves a loop on all cores.
    s.lists.push_back(list(depth + 1, 1, s.axis == 1 ? 0 : scopes));
  }
  void read_call(Stmt& s) {
    s.index = number();
    in_range(s.index, p_.functions.size());
    const Function& function = p_.functions[static_cast<std::size_t>(s.index)];
    for (int parameter : function.parameters) {
      s.exprs.push_back(expr(0));
      need(p_.expr(s.exprs.back()).dtype == p_.locals[static_cast<std::size_t>(parameter)].dtype);
    }
    s.locals = some_locals();
    need(s.locals.size() == function.results.size());
    for (std::size_t i = 0; i < s.locals.size(); ++i) {
      need(p_.locals[static_cast<std::size_t>(s.locals[i])].dtype ==
           p_.locals[static_cast<std::size_t>(function.results[i])].dtype);
    }
    p_.fails = true;
  }
  int index_expr() {
    const int e = expr(0);
    need(p_.expr(e).dtype == Dtype::int64);
    return e;
  }
  int condition() {
    const int e = expr(0);
    need(p_.expr(e).dtype == Dtype::bool_);
    return e;
  }
  int text() {
    const int i = number();
    in_range(i, p_.texts.size());
    return i;
  }

  std::span<const std::int64_t> words_;
  std::size_t at_ = 0;
  bool in_function_ = false;
  Program& p_;
};

}  // namespace

std::int64_t Program::shared_bytes() const {
  std::int64_t bytes = 0;
  for (const Array& a : arrays) {
    if (a.kind != ArrayKind::shared) continue;
    std::int64_t size = itemsize(a.dtype);
    for (auto extent : a.extents) size *= extent;
    bytes += (size + 63) / 64 * 64;
  }
  return bytes;
}

Program read_program(std::span<const std::int64_t> words, std::vector<std::string> texts,
                     std::string name) {
  Program program;
  program.texts = std::move(texts);
  program.name = std::move(name);
  Reader(words, program).read();
  if (program.checked() || program.host) program.fails = true;
  program.words.assign(reinterpret_cast<const char*>(words.data()), words.size_bytes());
  for (const std::string& text : program.texts) {
    program.words += text;
    program.words += '\0';
  }
  return program;
}

Arguments::Arguments(const Program& program) {
  for (const Parameter& parameter : program.parameters) {
    at.push_back(words);
    words += parameter.array >= 0 ? 1 + 2 * program.array(parameter.array).ndim : 2;
  }
}

}  // namespace heddle::simt
