// Transformations of functions: the trails that the front end lays around a call.
#include <heddle/transform.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "core/per_thread.h"
#include "ops/creation.h"
#include "ops/deferred.h"
#include "python/convert.h"
#include "python/recorded_calls.h"
#include "transform/batching.h"
#include "transform/float_errors.h"
#include "transform/nans.h"
#include "transform/recorded_loop.h"
#include "transform/script.h"
#include "transform/script_text.h"
#include "transform/support.h"
#include "transform/trail.h"
#include "transform/whole_call.h"
#include "transform/writes.h"
#include <heddle/errors.h>

namespace heddle::python {

namespace {

using transform::Batching;
using transform::Script;
using transform::Scripting;
using transform::Trail;
using transform::Trailing;

// Of this thread, the innermost last.
std::vector<std::unique_ptr<Trailing>>& trailings() {
  return PerThread<std::vector<std::unique_ptr<Trailing>>>::own();
}

Trailing& innermost() {
  if (trailings().empty()) throw value_error("no trail is laid in this thread");
  return *trailings().back();
}

// Which results depend on the inputs.
std::vector<bool> depends(const Trail& trail) {
  std::vector<bool> made;
  for (const Trail::Result& result : trail.results) made.push_back(result.number >= 0);
  return made;
}

// A way back that a Python function knows, from the first results; what comes after them was
// written to other arrays.
struct PythonPull final : transform::OwnPull {
  PythonPull(nb::object function, std::size_t results, std::string what)
      : function(std::move(function)), results(results), what(std::move(what)) {}
  ~PythonPull() override {
    const InterpreterLock lock;
    function.reset();
  }
  PythonPull(const PythonPull&) = delete;
  PythonPull& operator=(const PythonPull&) = delete;

  std::vector<std::optional<array>> pull(
      const std::vector<std::optional<array>>& cotangents) const override {
    const auto own = std::span(cotangents).first(results);
    if (std::ranges::any_of(std::span(cotangents).subspan(results),
                            [](const auto& one) { return one.has_value(); })) {
      throw written_without_rule(what);
    }
    const InterpreterLock lock;
    return nb::cast<std::vector<std::optional<array>>>(
        function(std::vector<std::optional<array>>(own.begin(), own.end())));
  }

  nb::object function;
  std::size_t results;
  std::string what;
};

nb::object& lost_gradient_hook() {
  static auto* hook = new nb::object;  // never destroyed: Python may be gone by then
  return *hook;
}

// The innermost trail that hears, and depends on one of the arrays; null: none. A rule of a user's
// may call the function that it is for.
Trailing* depending(const std::vector<array>& arrays, bool innermost_only) {
  for (const auto& trailing : std::views::reverse(trailings())) {
    if (trailing->is_paused()) continue;
    for (const array& a : arrays) {
      if (trailing->depends(a)) return trailing.get();
    }
    if (innermost_only) return nullptr;
  }
  return nullptr;
}

// f() while the trail hears nothing.
template <class F>
auto paused(Trailing& trailing, F f) {
  struct Pause {
    explicit Pause(Trailing& trailing) : trailing(trailing), before(trailing.is_paused()) {
      trailing.pause(true);
    }
    ~Pause() { trailing.pause(before); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
    Trailing& trailing;
    bool before;
  } pause(trailing);
  return f();
}

// What `compute` gives, a pair of a list of results and a way back, as a step of the innermost
// trail that depends on the inputs. None where no trail does, and then nothing was computed.
// TypeError where it is computed of other arrays that the trail depends on: the way back does not
// lead to them.
nb::object own_step(const std::vector<array>& inputs, const nb::object& compute,
                    const std::string& what, bool innermost_only) {
  // A rule that is a node is computed as a constant, and may call the function that it is for.
  if (heddle::detail::constant_depth > 0) return nb::none();
  Trailing* trailing = depending(inputs, innermost_only);
  if (!trailing) return nb::none();
  // What is computed may give the arrays other values, unheard.
  std::vector<array> before;
  for (const array& a : inputs) {
    before.push_back(transform::holding(a));
  }
  struct Allowed {
    ~Allowed() { trailing.allow({}); }
    Trailing& trailing;
  } const allowed{*trailing};
  trailing->allow(before);
  std::vector<array> written;
  nb::object made = paused(*trailing, [&] {
    const transform::Writes writes(before);
    nb::object computed = compute();
    written = writes.arrays();
    return computed;
  });
  auto results = nb::cast<std::vector<array>>(made[0]);
  if (trailing->was_read_around(results)) {
    throw type_error(what +
                     " reads an array that is differentiated and that is not among its "
                     "differentiated arguments, so its derivative would be lost: pass it as an "
                     "argument, or use stop_gradient");
  }
  auto pull = std::make_shared<PythonPull>(nb::object(made[1]), results.size(), what);
  results.insert(results.end(), written.begin(), written.end());
  std::vector<array> stands = trailing->add_step(before, results, std::move(pull));
  transform::write_last(stands, written);
  return nb::cast(stands);
}

// What arrays hold at a time: who looks again later sees which of them were written to.
struct HeldValues {
  explicit HeldValues(const std::vector<array>& arrays) {
    for (const array& a : arrays) values.push_back(a.storage().value());
  }
  std::vector<bool> changed(const std::vector<array>& arrays) const {
    std::vector<bool> made;
    for (std::size_t i = 0; i < values.size(); ++i) {
      made.push_back(arrays.at(i).storage().value() != values[i]);
    }
    return made;
  }
  // The arrays hold it again, until it is taken away: no write, of which recorders would hear.
  // Memory that is shared with others stays.
  void put_back(const std::vector<array>& arrays) {
    const Recorder::Outside unheard;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Ref<Storage>& storage = arrays.at(i).shared_storage();
      if (storage->value() == values[i] || storage->exports > 0) continue;
      meanwhile.emplace_back(storage, storage->value());
      storage->rebind(values[i]);
    }
  }
  void take_away() {
    const Recorder::Outside unheard;
    for (auto& [storage, value] : std::exchange(meanwhile, {})) storage->rebind(std::move(value));
  }
  std::vector<Ref<Value>> values;
  std::vector<std::pair<Ref<Storage>, Ref<Value>>> meanwhile;
};

// The elements as they are now, whatever is written to the array later.
array as_now(const array& a) {
  if (a.number()) return a;
  return a.storage().exports > 0 ? a.copy() : transform::holding(a);
}

bool is_whole(const array& a) {
  const Ref<Value> value = a.storage().value();
  const SharedLayout dense = value->shape.dense();
  return a.shared_layout() == dense && a.dtype() == value->dtype;
}

// All elements of the memory that an array is a view of, in order.
array whole_of(const array& a) {
  const Ref<Value> value = a.storage().value();
  return is_whole(a) ? a : transform::holding(value, value->shape.dense(), value->dtype);
}

// The array, or a copy that has all of its memory.
array as_whole(const array& a) { return is_whole(a) ? a : a.copy(); }

// Whether two of the arrays are views of the same elements, or one of them twice.
bool share_storage(const std::vector<array>& arrays) {
  std::vector<const Storage*> all;
  for (const array& a : arrays) all.push_back(&a.storage());
  std::ranges::sort(all);
  return std::ranges::adjacent_find(all) != all.end();
}

// What `compute` gives while the innermost trail that hears does not, in a tuple; None where no
// trail hears, and then nothing was computed.
nb::object outside_of_innermost(const nb::object& compute) {
  for (const auto& trailing : std::views::reverse(trailings())) {
    if (trailing->is_paused()) continue;
    return nb::make_tuple(paused(*trailing, [&] { return compute(); }));
  }
  return nb::none();
}

// Scripts that are being written in this thread, the innermost last.
std::vector<std::unique_ptr<Scripting>>& scriptings() {
  return PerThread<std::vector<std::unique_ptr<Scripting>>>::own();
}

// Batches of this thread, the innermost last.
std::vector<std::unique_ptr<Batching>>& batchings() {
  return PerThread<std::vector<std::unique_ptr<Batching>>>::own();
}

// Whether rules of users' have to be nodes: between a trail and here somebody repeats or batches,
// who would pass on what the function is computed of.
bool rules_are_nodes() {
  if (heddle::detail::constant_depth > 0) return false;
  const auto among = [](const auto& listed, const Recorder* recorder) {
    return std::ranges::any_of(listed, [&](const auto& one) { return one.get() == recorder; });
  };
  bool between = false;
  for (const Recorder* one = Recorder::current(); one; one = one->outer()) {
    if (between && among(trailings(), one)) return true;
    between = between || among(scriptings(), one) || among(batchings(), one);
  }
  return false;
}

using StreamWords = std::pair<std::array<std::uint64_t, 2>, std::array<std::uint64_t, 4>>;

// As bytes, to be looked up.
nb::bytes signature(const std::vector<array>& arrays) {
  std::vector<std::int64_t> words;
  std::vector<const array*> all;
  for (const array& a : arrays) all.push_back(&a);
  write_signature(words, all);
  return nb::bytes(words.data(), words.size() * sizeof(std::int64_t));
}

// What a Python function does in every call.
struct PythonEffect final : Script::Effect {
  explicit PythonEffect(nb::object function) : function(std::move(function)) {}
  ~PythonEffect() override {
    const InterpreterLock lock;
    function.reset();
  }
  PythonEffect(const PythonEffect&) = delete;
  PythonEffect& operator=(const PythonEffect&) = delete;

  void run(const std::vector<array>& arguments) override {
    const InterpreterLock lock;
    function(arguments);
  }

  nb::object function;
};

struct PythonNanChecking final : transform::NanChecking {
  using NanChecking::NanChecking;
  void found(const std::string& step, const char* what) override {
    const InterpreterLock lock;
    const std::string text = std::string(step) + " makes " + what + ", at " + calling_line();
    PyErr_SetString(PyExc_FloatingPointError, text.c_str());
    throw nb::python_error();
  }
};

std::vector<std::unique_ptr<PythonNanChecking>>& nan_checkings() {
  return PerThread<std::vector<std::unique_ptr<PythonNanChecking>>>::own();
}

nb::object& float_error_hook() {
  static auto* const function = new nb::object;
  return *function;
}

struct PythonFloatChecking final : transform::FloatChecking {
  void found(transform::FloatError error, const std::string& step) override {
    const InterpreterLock lock;
    float_error_hook()(static_cast<int>(error), step);
  }
};

std::unique_ptr<PythonFloatChecking>& float_checking() {
  return PerThread<std::unique_ptr<PythonFloatChecking>>::own();
}

Batching& innermost_batch() {
  if (batchings().empty()) throw value_error("there is no batch in this thread");
  return *batchings().back();
}

}  // namespace

type_error written_without_rule(const std::string& what) {
  return type_error(
      what +
      " writes to an array that is differentiated afterwards, which is not among its results, so "
      "that its rule says nothing about it: give what is written as a result, or write to a copy");
}

bool is_differentiated(const array& a) {
  if (trailings().empty() || !is_inexact(a.dtype())) return false;
  return std::ranges::any_of(trailings(),
                             [&](const auto& one) { return !one->is_paused() && one->depends(a); });
}

bool checks_steps() { return !nan_checkings().empty() || float_checking(); }

void set_lost_gradient_hook(nb::object function) { lost_gradient_hook() = std::move(function); }

void tell_of_leaving(const array& a, const char* what) {
  if (lost_gradient_hook().is_valid() && is_differentiated(a)) lost_gradient_hook()(what);
}

namespace {

// The same, also by those outside of a batch: they follow what a row stands for.
bool is_differentiated_anywhere(const array& a) {
  if (is_differentiated(a)) return true;
  const Recorder* recorder = Recorder::current();
  if (trailings().empty() || !recorder || a.number()) return false;
  const Ref<Value> value = a.storage().value();
  const Ref<Value> all = recorder->stands_for(*value);
  return all && is_differentiated_anywhere(transform::holding(all, all->shape.dense(), a.dtype()));
}

// --- reverse mode ---

std::vector<std::optional<array>> pull_back(const Trail& trail,
                                            const std::vector<std::optional<array>>& cotangents) {
  return transform::pull(trail, cotangents);
}

void start_trail(std::string linear_rule) {
  trailings().push_back(std::make_unique<Trailing>(std::move(linear_rule)));
}

std::shared_ptr<Trail> take_trail(const std::vector<array>& results) {
  return std::const_pointer_cast<Trail>(innermost().take(results));
}

void stop_trail() {
  innermost();
  trailings().pop_back();
}

void bind_derivatives(nb::module_& m) {
  m.def("set_lost_gradient_hook", set_lost_gradient_hook, nb::arg("function"));
  m.def("tell_of_leaving", tell_of_leaving, nb::arg("a"), nb::arg("what"));
  nb::class_<Trail>(m, "Trail")
      .def_prop_ro("depends", depends)
      .def_prop_ro("steps", [](const Trail& trail) { return trail.steps.size(); })
      .def("pull", pull_back, nb::arg("cotangents"));
  m.def("stop_gradient", stop_gradient, nb::arg("a"));
  m.def("rules_are_nodes", rules_are_nodes);
  nb::class_<HeldValues>(m, "HeldValues")
      .def(nb::init<const std::vector<array>&>(), nb::arg("arrays"))
      .def("changed", &HeldValues::changed, nb::arg("arrays"))
      .def("put_back", &HeldValues::put_back, nb::arg("arrays"))
      .def("take_away", &HeldValues::take_away);
  m.def("as_now", as_now, nb::arg("a"));
  m.def("whole_of", whole_of, nb::arg("a"));
  m.def("as_whole", as_whole, nb::arg("a"));
  m.def("share_storage", share_storage, nb::arg("arrays"));
  m.def("own_step", own_step, nb::arg("inputs"), nb::arg("compute"), nb::arg("what"),
        nb::arg("innermost_only") = false);
  m.def(
      "innermost_depends",
      [](const std::vector<array>& arrays) { return depending(arrays, true) != nullptr; },
      nb::arg("arrays"));
  m.def("outside_of_innermost", outside_of_innermost, nb::arg("compute"));
  m.def("start_trail", start_trail, nb::arg("linear_rule") = "");
  m.def("watch", [](const array& a) { return innermost().watch(a); }, nb::arg("a"));
  m.def("take_trail", take_trail, nb::arg("results"));
  m.def("stop_trail", stop_trail);
  m.def("is_differentiated", is_differentiated, nb::arg("a"));
  m.def("is_differentiated_anywhere", is_differentiated_anywhere, nb::arg("a"));
}

// --- scripts ---

// Which inputs' elements it looks at, by their places among the arguments' storages.
std::vector<std::int32_t> looked_inputs(const Script& script) {
  std::vector<std::int32_t> found;
  for (const Script::Look& look : script.looks) {
    if (look.value < script.storages()) found.push_back(look.value);
  }
  return found;
}

std::optional<std::vector<array>> repeat_script(const Script& script,
                                                const std::vector<array>& arguments,
                                                const std::vector<array>& late,
                                                const std::vector<StreamWords>& streams,
                                                bool apart) {
  std::vector<Script::Stream> made;
  for (const auto& [key, moved] : streams) made.push_back({key, moved});
  return transform::repeat(script, by_storage(arguments), late, made, apart);
}

// Arrays whose elements nobody wants any more: zeros that take no memory, unless a result is a view
// of them.
void let_go_of(const std::vector<array>& arrays, const std::vector<array>& results) {
  for (const array& a : arrays) {
    Storage& storage = a.storage();
    const bool shared = std::ranges::any_of(
        results, [&](const array& result) { return &result.storage() == &storage; });
    if (shared || storage.exports > 0) continue;
    const Ref<Value> held = storage.value();
    const Value& value = *held;
    const array nothing = full(value.shape, Scalar(0), value.dtype, *value.device);
    storage.rebind(nothing.storage().value());
  }
}

// A number of Python's as an array whose type yields; None: it is none that an array can have.
std::optional<array> weak_number(nb::handle number) {
  const std::optional<Scalar> scalar = to_scalar(number);
  if (!scalar || scalar->is_beyond() || scalar->huge()) return std::nullopt;
  array made(*scalar);
  made.storage().snapshot = true;
  made.set_weak(true);
  return made;
}

// The array, with a type that yields as another one's does.
array yielding_as(array made, const array& like) {
  made.set_weak(like.weak());
  return made;
}

// An array that NumPy draws, and draws anew when a call is repeated.
void add_script_input(const array& made) {
  for (const auto& scripting : scriptings()) scripting->add_input(made);
}

void add_script_effect(const nb::object& function, const std::vector<array>& arguments) {
  for (const auto& scripting : scriptings()) {
    scripting->add_effect(std::make_shared<PythonEffect>(function), arguments);
  }
}

// Calls a function while nobody in this thread listens.
void call_unheard(const nb::object& function) {
  const Recorder::Outside unheard;
  function();
}

void start_script(const std::vector<array>& arguments, bool loop_body, bool trial) {
  using Of = Scripting::Of;
  const Of of = loop_body ? Of::loop_body : trial ? Of::trial : Of::call;
  scriptings().push_back(std::make_unique<Scripting>(by_storage(arguments), of));
}

// Whether indices of the loop's body that is recorded are out of bounds.
std::vector<array> told_out_of_bounds() { return scriptings().back()->told_out_of_bounds(); }

// Tells whoever records the body of a loop that a loop inside had such indices; false: nobody does.
bool tell_out_of_bounds(const array& any) {
  Recorder* recorder = Recorder::current();
  if (!recorder || !recorder->defers_index_errors()) return false;
  recorder->out_of_bounds(any.storage().value());
  return true;
}

// `undo`: arrays outside are what they were when it started.
void stop_script(bool undo) {
  Scripting::Before before = scriptings().back()->take_before();
  scriptings().pop_back();
  if (!undo) return;
  for (auto& [storage, value] : before) storage->rebind(std::move(value));
}

std::shared_ptr<Script> take_script(const std::vector<array>& results) {
  return std::const_pointer_cast<Script>(scriptings().back()->take(results));
}

// Gives what it was.
std::size_t set_fewest_whole_steps(std::size_t steps) {
  return transform::fewest_whole_steps().exchange(steps);
}

void bind_scripts(nb::module_& m) {
  nb::class_<Script>(m, "Script")
      .def_prop_ro("impossible", [](const Script& script) { return script.impossible; })
      .def_prop_ro("steps", [](const Script& script) { return script.steps.size(); })
      .def_prop_ro("looks", [](const Script& script) { return script.looks.size(); })
      .def_prop_ro("look_lines",
                   [](const Script& script) {
                     std::vector<std::string> lines;
                     for (const Script::Look& look : script.looks) lines.push_back(look.where);
                     return lines;
                   })
      .def_prop_ro("decides", &Script::decides)
      .def("text", &transform::to_text)
      .def_prop_ro("looked_inputs", looked_inputs)
      .def("repeat", repeat_script, nb::arg("arguments"), nb::arg("late"), nb::arg("streams"),
           nb::arg("apart") = false)
      .def_prop_ro("sources", [](const Script& script) { return script.sources; });
  m.def("let_go", let_go_of, nb::arg("arrays"), nb::arg("results"));
  m.def("weak_number", weak_number, nb::arg("number"));
  m.def("yields", [](const array& a) { return a.weak(); }, nb::arg("a"));
  m.def("yielding_as", yielding_as, nb::arg("made"), nb::arg("like"));
  m.def("add_script_input", add_script_input, nb::arg("made"));
  m.def("add_script_effect", add_script_effect, nb::arg("function"), nb::arg("arguments"));
  m.def("call_unheard", call_unheard, nb::arg("function"));
  m.def("signature", signature, nb::arg("arrays"));
  m.def("start_script", start_script, nb::arg("arguments"), nb::arg("loop_body") = false,
        nb::arg("trial") = false);
  m.def("told_out_of_bounds", told_out_of_bounds);
  m.def("is_unknown", is_unknown, nb::arg("a"));
  m.def("tell_out_of_bounds", tell_out_of_bounds, nb::arg("any"));
  m.def("take_script", take_script, nb::arg("results"));
  m.def("stop_script", stop_script, nb::arg("undo") = false);
  m.def("set_fewest_whole_steps", set_fewest_whole_steps, nb::arg("steps"));
}

// --- loops ---

// A result of the body of a loop: dense, and no array from outside.
array loop_result(const array& a) {
  return scriptings().back()->is_outside(a) ? transform::argument_like(a) : transform::whole_of(a);
}

std::optional<std::vector<array>> run_loop(const Script& body, std::int64_t passes,
                                           std::optional<std::int64_t> first, bool conditional,
                                           bool backwards, std::int64_t together,
                                           const std::vector<array>& carried,
                                           const std::vector<array>& rows) {
  transform::LoopForm form{passes, std::nullopt, conditional, backwards, together};
  if (first) form.counter = {*first, 1};
  return transform::run_loop(body, form, carried, rows);
}

void bind_loops(nb::module_& m) {
  m.def("argument_like", &transform::argument_like, nb::arg("a"));
  m.def("loop_result", loop_result, nb::arg("a"));
  m.def("run_loop", run_loop, nb::arg("body"), nb::arg("passes"), nb::arg("first").none(),
        nb::arg("conditional"), nb::arg("backwards"), nb::arg("together"), nb::arg("carried"),
        nb::arg("rows"));
}

// --- batches ---

void start_batch(std::int64_t rows) { batchings().push_back(std::make_unique<Batching>(rows)); }

array enter_batch(const array& a, std::int64_t axis) { return innermost_batch().enter(a, axis); }

array leave_batch(const array& a, std::int64_t axis) { return innermost_batch().leave(a, axis); }

array enter_batch_at(const array& a, std::size_t depth) {
  return batchings().at(depth)->enter(a, 0);
}

// The rows of an array along a batch, by its place from the outermost on.
array rows_along(const array& a, std::size_t depth) {
  for (std::size_t i = depth + 1; i < batchings().size(); ++i) {
    if (batchings()[i]->has_rows(a)) {
      throw type_error(
          "a collective over an outer axis of vmap is given what differs along an inner one");
    }
  }
  return batchings().at(depth)->leave(a, 0);
}

// What a stand-in stands for, with the rows of all batches before it; others as they are.
array all_rows(array a) {
  for (const auto& batching : std::views::reverse(batchings())) {
    if (batching->has_rows(a)) a = batching->leave(a, 0);
  }
  return a;
}

// Gives the names of primitives that were computed row by row.
std::vector<std::string> stop_batch() {
  std::vector<std::string> slow = innermost_batch().take_slow();
  batchings().pop_back();
  return slow;
}

void bind_batches(nb::module_& m) {
  m.def("start_batch", start_batch, nb::arg("rows"));
  m.def("enter_batch", enter_batch, nb::arg("a"), nb::arg("axis"));
  m.def("leave_batch", leave_batch, nb::arg("a"), nb::arg("axis"));
  m.def("batch_depth", [] { return batchings().size(); });
  m.def("rows_along", rows_along, nb::arg("a"), nb::arg("depth"));
  m.def("enter_batch_at", enter_batch_at, nb::arg("a"), nb::arg("depth"));
  m.def("has_rows", [](const array& a) { return innermost_batch().has_rows(a); }, nb::arg("a"));
  m.def(
      "has_rows_at",
      [](const array& a, std::size_t depth) { return batchings().at(depth)->has_rows(a); },
      nb::arg("a"), nb::arg("depth"));
  m.def("all_rows", all_rows, nb::arg("a"));
  m.def("is_same_computation", transform::is_same_computation, nb::arg("a"), nb::arg("b"));
  m.def("stop_batch", stop_batch);
}

// --- checks ---

void start_nan_checks(bool infinities) {
  nan_checkings().push_back(std::make_unique<PythonNanChecking>(infinities));
}

// Which floating-point errors this thread looks for, as bits.
unsigned float_checks() {
  unsigned bits = 0;
  if (!float_checking()) return bits;
  for (std::size_t i = 0; i < transform::float_errors; ++i) {
    bits |= static_cast<unsigned>(float_checking()->kinds[i]) << i;
  }
  return bits;
}

unsigned exchange_float_checks(unsigned bits) {
  const unsigned before = float_checks();
  auto& checking = float_checking();
  if (bits == 0) {
    checking.reset();
    return before;
  }
  // A call that is repeated has no moments between its steps.
  if (!checking) {
    for (const auto& scripting : scriptings()) {
      scripting->refuse("it looks for floating-point errors, by errstate or seterr");
    }
    checking = std::make_unique<PythonFloatChecking>();
  }
  for (std::size_t i = 0; i < transform::float_errors; ++i) checking->kinds[i] = bits >> i & 1;
  return before;
}

void bind_checks(nb::module_& m) {
  m.def("start_nan_checks", start_nan_checks, nb::arg("infinities"));
  m.def("stop_nan_checks", [] { nan_checkings().pop_back(); });
  m.def("exchange_float_checks", exchange_float_checks, nb::arg("bits"));
  m.def("float_checks", float_checks);
  m.def("set_float_error_function",
        [](nb::object function) { float_error_hook() = std::move(function); });
  m.def("checks_steps", checks_steps);
}

}  // namespace

void bind_transform(nb::module_& m) {
  bind_derivatives(m);
  bind_scripts(m);
  bind_loops(m);
  bind_batches(m);
  bind_checks(m);
}

}  // namespace heddle::python
