#include "transform/loop_kernel.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <unordered_map>

#include "core/at.h"
#include "graph/copies.h"
#include "runtime/device.h"
#include "runtime/interrupt.h"
#include "runtime/parallel.h"
#include "transform/loop_nests.h"
#include "transform/loop_program.h"
#include <heddle/errors.h>

namespace heddle::transform {

namespace {

std::size_t bytes_of(const graph::OutputType& type) {
  return at(size_of(type.shape) * itemsize(type.dtype));
}

// Numbers one after the other, as elements of an array.
std::vector<std::byte> elements_of(const Loop::Numbers& numbers, Dtype dtype) {
  const bool complex = is_complex(dtype);
  const auto size = at(itemsize(dtype)), part = complex ? size / 2 : size;
  std::vector<std::byte> made(numbers.by_pass.size() * size);
  for (std::size_t i = 0; i < numbers.by_pass.size(); ++i) {
    std::memcpy(made.data() + i * size, &numbers.by_pass[i].word[0], part);
    if (complex) std::memcpy(made.data() + i * size + part, &numbers.by_pass[i].word[1], part);
  }
  return made;
}

// Loops that are made anew find the code of those that were the same.
template <class T, class Make>
T known_for(const std::string& words, Make make) {
  static auto* mutex = new std::mutex;
  static auto* known = new std::unordered_map<std::string, T>;
  constexpr std::size_t most = 1024;
  const std::lock_guard lock(*mutex);
  if (known->size() >= most) known->clear();
  const auto found = known->find(words);
  return found != known->end() ? found->second : known->emplace(words, make()).first->second;
}

std::shared_ptr<const LaunchableProgram> launchable(simt::Program program) {
  using Made = std::shared_ptr<const LaunchableProgram>;
  const std::string words = program.words;
  return known_for<Made>(
      words, [&] { return std::make_shared<const LaunchableProgram>(std::move(program)); });
}

HostCode host_code(const simt::Program& program, Device& device) {
  return known_for<HostCode>(program.words, [&] { return programs_of(device).host_code(program); });
}

}  // namespace

LoopKernel::LoopKernel(const Loop& loop, std::shared_ptr<const LaunchableProgram> program,
                       std::vector<Argument> arguments, std::int64_t threads, std::int64_t work)
    : loop_(loop),
      program_(std::move(program)),
      arguments_(std::move(arguments)),
      threads_(threads),
      work_(work) {
  if (on_host()) host_ = host_code(program_->program(), *loop.device);
  for (const Argument& argument : arguments_) {
    tables_.emplace_back();
    if (argument.kind != Argument::Kind::table) continue;
    const Loop::Numbers& numbers = argument.loop->numbers[at(argument.which)];
    const auto& step = argument.loop->steps[at(numbers.step)];
    const std::vector<std::byte> elements =
        elements_of(numbers, step.operands[at(numbers.operand)].dtype);
    tables_.back() = Buffer::allocate(*loop.device, elements.size());
    loop.device->copy_from_host(*tables_.back(), 0, elements.data(), elements.size());
  }
}

// `held`: what nobody else holds of it.
LoopKernel::Memory LoopKernel::memory_for(LibraryCall& call, std::vector<Ref<Buffer>>& held) const {
  Device& device = call.device();
  Memory memory;
  const auto own = [&](std::size_t bytes) {
    held.push_back(Buffer::allocate(device, bytes));
    return held.back().get();
  };
  const auto types = loop_.outputs();
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto output = static_cast<int>(i);
    memory.outputs.push_back(call.wants(output) ? &call.make(output) : own(bytes_of(types[i])));
  }
  for (int o = 0; o < call.node().operand_count; ++o) {
    memory.operands.push_back(&call.buffer(o));
  }
  if (loop_.condition >= 0) memory.reached = own(sizeof(std::int64_t));
  for (const Argument& argument : arguments_) {
    const bool scratch = argument.kind == Argument::Kind::scratch;
    memory.scratch.push_back(scratch ? own(at(argument.bytes)) : nullptr);
  }
  return memory;
}

void LoopKernel::run(LibraryCall& call) const {
  Device& device = call.device();
  std::vector<Ref<Buffer>> held, between;
  Memory memory = memory_for(call, held);
  // On the host it works in what it gives.
  for (std::size_t c = 0; on_host() && c < loop_.carried.size(); ++c) {
    graph::copy_all(*memory.operands[c], *memory.outputs[c]);
  }
  // Short enough to be interrupted between two.
  constexpr std::int64_t most_work = 200'000'000;
  const auto work = std::max<std::int64_t>(1, work_ * ((threads_ + 7) / 8));
  // A pass waits for the one before: elsewhere, about a microsecond.
  const std::int64_t most_passes = device.host_accessible() ? most_work : 500'000;
  const auto piece = std::max<std::int64_t>(1, std::min(most_passes, most_work / work));
  constexpr std::int64_t worth = 100'000;
  const BlockingScope blocking(loop_.passes >= worth / work);
  for (std::int64_t first = 0; first < loop_.passes; first += piece) {
    if (first > 0 && !on_host()) {
      // Threads read what others write where all have it.
      for (std::size_t c = 0; c < loop_.carried.size(); ++c) {
        const auto bytes = bytes_of(loop_.carried[c]);
        if (between.size() == c) between.push_back(Buffer::allocate(device, bytes));
        graph::copy_all(*memory.outputs[c], *between[c]);
        memory.operands[c] = between[c].get();
      }
    }
    const auto end = loop_.passes - first > piece ? first + piece : loop_.passes;
    stop_if_interrupted(most_work);
    launch(device, first, end, memory);
    if (!memory.reached || end == loop_.passes) continue;
    std::int64_t pass = 0;
    device.copy_to_host(&pass, *memory.reached, 0, sizeof pass);
    if (pass < end) break;
  }
}

void LoopKernel::launch(Device& device, std::int64_t first, std::int64_t end,
                        const Memory& memory) const {
  const simt::Program& program = program_->program();
  const simt::Arguments places(program);
  std::vector<std::uint64_t> words(at(places.words));
  std::vector<Buffer*> buffers;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const Argument& argument = arguments_[i];
    std::uint64_t* to = words.data() + places.at[i];
    const auto give = [&](Buffer& buffer, Dtype dtype) {
      to[0] = reinterpret_cast<std::uintptr_t>(buffer.data());
      to[1] = buffer.bytes() / at(itemsize(dtype));
      to[2] = 1;
      buffers.push_back(&buffer);
    };
    const int array = program.parameters[i].array;
    const Dtype dtype = array < 0 ? Dtype::int64 : program.array(array).dtype;
    switch (argument.kind) {
      case Argument::Kind::first_pass:
        to[0] = static_cast<std::uint64_t>(first);
        break;
      case Argument::Kind::end_pass:
        to[0] = static_cast<std::uint64_t>(end);
        break;
      case Argument::Kind::operand:
        give(*memory.operands[at(argument.which)], dtype);
        break;
      case Argument::Kind::output:
        give(*memory.outputs[at(argument.which)], dtype);
        break;
      case Argument::Kind::number: {
        const auto& step = argument.loop->steps[at(argument.which)];
        std::copy_n(step.operands[at(argument.operand)].scalar.word, 2, to);
        break;
      }
      case Argument::Kind::table:
        give(*tables_[i], dtype);
        break;
      case Argument::Kind::reached:
        give(*memory.reached, dtype);
        break;
      case Argument::Kind::scratch:
        give(*memory.scratch[i], dtype);
        break;
    }
  }
  if (on_host()) return launch_host(words);
  ProgramLaunch launch;
  launch.program = &program;
  launch.code = &program_->code(device);
  launch.block[0] = block_of(threads_);
  launch.grid[0] = (threads_ + launch.block[0] - 1) / launch.block[0];
  launch.words = words;
  launch.buffers = buffers;
  launch.work = work_ * std::max<std::int64_t>(1, std::min(end - first, 1'000'000L));
  programs_of(device).launch(launch);
}

void LoopKernel::launch_host(std::span<std::uint64_t> words) const {
  std::int64_t report[simt::Report::words] = {};
  run_host(host_, words, {}, report);
  if (report[simt::Report::taken] != 0) {
    throw index_error("an index is out of bounds in a loop");
  }
}

const LoopKernel* kernel_of(const Loop& loop, std::shared_ptr<const void>& prepared) {
  struct Prepared {
    std::unique_ptr<LoopKernel> kernel;
  };
  static auto* mutex = new std::mutex;
  {
    const std::lock_guard lock(*mutex);
    if (prepared) return static_cast<const Prepared*>(prepared.get())->kernel.get();
  }
  auto made = std::make_shared<Prepared>();
  auto program = program_of(loop);
  if (!program) program = nests_of(loop);
  if (program) {
    made->kernel = std::make_unique<LoopKernel>(loop, launchable(std::move(program->program)),
                                                std::move(program->arguments), program->threads,
                                                program->work);
  }
  const std::lock_guard lock(*mutex);
  if (!prepared) prepared = std::move(made);
  return static_cast<const Prepared*>(prepared.get())->kernel.get();
}

}  // namespace heddle::transform
