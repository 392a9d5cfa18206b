// Sorting, searching and counting on GPUs, by libheddle_cub.so.
#pragma once

#include "backend/cuda/driver.h"
#include "runtime/sorting.h"

namespace heddle::cuda {

class CudaDevice;

// Each call throws import_error where the library was not built.
class CudaSorting final : public Sorting {
 public:
  explicit CudaSorting(CudaDevice& device) : device_(device) {}
  void sort(const Keys& keys) override;
  void argsort(const Keys& keys, Buffer& positions) override;
  void search(const Keys& sorted, const Keys& values, const KeyMap& map, bool right,
              Buffer& positions) override;
  void count(const Keys& bins, Buffer* weights, Buffer& totals, std::int64_t total_count) override;
  bool counts_sums() const override;  // where the library was built

 private:
  CudaDevice& device_;
};

}  // namespace heddle::cuda
