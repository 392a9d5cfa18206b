# HEDDLE_SANITIZE=address,undefined or HEDDLE_SANITIZE=thread instruments everything that is
# compiled here. LLVM, oneTBB and OpenBLAS stay as they are.

set(HEDDLE_SANITIZE "" CACHE STRING "Sanitizers: empty, address,undefined or thread")
if(HEDDLE_SANITIZE)
  # -O1: half the time to compile, and frames in reports that are those of the source.
  add_compile_options(-fsanitize=${HEDDLE_SANITIZE} -O1 -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${HEDDLE_SANITIZE})
  if(HEDDLE_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()

# TSan cannot see the synchronisation inside libtbb.so, and would report every hand-over of a task.
# So the few files that include oneTBB's headers are not instrumented, and say with
# __tsan_release/__tsan_acquire (under HEDDLE_TSAN) what happens before what. The work they hand out
# lives in other files and is checked in full.
function(heddle_exempt_tbb_users)
  if(NOT HEDDLE_SANITIZE STREQUAL "thread")
    return()
  endif()
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} includes REGEX "#include <(oneapi/)?tbb/" LIMIT_COUNT 1)
    if(includes)
      message(STATUS "not instrumented: ${source}")
      set_source_files_properties(
        ${source} PROPERTIES COMPILE_OPTIONS "-fno-sanitize=thread;-DHEDDLE_TSAN=1"
                             SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
endfunction()
