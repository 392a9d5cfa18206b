# Source packages that parts of the library are compiled from. pip downloads them from where it
# downloads everything else, and checks their hashes.
#
# heddle_source_package(<variable> NAME n VERSION v HASH h BACKEND module DIRECTORY d FILES pattern...)
#   sets <variable> to the package's folder in the build folder, with the files of these patterns in
#   it, or to `d` where the user has unpacked it there, for machines without a network.
#   BACKEND is the package's build tool. pip asks that for the package's metadata, though only the
#   files are wanted: a module of the same name answers at once, and the tool need not be there.

function(heddle_source_package variable)
  cmake_parse_arguments(package "" "NAME;VERSION;HASH;BACKEND;DIRECTORY" "FILES" ${ARGN})
  if(package_DIRECTORY)
    set(${variable} ${package_DIRECTORY} PARENT_SCOPE)
    return()
  endif()
  set(called ${package_NAME}-${package_VERSION})
  set(unpacked ${CMAKE_CURRENT_BINARY_DIR}/${called})
  set(${variable} ${unpacked} PARENT_SCOPE)
  if(EXISTS ${unpacked}/.complete)
    return()
  endif()
  if(NOT Python_EXECUTABLE)
    message(FATAL_ERROR "The source package ${called} is downloaded by pip, and no Python was found")
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/download/${package_NAME})
  file(WRITE ${folder}/requirements.txt
       "${package_NAME}==${package_VERSION} --hash=${package_HASH}\n")
  string(REPLACE "." "/" module ${package_BACKEND})
  cmake_path(GET module PARENT_PATH parent)
  if(parent)  # before a package of that name that is installed
    file(WRITE ${folder}/backend/${parent}/__init__.py "")
  endif()
  file(WRITE ${folder}/backend/${module}.py "\
def prepare_metadata_for_build_wheel(folder, settings=None):
    import pathlib
    made = pathlib.Path(folder) / '${called}.dist-info'
    made.mkdir()
    text = 'Metadata-Version: 2.1\\nName: ${package_NAME}\\nVersion: ${package_VERSION}\\n'
    (made / 'METADATA').write_text(text)
    return made.name
")
  message(STATUS "Downloading the source package ${called}")
  execute_process(
    COMMAND
      ${CMAKE_COMMAND} -E env PYTHONPATH=${folder}/backend ${Python_EXECUTABLE} -m pip download
      --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-binary
      ${package_NAME} --require-hashes -r requirements.txt -d .
    WORKING_DIRECTORY ${folder} RESULT_VARIABLE failed OUTPUT_VARIABLE log ERROR_VARIABLE log)
  if(failed)
    message(FATAL_ERROR "Could not download the source package ${called}\n${log}")
  endif()
  file(ARCHIVE_EXTRACT INPUT ${folder}/${called}.tar.gz DESTINATION ${CMAKE_CURRENT_BINARY_DIR}
       PATTERNS ${package_FILES})
  file(TOUCH ${unpacked}/.complete)
endfunction()
