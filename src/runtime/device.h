// The interface between the array system and a kind of device. Everything above calls these; a new
// kind of device is a new implementation of this class.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernel/ir.h"
#include "runtime/buffer.h"
#include "runtime/memory_pool.h"
#include "runtime/repeated_work.h"
#include "runtime/reports.h"
#include <heddle/layout.h>

namespace heddle {

class Solvers;

// A kernel ready to run on one device.
class CompiledKernel {
 public:
  virtual ~CompiledKernel() = default;
};

struct Launch {
  const kernel::Kernel* kernel = nullptr;
  const CompiledKernel* code = nullptr;
  std::span<void* const> pointers;        // per slot; a scratch slot's is its offset
  std::span<const std::int64_t> strides;  // [slot][dimension], bytes
  std::span<const std::int64_t> extents;  // per dimension
  std::span<const kernel::ScalarBits> scalars;
  std::span<Buffer* const> buffers;  // all that it reads or writes; empty if host_accessible()
  std::size_t scratch_bytes = 0;     // per row being worked on
  bool serial = false;               // order matters: one piece, first to last
  bool interruptible = true;         // no memory that was there before is written
};

// A matrix in device memory, the first of a stack; strides in elements, one of row_stride and
// column_stride is 1.
struct Matrix {
  Buffer* buffer = nullptr;  // that `data` lies in
  void* data = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t column_stride = 0;
  std::int64_t stack_stride = 0;  // from one matrix of the stack to the next; 0: always the same
};

// c = a b: (m, k) times (k, n) to (m, n), for each of `count` matrices; c dense in C order.
struct Matmul {
  Dtype dtype = Dtype::float32;
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t count = 1;
  Matrix a, b, c;
};

// c = a b or, if `transposed`, a' b, where a is no matrix in memory: its rows are the places along
// some dimensions, its columns those along others, and elements may be in several of them, as in
// windows of an image. Strides in elements; b and c are dense in C order.
struct WindowProduct {
  Dtype dtype = Dtype::float32;
  bool transposed = false;
  const void* a = nullptr;
  Layout rows, columns;
  const void* b = nullptr;
  void* c = nullptr;
  std::int64_t n = 0;  // columns of b and of c
};

class Compaction;
class Sorting;
class Transforms;

// What is cheap on a kind of device, for the lowering of graphs.
struct Preferences {
  // A value that costs more (see graph/cost.h) is kept in memory between the phases of a kernel
  // instead of computed again.
  double recompute_cost = 10;
  // Whether integers of 32 bits are cheaper than those of 64.
  bool narrow_integers = false;
  // Whether matmul takes float16 and bfloat16, and sums their products in float32.
  bool half_products = false;
  // Whether multiply_windows is there: matrices of windows are put together piece by piece, in the
  // cache, instead of in memory.
  bool window_products = false;
};

class HEDDLE_API Device {
 public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;  // "cpu", "cuda:0"
  virtual MemoryPool& pool() = 0;
  virtual Preferences preferences() const { return {}; }
  // Finds or makes the code of a kernel, which outlives it.
  virtual std::unique_ptr<const CompiledKernel> compile(const kernel::Kernel& kernel) = 0;
  // Whether that may go when nobody holds the kernel: all its launches are done then.
  virtual bool drops_kernels() const { return false; }
  // Starts a kernel; on devices that work asynchronously it may return before the kernel is done.
  virtual void launch(const Launch& launch) = 0;
  virtual void synchronize() = 0;
  // Around launches of this thread that follow one another: a device may put them off, and give
  // them to its hardware together.
  virtual void begin_launches() {}
  virtual void end_launches() {}
  // Writes down what `work` gives to this device, instead of doing it. Memory that is freed
  // meanwhile stays with what is written down; `used` is what `work` uses and does not own. Null:
  // it cannot be written down, and nothing has been done.
  virtual std::unique_ptr<RepeatedWork> write_down(const std::function<void()>& work,
                                                   std::span<Buffer* const> used) {
    return nullptr;
  }
  // Copies between this device's memory and the host's, after all work launched before.
  // When they return, the host's side may be used. The buffer's side begins `offset` bytes in it.
  virtual void copy_to_host(void* to, Buffer& from, std::size_t offset, std::size_t bytes) = 0;
  virtual void copy_from_host(Buffer& to, std::size_t offset, const void* from,
                              std::size_t bytes) = 0;
  // From the beginning of the buffer. May return before the bytes are there: work that is given to
  // the device later finds them, and the host has to wait for it.
  virtual void start_copy_to_host(void* to, Buffer& from, std::size_t bytes) {
    copy_to_host(to, from, 0, bytes);
  }
  // Copies from a buffer of another device to one of this, both from their beginning. False where
  // the two have no way that does not lead over the host.
  virtual bool copy_from_device(Buffer& to, Buffer& from, std::size_t bytes) { return false; }
  // Whether a kernel can make running results of running results.
  virtual bool chains_scans() const { return true; }
  // What masks select (runtime/compaction.h).
  virtual Compaction& compaction() = 0;
  // Matrix products in single or double precision, real or complex.
  virtual void matmul(const Matmul& product) = 0;
  // The same where the left matrix is one of windows; see Preferences::window_products.
  virtual void multiply_windows(const WindowProduct& product);
  // Sorting, searching and counting (runtime/sorting.h); throws where a kind of device has none.
  virtual Sorting& sorting();
  // Whether finding the range of many integers is worth it, to sort narrower keys.
  virtual bool prefers_narrow_keys() const { return false; }
  // Factorisations of matrices; see runtime/solvers.h.
  virtual Solvers& solvers();
  // Fourier transforms; see runtime/transforms.h.
  virtual Transforms& transforms();
  // Whether the host reads and writes this device's memory directly.
  virtual bool host_accessible() const = 0;
  // Asked by Buffer::allocate before the pool; gives null for memory of the pool.
  using Allocator = Ref<Buffer> (*)(Device& device, std::size_t bytes);
  Allocator allocator() const { return allocator_.load(std::memory_order_relaxed); }
  void set_allocator(Allocator allocator) { allocator_ = allocator; }
  // Whether writes must land in the memory that an array has now: work is recorded, to be run
  // again.
  virtual bool records() const { return false; }
  // Where kernels leave marks of what went wrong; looked at whenever the host has waited. Null:
  // what may go wrong is looked at before it is used.
  virtual Reports* reports() { return nullptr; }
  // Before memory of others goes back to them: what was given to the buffer's stream is done.
  virtual void finish(Buffer& buffer) {}

 private:
  std::atomic<Allocator> allocator_{nullptr};
};

HEDDLE_API Device& cpu_device();
// The CPU first, then those of each other kind.
HEDDLE_API const std::vector<Device*>& devices();
// A kind of device says which there are; asked once, when somebody wants to know. Called before
// main, by the kind's own code. The first device of such a kind is preferred to the CPU.
struct DeviceKind {
  explicit DeviceKind(std::vector<Device*> (*find)());
};
// The device called `name` ("cpu", "cuda:1"), or the first of a kind ("cuda"); throws value_error.
HEDDLE_API Device& find_device(const std::string& name);
// Where new arrays go: the innermost device scope of this thread, else the process default.
HEDDLE_API Device& default_device();
HEDDLE_API void set_default_device(Device& device);
// Sets this thread's scope; returns the one before (may be null).
HEDDLE_API Device* exchange_scoped_device(Device* device);

}  // namespace heddle
