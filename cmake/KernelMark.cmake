# Run as a script: writes OUTPUT, a header with a hash of SOURCES (a file that lists them). It names
# the code generator in the keys of compiled kernels, so that what another one made is never used.
file(STRINGS ${SOURCES} files)
set(text "")
foreach(file IN LISTS files)
  file(SHA256 ${file} hash)
  string(APPEND text ${hash})
endforeach()
string(SHA256 mark "${text}")
file(WRITE ${OUTPUT}.new "// Made by cmake/KernelMark.cmake.\n#define HEDDLE_KERNEL_MARK \"${mark}\"\n")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
file(REMOVE ${OUTPUT}.new)
