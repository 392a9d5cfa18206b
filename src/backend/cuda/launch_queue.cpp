#include "backend/cuda/launch_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/hash.h"
#include "runtime/statistics.h"
#include <heddle/errors.h>

namespace heddle::cuda {
namespace {

constexpr std::size_t fewest = 4;    // launches that are worth a graph
constexpr std::size_t longest = 32;  // the GPU begins meanwhile
constexpr int sightings = 2;         // before a row is made a graph
constexpr std::size_t most_of_row = 4, most_executables = 256;

// Queues that launches are waiting in, or may be soon.
struct Collecting {
  std::mutex mutex;
  std::vector<std::pair<LaunchQueue*, CUstream>> queues;
};
Collecting& collecting() {
  static auto* instance = new Collecting;
  return *instance;
}

// Its lock is held.
void unlist(const LaunchQueue& queue) {
  std::erase_if(collecting().queues, [&](const auto& each) { return each.first == &queue; });
}

// Calls `use` with what CUDA wants to know of a node.
template <class Use>
void describe(const GridLaunch& launch, const std::uint64_t* words, Use use) {
  void* parameters[] = {const_cast<std::uint64_t*>(words)};
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = launch.function;
  node.gridDimX = launch.grid_x;
  node.gridDimY = launch.grid_y;
  node.gridDimZ = launch.grid_z;
  node.blockDimX = launch.block_x;
  node.blockDimY = launch.block_y;
  node.blockDimZ = launch.block_z;
  node.sharedMemBytes = launch.shared_bytes;
  node.kernelParams = parameters;
  use(node);
}

}  // namespace

void launch_now(const GridLaunch& launch, const std::uint64_t* words, CUstream stream) {
  auto* parameter = const_cast<std::uint64_t*>(words);  // CUDA's interface has no const
  void* parameters[] = {parameter};
  if (launch.cooperative) {
    check(api().cuLaunchCooperativeKernel(launch.function, launch.grid_x, launch.grid_y,
                                          launch.grid_z, launch.block_x, launch.block_y,
                                          launch.block_z, launch.shared_bytes, stream, parameters),
          "cuLaunchCooperativeKernel");
    return;
  }
  check(api().cuLaunchKernel(launch.function, launch.grid_x, launch.grid_y, launch.grid_z,
                             launch.block_x, launch.block_y, launch.block_z, launch.shared_bytes,
                             stream, parameters, nullptr),
        "cuLaunchKernel");
}

std::size_t LaunchQueue::Hash::operator()(const Launches& launches) const {
  std::uint64_t hash = launches.size();
  for (const GridLaunch& launch : launches) {
    hash = mix(hash, reinterpret_cast<std::uintptr_t>(launch.function));
    hash = mix(hash, launch.grid_x | std::uint64_t{launch.block_x} << 32);
    hash = mix(hash, launch.grid_y | std::uint64_t{launch.grid_z} << 32);
  }
  return hash;
}

void LaunchQueue::begin(CUstream stream) {
  std::lock_guard lock(collecting().mutex);
  ++collectors_;
  if (listed_) return;
  collecting().queues.emplace_back(this, stream);
  listed_ = true;
}

void LaunchQueue::end(CUstream stream) {
  --collectors_;
  flush(stream);
  std::lock_guard lock(collecting().mutex);
  if (!listed_ || collectors_ > 0 || waiting_) return;
  unlist(*this);
  listed_ = false;
}

LaunchQueue::~LaunchQueue() {
  std::lock_guard lock(collecting().mutex);
  if (listed_) unlist(*this);
}

void LaunchQueue::add(const GridLaunch& launch, std::span<const std::uint64_t> words,
                      CUstream stream) {
  std::lock_guard lock(mutex_);
  // Before, not after it: this one is not put off yet if that fails.
  if (launches_.size() >= longest) submit(stream);
  launches_.push_back(launch);
  launches_.back().words = static_cast<unsigned>(words.size());
  words_.insert(words_.end(), words.begin(), words.end());
  waiting_.store(true, std::memory_order_release);
}

void LaunchQueue::flush_all(CUstream stream) {
  const ContextScope scope(*gpu_);
  std::lock_guard lock(mutex_);
  submit(stream);
}

void LaunchQueue::drop(std::size_t launches, std::size_t words) {
  launches_.erase(launches_.begin(), launches_.begin() + static_cast<std::ptrdiff_t>(launches));
  words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(words));
  waiting_ = !launches_.empty();
}

void LaunchQueue::submit(CUstream stream) {
  std::size_t given = 0, words = 0;
  try {
    if (launches_.size() < fewest || !replay(stream)) {
      for (const GridLaunch& each : launches_) {
        launch_now(each, words_.data() + words, stream);
        ++given;
        words += each.words;
      }
    }
  } catch (const out_of_memory&) {
    drop(given, words);
    throw;
  } catch (...) {
    drop(launches_.size(), words_.size());
    throw;
  }
  drop(launches_.size(), words_.size());
}

bool LaunchQueue::replay(CUstream stream) {
  if (executables_ >= most_executables) forget();
  Row& row = rows_[launches_];
  if (row.seen < sightings) {
    ++row.seen;
    return false;
  }
  try {
    launch_as_graph(row, stream);
  } catch (const out_of_memory&) {
    return false;  // one by one they need less
  }
  count(Counter::replayed, launches_.size());
  return true;
}

void LaunchQueue::launch_as_graph(Row& row, CUstream stream) {
  auto& known = row.executables;
  auto found = std::find_if(known.begin(), known.end(),
                            [&](const Executable& each) { return each.words == words_; });
  if (found == known.end() && known.size() < most_of_row) {
    known.push_back(make_executable());
    ++executables_;
    found = known.end() - 1;
  } else if (found == known.end()) {
    found = std::min_element(known.begin(), known.end(),
                             [](const auto& a, const auto& b) { return a.used < b.used; });
    update(*found);
  }
  found->used = ++clock_;
  check(api().cuGraphLaunch(found->executable, stream), "launching a graph");
}

LaunchQueue::Executable LaunchQueue::make_executable() const {
  const Driver& cuda = api();
  Executable made;
  check(cuda.cuGraphCreate(&made.graph, 0), "making a graph");
  try {
    std::size_t at = 0;
    for (const GridLaunch& each : launches_) {
      describe(each, words_.data() + at, [&](const CUDA_KERNEL_NODE_PARAMS& node) {
        CUgraphNode next = nullptr;
        const bool first = made.nodes.empty();
        check(cuda.cuGraphAddKernelNode(&next, made.graph, first ? nullptr : &made.nodes.back(),
                                        first ? 0 : 1, &node),
              "adding to a graph");
        made.nodes.push_back(next);
      });
      at += each.words;
    }
    check(cuda.cuGraphInstantiateWithFlags(&made.executable, made.graph, 0),
          "instantiating a graph");
  } catch (...) {
    cuda.cuGraphDestroy(made.graph);
    throw;
  }
  made.words = words_;
  return made;
}

// Gives it the arguments of now.
void LaunchQueue::update(Executable& executable) const {
  std::size_t at = 0;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    const std::uint64_t* words = words_.data() + at;
    std::uint64_t* before = executable.words.data() + at;
    at += launches_[i].words;
    const std::size_t bytes = launches_[i].words * sizeof(std::uint64_t);
    if (std::memcmp(words, before, bytes) == 0) continue;
    describe(launches_[i], words, [&](const CUDA_KERNEL_NODE_PARAMS& node) {
      check(api().cuGraphExecKernelNodeSetParams(executable.executable, executable.nodes[i], &node),
            "changing a graph");
    });
    std::memcpy(before, words, bytes);
  }
}

void LaunchQueue::forget() {
  for (auto& [launches, row] : rows_) {
    for (const Executable& each : row.executables) {
      api().cuGraphExecDestroy(each.executable);  // when it has run
      api().cuGraphDestroy(each.graph);
    }
  }
  rows_.clear();
  executables_ = 0;
}

void flush_queues() {
  std::lock_guard lock(collecting().mutex);
  for (auto [queue, stream] : collecting().queues) queue->flush(stream);
}

}  // namespace heddle::cuda
