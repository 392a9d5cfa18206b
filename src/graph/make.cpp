#include "graph/make.h"

#include <algorithm>

#include "graph/graph.h"
#include "graph/look.h"
#include "graph/node_facts.h"
#include "graph/node_maker.h"
#include "graph/recorder.h"
#include "graph/storage.h"

namespace heddle {

// Never run: see evaluate().
const Primitive graph::stand_in = {"stand-in", nullptr};

inline Ref<Value> NodeMaker::output(Node& node, Dtype dtype, const Shape& shape, Device& device) {
  Ref<Value> value(new Value(dtype, shape, device));
  node.device_ = &device;
  node.output_ = value.get();
  return value;
}

void NodeMaker::outputs(Node& node, std::span<const graph::OutputType> types, Device& device,
                        std::span<Ref<Value>> values) {
  node.device_ = &device;
  for (std::size_t i = 0; i < types.size(); ++i) {
    values[i] = Ref<Value>(new Value(types[i].dtype, types[i].shape, device));
    values[i]->output = static_cast<std::uint8_t>(i);
    if (types.size() > 1) node.more_outputs_.push_back(values[i].get());
  }
  node.output_ = values[0].get();
}

bool NodeMaker::depends_on_stand_in(std::span<const Operand> operands) {
  return std::ranges::any_of(operands, [](const Operand& operand) {
    const Graph* graph = operand.value ? operand.value->graph() : nullptr;
    return graph && graph->has_stand_ins();
  });
}

inline void NodeMaker::put(std::unique_ptr<Node> node, std::span<Operand> operands, Graph& own) {
  node->set_operands(operands);
  own.link(node.get());
  for (Value* value : node->outputs()) value->set_node(own, *node);
  [[maybe_unused]] const Node* held = node.release();  // by its outputs
}

inline bool NodeMaker::bring(Graph& own, std::span<const Operand> operands) {
  bool pending = false;
  for (const Operand& operand : operands) {
    Value* value = operand.value.get();
    if (!value || value->computed()) continue;
    const bool stays =
        value->graph() == &own || (own.has_stand_ins() && value->graph() == &Graph::own());
    if (!stays) evaluate(value);
    pending |= stays;
  }
  return pending;
}

std::int64_t NodeMaker::link_heard(std::unique_ptr<Node> node, std::span<Operand> operands) {
  Recorder* recorder = Recorder::current();
  const bool stands_in = node->primitive == &graph::stand_in || depends_on_stand_in(operands);
  Graph& own = stands_in ? Graph::of_stand_ins() : Graph::own();
  bring(own, operands);
  {
    const std::lock_guard lock(own);
    own.bury();
    put(std::move(node), operands, own);
    if (!recorder) return own.count();
    // Still locked: others may run whatever is pending when memory is short.
    recorder->make(*own.last());
  }
  recorder->after_make();
  std::lock_guard again(Graph::own());
  return Graph::own().count();
}

std::int64_t NodeMaker::link(std::unique_ptr<Node> node, std::span<Operand> operands) {
  if (Recorder::current() || node->primitive == &graph::stand_in) [[unlikely]] {
    return link_heard(std::move(node), operands);
  }
  Graph& own = Graph::own();
  const bool pending = bring(own, operands);
  const std::lock_guard lock(own);
  own.bury();
  if (pending) fold(*node, operands);
  put(std::move(node), operands, own);
  return own.count();
}

void NodeMaker::run(Node& node, Value& output, std::span<Operand> operands) {
  node.set_operands(operands);
  Ref<Buffer> result;
  LibraryCall call(node, std::span(&result, 1));
  node.primitive->run(call);
  output.set_buffer(std::move(result));
}

Ref<Value> NodeMaker::computed(Dtype dtype, const Shape& shape, Ref<Buffer> buffer) {
  Ref<Value> value(new Value(dtype, shape, buffer->device()));
  value->graph_ = &Graph::own();
  value->set_buffer(std::move(buffer));
  return value;
}

namespace {

// Of a value of this thread's graph, which is locked.
const Operand* filling(const Value& value) {
  const Node* node = value.node();
  bool filled = node && node->kind == NodeKind::elementwise && node->op == Op::cast &&
                !node->operands[0].value && node->operands[0].dtype == value.dtype;
  return filled ? &node->operands[0] : nullptr;
}

}  // namespace

void NodeMaker::fold(const Node& node, std::span<Operand> operands) {
  if (!graph::takes_numbers(node)) return;
  for (std::size_t i = node.kind == NodeKind::update ? 1 : 0; i < operands.size(); ++i) {
    Operand& operand = operands[i];
    if (!operand.value || operand.dtype != operand.value->dtype) continue;
    const Operand* number = filling(*operand.value);
    if (!number) continue;
    operand.scalar = number->scalar;
    operand.layout.reset();
    operand.value.reset();
  }
}

namespace graph {

Draft draft_like(const Node& node) {
  Draft made = draft(node.kind);
  made->op = node.op;
  made->combine = node.combine;
  made->target_dtype = node.target_dtype;
  made->masked = node.masked;
  made->accumulates = node.accumulates;
  made->in_place = node.in_place;
  made->axes = node.axes;
  made->params = node.params;
  if (node.target) made->target = std::make_unique<Layout>(*node.target);
  made->primitive = node.primitive;
  made->parameters = node.parameters;
  return made;
}

[[gnu::flatten]] Ref<Value> make(Draft node, Dtype dtype, const Shape& shape, Device& device,
                                 std::span<Operand> operands) {
  Ref<Value> value = NodeMaker::output(*node, dtype, shape, device);
  const auto count = NodeMaker::link(std::move(node), operands);
  enforce_limits(count);
  return value;
}

Ref<Value> make(Op op, Dtype dtype, const Shape& shape, Device& device,
                std::span<Operand> operands) {
  Draft node = draft(NodeKind::elementwise);
  node->op = op;
  return make(std::move(node), dtype, shape, device, operands);
}

void make_into(Storage& storage, Draft node, std::span<Operand> operands) {
  const Value& before = storage.contents();
  Ref<Value> value = NodeMaker::output(*node, before.dtype, before.shape, *before.device);
  const auto count = NodeMaker::link(std::move(node), operands);
  storage.rebind(value);
  enforce_limits(count);
}

void make_all(Draft node, std::span<const OutputType> outputs, Device& device,
              std::span<Operand> operands, std::span<Ref<Value>> made) {
  NodeMaker::outputs(*node, outputs, device, made);
  const auto count = NodeMaker::link(std::move(node), operands);
  enforce_limits(count);
}

Ref<Value> make_sized(Draft node, Dtype dtype, std::int64_t most, Device& device,
                      std::span<Operand> operands) {
  const bool waits = std::ranges::any_of(
      operands, [](const Operand& operand) { return !operand.value->computed(); });
  Ref<Value> value = NodeMaker::output(*node, dtype, {most}, device);
  if (waits || Recorder::current()) {
    NodeMaker::link(std::move(node), operands);
  } else {
    NodeMaker::run(*node, *value, operands);
  }
  const auto bytes = static_cast<std::int64_t>(look(*value).bytes());
  value->shape = Shape({bytes / itemsize(dtype)});  // nobody else has seen it yet
  return value;
}

Operand reading(Ref<Value> value, Dtype dtype, const SharedLayout& layout) {
  Operand operand;
  operand.dtype = dtype;
  const bool whole =
      &*layout == &*value->shape.dense() ||
      (layout->offset == 0 && value->shape == layout->shape && is_c_contiguous(layout));
  if (!whole || value->dtype != dtype) operand.layout = layout.ref();
  operand.value = std::move(value);
  return operand;
}

Operand reading_like(const Operand& operand, Ref<Value> value) {
  Operand made;
  made.value = std::move(value);
  made.dtype = operand.dtype;
  made.layout = operand.layout;
  made.scalar = operand.scalar;
  return made;
}

Operand number(const Number& number) {
  Operand operand;
  operand.dtype = number.dtype;
  operand.scalar = number.bits;
  return operand;
}

std::optional<Number> fill_of(const Value& value) {
  if (value.computed() || Recorder::current()) return std::nullopt;
  std::lock_guard lock(*value.graph());
  const Operand* number = filling(value);
  if (!number) return std::nullopt;
  return Number{value.dtype, number->scalar};
}

}  // namespace graph
}  // namespace heddle
