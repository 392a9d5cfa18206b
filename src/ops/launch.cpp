#include "ops/launch.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include <fmt/format.h>

#include "graph/graph.h"
#include "graph/look.h"
#include "graph/make.h"
#include "graph/storage.h"
#include "ops/write.h"
#include "runtime/device.h"
#include "runtime/once_map.h"
#include "runtime/recording.h"
#include <heddle/errors.h>

namespace heddle {

struct LaunchableProgram::Codes {
  OnceMap<Device*, std::shared_ptr<const CompiledProgram>, std::hash<Device*>> by_device;
};

LaunchableProgram::LaunchableProgram(simt::Program program) : program_(std::move(program)) {
  static std::atomic<std::uint64_t> made{0};
  number_ = ++made;
  codes_ = std::make_unique<Codes>();
}

LaunchableProgram::~LaunchableProgram() = default;

const CompiledProgram& LaunchableProgram::code(Device& device) const {
  return *codes_->by_device
              .get(&device,
                   [&](Device* wanted) -> std::shared_ptr<const CompiledProgram> {
                     return programs_of(*wanted).compile(program_);
                   })
              .value;
}

namespace {

// Where an argument comes from: a number, or a layout of an operand's memory.
struct Source {
  int operand = -1;
  Layout layout;
  LaunchNumber number;
};

struct LaunchParameters final : Parameters {
  std::shared_ptr<const LaunchableProgram> program;
  LaunchGeometry geometry;
  std::vector<Source> sources;
  std::vector<int> outputs;    // for each operand which output it becomes; -1: it is only read
  std::vector<bool> in_place;  // whether its memory is seen by others, who see the writes

  void write_key(std::vector<std::uint64_t>& key) const override {
    key.push_back(program->number());
    for (int d = 0; d < 3; ++d) {
      key.push_back(static_cast<std::uint64_t>(geometry.grid[d]));
      key.push_back(static_cast<std::uint64_t>(geometry.block[d]));
    }
    key.push_back(static_cast<std::uint64_t>(geometry.dynamic_bytes));
    for (const Source& source : sources) {
      key.push_back(static_cast<std::uint64_t>(source.operand + 1));
      if (source.operand < 0) {
        key.insert(key.end(), {source.number.word[0], source.number.word[1]});
        continue;
      }
      key.push_back(static_cast<std::uint64_t>(source.layout.offset));
      for (auto extent : source.layout.shape) key.push_back(static_cast<std::uint64_t>(extent));
      for (auto stride : source.layout.strides) key.push_back(static_cast<std::uint64_t>(stride));
    }
    for (std::size_t i = 0; i < outputs.size(); ++i)
      key.push_back(static_cast<std::uint64_t>(outputs[i] + 1) << 1 | std::uint64_t{in_place[i]});
  }
};

void run(LibraryCall& call) {
  const auto& p = call.node().parameters_as<LaunchParameters>();
  const simt::Program& program = p.program->program();
  const simt::Arguments at(program);
  std::vector<Ref<Buffer>> held;
  std::vector<Buffer*> buffers;
  bool overwrites = false;
  for (std::size_t i = 0; i < p.outputs.size(); ++i) {
    const int operand = static_cast<int>(i);
    Buffer& memory = call.buffer(operand);
    const bool taken = p.outputs[i] >= 0 && !p.in_place[i];
    held.push_back(taken ? call.take(operand) : Ref<Buffer>(&memory));
    overwrites |= p.outputs[i] >= 0;
    buffers.push_back(held.back().get());
  }
  std::vector<std::uint64_t> words(static_cast<std::size_t>(at.words));
  for (std::size_t i = 0; i < p.sources.size(); ++i) {
    const Source& source = p.sources[i];
    auto word = static_cast<std::size_t>(at.at[i]);
    if (source.operand < 0) {
      words[word] = source.number.word[0];
      words[word + 1] = source.number.word[1];
      continue;
    }
    const Dtype dtype = program.array(program.parameters[i].array).dtype;
    auto* base = static_cast<char*>(held[static_cast<std::size_t>(source.operand)]->data());
    words[word++] = reinterpret_cast<std::uintptr_t>(base + source.layout.offset * itemsize(dtype));
    for (auto extent : source.layout.shape) words[word++] = static_cast<std::uint64_t>(extent);
    for (auto stride : source.layout.strides) words[word++] = static_cast<std::uint64_t>(stride);
  }
  ProgramLaunch launch;
  launch.program = &program;
  launch.code = &p.program->code(call.device());
  std::copy_n(p.geometry.grid, 3, launch.grid);
  std::copy_n(p.geometry.block, 3, launch.block);
  launch.dynamic_bytes = p.geometry.dynamic_bytes;
  launch.words = words;
  launch.buffers = buffers;
  launch.interruptible = !overwrites;
  programs_of(call.device()).launch(launch);
  for (std::size_t i = 0; i < p.outputs.size(); ++i) {
    if (p.outputs[i] >= 0 && call.wants(p.outputs[i])) call.give(p.outputs[i], held[i]);
  }
}

const Primitive launched = {"kernel", run};

void check_geometry(const simt::Program& program, const LaunchGeometry& g, Device& device) {
  const ProgramLimits limits = programs_of(device).limits();
  auto refuse = [&](const std::string& why) { throw value_error(program.name + ": " + why); };
  std::int64_t threads = 1;
  constexpr const char* axes = "xyz";
  for (int d = 0; d < 3; ++d) {
    if (g.block[d] < 1 || g.grid[d] < 1) {
      refuse(fmt::format("a grid of ({}, {}, {}) blocks of ({}, {}, {}) threads has none",
                         g.grid[0], g.grid[1], g.grid[2], g.block[0], g.block[1], g.block[2]));
    }
    if (g.block[d] > limits.block[d]) {
      refuse(fmt::format("{} threads of a block along {}; {} has at most {}", g.block[d], axes[d],
                         device.name(), limits.block[d]));
    }
    if (g.grid[d] > limits.grid[d]) {
      refuse(fmt::format("{} blocks along {}; {} has at most {}", g.grid[d], axes[d], device.name(),
                         limits.grid[d]));
    }
    threads *= g.block[d];
  }
  if (threads > limits.threads) {
    refuse(fmt::format("blocks of {} threads; {} has at most {}", threads, device.name(),
                       limits.threads));
  }
  if (g.dynamic_bytes < 0) refuse("shared memory of a negative size");
  const std::int64_t shared = program.shared_bytes() + g.dynamic_bytes;
  if (shared > limits.shared_bytes) {
    refuse(fmt::format("{} bytes of shared memory; a block on {} has at most {}", shared,
                       device.name(), limits.shared_bytes));
  }
}

// Operands, by storage.
struct Gathered {
  std::vector<Storage*> storages;
  std::vector<bool> written;
};

}  // namespace

void launch(const std::shared_ptr<const LaunchableProgram>& launchable,
            const LaunchGeometry& geometry, std::span<const LaunchArgument> arguments,
            Device& fallback) {
  const simt::Program& program = launchable->program();
  if (arguments.size() != program.parameters.size()) {
    throw type_error(fmt::format("{} takes {} arguments, {} were given", program.name,
                                 program.parameters.size(), arguments.size()));
  }
  auto parameters = std::make_shared<LaunchParameters>();
  parameters->program = launchable;
  parameters->geometry = geometry;
  Gathered found;
  Device* device = nullptr;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    Source source;
    if (const auto* number = std::get_if<LaunchNumber>(&arguments[i])) {
      source.number = *number;
      parameters->sources.push_back(std::move(source));
      continue;
    }
    const array& a = *std::get<const array*>(arguments[i]);
    if (device && device != &a.device()) {
      throw value_error(fmt::format("{}: arguments are on {} and on {}; move them to one device",
                                    program.name, device->name(), a.device_name()));
    }
    device = &a.device();
    const bool writes = program.array(program.parameters[i].array).written;
    if (writes && !writeable(a)) {
      throw value_error(fmt::format("{}: argument {} is read-only, and the kernel writes to it",
                                    program.name, i + 1));
    }
    Storage* storage = &a.storage();
    const auto known = std::find(found.storages.begin(), found.storages.end(), storage);
    source.operand = static_cast<int>(known - found.storages.begin());
    if (known == found.storages.end()) {
      found.storages.push_back(storage);
      found.written.push_back(false);
    }
    if (writes) found.written[static_cast<std::size_t>(source.operand)] = true;
    source.layout = a.layout();
    parameters->sources.push_back(std::move(source));
  }
  if (!device) device = &fallback;
  check_geometry(program, geometry, *device);
  launchable->code(*device);  // what cannot be compiled is an error here

  // Writers of one storage take turns; in one order, so that nobody waits for ever.
  std::vector<Storage*> order;
  for (std::size_t i = 0; i < found.storages.size(); ++i) {
    if (found.written[i]) order.push_back(found.storages[i]);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::unique_ptr<WriteLock>> locks;
  for (Storage* storage : order) locks.push_back(std::make_unique<WriteLock>(*storage));

  bool at_once = program.prints || program.fails || order.empty() || recording();
  std::vector<Operand> operands;
  std::vector<graph::OutputType> types;
  for (std::size_t i = 0; i < found.storages.size(); ++i) {
    Storage& storage = *found.storages[i];
    const bool seen = storage.exports > 0 || recording();
    at_once |= seen;
    if (seen && found.written[i]) {
      evaluate(storage.value().get());
      if (storage.value()->references() > 1) evaluate_readers_of(storage.value().get());
    }
    const Ref<Value>& value = storage.value();
    Operand operand;
    operand.value = value;
    operand.dtype = value->dtype;
    operands.push_back(std::move(operand));
    parameters->in_place.push_back(seen && found.written[i]);
    parameters->outputs.push_back(found.written[i] ? static_cast<int>(types.size()) : -1);
    if (found.written[i]) types.push_back({value->dtype, value->shape});
  }
  // One that writes nothing is run for what it says.
  if (types.empty()) types.push_back({Dtype::bool_, {}});
  std::vector<Ref<Value>> values(types.size());
  graph::Draft node = graph::draft(launched);
  node->parameters = std::move(parameters);
  graph::make_all(std::move(node), types, *device, operands, values);
  operands.clear();
  std::vector<Ref<Value>> before;  // of one that may fail: then arrays are what they were
  std::size_t next = 0;
  for (std::size_t i = 0; i < found.storages.size(); ++i) {
    if (!found.written[i]) continue;
    if (program.fails) before.push_back(found.storages[i]->value());
    found.storages[i]->rebind(values[next++]);
  }
  if (!at_once) return;
  const Ref<Value> first = values[0];
  values.clear();
  try {
    look(*first);
  } catch (const error&) {
    next = 0;
    for (std::size_t i = 0; program.fails && i < found.storages.size(); ++i) {
      if (found.written[i]) found.storages[i]->rebind(before[next++]);
    }
    throw;
  }
}

}  // namespace heddle
