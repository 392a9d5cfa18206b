// The C interface of libheddle_cub.so: what nvcc compiles of Heddle, sorting by CUB. The library
// brings CUDA's runtime along and is opened when it is first needed.
//
// All pointers but `workspace_bytes` are to memory of the device whose context is current.
// Functions give work to the stream (a CUstream) and return at once, with 0 or an error of CUDA's
// runtime. With a null workspace they only say how many bytes of it they need.
#ifndef HEDDLE_CUB_H
#define HEDDLE_CUB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Of this interface; another one is not used.
#define HEDDLE_CUB_VERSION 3

// Keys are unsigned integers of `width` bytes (1, 2, 4 or 8), `rows` rows of `length` each.
struct heddle_cub_keys {
  void* data;
  int width;
  int64_t rows;
  int64_t length;
};

// How the bits of elements become keys: see KeyMap in runtime/sorting.h.
struct heddle_cub_map {
  uint64_t flip;
  uint64_t infinity;
};

int heddle_cub_version(void);
// In words.
const char* heddle_cub_error(int error);

// Sorts every row in place, ascending.
int heddle_cub_sort(const struct heddle_cub_keys* keys, void* workspace, size_t* workspace_bytes,
                    void* stream);
// The stable order of every row, as places in it. The keys are anything afterwards. Rows have fewer
// than 2^32 keys.
int heddle_cub_argsort(const struct heddle_cub_keys* keys, int64_t* positions, void* workspace,
                       size_t* workspace_bytes, void* stream);
// How many elements of the one ascending row `sorted` are before each of `values`, equal ones
// included if `right`; the map makes keys of both.
int heddle_cub_search(const struct heddle_cub_keys* sorted, const struct heddle_cub_keys* values,
                      const struct heddle_cub_map* map, int right, int64_t* positions,
                      void* stream);
// totals[b] = how many of `bins` are b.
int heddle_cub_count(const struct heddle_cub_keys* bins, int64_t* totals, int64_t total_count,
                     void* stream);
// totals[b] = the sum of the weights of those of `bins` that are b: the same bits in every run.
int heddle_cub_sums(const struct heddle_cub_keys* bins, const double* weights, double* totals,
                    int64_t total_count, void* workspace, size_t* workspace_bytes, void* stream);

#ifdef __cplusplus
}
#endif

#endif
