# Fourier transforms of the CPU: the FFT of ducc0 (BSD-3-Clause), compiled once for each level of
# instructions that src/backend/cpu/target.h knows. Its source package is downloaded by pip from where
# pip downloads everything else, and checked against the hash below. CpuLevels.cmake links it.
#   HEDDLE_DUCC_DIR   an unpacked source package to use instead, for machines without a network

set(HEDDLE_DUCC_DIR "" CACHE PATH "Unpacked source package of ducc0 (empty: downloaded)")
set(ducc_version 0.42.0)
set(ducc_hash sha256:4e11c59b53a43355b053aebb2a62ee16eebeed026575f7d216cf09d437ce52ef)

function(heddle_download_ducc destination)
  if(NOT Python_EXECUTABLE)
    message(FATAL_ERROR "The source package of ducc0 ${ducc_version} is downloaded by pip, and no "
                        "Python was found: unpack it and set HEDDLE_DUCC_DIR")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/download)
  file(WRITE ${folder}/requirements.txt "ducc0==${ducc_version} --hash=${ducc_hash}\n")
  set(download ${Python_EXECUTABLE} -m pip download --quiet --disable-pip-version-check
      --no-deps --no-binary ducc0 --require-hashes -r requirements.txt -d .)
  message(STATUS "Downloading ducc0 ${ducc_version}")
  # pip asks the package for its metadata, though only its files are wanted. Its build tool is one of
  # ours and answers at once; where it is missing, pip downloads it as well.
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env SKBUILD_CMAKE_VERSION=>=3.25 ${download} --no-build-isolation
    WORKING_DIRECTORY ${folder} RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
  if(failed)
    execute_process(COMMAND ${download} WORKING_DIRECTORY ${folder} RESULT_VARIABLE failed
                    OUTPUT_VARIABLE again ERROR_VARIABLE again)
  endif()
  if(failed)
    message(FATAL_ERROR "Could not download ducc0 ${ducc_version}; unpack its source package and "
                        "set HEDDLE_DUCC_DIR\n${log}\n${again}")
  endif()
  file(ARCHIVE_EXTRACT INPUT ${folder}/ducc0-${ducc_version}.tar.gz DESTINATION ${destination})
endfunction()

set(ducc_dir ${HEDDLE_DUCC_DIR})
if(NOT ducc_dir)
  set(ducc_dir ${CMAKE_CURRENT_BINARY_DIR}/ducc0-${ducc_version})
  if(NOT EXISTS ${ducc_dir}/src/ducc0/fft/fft.h)
    heddle_download_ducc(${CMAKE_CURRENT_BINARY_DIR})
  endif()
endif()

# The package's LICENSE is the GPL, under which parts of it are; what is used here also says this.
file(READ ${ducc_dir}/src/ducc0/fft/fft.h licence)
string(REGEX MATCH "^.*SUCH DAMAGE\\." licence "${licence}")
if(NOT licence MATCHES "BSD-3-Clause")
  message(FATAL_ERROR "${ducc_dir} is not ducc0 ${ducc_version}")
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
