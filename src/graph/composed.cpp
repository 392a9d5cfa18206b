// Steps whose results are there already, computed of the inputs in a way that nobody need follow.
#include "graph/batch.h"
#include "graph/copies.h"
#include "graph/derivative.h"
#include "graph/make.h"
#include "graph/storage.h"

namespace heddle::graph {

std::vector<array> composed(const Primitive& primitive,
                            std::shared_ptr<const Parameters> parameters,
                            std::span<const array> inputs, std::span<const array> results) {
  Draft node = draft(primitive);
  node->parameters = std::move(parameters);
  std::vector<Operand> operands;
  for (std::span<const array> arrays : {inputs, results}) {
    for (const array& a : arrays) {
      Operand operand = reading(a.storage().value(), a.dtype(), a.shared_layout());
      if (operand.layout && arrays.data() == results.data()) {
        Ref<Value> whole = make(Op::cast, a.dtype(), a.shape(), a.device(), std::span(&operand, 1));
        operand = reading(std::move(whole), a.dtype(), SharedLayout::contiguous(a.shape()));
      }
      operands.push_back(std::move(operand));
    }
  }
  std::vector<OutputType> types;
  for (const array& result : results) types.push_back({result.dtype(), result.shape()});
  std::vector<Ref<Value>> values(results.size());
  make_all(std::move(node), types, results[0].device(), operands, values);
  std::vector<array> made;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const SharedLayout layout = values[i]->shape.dense();
    Ref<Storage> storage(new Storage(std::move(values[i])));
    storage->snapshot = results[i].storage().snapshot;
    made.emplace_back(std::move(storage), layout, results[i].dtype());
  }
  return made;
}

void run_composed(LibraryCall& call) {
  const int results = static_cast<int>(call.node().outputs().size());
  const int inputs = call.node().operand_count - results;
  for (int i = 0; i < results; ++i) {
    if (call.wants(i)) call.give(i, call.take(inputs + i));
  }
}

void batch_composed(Batch& step) {
  const int inputs = step.operand_count() - step.output_count();
  std::vector<array> given, results;
  for (int i = 0; i < step.operand_count(); ++i) {
    (i < inputs ? given : results).push_back(step.spread(i));
  }
  const auto made = composed(*step.node().primitive, step.node().parameters, given, results);
  for (int i = 0; i < step.output_count(); ++i) step.give(i, made[static_cast<std::size_t>(i)]);
}

}  // namespace heddle::graph
