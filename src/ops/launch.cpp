#include "ops/launch.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include <fmt/format.h>

#include "ops/foreign.h"
#include "runtime/device.h"
#include "runtime/foreign.h"
#include "runtime/once_map.h"
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

// An argument: of an array its extents and strides, or a number.
struct KeptArgument {
  bool is_array = false;
  Layout layout;
  LaunchNumber number;
};

class ProgramCall final : public ForeignCall {
 public:
  ProgramCall(std::shared_ptr<const LaunchableProgram> program, const LaunchGeometry& geometry)
      : launchable_(std::move(program)), geometry_(geometry) {}

  void add(KeptArgument given) { given_.push_back(std::move(given)); }

  std::string name() const override { return program().name; }
  bool at_once() const override { return program().prints; }
  bool may_fail() const override { return program().fails; }

  void write_key(std::vector<std::uint64_t>& key) const override {
    key.push_back(launchable_->number());
    for (int d = 0; d < 3; ++d) {
      key.push_back(static_cast<std::uint64_t>(geometry_.grid[d]));
      key.push_back(static_cast<std::uint64_t>(geometry_.block[d]));
    }
    key.push_back(static_cast<std::uint64_t>(geometry_.dynamic_bytes));
    for (const KeptArgument& given : given_) {
      if (!given.is_array) {
        key.insert(key.end(), {given.number.word[0], given.number.word[1]});
        continue;
      }
      for (auto extent : given.layout.shape) key.push_back(static_cast<std::uint64_t>(extent));
      for (auto stride : given.layout.strides) key.push_back(static_cast<std::uint64_t>(stride));
    }
  }

  void run(Device& device, std::span<void* const> addresses,
           std::span<Buffer* const> buffers) const override {
    const simt::Arguments at(program());
    std::vector<std::uint64_t> words(static_cast<std::size_t>(at.words));
    auto address = addresses.begin();
    for (std::size_t i = 0; i < given_.size(); ++i) {
      auto word = static_cast<std::size_t>(at.at[i]);
      const KeptArgument& given = given_[i];
      if (!given.is_array) {
        words[word] = given.number.word[0];
        words[word + 1] = given.number.word[1];
        continue;
      }
      words[word++] = reinterpret_cast<std::uintptr_t>(*address++);
      for (auto extent : given.layout.shape) words[word++] = static_cast<std::uint64_t>(extent);
      for (auto stride : given.layout.strides) words[word++] = static_cast<std::uint64_t>(stride);
    }
    ProgramLaunch launch;
    launch.program = &program();
    launch.code = &launchable_->code(device);
    static_cast<LaunchGeometry&>(launch) = geometry_;
    launch.words = words;
    launch.buffers = buffers;
    launch.interruptible = !writes();
    programs_of(device).launch(launch);
  }

 private:
  const simt::Program& program() const { return launchable_->program(); }
  bool writes() const {
    return std::any_of(program().arrays.begin(), program().arrays.end(),
                       [](const simt::Array& a) { return a.written; });
  }

  std::shared_ptr<const LaunchableProgram> launchable_;
  LaunchGeometry geometry_;
  std::vector<KeptArgument> given_;
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
  auto call = std::make_shared<ProgramCall>(launchable, geometry);
  std::vector<ForeignArray> arrays;
  Device* device = nullptr;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    KeptArgument given;
    if (const auto* number = std::get_if<LaunchNumber>(&arguments[i])) {
      given.number = *number;
    } else {
      const array& a = *std::get<const array*>(arguments[i]);
      if (!device) device = &a.device();
      for (auto extent : a.shape()) {
        if (extent >= simt::most_extent)
          throw value_error(
              fmt::format("{} cannot take an array of shape {}: 2**47 and more along "
                          "an axis are too long",
                          program.name, to_string(a.shape())));
      }
      given.is_array = true;
      given.layout = a.layout();
      arrays.push_back({&a, program.array(program.parameters[i].array).written});
    }
    call->add(std::move(given));
  }
  if (!device) device = &fallback;
  check_geometry(program.name, geometry, programs_of(*device).limits(), program.shared_bytes(),
                 device->name());
  // What cannot be compiled is an error here.
  programs_of(*device).check(program, launchable->code(*device), geometry);
  call_foreign(std::move(call), arrays, *device);
}

}  // namespace heddle
