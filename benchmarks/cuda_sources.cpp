// What kernels of CUDA C++ do, written as loops for threads of a CPU: the same tiles and passes.
// Compiled and called by cuda_sources.py.
#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace {

// f(first, last) for pieces of [0, count), each on a thread.
template <class F>
void on_threads(std::int64_t count, int threads, F f) {
  std::vector<std::thread> all;
  for (int t = 1; t < threads; ++t)
    all.emplace_back([=] { f(count * t / threads, count * (t + 1) / threads); });
  f(0, count / threads);
  for (std::thread& t : all) t.join();
}

constexpr int tile = 16, block = 256;

}  // namespace

extern "C" {

void add(const float* x, const float* y, float* z, std::int64_t n, int threads) {
  on_threads(n, threads, [=](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) z[i] = x[i] + y[i];
  });
}

void matmul(const float* a, const float* b, float* c, std::int64_t n, int threads) {
  on_threads(n / tile, threads, [=](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      for (std::int64_t col = 0; col < n / tile; ++col) {
        float as[tile][tile], bs[tile][tile], total[tile][tile] = {};
        for (std::int64_t t = 0; t < n / tile; ++t) {
          for (int y = 0; y < tile; ++y) {
            for (int x = 0; x < tile; ++x) {
              as[y][x] = a[(row * tile + y) * n + t * tile + x];
              bs[y][x] = b[(t * tile + y) * n + col * tile + x];
            }
          }
          for (int y = 0; y < tile; ++y) {
            for (int k = 0; k < tile; ++k) {
              for (int x = 0; x < tile; ++x) total[y][x] += as[y][k] * bs[k][x];
            }
          }
        }
        for (int y = 0; y < tile; ++y) {
          for (int x = 0; x < tile; ++x) c[(row * tile + y) * n + col * tile + x] = total[y][x];
        }
      }
    }
  });
}

void histogram(const std::uint8_t* x, unsigned* bins, std::int64_t n, int threads) {
  on_threads(n, threads, [=](std::int64_t first, std::int64_t last) {
    unsigned mine[256] = {};
    for (std::int64_t i = first; i < last; ++i) ++mine[x[i]];
    for (int i = 0; i < 256; ++i) __atomic_fetch_add(&bins[i], mine[i], __ATOMIC_RELAXED);
  });
}

// Sums of blocks.
void reduction(const float* x, float* out, std::int64_t n, int threads) {
  on_threads(n / block, threads, [=](std::int64_t first, std::int64_t last) {
    for (std::int64_t b = first; b < last; ++b) {
      float part[block];
      for (int i = 0; i < block; ++i) part[i] = x[b * block + i];
      for (int half = block / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; ++i) part[i] += part[i + half];
      }
      out[b] = part[0];
    }
  });
}

// Five points, in rows.
void stencil(const float* x, float* y, std::int64_t n, int threads) {
  on_threads(n - 2, threads, [=](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first + 1; r < last + 1; ++r) {
      for (std::int64_t c = 1; c < n - 1; ++c) {
        y[r * n + c] = 0.5f * x[r * n + c] + 0.125f * (x[r * n + c - 1] + x[r * n + c + 1] +
                                                       x[(r - 1) * n + c] + x[(r + 1) * n + c]);
      }
    }
  });
}

// Of each block, by doubling distances.
void scan(const float* x, float* y, std::int64_t n, int threads) {
  on_threads(n / block, threads, [=](std::int64_t first, std::int64_t last) {
    float two[2][block];
    for (std::int64_t b = first; b < last; ++b) {
      int from = 0;
      std::copy_n(x + b * block, block, two[0]);
      for (int d = 1; d < block; d *= 2) {
        float* to = two[1 - from];
        const float* old = two[from];
        for (int i = 0; i < d; ++i) to[i] = old[i];
        for (int i = d; i < block; ++i) to[i] = old[i] + old[i - d];
        from = 1 - from;
      }
      std::copy_n(two[from], block, y + b * block);
    }
  });
}
}
