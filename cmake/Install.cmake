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
endfunction()

if(DEFINED SKBUILD)
  heddle_install_library(python heddle/lib)
  if(TARGET _core)
    install(TARGETS _core LIBRARY DESTINATION heddle COMPONENT python)
  endif()
  return()
endif()

heddle_install_library(development ${CMAKE_INSTALL_LIBDIR} EXPORT heddle_targets)
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
