#include "backend/cpu/blas_threads.h"

#include <algorithm>
#include <optional>

#include "backend/cpu/lapack.h"
#include "backend/cpu/parallel.h"
#include "runtime/interrupt.h"

namespace heddle::cpu {

namespace {

constexpr double worth_releasing = 1e6;  // operations: others may run meanwhile
constexpr double worth_sharing = 1e5;    // less is not worth waking other cores
constexpr double worth_threads = 3e7;    // of one matrix: OpenBLAS uses several cores well
constexpr double part_bytes = 192e3;     // of a product with a vector: a few microseconds

// One thread for OpenBLAS. All our calls of it hold the graph, so nobody else's is slowed down.
class OneThread {
 public:
  OneThread() : before_(HEDDLE_OPENBLAS(get_num_threads)()) {
    if (before_ != 1) HEDDLE_OPENBLAS(set_num_threads)(1);
  }
  ~OneThread() {
    if (before_ != 1) HEDDLE_OPENBLAS(set_num_threads)(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace

void for_each_matrix(std::int64_t count, double operations,
                     const std::function<void(std::int64_t, std::int64_t)>& body) {
  const double total = operations * static_cast<double>(count);
  const int threads = thread_count();
  const bool many = operations < worth_threads || count >= threads;
  if (count > 1 && threads > 1 && many && total > worth_sharing) {
    // Several pieces for each core, so that all are done at about the same time; none too small.
    auto least = static_cast<std::int64_t>(worth_sharing / 4 / std::max(operations, 1.0)) + 1;
    auto step = std::max<std::int64_t>(least, count / (8 * threads));
    OneThread one;
    parallel_for((count + step - 1) / step, true, [&](std::int64_t piece) {
      body(piece * step, std::min(count, (piece + 1) * step));
    });
    return;
  }
  std::optional<BlockingScope> blocking;
  if (total > worth_releasing) blocking.emplace();
  if (operations < worth_releasing) return body(0, count);
  for (std::int64_t i = 0; i < count; ++i) {
    stop_if_interrupted(static_cast<std::int64_t>(operations));
    body(i, i + 1);
  }
}

std::int64_t vector_parts(double bytes) {
  // Two for each core, as others may be at work on some.
  const std::int64_t most = 2 * thread_count();
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(bytes / part_bytes), 1, most);
}

void for_each_part(std::int64_t parts, const std::function<void(std::int64_t)>& body) {
  OneThread one;
  if (parts == 1) return body(0);
  parallel_for(parts, false, body);
}

}  // namespace heddle::cpu
