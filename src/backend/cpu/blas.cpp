#include "backend/cpu/blas.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <stdexcept>
#include <vector>

#include "backend/cpu/blas_routines.h"
#include "backend/cpu/blas_threads.h"
#include "runtime/interrupt.h"
#include "runtime/parallel.h"

namespace heddle::cpu {

namespace {

using index = blasint;

// Rows of `leading` elements, or columns of them: what BLAS calls transposed.
struct Operand {
  bool by_rows;
  index leading;
  CBLAS_TRANSPOSE order() const { return by_rows ? CblasNoTrans : CblasTrans; }
  CBLAS_TRANSPOSE transposed() const { return by_rows ? CblasTrans : CblasNoTrans; }
};

Operand operand(const Matrix& m, std::int64_t columns) {
  // With one row or column both strides may be 1: the leading one must still span the matrix.
  bool by_rows = m.column_stride == 1 && m.row_stride >= columns;
  return {by_rows, static_cast<index>(by_rows ? m.row_stride : m.column_stride)};
}

// y = m x or, if `transposed`, m' x. The matrix is `runs` runs of `length` elements in memory.
template <class T>
struct VectorProduct {
  const T* matrix;
  index runs, length, leading;
  CBLAS_TRANSPOSE order;
  const T* x;
  index step;
  T* y;

  VectorProduct(const Matrix& m, std::int64_t rows, std::int64_t columns, bool transposed,
                const void* x, std::int64_t step, void* y)
      : matrix(static_cast<const T*>(m.data)),
        x(static_cast<const T*>(x)),
        step(static_cast<index>(step)),
        y(static_cast<T*>(y)) {
    const Operand a = operand(m, columns);
    runs = static_cast<index>(a.by_rows ? rows : columns);
    length = static_cast<index>(a.by_rows ? columns : rows);
    leading = a.leading;
    order = transposed ? a.transposed() : a.order();
  }

  void run() const {
    const T one(1), zero(0);
    Routines<T>::gemv(CblasRowMajor, order, runs, length, factor(one), matrix, leading, x, step,
                      factor(zero), y, 1);
  }

  bool sums_runs() const { return order == CblasTrans; }
  index kept() const { return sums_runs() ? length : runs; }

  // Runs, or a part of every run.
  VectorProduct part(bool of_runs, index first, index last) const {
    VectorProduct made = *this;
    (of_runs ? made.runs : made.length) = last - first;
    made.matrix += of_runs ? first * leading : first;
    if (of_runs == sums_runs()) {
      made.x += first * step;
    } else {
      made.y += first;
    }
    return made;
  }

  // On all cores. Parts of what is summed over have results of their own, which are added up.
  void run_in_parts() const {
    constexpr index long_run = 8192, few_runs = 16;
    const bool of_runs = sums_runs() ? length < long_run : runs >= few_runs;
    const index extent = of_runs ? runs : length;
    auto parts = static_cast<index>(vector_parts(static_cast<double>(runs) * length * sizeof(T)));
    const index size = ((extent + parts - 1) / parts + 7) / 8 * 8;  // as kernels go
    parts = (extent + size - 1) / size;
    if (parts <= 1) return for_each_part(1, false, [&](std::int64_t) { run(); });
    const bool partial = of_runs == sums_runs();
    std::vector<T> sums(static_cast<std::size_t>(partial ? parts * kept() : 0));
    for_each_part(parts, false, [&](std::int64_t i) {
      const auto first = static_cast<index>(i) * size;
      VectorProduct piece = part(of_runs, first, std::min(extent, first + size));
      if (partial) piece.y = sums.data() + i * kept();
      piece.run();
    });
    for (index i = 0; partial && i < parts; ++i) {
      const T* sum = sums.data() + i * kept();
      for (index j = 0; j < kept(); ++j) y[j] = i == 0 ? sum[j] : y[j] + sum[j];
    }
  }
};

// The product if it is one of a matrix and a vector.
template <class T>
std::optional<VectorProduct<T>> vector_product(const Matmul& p) {
  if (p.n == 1) return VectorProduct<T>(p.a, p.m, p.k, false, p.b.data, p.b.row_stride, p.c.data);
  if (p.m == 1) return VectorProduct<T>(p.b, p.k, p.n, true, p.a.data, p.a.column_stride, p.c.data);
  return std::nullopt;
}

// Rows [first_row, last_row) and columns [first_column, last_column) of a product.
struct Tile {
  std::int64_t first_row, last_row, first_column, last_column;
};

template <class T>
void multiply_tile(const Matmul& p, const Tile& tile) {
  const Operand a = operand(p.a, p.k), b = operand(p.b, p.n);
  const T one(1), zero(0);
  const auto leading = static_cast<index>(p.n);
  Routines<T>::gemm(
      CblasRowMajor, a.order(), b.order(), static_cast<index>(tile.last_row - tile.first_row),
      static_cast<index>(tile.last_column - tile.first_column), static_cast<index>(p.k),
      factor(one), static_cast<const T*>(p.a.data) + tile.first_row * p.a.row_stride, a.leading,
      static_cast<const T*>(p.b.data) + tile.first_column * p.b.column_stride, b.leading,
      factor(zero), static_cast<T*>(p.c.data) + tile.first_row * p.n + tile.first_column, leading);
}

// Copies the elements of a square matrix above the diagonal, of the tile's, to their mirror images.
template <class T>
void mirror(T* c, std::int64_t n, const Tile& of) {
  constexpr std::int64_t tile = 32;  // both sides stay in the cache
  for (auto i0 = of.first_row; i0 < of.last_row; i0 += tile) {
    for (auto j0 = of.first_column; j0 < of.last_column; j0 += tile) {
      for (auto i = i0; i < std::min(i0 + tile, of.last_row); ++i) {
        for (auto j = std::max(j0, i + 1); j < std::min(j0 + tile, of.last_column); ++j) {
          c[j * n + i] = c[i * n + j];
        }
      }
    }
  }
}

// A tile of a times a transposed, on the diagonal or above it, and its mirror image.
template <class T>
void multiply_mirrored_tile(const Matmul& p, const Tile& tile) {
  auto* c = static_cast<T*>(p.c.data);
  if (tile.first_row == tile.first_column) {
    const Operand a = operand(p.a, p.k);
    const T one(1), zero(0);
    Routines<T>::syrk(CblasRowMajor, CblasUpper, a.order(),
                      static_cast<index>(tile.last_row - tile.first_row), static_cast<index>(p.k),
                      factor(one),
                      static_cast<const T*>(p.a.data) + tile.first_row * p.a.row_stride, a.leading,
                      factor(zero), c + tile.first_row * (p.n + 1), static_cast<index>(p.n));
  } else {
    multiply_tile<T>(p, tile);
  }
  mirror(c, p.n, tile);
}

bool is_transposed(const Matmul& p) {
  return p.a.data == p.b.data && p.m == p.n && p.a.row_stride == p.b.column_stride &&
         p.a.column_stride == p.b.row_stride;
}

template <class T>
void multiply(const Matmul& p) {
  if (auto product = vector_product<T>(p)) {
    return p.count == 1 ? product->run_in_parts() : product->run();
  }
  const Tile all{0, p.m, 0, p.n};
  is_transposed(p) ? multiply_mirrored_tile<T>(p, all) : multiply_tile<T>(p, all);
}

// Cuts [0, extent) into so many ranges, or fewer: none is small, and all but the last are multiples
// of what kernels do at once.
std::int64_t range_of(std::int64_t extent, std::int64_t ranges) {
  constexpr std::int64_t unit = 48, least = 96;
  const auto size = std::max(least, (extent + ranges - 1) / ranges);
  return (size + unit - 1) / unit * unit;
}

// Tiles of a product, about two for each core, as others may be at work on some. Those of a
// symmetric product are only the ones on the diagonal and above.
std::vector<Tile> tiles_of(const Matmul& p, bool symmetric) {
  const auto wanted = static_cast<double>(2 * thread_count() * (symmetric ? 2 : 1));
  const double shape = static_cast<double>(p.m) / static_cast<double>(p.n);
  const auto rows = std::max<std::int64_t>(1, std::llround(std::sqrt(wanted * shape)));
  const auto columns = std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil(wanted / static_cast<double>(rows))));
  const auto height = range_of(p.m, std::min(rows, static_cast<std::int64_t>(wanted)));
  const auto width = symmetric ? height : range_of(p.n, columns);
  std::vector<Tile> tiles;
  for (std::int64_t i = 0; i < p.m; i += height) {
    for (auto j = symmetric ? i : 0; j < p.n; j += width) {
      tiles.push_back({i, std::min(i + height, p.m), j, std::min(j + width, p.n)});
    }
  }
  return tiles;
}

// One product on all cores.
template <class T>
void multiply_in_tiles(const Matmul& p) {
  BlockingScope blocking;
  const bool symmetric = is_transposed(p);
  const auto tiles = tiles_of(p, symmetric);
  for_each_part(static_cast<std::int64_t>(tiles.size()), true, [&](std::int64_t i) {
    const Tile& tile = tiles[static_cast<std::size_t>(i)];
    symmetric ? multiply_mirrored_tile<T>(p, tile) : multiply_tile<T>(p, tile);
  });
}

// How a product of one type runs: in the thread that calls, or on all cores.
struct Multiply {
  void (*here)(const Matmul&);
  void (*on_all_cores)(const Matmul&);
};

template <class T>
constexpr Multiply multiply_of = {multiply<T>, multiply_in_tiles<T>};

Multiply routine(Dtype dtype) {
  switch (dtype) {
    case Dtype::float32:
      return multiply_of<float>;
    case Dtype::float64:
      return multiply_of<double>;
    case Dtype::complex64:
      return multiply_of<std::complex<float>>;
    case Dtype::complex128:
      return multiply_of<std::complex<double>>;
    default:
      throw std::logic_error("matmul: BLAS has no product of this type");
  }
}

}  // namespace

void matmul(const Matmul& p) {
  constexpr double worth_tiles = 1e6;  // operations
  const Multiply multiply = routine(p.dtype);
  if (p.count == 1 && (p.m == 1 || p.n == 1)) return multiply.here(p);
  const double work =
      static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  // The matrices at a place in the stack.
  auto at = [&, bytes = itemsize(p.dtype)](std::int64_t place) {
    Matmul one = p;
    for (Matrix* matrix : {&one.a, &one.b, &one.c}) {
      matrix->data = static_cast<char*>(matrix->data) + place * matrix->stack_stride * bytes;
    }
    return one;
  };
  const bool vectors = p.m == 1 || p.n == 1;
  if (work > worth_tiles && !vectors && thread_count() > 1 && !is_worth_sharing(p.count, work)) {
    for (std::int64_t i = 0; i < p.count; ++i) multiply.on_all_cores(at(i));
    return;
  }
  for_each_matrix(
      p.count, work,
      [&](std::int64_t first, std::int64_t last) {
        for (auto i = first; i < last; ++i) multiply.here(at(i));
      },
      BlasScope::Threads::one);
}

}  // namespace heddle::cpu
