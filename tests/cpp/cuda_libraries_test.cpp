// Finding the driver and CUDA's libraries, and what is said where there are none. Needs no GPU.
#include <gtest/gtest.h>

#include "backend/cuda/cusolver.h"
#include "backend/cuda/driver.h"
#include "backend/cuda/libraries.h"
#include "backend/cuda/ranges.h"
#include <heddle/errors.h>

namespace heddle::cuda {
namespace {

bool says(const std::exception& error, const char* text) {
  return std::string(error.what()).find(text) != std::string::npos;
}

TEST(CudaLibraries, MissingOnesSayHowToInstallThem) {
  if (is_installed(Library::cublas)) GTEST_SKIP() << "cuBLAS is installed";
  try {
    find_function(Library::cublas, "cublasCreate_v2");
    FAIL();
  } catch (const import_error& error) {
    EXPECT_TRUE(says(error, "pip install heddle[cuda]"));
    EXPECT_TRUE(says(error, "cuBLAS"));
  }
}

TEST(CudaLibraries, FunctionsThatAreNotThereAreNamed) {
  if (!is_installed(Library::cublas)) GTEST_SKIP() << "cuBLAS is not installed";
  EXPECT_NE(find_function(Library::cublas, "cublasCreate_v2"), nullptr);
  try {
    find_function(Library::cublas, "cublasAbacus");
    FAIL();
  } catch (const device_error& error) {
    EXPECT_TRUE(says(error, "cublasAbacus"));
  }
}

// The tests' own program lies where no such library is.
TEST(CudaLibraries, HeddlesOwnPartSaysWhereItComesFrom) {
  ASSERT_FALSE(is_installed(Library::cub));
  try {
    find_function(Library::cub, "heddle_cub_sort");
    FAIL();
  } catch (const import_error& error) {
    EXPECT_TRUE(says(error, "libheddle_cub.so"));
    EXPECT_TRUE(says(error, "HEDDLE_CUDA_CUB"));
    EXPECT_TRUE(says(error, "CPU"));
  }
}

TEST(CudaLibraries, HaveTheFunctionsOfFourierTransforms) {
  if (!is_installed(Library::cufft)) GTEST_SKIP() << "cuFFT is not installed";
  for (const char* name :
       {"cufftCreate", "cufftDestroy", "cufftSetAutoAllocation", "cufftXtMakePlanMany",
        "cufftSetStream", "cufftSetWorkArea", "cufftXtExec"}) {
    EXPECT_NE(find_function(Library::cufft, name), nullptr);
  }
}

TEST(CudaLibraries, HaveTheFunctionsOfLinearAlgebra) {
  if (!is_installed(Library::cusolver)) GTEST_SKIP() << "cuSOLVER is not installed";
  for (const char* name :
       {"Create", "CreateParams", "CreateGesvdjInfo", "SetStream", "Xgetrf", "Xgetrf_bufferSize",
        "Xgetrs", "Xpotrf", "Xpotrf_bufferSize", "Xgeqrf", "Xgeqrf_bufferSize", "Xsyevd",
        "Xsyevd_bufferSize", "Xgesvd", "Xgesvd_bufferSize", "Xgesvdp", "Xgesvdp_bufferSize"}) {
    EXPECT_NE(find_function(Library::cusolver, (std::string("cusolverDn") + name).c_str()),
              nullptr);
  }
  for (Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::complex64, Dtype::complex128}) {
    for (const char* name :
         {"cusolverDn?potrfBatched", "cusolverDn?gesvdj", "cusolverDn?gesvdj_bufferSize",
          "cusolverDn?gesvdjBatched", "cusolverDn?gesvdjBatched_bufferSize",
          is_complex(dtype) ? "cusolverDn?ungqr" : "cusolverDn?orgqr"}) {
      EXPECT_NE(find_function(Library::cusolver, typed(name, dtype).c_str()), nullptr);
    }
    for (const char* name :
         {"cublas?getrfBatched", "cublas?getrsBatched", "cublas?geqrfBatched", "cublas?geam"}) {
      EXPECT_NE(find_function(Library::cublas, typed(name, dtype).c_str()), nullptr);
    }
  }
  EXPECT_TRUE(has_function(Library::cublas, "cublasGemmStridedBatchedEx_64"));
  EXPECT_TRUE(has_function(Library::cublas, "cublasCgemmStridedBatched_64"));
  EXPECT_FALSE(has_function(Library::cublas, "cublasAbacus"));
}

TEST(CudaDriver, AbsenceIsQuietAndHasAReason) {
  if (driver()) GTEST_SKIP() << "there is a GPU";
  EXPECT_FALSE(why_unavailable().empty());
  EXPECT_TRUE(gpus().empty());
  EXPECT_THROW(api(), device_error);
  EXPECT_THROW(gpu(0), device_error);
}

TEST(CudaDriver, ErrorsAreSorted) {
  EXPECT_THROW(check(CUDA_ERROR_OUT_OF_MEMORY, "x"), out_of_memory);
  EXPECT_NO_THROW(check(CUDA_SUCCESS, "x"));
  EXPECT_TRUE(is_sticky(CUDA_ERROR_ILLEGAL_ADDRESS));
  EXPECT_FALSE(is_sticky(CUDA_ERROR_INVALID_VALUE));
  try {
    check(CUDA_ERROR_ILLEGAL_ADDRESS, "launching");
    FAIL();
  } catch (const device_error& error) {
    EXPECT_EQ(error.status, CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT_TRUE(says(error, "must be restarted"));
  }
}

TEST(CudaRanges, AreNamedByOperations) {
  kernel::Kernel k;
  for (Op op : {Op::load, Op::sin, Op::cast, Op::multiply, Op::store}) {
    kernel::Instr instr;
    instr.op = op;
    k.instrs.push_back(instr);
  }
  kernel::Instr sum;
  sum.op = Op::reduce;
  sum.combine = Op::add;
  k.instrs.push_back(sum);
  EXPECT_EQ(operations_of(k), "sin multiply add.reduce");
  EXPECT_EQ(operations_of(kernel::Kernel{}), "copy");
}

}  // namespace
}  // namespace heddle::cuda
