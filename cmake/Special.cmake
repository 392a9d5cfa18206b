# SciPy's special functions as LLVM bitcode, which kernels link what they call from (src/special). The
# sources are xsf and others in SciPy's source package; Clang of LLVM's version compiles them.
#   HEDDLE_SCIPY_DIR   an unpacked source package, instead of a download
#   HEDDLE_CLANG       the compiler, clang++ 22

set(HEDDLE_SCIPY_DIR "" CACHE PATH "Unpacked source package of SciPy (empty: downloaded)")
heddle_source_package(
  scipy_dir NAME scipy VERSION 1.17.1
  HASH sha256:95d8e012d8cb8816c226aef832200b1d45109ed4464303e997c5b13122b297c0
  BACKEND mesonpy DIRECTORY "${HEDDLE_SCIPY_DIR}"
  FILES "*/LICENSE*" "*/subprojects/xsf/*" "*/subprojects/boost_math/math/*" "*/scipy/special/*")
set(HEDDLE_SCIPY_SOURCES ${scipy_dir})
set(xsf_dir ${scipy_dir}/subprojects/xsf)
set(boost_dir ${scipy_dir}/subprojects/boost_math/math)
if(NOT EXISTS ${xsf_dir}/include/xsf/gamma.h)
  message(FATAL_ERROR "${scipy_dir} is not a source package of SciPy")
endif()

heddle_llvm_config(llvm_bindir --bindir)
find_program(HEDDLE_CLANG NAMES clang++-22 clang++ HINTS ${llvm_bindir})
if(HEDDLE_CLANG)
  execute_process(COMMAND ${HEDDLE_CLANG} --version OUTPUT_VARIABLE clang_version ERROR_QUIET)
endif()
if(NOT clang_version MATCHES "clang version 22\\.")
  message(FATAL_ERROR "Special functions are compiled by Clang 22, which was not found (Debian: "
                      "clang-22); set HEDDLE_CLANG to a clang++ of that version")
endif()
find_program(HEDDLE_LLVM_LINK NAMES llvm-link HINTS ${llvm_bindir} NO_DEFAULT_PATH REQUIRED)
find_program(HEDDLE_LLVM_OPT NAMES opt HINTS ${llvm_bindir} NO_DEFAULT_PATH REQUIRED)
mark_as_advanced(HEDDLE_CLANG HEDDLE_LLVM_LINK HEDDLE_LLVM_OPT)

# One file of some that are included asks for <Python.h>, and uses nothing of it.
set(special_dir ${CMAKE_CURRENT_BINARY_DIR}/special)
file(WRITE ${special_dir}/include/Python.h "")

# For no machine in particular: a kernel's target decides on instructions. No vectors either, as
# there are devices that have none, and no long double. Nothing is contracted, as in the rest of a
# kernel.
set(special_options
    --target=x86_64-linux-gnu -std=c++20 -O2 -DNDEBUG -emit-llvm -w -fno-exceptions -fno-rtti
    -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-vectorize -fno-slp-vectorize
    -mlong-double-64 -fno-stack-protector -fno-unwind-tables -fno-asynchronous-unwind-tables
    -I${CMAKE_CURRENT_SOURCE_DIR}/include -I${CMAKE_CURRENT_SOURCE_DIR}/src
    -isystem ${special_dir}/include -isystem ${xsf_dir}/include -isystem ${boost_dir}/include
    -isystem ${scipy_dir}/scipy/special)
# Of each part only what kernels call stays, and nothing has a name that another part may have.
# Variables that nobody writes become constants: kernels have no others.
set(special_parts "")
foreach(part IN ITEMS xsf boost scipy written complex)
  set(made ${special_dir}/${part}.bc)
  add_custom_command(
    OUTPUT ${made}
    COMMAND ${HEDDLE_CLANG} ${special_options} -MD -MF ${made}.d -MT ${made} -c
            ${CMAKE_CURRENT_SOURCE_DIR}/src/special/${part}.cpp -o ${special_dir}/${part}-all.bc
    COMMAND ${HEDDLE_LLVM_OPT} -passes=internalize,globalopt,globaldce
            "-internalize-public-api-list=heddle_special_*,heddle_grid_*"
            ${special_dir}/${part}-all.bc -o ${made}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/special/${part}.cpp cmake/Special.cmake
    DEPFILE ${made}.d
    COMMENT "Compiling special functions: ${part}" VERBATIM)
  list(APPEND special_parts ${made})
endforeach()
set(HEDDLE_SPECIAL_BITCODE ${special_dir}/special.bc)
add_custom_command(
  OUTPUT ${HEDDLE_SPECIAL_BITCODE}
  COMMAND ${HEDDLE_LLVM_LINK} ${special_parts} -o ${HEDDLE_SPECIAL_BITCODE}
  DEPENDS ${special_parts}
  COMMENT "Linking special functions" VERBATIM)
