# Two installations from one build:
#   component "development": headers, libheddle.so and heddle-config.cmake for find_package(heddle)
#   component "python": what the wheel adds to the .py files
# Both carry the shared libraries that libheddle.so needs beside it.

include(CMakePackageConfigHelpers)

# Everything but these comes from the system: the C and C++ run time and the loader.
set(heddle_system_libraries
    "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so" "^ld-linux" "^linux-vdso" "^lib[atu]san\\.so"
    "^libubsan\\.so")
get_filename_component(heddle_blas_dir ${HEDDLE_BLAS_LIBRARY} DIRECTORY)

# NVIDIA's math functions for kernels, which its licence lets applications bring along. Where it is
# not there at build time, kernels that need it look for a CUDA toolkit at run time.
find_file(HEDDLE_LIBDEVICE libdevice.10.bc NO_DEFAULT_PATH
          PATHS $ENV{CUDA_PATH}/nvvm/libdevice $ENV{CUDA_HOME}/nvvm/libdevice
                /usr/local/cuda/nvvm/libdevice)
mark_as_advanced(HEDDLE_LIBDEVICE)

function(heddle_install_library component destination)
  install(
    TARGETS heddle ${ARGN}
    RUNTIME_DEPENDENCIES
      PRE_EXCLUDE_REGEXES ${heddle_system_libraries}
      DIRECTORIES ${heddle_blas_dir}
    LIBRARY DESTINATION ${destination} COMPONENT ${component}
    RUNTIME DESTINATION ${destination} COMPONENT ${component})
  if(heddle_pack_file)
    install(FILES ${heddle_pack_file} DESTINATION ${destination} COMPONENT ${component})
  endif()
  if(TARGET heddle_cub)
    install(TARGETS heddle_cub LIBRARY DESTINATION ${destination} COMPONENT ${component})
  endif()
  if(HEDDLE_LIBDEVICE)
    install(FILES ${HEDDLE_LIBDEVICE} DESTINATION ${destination} COMPONENT ${component})
  endif()
endfunction()

# The licences of what is bundled or linked statically, where the packages bring their text.
function(heddle_install_licences component destination)
  file(GLOB openblas ${heddle_blas_dir}/../../scipy_openblas64-*.dist-info/licenses/LICENSE.txt)
  set(LLVM /usr/share/doc/llvm-22-dev/copyright)
  set(oneTBB /usr/share/doc/libtbb12/copyright)
  set(fmt /usr/share/doc/libfmt-dev/copyright)
  set(Highway /usr/share/doc/libhwy-dev/copyright)
  set(zlib /usr/share/doc/zlib1g-dev/copyright)
  set(zstd /usr/share/doc/libzstd-dev/copyright)
  set(OpenBLAS ${openblas})
  set(ducc0 ${HEDDLE_DUCC_LICENCE})
  set(x86-simd-sort ${HEDDLE_SIMD_SORT_DIR}/LICENSE.md)
  set(SciPy ${HEDDLE_SCIPY_SOURCES}/LICENSE.txt)
  set(xsf ${HEDDLE_SCIPY_SOURCES}/subprojects/xsf/LICENSE)
  set(xsf-bundled ${HEDDLE_SCIPY_SOURCES}/subprojects/xsf/LICENSES_bundled.txt)  # Cephes, Faddeeva, …
  set(Boost.Math ${HEDDLE_SCIPY_SOURCES}/subprojects/boost_math/math/LICENSE)
  foreach(name IN ITEMS LLVM oneTBB fmt Highway zlib zstd OpenBLAS ducc0 x86-simd-sort SciPy xsf
                        xsf-bundled Boost.Math)
    if(${name} AND EXISTS "${${name}}")
      install(FILES ${${name}} DESTINATION ${destination} RENAME ${name}.txt
              COMPONENT ${component})
    endif()
  endforeach()
endfunction()

if(DEFINED SKBUILD)
  heddle_install_library(python heddle/lib)
  heddle_install_licences(python heddle/licences)
  if(TARGET _core)
    install(TARGETS _core LIBRARY DESTINATION heddle COMPONENT python)
  endif()
  return()
endif()

heddle_install_library(development ${CMAKE_INSTALL_LIBDIR} EXPORT heddle_targets)
heddle_install_licences(development ${CMAKE_INSTALL_DATADIR}/licenses/heddle)
install(DIRECTORY include/heddle DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

set(heddle_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/heddle)
install(EXPORT heddle_targets FILE heddle-targets.cmake NAMESPACE heddle::
        DESTINATION ${heddle_cmake_dir} COMPONENT development)
write_basic_package_version_file(heddle-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_package_config_file(
  cmake/heddle-config.cmake.in heddle-config.cmake INSTALL_DESTINATION ${heddle_cmake_dir}
  NO_SET_AND_CHECK_MACRO)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/heddle-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/heddle-config-version.cmake
        DESTINATION ${heddle_cmake_dir} COMPONENT development)
