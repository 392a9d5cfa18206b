// What host programs call: memory, and all cores.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>

#include <fmt/format.h>
#include <pthread.h>

#include "core/per_thread.h"
#include "runtime/paced.h"
#include "runtime/parallel.h"
#include "runtime/programs.h"
#include <heddle/errors.h>

namespace heddle {

namespace {

constexpr std::int64_t kept_free = 256 << 10;  // of the stack

// The address that this thread's stack must not go below.
std::int64_t stack_limit() {
  thread_local const std::int64_t limit = [] {
    pthread_attr_t attributes;
    void* lowest = nullptr;
    std::size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return std::int64_t{0};
    pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    // What the system says of the first thread may be more than it gives in the end.
    const auto top = reinterpret_cast<std::int64_t>(lowest) + static_cast<std::int64_t>(size);
    const auto usable = std::min<std::int64_t>(static_cast<std::int64_t>(size), 8 << 20);
    return top - usable + kept_free;
  }();
  return limit;
}

std::int64_t allocate(std::int64_t bytes, std::int64_t zeros) {
  if (bytes < 0) return 0;
  const auto size = static_cast<std::size_t>(bytes + simt::owner_header);
  constexpr std::size_t large = std::size_t{1} << 20;
  char* memory = nullptr;
  // Large memory comes from the system as zeros, page by page as it is touched. Aligned by hand:
  // the header's second word has what was given.
  constexpr std::size_t alignment = 64;
  char* given = static_cast<char*>(zeros != 0 && size >= large ? std::calloc(1, size + alignment)
                                                               : std::malloc(size + alignment));
  if (given == nullptr) return 0;
  const auto address = reinterpret_cast<std::uintptr_t>(given);
  memory = given + ((alignment - address % alignment) % alignment);
  auto* header = reinterpret_cast<std::int64_t*>(memory);
  header[0] = 1;
  header[1] = static_cast<std::int64_t>(address);
  if (zeros != 0 && size < large)
    std::memset(memory + simt::owner_header, 0, static_cast<std::size_t>(bytes));
  return reinterpret_cast<std::int64_t>(memory);
}

void release(std::int64_t owner) {
  std::free(reinterpret_cast<void*>(reinterpret_cast<std::int64_t*>(owner)[1]));
}

std::int64_t pieces(std::int64_t turns) {
  constexpr std::int64_t for_each_core = 16;
  return std::min<std::int64_t>(turns, for_each_core * thread_count());
}

// How many threads loops of a thread may be on; 0: all.
constinit thread_local std::int32_t most_threads = 0;

using Body = void (*)(const void* words, void* context, std::int64_t first, std::int64_t last,
                      void* partial, std::int64_t limit);

void parallel(void* function, const void* words, void* context, std::int64_t turns,
              std::int64_t count, void* partial, std::int64_t partial_words) {
  const auto body = reinterpret_cast<Body>(function);
  auto run = [&](std::int64_t first, std::int64_t last) {
    body(words, context, turns * first / count, turns * last / count,
         static_cast<std::int64_t*>(partial) + first * partial_words, stack_limit());
  };
  auto run_each = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) run(i, i + 1);
  };
  const std::int64_t most = most_threads;
  if (count == 1) {
    run(0, 1);
  } else if (most == 1) {
    run_each(0, count);
  } else if (most != 0 && most < thread_count()) {
    // One share for each thread: no more of them are busy than there are shares.
    const std::int64_t shares = std::min(most, count);
    parallel_for(shares, false, [&](std::int64_t share) {
      run_each(count * share / shares, count * (share + 1) / shares);
    });
  } else if (partial_words == 0) {
    paced_for(function, turns, count, false, run);
  } else {
    // What is reduced is put together by pieces, which are the same on any number of cores.
    paced_for(function, turns, count, false, run_each);
  }
}

// Each thread draws from generators of its own, which begin where nobody knows.
struct Generators {
  Generators() {
    std::random_device entropy;
    for (simt::Generator& one : two) {
      for (std::uint32_t& word : one.state) word = entropy();
      one.state[0] |= 0x80000000U;  // not all of them are zero
      one.state[simt::Generator::place] = simt::Generator::words;
      one.state[simt::Generator::left_over] = 0;
    }
  }
  simt::Generator two[2];
};

std::int64_t numbers(std::int64_t which) {
  return reinterpret_cast<std::int64_t>(&PerThread<Generators>::own().two[which != 0 ? 1 : 0]);
}

const simt::HostServices services = {allocate, release, pieces, parallel, numbers};

}  // namespace

void run_host(const HostCode& code, std::span<std::uint64_t> words,
              std::span<std::uint64_t> results, std::span<std::int64_t> report) {
  using A = simt::Arguments;
  words[A::grid] = reinterpret_cast<std::uintptr_t>(&services);
  words[A::report] = reinterpret_cast<std::uintptr_t>(report.data());
  report[simt::Report::taken] = 0;
  code.function(words.data(), results.data(), stack_limit());
}

void release_host_memory(std::int64_t owner) {
  auto& holders = *reinterpret_cast<std::int64_t*>(owner);
  if (--holders == 0) release(owner);
}

std::int64_t most_loop_threads() { return thread_count(); }

std::int64_t loop_threads() {
  const std::int64_t most = most_threads;
  return most == 0 ? most_loop_threads() : most;
}

void set_loop_threads(std::int64_t threads) {
  if (threads < 1 || threads > most_loop_threads())
    throw value_error(
        fmt::format("the number of threads is from 1 to {}, not {}", most_loop_threads(), threads));
  most_threads = static_cast<std::int32_t>(threads);
}

}  // namespace heddle
