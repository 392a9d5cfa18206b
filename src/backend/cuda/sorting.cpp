#include "backend/cuda/sorting.h"

#include <vector>

#include <fmt/format.h>

#include "backend/cuda/cub/heddle_cub.h"
#include "backend/cuda/device.h"
#include "backend/cuda/libraries.h"

namespace heddle::cuda {
namespace {

template <class F>
F* cub(const char* name) {
  static const bool right_version = [] {
    const int version =
        function<decltype(heddle_cub_version)>(Library::cub, "heddle_cub_version")();
    if (version == HEDDLE_CUB_VERSION) return true;
    throw import_error(
        fmt::format("libheddle_cub.so is of another build of Heddle (its interface "
                    "is {}, this one's {})",
                    version, HEDDLE_CUB_VERSION));
  }();
  (void)right_version;
  return function<F>(Library::cub, name);
}

void check_cub(int status, const char* what) {
  if (status == 0) return;
  constexpr int out_of_device_memory = 2;
  if (status == out_of_device_memory) throw_error(CUDA_ERROR_OUT_OF_MEMORY, what);
  throw device_error(fmt::format("{}: CUB failed: {}", what,
                                 cub<decltype(heddle_cub_error)>("heddle_cub_error")(status)),
                     status);
}

heddle_cub_keys described(const Keys& keys) {
  return {keys.buffer->data(), keys.width, keys.rows, keys.length};
}

// Asks for how much workspace is needed, takes it from the pool and calls again. What the pool gets
// back is used by later work of the same stream only.
template <class Call>
void with_workspace(CudaDevice& device, const char* what, Call call) {
  std::size_t bytes = 0;
  check_cub(call(nullptr, &bytes), what);
  if (bytes == 0) return;
  const auto workspace = Buffer::allocate(device, bytes);
  check_cub(call(workspace->data(), &bytes), what);
}

}  // namespace

void CudaSorting::sort(const Keys& keys) {
  auto* sort = cub<decltype(heddle_cub_sort)>("heddle_cub_sort");
  const StreamUse use = device_.ordered({keys.buffer});
  Stream& stream = use.stream();
  const ContextScope scope(stream.gpu());
  const heddle_cub_keys described_keys = described(keys);
  with_workspace(device_, "sort", [&](void* workspace, std::size_t* bytes) {
    return sort(&described_keys, workspace, bytes, stream.handle());
  });
}

void CudaSorting::argsort(const Keys& keys, Buffer& positions) {
  constexpr std::int64_t most = std::int64_t{1} << 32;
  if (keys.length >= most)
    throw value_error(
        fmt::format("argsort: rows of {} elements are too long for a GPU, which "
                    "takes fewer than {}",
                    keys.length, most));
  auto* argsort = cub<decltype(heddle_cub_argsort)>("heddle_cub_argsort");
  const StreamUse use = device_.ordered({keys.buffer, &positions});
  Stream& stream = use.stream();
  const ContextScope scope(stream.gpu());
  const heddle_cub_keys described_keys = described(keys);
  with_workspace(device_, "argsort", [&](void* workspace, std::size_t* bytes) {
    return argsort(&described_keys, static_cast<std::int64_t*>(positions.data()), workspace, bytes,
                   stream.handle());
  });
}

void CudaSorting::search(const Keys& sorted, const Keys& values, const KeyMap& map, bool right,
                         Buffer& positions) {
  auto* search = cub<decltype(heddle_cub_search)>("heddle_cub_search");
  const StreamUse use = device_.ordered({sorted.buffer, values.buffer, &positions});
  Stream& stream = use.stream();
  const ContextScope scope(stream.gpu());
  const heddle_cub_keys row = described(sorted), wanted = described(values);
  const heddle_cub_map mapped{map.flip, map.infinity};
  check_cub(search(&row, &wanted, &mapped, right ? 1 : 0,
                   static_cast<std::int64_t*>(positions.data()), stream.handle()),
            "searchsorted");
}

void CudaSorting::count(const Keys& bins, Buffer* weights, Buffer& totals,
                        std::int64_t total_count) {
  const StreamUse use = device_.ordered({bins.buffer, weights ? weights : bins.buffer, &totals});
  Stream& stream = use.stream();
  const ContextScope scope(stream.gpu());
  const heddle_cub_keys described_bins = described(bins);
  if (!weights) {
    auto* count = cub<decltype(heddle_cub_count)>("heddle_cub_count");
    return check_cub(count(&described_bins, static_cast<std::int64_t*>(totals.data()), total_count,
                           stream.handle()),
                     "bincount");
  }
  auto* add_up = cub<decltype(heddle_cub_sums)>("heddle_cub_sums");
  with_workspace(device_, "bincount", [&](void* workspace, std::size_t* bytes) {
    return add_up(&described_bins, static_cast<const double*>(weights->data()),
                  static_cast<double*>(totals.data()), total_count, workspace, bytes,
                  stream.handle());
  });
}

bool CudaSorting::counts_sums() const {
  static const bool built = [] {
    try {
      return cub<decltype(heddle_cub_sums)>("heddle_cub_sums") != nullptr;
    } catch (const import_error&) {
      return false;
    }
  }();
  return built;
}

}  // namespace heddle::cuda
