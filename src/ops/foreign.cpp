#include "ops/foreign.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "graph/explain.h"
#include "graph/graph.h"
#include "graph/look.h"
#include "graph/make.h"
#include "graph/storage.h"
#include "ops/write.h"
#include "runtime/device.h"
#include "runtime/recording.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

// Where an array's elements begin: bytes into the memory of an operand.
struct OperandPlace {
  int operand;
  std::int64_t offset;
};

// A storage that arrays of the call are in.
struct Used {
  Storage* storage;
  bool written = false;
  bool in_place = false;  // its memory is seen by others, who see the writes
  int output = -1;        // which output its new contents are
};

struct ForeignParameters final : Parameters {
  std::shared_ptr<const ForeignCall> code;
  std::vector<OperandPlace> places;
  std::vector<Used> operands;

  void write_key(std::vector<std::uint64_t>& key) const override {
    code->write_key(key);
    for (const OperandPlace& place : places) {
      key.push_back(static_cast<std::uint64_t>(place.operand));
      key.push_back(static_cast<std::uint64_t>(place.offset));
    }
    for (const Used& used : operands) {
      key.push_back(static_cast<std::uint64_t>(used.output + 1) << 1 |
                    static_cast<std::uint64_t>(used.in_place));
    }
  }
};

void run(LibraryCall& call) {
  const auto& p = call.node().parameters_as<ForeignParameters>();
  std::vector<Ref<Buffer>> held;
  std::vector<Buffer*> buffers;
  for (std::size_t i = 0; i < p.operands.size(); ++i) {
    const int operand = static_cast<int>(i);
    const bool taken = p.operands[i].written && !p.operands[i].in_place;
    held.push_back(taken ? call.take(operand) : Ref<Buffer>(&call.buffer(operand)));
    buffers.push_back(held.back().get());
  }
  std::vector<void*> addresses;
  for (const OperandPlace& place : p.places) {
    auto* base = static_cast<char*>(buffers[static_cast<std::size_t>(place.operand)]->data());
    addresses.push_back(base + place.offset);
  }
  p.code->run(call.device(), addresses, buffers);
  for (std::size_t i = 0; i < p.operands.size(); ++i) {
    const int output = p.operands[i].output;
    if (output >= 0 && call.wants(output)) call.give(output, held[i]);
  }
}

const Primitive foreign = {"foreign call", run};

// Storages that are written, for one writer at a time; in one order, so that nobody waits for ever.
std::vector<std::unique_ptr<WriteLock>> lock_written(std::span<const Used> operands) {
  std::vector<Storage*> order;
  for (const Used& used : operands) {
    if (used.written) order.push_back(used.storage);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::unique_ptr<WriteLock>> locks;
  locks.reserve(order.size());
  for (Storage* storage : order) locks.push_back(std::make_unique<WriteLock>(*storage));
  return locks;
}

}  // namespace

std::string name_of_call(const Node& node) {
  if (node.kind == NodeKind::update && node.accumulates) return std::string(name(node.op)) + ".at";
  const bool own = node.kind == NodeKind::library && node.primitive == &foreign;
  return own ? node.parameters_as<ForeignParameters>().code->name() : graph::name_of(node);
}

void call_foreign(std::shared_ptr<const ForeignCall> code, std::span<const ForeignArray> arrays,
                  Device& device) {
  auto parameters = std::make_shared<ForeignParameters>();
  parameters->code = std::move(code);
  const std::shared_ptr<const ForeignCall> keeps = parameters->code;
  const ForeignCall& called = *keeps;
  std::vector<Used>& operands = parameters->operands;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const array& a = *arrays[i].a;
    if (&a.device() != &device) {
      throw value_error(fmt::format("{}: array {} is on {}, the kernel runs on {}", called.name(),
                                    i + 1, a.device_name(), device.name()));
    }
    if (arrays[i].written && !writeable(a)) {
      throw value_error(fmt::format("{}: array {} must not be written", called.name(), i + 1));
    }
    Storage* storage = &a.storage();
    auto known = std::find_if(operands.begin(), operands.end(),
                              [&](const Used& used) { return used.storage == storage; });
    if (known == operands.end()) known = operands.insert(operands.end(), Used{storage});
    known->written |= arrays[i].written;
    parameters->places.push_back(
        {static_cast<int>(known - operands.begin()), a.layout().offset * itemsize(a.dtype())});
  }

  const auto locks = lock_written(operands);
  std::vector<Operand> read;
  std::vector<graph::OutputType> types;
  const bool may_fail = called.may_fail();
  bool at_once = called.at_once() || may_fail || recording();
  std::vector<Ref<Value>> before;  // the contents, where the call may fail
  for (Used& used : operands) {
    Storage& storage = *used.storage;
    if (storage.exports > 0) at_once = true;  // what others see is read and written now
    if (used.written && (storage.exports > 0 || recording())) {
      used.in_place = true;
      evaluate(&storage.contents());
      if (storage.shares()) evaluate_readers_of(&storage.contents());
    }
    const Ref<Value> value = storage.value();
    Operand operand;
    operand.value = value;
    operand.dtype = value->dtype;
    read.push_back(std::move(operand));
    if (!used.written) continue;
    if (may_fail) before.push_back(storage.value());
    used.output = static_cast<int>(types.size());
    types.push_back({value->dtype, value->shape});
  }
  if (types.empty()) {  // it is called for what it says, or writes where no array knows of
    types.push_back({Dtype::bool_, {0}});
    at_once = true;
  }
  std::vector<Ref<Value>> values(types.size());
  graph::Draft node = graph::draft(foreign);
  const std::vector<Used> written = operands;
  node->parameters = std::move(parameters);
  graph::make_all(std::move(node), types, device, read, values);
  read.clear();
  for (const Used& used : written) {
    if (used.written) used.storage->rebind(values[static_cast<std::size_t>(used.output)]);
  }
  if (!at_once) return;
  const Ref<Value> first = values[0];
  values.clear();
  try {
    look(*first);
  } catch (const error&) {
    for (const Used& used : written) {
      if (used.written && may_fail)
        used.storage->rebind(before[static_cast<std::size_t>(used.output)]);
    }
    throw;
  }
  keeps->after();
}

}  // namespace heddle
