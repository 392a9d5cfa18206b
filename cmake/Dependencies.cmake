# Third-party libraries as targets: heddle_llvm, heddle_blas, TBB::tbb, heddle_highway, fmt. ducc0,
# which is compiled here, has a file of its own.
# None of them shows in the public headers, so none is needed by users of the installed package.

find_package(Threads REQUIRED)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)

# --- LLVM: static, and only what the JIT uses -----------------------------------------------------
find_program(HEDDLE_LLVM_CONFIG NAMES llvm-config-22 llvm-config
             HINTS /usr/lib/llvm-22/bin REQUIRED)
set(HEDDLE_LLVM_COMPONENTS
    orcjit native x86 nvptx passes linker bitreader bitwriter irreader)

function(heddle_llvm_config out)
  execute_process(COMMAND ${HEDDLE_LLVM_CONFIG} ${ARGN} OUTPUT_VARIABLE text
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(text UNIX_COMMAND "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

heddle_llvm_config(HEDDLE_LLVM_VERSION --version)
if(NOT HEDDLE_LLVM_VERSION MATCHES "^22\\.")
  message(FATAL_ERROR "LLVM 22 is needed (Debian: llvm-22-dev); found ${HEDDLE_LLVM_VERSION}")
endif()
heddle_llvm_config(llvm_include --includedir)
heddle_llvm_config(llvm_libdir --libdir)
heddle_llvm_config(llvm_libs --link-static --libs ${HEDDLE_LLVM_COMPONENTS})

# zlib and zstd are linked statically where their archives are installed. libxml2 and z3, which
# llvm-config also names, serve parts of LLVM that are never pulled in.
find_library(HEDDLE_ZLIB NAMES libz.a z REQUIRED)
find_library(HEDDLE_ZSTD NAMES libzstd.a zstd REQUIRED)
mark_as_advanced(HEDDLE_LLVM_CONFIG HEDDLE_ZLIB HEDDLE_ZSTD)

add_library(heddle_llvm INTERFACE)
target_include_directories(heddle_llvm SYSTEM INTERFACE ${llvm_include})
target_compile_definitions(heddle_llvm INTERFACE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS
                                                 __STDC_LIMIT_MACROS)
target_link_directories(heddle_llvm INTERFACE ${llvm_libdir})
target_link_libraries(heddle_llvm INTERFACE ${llvm_libs} ${HEDDLE_ZLIB} ${HEDDLE_ZSTD}
                                            ${CMAKE_DL_LIBS} Threads::Threads rt m)

# --- OpenBLAS: the wheel that NumPy and SciPy are built with, else the system's ---------------------
# HEDDLE_BLAS_PREFIX/SUFFIX give the spelling of the symbols, HEDDLE_BLAS_ILP64 64-bit integers.
add_library(heddle_blas INTERFACE)
set(openblas_dir "")
if(Python_EXECUTABLE)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c
            "import os, scipy_openblas64 as o; print(os.path.dirname(o.__file__))"
    OUTPUT_VARIABLE openblas_dir OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(openblas_dir)
  set(HEDDLE_BLAS_LIBRARY ${openblas_dir}/lib/libscipy_openblas64_.so)
  target_include_directories(heddle_blas SYSTEM INTERFACE ${openblas_dir}/include)
  target_compile_definitions(heddle_blas INTERFACE HEDDLE_BLAS_ILP64=1 HEDDLE_BLAS_SCIPY=1)
else()
  find_library(HEDDLE_BLAS_LIBRARY NAMES openblas REQUIRED)
  find_path(HEDDLE_BLAS_INCLUDE NAMES cblas.h PATH_SUFFIXES openblas REQUIRED)
  target_include_directories(heddle_blas SYSTEM INTERFACE ${HEDDLE_BLAS_INCLUDE})
endif()
target_link_libraries(heddle_blas INTERFACE ${HEDDLE_BLAS_LIBRARY})

# --- Highway ----------------------------------------------------------------------------------------
find_package(hwy REQUIRED)
add_library(heddle_highway INTERFACE)
# libhwy_contrib.so has no path to libhwy.so: where both are bundled, it must have been loaded before.
target_link_libraries(
  heddle_highway INTERFACE -Wl,--push-state,--no-as-needed $<TARGET_FILE:hwy::hwy> -Wl,--pop-state
                           hwy::hwy_contrib)

message(STATUS "LLVM ${HEDDLE_LLVM_VERSION} (static), TBB ${TBB_VERSION}, fmt ${fmt_VERSION}, "
               "Highway ${hwy_VERSION}, BLAS ${HEDDLE_BLAS_LIBRARY}")
