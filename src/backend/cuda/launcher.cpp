#include "backend/cuda/launcher.h"

#include <algorithm>
#include <map>

#include "backend/cuda/capture.h"
#include "backend/cuda/device.h"
#include "backend/cuda/grid_plan.h"

namespace heddle::cuda {
namespace {

// Counters that split launches leave at zero. One array for every stream: launches of one stream
// follow one another.
CUdeviceptr tickets_of(Stream& stream) {
  static auto* mutex = new std::mutex;
  static auto* arrays = new std::map<Stream*, CUdeviceptr>;
  const std::lock_guard lock(*mutex);
  CUdeviceptr& array = (*arrays)[&stream];
  if (array) return array;
  const RelaxedCapture relaxed;
  const Driver& cuda = api();
  constexpr std::size_t bytes = most_columns * sizeof(std::uint32_t);
  CUdeviceptr made = 0;
  check(cuda.cuMemAlloc(&made, bytes), "cuMemAlloc");
  check(cuda.cuMemsetD8Async(made, 0, bytes, stream.handle()), "cuMemsetD8Async");
  return array = made;
}

class Launcher {
 public:
  Launcher(const Launch& launch, Device& device, Stream& stream)
      : launch_(launch),
        code_(static_cast<const GridKernel&>(*launch.code)),
        kernel_(code_.kernel()),
        device_(device),
        stream_(stream) {}

  void run() {
    const auto kept = launch_.extents.first(static_cast<std::size_t>(kernel_.kept_dims));
    if (std::find(kept.begin(), kept.end(), 0) != kept.end()) return;
    plan_ = plan_launch(launch_, code_);
    fill();
    start();
  }

 private:
  std::int64_t chunks(std::size_t d) const {
    const bool along_lanes = d == static_cast<std::size_t>(code_.vectors().lane_dim);
    return along_lanes ? launch_.extents[d] / plan_.lanes : launch_.extents[d];
  }

  void fill() {
    const kernel::GridArguments& at = code_.arguments();
    words_.assign(static_cast<std::size_t>(at.words), 0);
    auto put = [&](int position, std::uint64_t word) {
      words_[static_cast<std::size_t>(position)] = word;
    };
    for (std::size_t s = 0; s < launch_.pointers.size(); ++s)
      put(at.pointers + static_cast<int>(s), device_pointer(launch_.pointers[s]));
    for (std::size_t i = 0; i < launch_.strides.size(); ++i)
      put(at.strides + static_cast<int>(i), static_cast<std::uint64_t>(launch_.strides[i]));
    for (std::size_t d = 0; d < launch_.extents.size(); ++d) {
      const std::int64_t count = chunks(d);
      put(at.extents + static_cast<int>(d), static_cast<std::uint64_t>(launch_.extents[d]));
      if (count > 0 && count < narrow)
        put(at.divisors + static_cast<int>(d), kernel::divisor(static_cast<std::uint32_t>(count)));
    }
    for (std::size_t i = 0; i < launch_.scalars.size(); ++i) {
      put(at.scalars + static_cast<int>(2 * i), launch_.scalars[i].word[0]);
      put(at.scalars + static_cast<int>(2 * i + 1), launch_.scalars[i].word[1]);
    }
    put(at.items, static_cast<std::uint64_t>(plan_.items));
    put(at.steps, static_cast<std::uint64_t>(plan_.steps));
    if (plan_.variant.scatter == kernel::Scatter::last) make_claims();
    if (!plan_.variant.split) return;
    put(at.tickets, tickets_of(stream_));
    if (plan_.variant.scans) return make_nodes();
    const auto bytes = static_cast<std::size_t>(code_.saved_bytes(plan_.lanes) * plan_.items);
    saved_ = Buffer::allocate(device_, bytes * static_cast<std::size_t>(plan_.grid_y + 1));
    put(at.finished, device_pointer(saved_->data()));
    put(at.partials, device_pointer(static_cast<char*>(saved_->data()) + bytes));
  }

  // What tiles tell one another, nothing at first.
  void make_nodes() {
    const std::int64_t words =
        plan_.items * kernel::scan_nodes(plan_.tiles) * kernel::scan_words(kernel_);
    make_zeros(static_cast<std::size_t>(words) * 8);
    words_[static_cast<std::size_t>(code_.arguments().partials)] = device_pointer(saved_->data());
  }

  void make_zeros(std::size_t bytes) {
    saved_ = Buffer::allocate(device_, bytes);
    check(api().cuMemsetD8Async(device_pointer(saved_->data()), 0, bytes, stream_.handle()),
          "cuMemsetD8Async");
  }

  // A number for every element of the memory that is written to, zero at first.
  void make_claims() {
    const auto store = std::find_if(
        kernel_.instrs.begin(), kernel_.instrs.end(),
        [](const auto& instr) { return instr.op == Op::store && instr.args[1] != kernel::no_arg; });
    const std::size_t slot = store->slot;
    const Buffer& target = *launch_.buffers[slot];
    const auto count =
        target.bytes() / static_cast<std::size_t>(itemsize(kernel_.slots[slot].dtype));
    make_zeros((count + 1) * (plan_.variant.wide ? 8 : 4));
    words_[static_cast<std::size_t>(code_.arguments().claims)] = device_pointer(saved_->data());
    words_[static_cast<std::size_t>(code_.arguments().target)] = device_pointer(target.data());
  }

  void start() {
    const GridCode& code = code_.code(plan_.variant);
    const Driver& cuda = api();
    std::span<const std::uint64_t> words = words_;
    std::uint64_t in_memory = 0;
    if (plan_.variant.indirect) {
      if (any_capture() && stream_.capturing()) {
        throw device_error("a kernel with so many arguments cannot be captured", 900);
      }
      const std::size_t bytes = words_.size() * sizeof(std::uint64_t);
      arguments_ = Buffer::allocate(device_, bytes);
      in_memory = device_pointer(arguments_->data());
      // From pageable memory: it has been read when the call returns.
      check(cuda.cuMemcpyHtoDAsync(in_memory, words_.data(), bytes, stream_.handle()),
            "cuMemcpyHtoDAsync");
      words = std::span(&in_memory, 1);
    }
    // The GPU works on one of these for longer than the host needs for the next.
    constexpr std::int64_t many = std::int64_t{1} << 21;
    const bool large = plan_.items * plan_.lanes * plan_.steps >= many;
    GridLaunch launch;
    launch.grid_x = static_cast<unsigned>(plan_.grid_x);
    launch.grid_y = static_cast<unsigned>(plan_.grid_y);
    launch.grid_z = static_cast<unsigned>(plan_.grid_z);
    launch.block_x = static_cast<unsigned>(plan_.block_x);
    launch.block_y = static_cast<unsigned>(plan_.block_y);
    for (CUfunction entry : code.entries) {
      launch.function = entry;
      stream_.launch(launch, words, large);
    }
  }

  const Launch& launch_;
  const GridKernel& code_;
  const kernel::Kernel& kernel_;
  Device& device_;
  Stream& stream_;
  GridPlan plan_;
  std::vector<std::uint64_t> words_;
  Ref<Buffer> saved_, arguments_;
};

}  // namespace

void launch(const Launch& launch, Stream& stream) {
  const ContextScope context(stream.gpu());
  Launcher(launch, device_of(stream.gpu()), stream).run();
}

}  // namespace heddle::cuda
