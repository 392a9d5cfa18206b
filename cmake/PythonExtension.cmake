# heddle._core: nanobind bindings over libheddle.so. Stable ABI from Python 3.12 on.

file(GLOB_RECURSE heddle_binding_sources CONFIGURE_DEPENDS
     ${CMAKE_CURRENT_SOURCE_DIR}/src/python/*.cpp)
if(NOT heddle_binding_sources)
  message(STATUS "src/python is empty: no Python extension")
  return()
endif()

execute_process(
  COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir OUTPUT_VARIABLE nanobind_ROOT
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

nanobind_add_module(_core STABLE_ABI NB_STATIC NOMINSIZE NB_SUPPRESS_WARNINGS
                    ${heddle_binding_sources})
target_include_directories(_core PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
target_compile_definitions(_core PRIVATE FMT_HEADER_ONLY)
target_compile_options(_core PRIVATE ${heddle_warnings})
target_link_libraries(_core PRIVATE heddle fmt::fmt-header-only)
target_precompile_headers(_core PRIVATE src/precompiled.h <nanobind/nanobind.h>
                          <nanobind/stl/string.h> <nanobind/stl/vector.h>)
set_target_properties(
  _core PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${HEDDLE_PACKAGE_DIR} BUILD_RPATH "$ORIGIN/lib"
                   INSTALL_RPATH "$ORIGIN/lib")

# A package folder of its own (instrumented builds) gets links to the Python files.
set(heddle_package_source ${CMAKE_CURRENT_SOURCE_DIR}/python/heddle)
if(NOT HEDDLE_PACKAGE_DIR STREQUAL heddle_package_source AND NOT DEFINED SKBUILD)
  add_custom_target(
    package_links ALL
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${heddle_package_source} -DTARGET=${HEDDLE_PACKAGE_DIR} -P
            ${CMAKE_CURRENT_SOURCE_DIR}/cmake/LinkPackage.cmake
    VERBATIM)
endif()
