# What is compiled once for each level of instructions (src/backend/cpu/target.h): Fourier transforms,
# see Ducc.cmake, and sorting by x86-simd-sort (BSD-3-Clause), which comes with NumPy's source package.
#   HEDDLE_NUMPY_DIR   an unpacked one, instead of a download

set(HEDDLE_NUMPY_DIR "" CACHE PATH "Unpacked source package of NumPy (empty: downloaded)")
heddle_source_package(
  numpy_dir NAME numpy VERSION 2.4.6
  HASH sha256:f3a3570c4a2a16746ac2c31a7c7c7b0c186b95ce902e33db6f28094ed7387dda
  BACKEND mesonpy DIRECTORY "${HEDDLE_NUMPY_DIR}" FILES "*/npysort/x86-simd-sort/*")
set(HEDDLE_SIMD_SORT_DIR ${numpy_dir}/numpy/_core/src/npysort/x86-simd-sort)

function(heddle_add_sort_level level)
  set(target heddle_sort_${level})
  add_library(${target} STATIC src/backend/cpu/xss/sort_level.cpp)
  target_include_directories(${target} PRIVATE include src)
  target_include_directories(${target} SYSTEM PRIVATE ${HEDDLE_SIMD_SORT_DIR}/src)
  target_compile_definitions(${target} PRIVATE HEDDLE_CPU_LEVEL=${level})
  if(HEDDLE_SANITIZE)  # as for ducc0
    set_target_properties(${target} PROPERTIES COMPILE_OPTIONS "")
  endif()
  target_compile_options(${target} PRIVATE -O3 ${ARGN} -ffunction-sections -fdata-sections)
endfunction()
heddle_add_sort_level(v2 -march=x86-64-v2)
heddle_add_sort_level(v3 -march=x86-64-v3)
heddle_add_sort_level(v4 -march=x86-64-v4 -mprefer-vector-width=512)
heddle_add_sort_level(v4_vbmi2 -march=x86-64-v4 -mavx512vbmi2)

# The lowest level comes first: where the linker has an inline function of the standard library from
# several of them, it takes the first, which every processor can run.
add_library(heddle_cpu_levels INTERFACE)
target_link_libraries(
  heddle_cpu_levels INTERFACE heddle_ducc_v2 heddle_sort_v2 heddle_ducc_v3 heddle_sort_v3
                              heddle_ducc_v4 heddle_sort_v4 heddle_sort_v4_vbmi2)
