# ccache in front of the compiler, and the fastest linker at hand: relinking against static LLVM
# takes about a second with mold and half a minute with GNU ld.

find_program(HEDDLE_CCACHE ccache)
mark_as_advanced(HEDDLE_CCACHE)
if(HEDDLE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without the first two, ccache refuses to cache anything that uses a precompiled header; with the
  # others a checkout elsewhere, as CI's, finds what this one has compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${HEDDLE_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()

set(HEDDLE_LINKER "auto" CACHE STRING "Linker: auto, mold, lld, gold, bfd")
if(HEDDLE_LINKER STREQUAL "auto")
  find_program(HEDDLE_MOLD mold)
  find_program(HEDDLE_LLD NAMES ld.lld ld.lld-22)
  mark_as_advanced(HEDDLE_MOLD HEDDLE_LLD)
  if(HEDDLE_MOLD)
    add_link_options(-fuse-ld=mold)
  elseif(HEDDLE_LLD)
    add_link_options(-fuse-ld=lld)
  endif()
else()
  add_link_options(-fuse-ld=${HEDDLE_LINKER})
endif()
