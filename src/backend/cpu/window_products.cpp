#include "backend/cpu/window_products.h"

#include <algorithm>
#include <complex>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "backend/cpu/blas_routines.h"
#include "backend/cpu/blas_threads.h"
#include "backend/cpu/thread_scratch.h"
#include "runtime/interrupt.h"
#include "runtime/parallel.h"

namespace heddle::cpu {

namespace {

// Dimensions that follow one another in memory as one, without those of a single element.
Layout merged(const Layout& layout) {
  Layout made;
  for (std::int64_t d = 0; d < layout.ndim(); ++d) {
    const auto extent = layout.shape[d];
    if (extent == 1) continue;
    if (!made.shape.empty() && made.strides.back() == layout.strides[d] * extent) {
      made.shape.back() *= extent;
      made.strides.back() = layout.strides[d];
    } else {
      made.shape.push_back(extent);
      made.strides.push_back(layout.strides[d]);
    }
  }
  return made;
}

// Where the places of a layout are, in C order.
std::vector<std::int64_t> places_of(const Layout& layout) {
  std::vector<std::int64_t> places{0};
  for (std::int64_t d = 0; d < layout.ndim(); ++d) {
    std::vector<std::int64_t> more;
    more.reserve(places.size() * static_cast<std::size_t>(layout.shape[d]));
    for (auto place : places) {
      for (std::int64_t i = 0; i < layout.shape[d]; ++i) {
        more.push_back(place + i * layout.strides[d]);
      }
    }
    places = std::move(more);
  }
  return places;
}

// Runs are short, and there are many: calls of memcpy would take longer than what they copy. So it
// is done in blocks, of which the last one may overlap with the one before.
template <std::int64_t block, class T>
T* copy_blocks(const T* from, std::int64_t count, T* to) {
  constexpr auto bytes = static_cast<std::size_t>(block) * sizeof(T);
  const auto last = count - block;
  for (std::int64_t i = 0; i < last; i += block) std::memcpy(to + i, from + i, bytes);
  std::memcpy(to + last, from + last, bytes);
  return to + count;
}

template <class T>
T* copy_run(const T* from, std::int64_t count, T* to) {
  constexpr std::int64_t large = 64 / sizeof(T), small = 16 / sizeof(T);
  if (count >= large) return copy_blocks<large>(from, count, to);
  if (count >= small) return copy_blocks<small>(from, count, to);
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i];
  return to + count;
}

// The matrix of windows: how a row is put together of runs of elements that lie side by side.
template <class T>
class Windows {
 public:
  explicit Windows(const WindowProduct& p)
      : data_(static_cast<const T*>(p.a)), rows_(merged(p.rows)) {
    Layout columns = merged(p.columns);
    if (columns.ndim() > 0 && columns.strides.back() == 1) {
      run_ = columns.shape.back();
      columns.shape.pop_back();
      columns.strides.pop_back();
    }
    runs_ = places_of(columns);
    if (rows_.ndim() == 0) {
      rows_.shape.push_back(1);
      rows_.strides.push_back(0);
    }
  }

  std::int64_t rows() const { return size_of(rows_.shape); }
  std::int64_t columns() const { return static_cast<std::int64_t>(runs_.size()) * run_; }

  // The rows [first, last), dense.
  void copy(std::int64_t first, std::int64_t last, T* to) const {
    const auto inner = rows_.ndim() - 1;
    const auto extent = rows_.shape[inner], step = rows_.strides[inner];
    while (first < last) {
      std::int64_t rest = first / extent, from = 0;
      const auto begin = first % extent, end = std::min(extent, begin + last - first);
      for (auto d = inner; d-- > 0;) {
        from += rest % rows_.shape[d] * rows_.strides[d];
        rest /= rows_.shape[d];
      }
      for (auto i = begin; i < end; ++i) to = copy_row(data_ + from + i * step, to);
      first += end - begin;
    }
  }

 private:
  T* copy_row(const T* from, T* to) const {
    if (run_ == 1) {
      for (auto place : runs_) *to++ = from[place];
      return to;
    }
    for (auto place : runs_) to = copy_run(from + place, run_, to);
    return to;
  }

  const T* data_;
  Layout rows_;
  std::vector<std::int64_t> runs_;  // where each begins
  std::int64_t run_ = 1;
};

// Memory of this thread for rows that are put together.
template <class T>
T* room_for(std::int64_t elements) {
  struct Rows;
  return static_cast<T*>(thread_scratch<Rows>(static_cast<std::size_t>(elements) * sizeof(T)));
}

// How many rows are put together at a time: they stay in a core's cache. Of products that are small
// OpenBLAS does not copy the operands once more, which is half as fast again.
std::int64_t tile_of(std::int64_t columns, std::int64_t n, std::int64_t bytes) {
  constexpr std::int64_t cache = 256 << 10, small_work = 1'000'000, least = 48, most = 1024;
  const auto fitting = cache / std::max<std::int64_t>(columns * bytes, 1);
  const auto small = small_work / std::max<std::int64_t>(columns * n, 1);
  return std::clamp(small >= least ? std::min(small, fitting) : fitting, least, most) / 16 * 16;
}

template <class T>
struct Multiplication {
  const WindowProduct& p;
  Windows<T> windows{p};
  std::int64_t k = windows.columns();
  std::int64_t tile = tile_of(k, p.n, sizeof(T));

  // Rows [first, last) of c.
  void rows(std::int64_t first, std::int64_t last) const {
    T* a = room_for<T>(tile * k);
    const T one(1), zero(0);
    for (; first < last; first += tile) {
      const auto count = std::min(tile, last - first);
      windows.copy(first, first + count, a);
      Routines<T>::gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<blasint>(count),
                        static_cast<blasint>(p.n), static_cast<blasint>(k), factor(one), a,
                        static_cast<blasint>(k), static_cast<const T*>(p.b),
                        static_cast<blasint>(p.n), factor(zero), static_cast<T*>(p.c) + first * p.n,
                        static_cast<blasint>(p.n));
    }
  }

  // What the rows [first, last) of the windows add to c, if it is the transposed product.
  void sum(std::int64_t first, std::int64_t last, T* c) const {
    T* a = room_for<T>(tile * k);
    const T one(1), zero(0);
    for (bool begun = false; first < last; first += tile, begun = true) {
      const auto count = std::min(tile, last - first);
      windows.copy(first, first + count, a);
      Routines<T>::gemm(CblasRowMajor, CblasTrans, CblasNoTrans, static_cast<blasint>(k),
                        static_cast<blasint>(p.n), static_cast<blasint>(count), factor(one), a,
                        static_cast<blasint>(k), static_cast<const T*>(p.b) + first * p.n,
                        static_cast<blasint>(p.n), factor(begun ? one : zero), c,
                        static_cast<blasint>(p.n));
    }
  }

  void run() const {
    constexpr double part_work = 2e5;  // operations: less is not worth a core's attention
    const auto count = windows.rows();
    const double work =
        static_cast<double>(count) * static_cast<double>(k) * static_cast<double>(p.n + 4);
    const auto tiles = (count + tile - 1) / tile;
    // Sums have results of their own for each part, so these are few.
    const std::int64_t most = p.transposed ? 2 * thread_count() : 16 * thread_count();
    const auto parts = std::clamp<std::int64_t>(static_cast<std::int64_t>(work / part_work), 1,
                                                std::min(most, tiles));
    const auto size = (tiles + parts - 1) / parts * tile;
    const auto made = (count + size - 1) / size;
    BlockingScope blocking(made > 1);
    if (!p.transposed) {
      return for_each_part(
          made, true, [&](std::int64_t i) { rows(i * size, std::min(count, (i + 1) * size)); });
    }
    const auto elements = k * p.n;
    std::vector<T> others(static_cast<std::size_t>((made - 1) * elements));
    auto* c = static_cast<T*>(p.c);
    for_each_part(made, true, [&](std::int64_t i) {
      sum(i * size, std::min(count, (i + 1) * size),
          i == 0 ? c : others.data() + (i - 1) * elements);
    });
    for (std::int64_t i = 0; i + 1 < made; ++i) {
      for (std::int64_t j = 0; j < elements; ++j) {
        c[j] += others[static_cast<std::size_t>(i * elements + j)];
      }
    }
  }
};

}  // namespace

void multiply_windows(const WindowProduct& p) {
  switch (p.dtype) {
    case Dtype::float32:
      return Multiplication<float>{p}.run();
    case Dtype::float64:
      return Multiplication<double>{p}.run();
    case Dtype::complex64:
      return Multiplication<std::complex<float>>{p}.run();
    case Dtype::complex128:
      return Multiplication<std::complex<double>>{p}.run();
    default:
      throw std::logic_error("multiply_windows: BLAS has no product of this type");
  }
}

}  // namespace heddle::cpu
