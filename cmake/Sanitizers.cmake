# HEDDLE_SANITIZE=address,undefined or HEDDLE_SANITIZE=thread instruments everything that is
# compiled here. LLVM, oneTBB and OpenBLAS stay as they are.

set(HEDDLE_SANITIZE "" CACHE STRING "Sanitizers: empty, address,undefined or thread")
if(HEDDLE_SANITIZE)
  add_compile_options(-fsanitize=${HEDDLE_SANITIZE} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${HEDDLE_SANITIZE})
  if(HEDDLE_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
