// Kernels that people write, on one device: programs (simt/program.h) to code, and launches.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "runtime/buffer.h"
#include "simt/program.h"
#include <heddle/errors.h>

namespace heddle {

class Device;

// Functions of a program's call one another too deeply.
class HEDDLE_API recursion_error : public error {
 public:
  using error::error;
};
// An assertion of a program's does not hold.
class HEDDLE_API assertion_error : public error {
 public:
  using error::error;
};

// A program ready to run on one device; its program has to outlive it.
class CompiledProgram {
 public:
  virtual ~CompiledProgram() = default;
};

struct LaunchGeometry {
  std::int64_t grid[3] = {1, 1, 1};
  std::int64_t block[3] = {1, 1, 1};
  std::int64_t dynamic_bytes = 0;  // of shared memory, beside what the program has
};

// Sizes along one to three axes; throws value_error for other numbers of them.
HEDDLE_API LaunchGeometry to_geometry(std::span<const std::int64_t> grid,
                                      std::span<const std::int64_t> block,
                                      std::int64_t dynamic_bytes);

struct ProgramLaunch : LaunchGeometry {
  const simt::Program* program = nullptr;
  const CompiledProgram* code = nullptr;
  std::span<std::uint64_t> words;    // see simt::Arguments; geometry is filled in by the device
  std::span<Buffer* const> buffers;  // all that it reads or writes
  bool interruptible = true;         // no memory that was there before is written
  std::int64_t work = 1;             // of a thread, roughly: how many cores are worth it
};

// What a thread and a block of a program take on a device; -1 where nobody knows.
struct ProgramFacts {
  std::int64_t registers = -1;    // of a thread
  std::int64_t local_bytes = -1;  // of a thread, in memory
  std::int64_t shared_bytes = 0;  // of a block, dynamic memory apart
  std::int64_t constant_bytes = -1;
  std::int64_t threads = 1024;  // of a block, at most
};

// A host program (simt/program.h) ready to run, for as long as somebody holds it.
struct HostCode {
  void (*function)(const std::uint64_t* words, std::uint64_t* results,
                   std::int64_t limit) = nullptr;
  std::shared_ptr<void> loaded;
};

// What a launch may ask for.
struct ProgramLimits {
  std::int64_t threads = 1024;                        // of a block
  std::int64_t block[3] = {1024, 1024, 64};           // along each axis
  std::int64_t grid[3] = {2147483647, 65535, 65535};  // blocks along each axis
  std::int64_t shared_bytes = 48 << 10;
};

class HEDDLE_API Programs {
 public:
  virtual ~Programs() = default;
  virtual ProgramLimits limits() const = 0;
  virtual std::unique_ptr<const CompiledProgram> compile(const simt::Program& program) = 0;
  // Throws value_error or type_error for what no launch of it can have, beyond check_geometry.
  virtual void check(const simt::Program&, const CompiledProgram&, const LaunchGeometry&) {}
  // Throws what the program reports, where it does.
  virtual void launch(const ProgramLaunch& launch) = 0;
  // Throws type_error where the device runs none.
  virtual HostCode host_code(const simt::Program& program);
  virtual ProgramFacts facts(const simt::Program& program, const CompiledProgram& code) = 0;
  // How many blocks with so many threads and so much dynamic memory run at the same time, on one of
  // its multiprocessors, of which there are so many.
  struct Residence {
    std::int64_t blocks = 1, multiprocessors = 1, threads = 1024;  // of a multiprocessor
  };
  virtual Residence residence(const CompiledProgram& code, std::int64_t threads,
                              std::int64_t dynamic_bytes) = 0;
  // For people to read: "llvm", or what the device calls its assembly.
  virtual std::string text(const simt::Program& program, const std::string& kind) = 0;
};

// Those of a device; throws type_error where its kind has none.
HEDDLE_API Programs& programs_of(Device& device);
// A kind of device says how it runs programs: null for devices of other kinds. Called before main,
// by the kind's own code.
struct ProgramsKind {
  explicit ProgramsKind(Programs* (*find)(Device& device));
};

// Throws value_error for what no launch of a program can have. `static_bytes`: its shared memory
// apart from dynamic_bytes; `where`: the device's name.
HEDDLE_API void check_geometry(const std::string& program, const LaunchGeometry& geometry,
                               const ProgramLimits& limits, std::int64_t static_bytes,
                               const std::string& where);

// Runs a host program: `words` as simt::Arguments has them, whose services are filled in; two words
// for each result. Gives what it left in `report` (see simt::Report).
HEDDLE_API void run_host(const HostCode& code, std::span<std::uint64_t> words,
                         std::span<std::uint64_t> results, std::span<std::int64_t> report);
// Memory that a host program allocated and gave away, by its owner.
HEDDLE_API void release_host_memory(std::int64_t owner);
// On how many threads loops of this thread's host programs run (prange), of all that there are.
HEDDLE_API std::int64_t loop_threads();
HEDDLE_API void set_loop_threads(std::int64_t threads);
// All that there are.
HEDDLE_API std::int64_t most_loop_threads();

// Throws the error that a program has left, if there is one.
void raise_report(const simt::Program& program, std::span<const std::int64_t> report);

}  // namespace heddle
