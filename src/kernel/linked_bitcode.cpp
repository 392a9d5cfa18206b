// The bitcode of special functions, as bytes of this library (cmake/Special.cmake).
#include "kernel/linked_bitcode.h"

__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    ".global heddle_linked_begin\n"
    ".global heddle_linked_end\n"
    ".hidden heddle_linked_begin\n"
    ".hidden heddle_linked_end\n"
    "heddle_linked_begin:\n"
    ".incbin \"" HEDDLE_SPECIAL_BITCODE
    "\"\n"
    "heddle_linked_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const char heddle_linked_begin[] __attribute__((visibility("hidden")));
extern const char heddle_linked_end[] __attribute__((visibility("hidden")));
}

namespace heddle::kernel {

std::string_view linked_bitcode() {
  return {heddle_linked_begin, static_cast<std::size_t>(heddle_linked_end - heddle_linked_begin)};
}

}  // namespace heddle::kernel
