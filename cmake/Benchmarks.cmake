# `ninja heddle_direct`: the libraries that Heddle calls, without Heddle, for benchmarks/libraries.py.
# ducc0 is compiled as Heddle compiles it, for the processor's own level of instructions; it brings
# its threads.
execute_process(COMMAND grep -m1 -c avx512vl /proc/cpuinfo OUTPUT_VARIABLE has_avx512
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(direct_level v3)
if(has_avx512)
  set(direct_level v4)
endif()
add_library(heddle_direct SHARED EXCLUDE_FROM_ALL benchmarks/direct.cpp
            ${ducc_dir}/src/ducc0/infra/mav.cc ${ducc_dir}/src/ducc0/infra/string_utils.cc
            ${ducc_dir}/src/ducc0/infra/threading.cc)
target_include_directories(heddle_direct PRIVATE src)
target_include_directories(heddle_direct SYSTEM PRIVATE ${ducc_dir}/src)
target_compile_options(heddle_direct PRIVATE -O3 -march=x86-64-${direct_level} ${ducc_options})
target_link_libraries(heddle_direct PRIVATE heddle_blas Threads::Threads)

# `ninja heddle_recording`: what recording costs, without Python.
add_executable(heddle_recording EXCLUDE_FROM_ALL benchmarks/recording.cpp)
target_link_libraries(heddle_recording PRIVATE heddle)
