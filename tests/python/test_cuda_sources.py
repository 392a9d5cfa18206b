# ruff: noqa: E501
"""CUDA C++ as textbooks have it, compiled by NVRTC or by heddle-clang."""

import numpy
import pytest
from cuda_source_support import i4, launch, needs_compiler, on_gpu, rng  # noqa: F401
from support import assert_exact

import heddle
from heddle import RawModule, cuda

pytestmark = needs_compiler


# --- products of matrices, transposition ---


@pytest.mark.parametrize("n", [16, 48, 50])
def test_tiled_product(n):
    source = r"""
#define TILE 16
extern "C" __global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float total = 0;
  for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
    const int k = t * TILE + threadIdx.x, l = t * TILE + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < n && k < n ? a[row * n + k] : 0;
    bs[threadIdx.y][threadIdx.x] = l < n && col < n ? b[l * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) total += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < n && col < n) c[row * n + col] = total;
}"""
    a, b = rng().random((2, n, n), "f4")
    blocks = -(-n // 16)
    c = launch(source, "product", (blocks, blocks), (16, 16), a, b, numpy.zeros_like(a), i4(n))[2]
    numpy.testing.assert_allclose(c, a @ b, rtol=2e-6 * n)


def test_product_with_a_row_of_results_in_each_thread():
    source = r"""
template <int ROWS>
__device__ void strip(const float* a, const float* b, float* c, int n) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * ROWS;
  float total[ROWS] = {};
  __shared__ float part[ROWS][32];
  for (int k0 = 0; k0 < n; k0 += 32) {
    for (int i = threadIdx.x; i < ROWS * 32; i += blockDim.x)
      part[i / 32][i % 32] = a[(row + i / 32) * n + k0 + i % 32];
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      const float value = b[(k0 + k) * n + col];
#pragma unroll
      for (int r = 0; r < ROWS; ++r) total[r] += part[r][k] * value;
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < ROWS; ++r) c[(row + r) * n + col] = total[r];
}
extern "C" __global__ void product(const float* a, const float* b, float* c, int n) {
  strip<8>(a, b, c, n);
}"""
    a, b = rng().random((2, 64, 64), "f4")
    c = launch(source, "product", (2, 8), (32,), a, b, numpy.zeros_like(a), i4(64))[2]
    numpy.testing.assert_allclose(c, a @ b, rtol=2e-5)


def test_transposition_through_shared_memory():
    source = r"""
extern "C" __global__ void transpose(const double* in, double* out, int rows, int cols) {
  __shared__ double tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}"""
    a = rng().random((70, 45))
    out = launch(source, "transpose", (2, 3), (32, 8), a, numpy.zeros((45, 70)), i4(70), i4(45))[1]
    assert_exact(out, a.T.copy())


def test_product_of_a_matrix_and_a_vector_by_warps():
    source = r"""
extern "C" __global__ void gemv(const float* a, const float* x, float* y, int rows, int cols) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float total = 0;
  for (int i = lane; i < cols; i += 32) total += a[row * cols + i] * x[i];
  for (int d = 16; d > 0; d >>= 1) total += __shfl_xor_sync(0xffffffffu, total, d);
  if (lane == 0) y[row] = total;
}"""
    a, x = rng().random((37, 100), "f4"), rng().random(100, "f4")
    y = launch(source, "gemv", (10,), (128,), a, x, numpy.zeros(37, "f4"), i4(37), i4(100))[2]
    numpy.testing.assert_allclose(y, a @ x, rtol=1e-5)


# --- reductions ---


@pytest.mark.parametrize("n", [1, 31, 1000, 4099])
def test_sum_by_blocks_with_shuffles(n):
    source = r"""
__inline__ __device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
  return v;
}
extern "C" __global__ void total(const float* x, float* out, int n) {
  __shared__ float part[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float v = i < n ? x[i] : 0.0f;
  v = warp_sum(v);
  if (lane == 0) part[warp] = v;
  __syncthreads();
  if (warp != 0) return;
  v = lane < blockDim.x / 32 ? part[lane] : 0.0f;
  v = warp_sum(v);
  if (lane == 0) atomicAdd(out, v);
}"""
    x = rng().integers(0, 100, n).astype("f4")
    out = launch(source, "total", (-(-n // 256),), (256,), x, numpy.zeros(1, "f4"), i4(n))[1]
    assert out[0] == x.sum()


def test_largest_by_a_tree_in_dynamic_shared_memory():
    source = r"""
extern "C" __global__ void largest(const int* x, int* out, int n) {
  extern __shared__ int best_of[];
  const unsigned t = threadIdx.x;
  int best = -2147483648;
  for (int i = t; i < n; i += blockDim.x) best = max(best, x[i]);
  best_of[t] = best;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
    if (t < half) best_of[t] = max(best_of[t], best_of[t + half]);
    __syncthreads();
  }
  if (t == 0) out[0] = best_of[0];
}"""
    x = rng().integers(-(10**9), 10**9, 5000).astype("i4")
    out = launch(source, "largest", (1,), (128,), x, numpy.zeros(1, "i4"), i4(5000), shared_mem=512)
    assert out[1][0] == x.max()


def test_place_of_the_smallest():
    source = r"""
struct Best { float value; int place; };
__device__ Best better(Best a, Best b) {
  return b.value < a.value || (b.value == a.value && b.place < a.place) ? b : a;
}
extern "C" __global__ void smallest(const float* x, int* out, int n) {
  __shared__ Best all[64];
  Best mine = {x[0], 0};
  for (int i = threadIdx.x; i < n; i += 64) mine = better(mine, Best{x[i], i});
  all[threadIdx.x] = mine;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (threadIdx.x < d) all[threadIdx.x] = better(all[threadIdx.x], all[threadIdx.x + d]);
    __syncthreads();
  }
  if (threadIdx.x == 0) *out = all[0].place;
}"""
    x = rng().random(999, "f4")
    out = launch(source, "smallest", (1,), (64,), x, numpy.zeros(1, "i4"), i4(999))
    assert out[1][0] == x.argmin()


def test_mean_and_variance_in_one_pass():
    source = r"""
extern "C" __global__ void moments(const double* x, double* out, int n) {
  __shared__ double sums[128], squares[128];
  double s = 0, q = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) { s += x[i]; q += x[i] * x[i]; }
  sums[threadIdx.x] = s; squares[threadIdx.x] = q;
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) {
      sums[threadIdx.x] += sums[threadIdx.x + d];
      squares[threadIdx.x] += squares[threadIdx.x + d];
    }
  }
  if (threadIdx.x == 0) { out[0] = sums[0] / n; out[1] = squares[0] / n - out[0] * out[0]; }
}"""
    x = rng().standard_normal(3000)
    out = launch(source, "moments", (1,), (128,), x, numpy.zeros(2), i4(3000))[1]
    numpy.testing.assert_allclose(out, [x.mean(), x.var()], rtol=1e-9)


def test_dot_product_of_vectors_of_four():
    source = r"""
extern "C" __global__ void dot(const float4* a, const float4* b, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 x = a[i], y = __ldg(&b[i]);
  atomicAdd(out, (double)(x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w));
}"""
    a, b = rng().integers(0, 9, (2, 400)).astype("f4")
    out = launch(source, "dot", (1,), (128,), a, b, numpy.zeros(1), i4(100))[2]
    assert out[0] == (a * b).sum()


def test_softmax_of_rows():
    source = r"""
template <typename F>
__device__ float reduced(float v, float* memory, F f) {
  memory[threadIdx.x] = v;
  __syncthreads();
  for (int d = blockDim.x / 2; d > 0; d /= 2) {
    if (threadIdx.x < d) memory[threadIdx.x] = f(memory[threadIdx.x], memory[threadIdx.x + d]);
    __syncthreads();
  }
  const float all = memory[0];
  __syncthreads();
  return all;
}
extern "C" __global__ void softmax(const float* x, float* y, int cols) {
  __shared__ float memory[64];
  const float* row = x + blockIdx.x * cols;
  float best = -1e30f, total = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) best = fmaxf(best, row[i]);
  best = reduced(best, memory, [](float a, float b) { return fmaxf(a, b); });
  for (int i = threadIdx.x; i < cols; i += blockDim.x) total += expf(row[i] - best);
  total = reduced(total, memory, [](float a, float b) { return a + b; });
  for (int i = threadIdx.x; i < cols; i += blockDim.x)
    y[blockIdx.x * cols + i] = expf(row[i] - best) / total;
}"""
    x = rng().standard_normal((5, 150)).astype("f4")
    y = launch(source, "softmax", (5,), (64,), x, numpy.zeros_like(x), i4(150))[1]
    e = numpy.exp(x - x.max(1, keepdims=True))
    numpy.testing.assert_allclose(y, e / e.sum(1, keepdims=True), rtol=1e-5)


# --- scans ---


def test_scan_of_hillis_and_steele():
    source = r"""
extern "C" __global__ void scan(int* x) {
  __shared__ int two[2][256];
  int from = 0;
  two[0][threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    two[1 - from][threadIdx.x] =
        two[from][threadIdx.x] + (threadIdx.x >= d ? two[from][threadIdx.x - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  x[threadIdx.x] = two[from][threadIdx.x];
}"""
    x = rng().integers(0, 50, 256).astype("i4")
    assert_exact(launch(source, "scan", (1,), (256,), x)[0], x.cumsum().astype("i4"))


def test_scan_of_blelloch():
    source = r"""
extern "C" __global__ void scan(unsigned* x, int n) {
  extern __shared__ unsigned s[];
  const int t = threadIdx.x;
  s[2 * t] = x[2 * t]; s[2 * t + 1] = x[2 * t + 1];
  int step = 1;
  for (int d = n / 2; d > 0; d /= 2) {
    __syncthreads();
    if (t < d) s[step * (2 * t + 2) - 1] += s[step * (2 * t + 1) - 1];
    step *= 2;
  }
  if (t == 0) s[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    step /= 2;
    __syncthreads();
    if (t < d) {
      const int a = step * (2 * t + 1) - 1, b = step * (2 * t + 2) - 1;
      const unsigned old = s[a];
      s[a] = s[b];
      s[b] += old;
    }
  }
  __syncthreads();
  x[2 * t] = s[2 * t]; x[2 * t + 1] = s[2 * t + 1];
}"""
    x = rng().integers(0, 50, 512).astype("u4")
    made = launch(source, "scan", (1,), (256,), x, i4(512), shared_mem=2048)[0]
    assert_exact(made, (x.cumsum() - x).astype("u4"))


def test_scan_by_warps():
    source = r"""
extern "C" __global__ void scan(const int* x, int* y, int n) {
  __shared__ int sums[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int v = threadIdx.x < n ? x[threadIdx.x] : 0;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    const int before = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += before;
  }
  if (lane == 31) sums[warp] = v;
  __syncthreads();
  if (warp == 0) {
    int s = sums[lane];
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
      const int before = __shfl_up_sync(0xffffffffu, s, d);
      if (lane >= d) s += before;
    }
    sums[lane] = s;
  }
  __syncthreads();
  if (warp > 0) v += sums[warp - 1];
  if (threadIdx.x < n) y[threadIdx.x] = v;
}"""
    x = rng().integers(0, 9, 1000).astype("i4")
    y = launch(source, "scan", (1,), (1024,), x, numpy.zeros_like(x), i4(1000))[1]
    assert_exact(y, x.cumsum().astype("i4"))


def test_compaction_by_votes():
    source = r"""
extern "C" __global__ void keep(const int* x, int* y, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const bool wanted = i < n && x[i] % 3 == 0;
  const unsigned votes = __ballot_sync(0xffffffffu, wanted);
  int begin = 0;
  if (lane == 0) begin = atomicAdd(count, __popc(votes));
  begin = __shfl_sync(0xffffffffu, begin, 0);
  if (wanted) y[begin + __popc(votes & ((1u << lane) - 1))] = x[i];
}"""
    x = rng().integers(0, 1000, 700).astype("i4")
    _, y, count = launch(
        source, "keep", (6,), (128,), x, numpy.zeros_like(x), numpy.zeros(1, "i4"), i4(700)
    )
    wanted = x[x % 3 == 0]
    assert count[0] == wanted.size
    assert_exact(numpy.sort(y[: wanted.size]), numpy.sort(wanted))


# --- histograms and sorting ---


def test_histogram_with_shared_atomics():
    source = r"""
extern "C" __global__ void histogram(const unsigned char* x, unsigned* bins, int n) {
  __shared__ unsigned mine[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&mine[x[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&bins[i], mine[i]);
}"""
    x = rng().integers(0, 256, 20001).astype("u1")
    bins = launch(source, "histogram", (7,), (96,), x, numpy.zeros(256, "u4"), i4(x.size))[1]
    assert_exact(bins, numpy.bincount(x, minlength=256).astype("u4"))


def test_bitonic_sort():
    source = r"""
extern "C" __global__ void sort(float* x) {
  __shared__ float s[512];
  const unsigned t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (unsigned k = 2; k <= 512; k *= 2) {
    for (unsigned j = k / 2; j > 0; j /= 2) {
      const unsigned other = t ^ j;
      if (other > t) {
        const bool up = (t & k) == 0;
        if ((s[t] > s[other]) == up) { const float c = s[t]; s[t] = s[other]; s[other] = c; }
      }
      __syncthreads();
    }
  }
  x[t] = s[t];
}"""
    x = rng().standard_normal(512).astype("f4")
    assert_exact(launch(source, "sort", (1,), (512,), x)[0], numpy.sort(x))


def test_sort_by_odd_and_even_pairs():
    source = r"""
template <typename T>
__device__ void order(T& a, T& b) { if (b < a) { T c = a; a = b; b = c; } }
extern "C" __global__ void sort(short* x, int n) {
  for (int pass = 0; pass < n; ++pass) {
    const int i = 2 * threadIdx.x + (pass & 1);
    if (i + 1 < n) order(x[i], x[i + 1]);
    __syncthreads();
  }
}"""
    x = rng().integers(-1000, 1000, 101).astype("i2")
    assert_exact(launch(source, "sort", (1,), (64,), x, i4(101))[0], numpy.sort(x))


def test_radix_sort_by_bits():
    source = r"""
extern "C" __global__ void sort(unsigned* x) {
  __shared__ unsigned s[128];
  __shared__ int zeros;
  const int t = threadIdx.x;
  unsigned v = x[t];
  for (int bit = 0; bit < 16; ++bit) {
    const int one = (v >> bit) & 1;
    s[t] = 1 - one;
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
      const unsigned add = t >= d ? s[t - d] : 0;
      __syncthreads();
      s[t] += add;
      __syncthreads();
    }
    if (t == 127) zeros = s[127];
    __syncthreads();
    const int to = one ? zeros + t - s[t] : s[t] - 1;
    __syncthreads();
    s[to] = v;
    __syncthreads();
    v = s[t];
    __syncthreads();
  }
  x[t] = v;
}"""
    x = rng().integers(0, 1 << 16, 128).astype("u4")
    assert_exact(launch(source, "sort", (1,), (128,), x)[0], numpy.sort(x))


def test_merge_of_sorted_halves_by_search():
    source = r"""
__device__ int below(const int* x, int n, int value, bool equal) {
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (x[middle] < value || (equal && x[middle] == value)) low = middle + 1;
    else high = middle;
  }
  return low;
}
extern "C" __global__ void merge(const int* x, int* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= 2 * n) return;
  const bool first = i < n;
  const int to = first ? i + below(x + n, n, x[i], false) : i - n + below(x, n, x[i], true);
  y[to] = x[i];
}"""
    x = rng().integers(0, 300, (2, 200)).astype("i4")
    x.sort(1)
    y = launch(source, "merge", (4,), (128,), x.ravel(), numpy.zeros(400, "i4"), i4(200))[1]
    assert_exact(y, numpy.sort(x.ravel()))


# --- stencils, images, physics ---


def test_stencil_with_a_halo():
    source = r"""
#define R 3
extern "C" __global__ void blur(const float* x, float* y, int n) {
  __shared__ float s[64 + 2 * R];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, l = threadIdx.x + R;
  s[l] = i < n ? x[i] : 0;
  if (threadIdx.x < R) {
    s[l - R] = i >= R ? x[i - R] : 0;
    s[l + 64] = i + 64 < n ? x[i + 64] : 0;
  }
  __syncthreads();
  float total = 0;
#pragma unroll
  for (int d = -R; d <= R; ++d) total += s[l + d];
  if (i < n) y[i] = total;
}"""
    x = rng().integers(0, 10, 500).astype("f4")
    y = launch(source, "blur", (8,), (64,), x, numpy.zeros_like(x), i4(500))[1]
    assert_exact(y, numpy.convolve(x, numpy.ones(7, "f4"), "same"))


def test_heat_in_three_dimensions():
    source = r"""
extern "C" __global__ void heat(const double* u, double* v, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
            z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  const long i = (z * ny + y) * (long)nx + x;
  v[i] = u[i] + 0.1 * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx] + u[i - nx * ny] + u[i + nx * ny] - 6 * u[i]);
}"""
    u = rng().random((9, 10, 11))
    v = launch(source, "heat", (2, 3, 5), (8, 4, 2), u, u.copy(), i4(11), i4(10), i4(9))[1]
    w, c = u.copy(), u[1:-1, 1:-1, 1:-1]
    around = (
        u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:] + u[1:-1, :-2, 1:-1]
        + u[1:-1, 2:, 1:-1] + u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1]
    )  # fmt: skip
    w[1:-1, 1:-1, 1:-1] = c + 0.1 * (around - 6 * c)
    numpy.testing.assert_allclose(v, w, rtol=1e-13)


def test_convolution_with_weights_in_constant_memory():
    source = r"""
__constant__ float weights[5];
extern "C" __global__ void convolve(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float total = 0;
  for (int d = 0; d < 5; ++d) {
    const int at = i + d - 2;
    if (at >= 0 && at < n) total += weights[d] * x[at];
  }
  y[i] = total;
}"""
    # Without a GPU variables are those of the CPU.
    with heddle.default_device("cuda" if cuda.is_available() else "cpu"):
        module = RawModule(code=source)
        weights = numpy.array([1, 2, 3, 4, 5], "f4")
        heddle.ndarray((5,), "f4", module.get_global("weights"))[...] = heddle.asarray(weights)
        x = rng().integers(0, 9, 300).astype("f4")
        a, y = heddle.asarray(x), heddle.zeros(300, "f4")
        module.get_function("convolve")((3,), (128,), (a, y, i4(300)))
    assert_exact(heddle.asnumpy(y), numpy.correlate(x, weights, "same"))


def test_mandelbrot():
    source = r"""
extern "C" __global__ void mandelbrot(int* out, int width, int height, int most) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  const double cx = -2.0 + 3.0 * px / width, cy = -1.5 + 3.0 * py / height;
  double x = 0, y = 0;
  int n = 0;
  while (n < most && __dadd_rn(__dmul_rn(x, x), __dmul_rn(y, y)) <= 4) {
    const double next = __dadd_rn(__dadd_rn(__dmul_rn(x, x), -__dmul_rn(y, y)), cx);
    y = __dadd_rn(__dmul_rn(2 * x, y), cy);
    x = next;
    ++n;
  }
  out[py * width + px] = n;
}"""
    width, height, most = 40, 30, 50
    out = launch(
        source, "mandelbrot", (3, 8), (16, 4), numpy.zeros((height, width), "i4"),
        i4(width), i4(height), i4(most),
    )[0]  # fmt: skip
    cx = -2.0 + 3.0 * numpy.arange(width) / width
    cy = -1.5 + 3.0 * numpy.arange(height)[:, None] / height
    x, y, n = numpy.zeros((3, height, width))
    with numpy.errstate(all="ignore"):
        for _ in range(most):
            on = x * x + y * y <= 4
            x, y = numpy.where(on, x * x - y * y + cx, x), numpy.where(on, 2 * x * y + cy, y)
            n += on
    assert (out != n).sum() <= 2  # the compiler may multiply and add at once


def test_bodies_that_attract_each_other():
    source = r"""
struct Body { float3 place; float mass; };
__device__ float3 operator-(float3 a, float3 b) { return make_float3(a.x - b.x, a.y - b.y, a.z - b.z); }
__device__ float3& operator+=(float3& a, float3 b) { a.x += b.x; a.y += b.y; a.z += b.z; return a; }
__device__ float3 operator*(float s, float3 a) { return make_float3(s * a.x, s * a.y, s * a.z); }
extern "C" __global__ void forces(const Body* bodies, float3* out, int n) {
  __shared__ Body tile[32];
  const int i = blockIdx.x * 32 + threadIdx.x;
  float3 total = make_float3(0, 0, 0);
  const float3 here = i < n ? bodies[i].place : total;
  for (int t = 0; t < n; t += 32) {
    if (t + threadIdx.x < n) tile[threadIdx.x] = bodies[t + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < min(32, n - t); ++j) {
      const float3 d = tile[j].place - here;
      const float r = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;
      total += tile[j].mass / (r * sqrtf(r)) * d;
    }
    __syncthreads();
  }
  if (i < n) out[i] = total;
}"""
    bodies = rng().random((75, 4), "f4")
    out = launch(source, "forces", (3,), (32,), bodies, numpy.zeros((75, 3), "f4"), i4(75))[1]
    p, m = bodies[:, :3].astype("f8"), bodies[:, 3]
    d = p[None] - p[:, None]
    r = (d * d).sum(-1) + 0.01
    want = (d * (m / r**1.5)[..., None]).sum(1)
    numpy.testing.assert_allclose(out, want, rtol=2e-4, atol=2e-4)
