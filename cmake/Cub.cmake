# libheddle_cub.so: sorting on NVIDIA GPUs, the one part that nvcc compiles. It is placed beside
# libheddle.so, which opens it when it is first needed; nothing links against it or against CUDA.
#   HEDDLE_CUDA_CUB    AUTO (where there is an nvcc), ON (else an error), OFF
#   HEDDLE_CUDA_ARCHS  as CMAKE_CUDA_ARCHITECTURES; also from the environment. Code for one kind of
#                      GPU and PTX for all newer than 8.0 unless said otherwise.

set(HEDDLE_CUDA_CUB "AUTO" CACHE STRING "Build libheddle_cub.so: AUTO, ON or OFF")
set(HEDDLE_CUDA_ARCHS "$ENV{HEDDLE_CUDA_ARCHS}" CACHE STRING
    "GPUs that libheddle_cub.so has code for (empty: 80-virtual;90-real)")
set_property(CACHE HEDDLE_CUDA_CUB PROPERTY STRINGS AUTO ON OFF)

function(heddle_without_cub reason)
  if(HEDDLE_CUDA_CUB STREQUAL "AUTO")
    message(STATUS "no libheddle_cub.so: ${reason}")
  else()
    message(FATAL_ERROR "HEDDLE_CUDA_CUB=${HEDDLE_CUDA_CUB}, but ${reason}")
  endif()
endfunction()

if(NOT HEDDLE_CUDA_CUB)
  return()
endif()
if(HEDDLE_SANITIZE)
  heddle_without_cub("the sanitizers do not know nvcc")
  return()
endif()
find_program(HEDDLE_NVCC nvcc HINTS $ENV{CUDA_PATH}/bin $ENV{CUDA_HOME}/bin /usr/local/cuda/bin)
mark_as_advanced(HEDDLE_NVCC)
if(NOT HEDDLE_NVCC)
  heddle_without_cub("there is no nvcc")
  return()
endif()

if(HEDDLE_CUDA_ARCHS)
  set(CMAKE_CUDA_ARCHITECTURES ${HEDDLE_CUDA_ARCHS})
else()
  set(CMAKE_CUDA_ARCHITECTURES 80-virtual 90-real)
endif()
if(NOT CMAKE_CUDA_COMPILER)
  set(CMAKE_CUDA_COMPILER ${HEDDLE_NVCC})
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  heddle_without_cub("${HEDDLE_NVCC} does not work")
  return()
endif()
enable_language(CUDA)
if(HEDDLE_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${HEDDLE_CCACHE})
endif()

file(GLOB heddle_cub_sources CONFIGURE_DEPENDS
     ${CMAKE_CURRENT_SOURCE_DIR}/src/backend/cuda/cub/*.cu)
add_library(heddle_cub MODULE ${heddle_cub_sources})
target_compile_options(heddle_cub PRIVATE --extended-lambda -Xfatbin=-compress-all
                                          -Xcompiler=-Wall,-Wno-unused-parameter)
target_link_options(heddle_cub PRIVATE -Wl,--exclude-libs,ALL -Wl,--gc-sections -Wl,-z,defs)
target_link_libraries(heddle_cub PRIVATE ${CMAKE_DL_LIBS} Threads::Threads rt)
set_target_properties(
  heddle_cub
  PROPERTIES CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_RUNTIME_LIBRARY Static
             CUDA_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
             LIBRARY_OUTPUT_DIRECTORY ${HEDDLE_PACKAGE_DIR}/lib)
message(STATUS "libheddle_cub.so: ${CMAKE_CUDA_COMPILER} ${CMAKE_CUDA_COMPILER_VERSION} for "
               "${CMAKE_CUDA_ARCHITECTURES}")
