// What compiled kernels of CUDA C++ and whoever runs their blocks tell each other. The plug-in that
// compiles them writes code for these structs; they have C's layout and nothing but numbers.
#pragma once

#include <cstdint>

namespace heddle::cpu {

// One block while it runs. A kernel is cut where its threads wait for each other; a thread that
// waits is at a *site*, and its *state* is the number of that site: 0 before it has begun.
struct BlockFrame {
  std::uint32_t block[3];       // which block it is
  std::uint32_t block_size[3];  // threads along each axis
  std::uint32_t grid_size[3];
  std::uint32_t dynamic_bytes;
  char* shared;  // static memory that its threads share; dynamic follows at `dynamic`
  char* dynamic;
  char* variables;       // of the module, __device__ and __constant__
  char* rows;            // memory of threads: for each value a row with `stride` places
  std::uint64_t stride;  // not below the number of threads, a multiple of 64
  const void* const* parameters;
  std::uint64_t asked;   // how often loops asked whether to stop
  std::int32_t* states;  // of each thread, where they differ
  // What threads bring to a site and take from it, by thread.
  std::uint32_t* masks;
  std::uint32_t* sources;
  std::uint32_t* given;
  std::uint32_t* taken;
  std::uint64_t* given_wide;
  std::uint64_t* taken_wide;
  void* launch;  // of whoever runs it
  // Of kernels that are checked: for each parameter where its array begins and ends, and for each
  // thread whether it has come to a `return`.
  const char* const* bounds;
  std::uint8_t* returned;
};

// What an access is, for checked kernels: the numbers of simt::Watch, and of which kind the memory
// is where that is known before it runs.
enum : std::int32_t {
  access_of_thread = 32,  // the thread's own, or constant: its bounds alone matter
  access_of_array = 64,
};

enum : std::int32_t {
  finished_state = -1,
  diverged_state = -2,  // threads are at different sites: see BlockFrame::states
};

// What happens at a site.
enum class Site : std::int32_t {
  begin,
  block_barrier,
  block_count,
  block_and,
  block_or,
  grid_barrier,
  warp_barrier,
  shuffle,
  shuffle_wide,
  ballot,
  match,
  reduce,  // `sources` says how
  active,
};

// Loops ask heddle_should_stop whether they should, once in so many passes.
constexpr std::uint64_t passes_between_questions = 4096;

// All threads [first, end) go on from one state; gives the state that all are in then, or
// diverged_state. `uniform`: values that are the same for all of them.
using RunAll = std::int32_t (*)(BlockFrame* frame, std::int32_t state, std::int32_t first,
                                std::int32_t end, char* uniform);
// One thread goes on. It reads `uniform` and writes `uniform_next`.
using RunOne = std::int32_t (*)(BlockFrame* frame, std::int32_t state, std::int32_t thread,
                                char* uniform, char* uniform_next);

}  // namespace heddle::cpu
