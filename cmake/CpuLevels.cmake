# What is compiled once for each level of instructions (src/backend/cpu/target.h): Fourier transforms,
# see Ducc.cmake, and sorting by x86-simd-sort, whose headers are in third_party.

function(heddle_add_sort_level level)
  set(target heddle_sort_${level})
  add_library(${target} STATIC src/backend/cpu/xss/sort_level.cpp)
  target_include_directories(${target} PRIVATE include src)
  target_include_directories(${target} SYSTEM PRIVATE third_party/x86-simd-sort)
  target_compile_definitions(${target} PRIVATE HEDDLE_CPU_LEVEL=${level})
  if(HEDDLE_SANITIZE)  # as for ducc0
    set_target_properties(${target} PROPERTIES COMPILE_OPTIONS "")
  endif()
  target_compile_options(${target} PRIVATE -O3 ${ARGN} -ffunction-sections -fdata-sections)
endfunction()
heddle_add_sort_level(v2 -march=x86-64-v2)
heddle_add_sort_level(v3 -march=x86-64-v3)
heddle_add_sort_level(v4 -march=x86-64-v4)
heddle_add_sort_level(v4_vbmi2 -march=x86-64-v4 -mavx512vbmi2)

# The lowest level comes first: where the linker has an inline function of the standard library from
# several of them, it takes the first, which every processor can run.
add_library(heddle_cpu_levels INTERFACE)
target_link_libraries(
  heddle_cpu_levels INTERFACE heddle_ducc_v2 heddle_sort_v2 heddle_ducc_v3 heddle_sort_v3
                              heddle_ducc_v4 heddle_sort_v4 heddle_sort_v4_vbmi2)
