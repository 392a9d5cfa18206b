// Arrays as arguments of kernels, and places in them.
#pragma once

typedef long long int64;

// Elements of N dimensions; `dense`: in C order without gaps. Laid out as the host writes it.
template <typename T, int N, bool dense>
class CArray {
 public:
  static const int ndim = N;

  __device__ int64 size() const { return size_; }
  __device__ const int64* shape() const { return shape_; }
  __device__ const int64* strides() const { return strides_; }  // in bytes

  // The i-th element in C order.
  __device__ T& operator[](int64 i) const {
    if (dense) return data_[i];
    char* at = (char*)data_;
#pragma unroll
    for (int d = N - 1; d > 0; --d) {
      at += strides_[d] * (i % shape_[d]);
      i /= shape_[d];
    }
    if (N > 0) at += strides_[0] * i;
    return *(T*)at;
  }
  // By an index for each dimension.
  template <typename Index>
  __device__ T& operator[](const Index* index) const {
    char* at = (char*)data_;
#pragma unroll
    for (int d = 0; d < N; ++d) at += strides_[d] * index[d];
    return *(T*)at;
  }

 private:
  T* data_;
  int64 size_;
  int64 shape_[N ? N : 1];
  int64 strides_[N ? N : 1];
};

// Walks the elements of a shape in C order.
template <int N>
class CIndexer {
 public:
  static const int ndim = N;

  __device__ int64 size() const { return size_; }
  __device__ const int64* shape() const { return shape_; }
  __device__ void set(int64 i) {
#pragma unroll
    for (int d = N - 1; d > 0; --d) {
      index_[d] = i % shape_[d];
      i /= shape_[d];
    }
    if (N > 0) index_[0] = i;
  }
  __device__ const int64* get() const { return index_; }

 private:
  int64 size_;
  int64 shape_[N ? N : 1];
  int64 index_[N ? N : 1];
};
