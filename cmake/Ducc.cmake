# Fourier transforms of the CPU: the FFT of ducc0 (BSD-3-Clause), compiled once for each level of
# instructions that src/backend/cpu/target.h knows. CpuLevels.cmake links it.
#   HEDDLE_DUCC_DIR   an unpacked source package, instead of a download

set(HEDDLE_DUCC_DIR "" CACHE PATH "Unpacked source package of ducc0 (empty: downloaded)")
heddle_source_package(
  ducc_dir NAME ducc0 VERSION 0.42.0
  HASH sha256:4e11c59b53a43355b053aebb2a62ee16eebeed026575f7d216cf09d437ce52ef
  BACKEND scikit_build_core.build DIRECTORY "${HEDDLE_DUCC_DIR}" FILES "*/src/ducc0/*")

# The package's LICENSE is the GPL, under which parts of it are; what is used here also says this.
file(READ ${ducc_dir}/src/ducc0/fft/fft.h licence)
string(REGEX MATCH "^.*SUCH DAMAGE\\." licence "${licence}")
if(NOT licence MATCHES "BSD-3-Clause")
  message(FATAL_ERROR "${ducc_dir} is not a source package of ducc0")
endif()
set(HEDDLE_DUCC_LICENCE ${CMAKE_CURRENT_BINARY_DIR}/ducc0-licence.txt)
file(WRITE ${HEDDLE_DUCC_LICENCE} "${licence}\n*/\n")

# Numbers that are not finite keep their meaning: no -ffast-math.
set(ducc_options -ffp-contract=fast -fno-math-errno -fno-trapping-math)

foreach(level IN ITEMS v2 v3 v4)
  set(target heddle_ducc_${level})
  add_library(${target} STATIC src/backend/cpu/ducc/transform.cpp ${ducc_dir}/src/ducc0/infra/mav.cc
                               ${ducc_dir}/src/ducc0/infra/threading.cc)
  target_include_directories(${target} PRIVATE include src src/backend/cpu/ducc)
  target_include_directories(${target} SYSTEM PRIVATE ${ducc_dir}/src)
  target_compile_definitions(${target} PRIVATE DUCC0_NAMESPACE=heddle_ducc_${level}
                             DUCC0_CUSTOM_LOWLEVEL_THREADING HEDDLE_CPU_LEVEL=${level})
  if(HEDDLE_SANITIZE)  # not ours, and it takes the compiler ten minutes: as in other builds
    set_target_properties(${target} PROPERTIES COMPILE_OPTIONS "")
  endif()
  target_compile_options(${target} PRIVATE -O3 -march=x86-64-${level} ${ducc_options}
                         -ffunction-sections -fdata-sections)
endforeach()
