// What the plug-in gives to whoever loads it: CUDA C++ in, an object file for this machine out.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct heddle_clang_source {
  const char* text;
  const char* file;  // what messages call it
  const char* const* options;
  size_t option_count;
  const char* const* names;  // as the source has them, "sum<float>", of which symbols are wanted
  size_t name_count;
  const char* const* header_names;
  const char* const* header_texts;
  size_t header_count;
  const char* triple;  // of the machine that runs it
  const char* cpu;
  const char* features;
};

struct heddle_clang_result {
  int done;
  const char* object;
  size_t object_size;
  const char* log;  // what the compiler says, also where it fails
  // Lines of words: what the object has, and the symbols of the names. See description.h.
  const char* description;
  void* owner;
};

// Safe from any thread; the result is released with the other function.
__attribute__((visibility("default"))) struct heddle_clang_result* heddle_clang_compile(
    const struct heddle_clang_source* source);
__attribute__((visibility("default"))) void heddle_clang_release(
    struct heddle_clang_result* result);
// A debugger of this process knows of an object, whose sections say where they lie, until it is
// forgotten.
__attribute__((visibility("default"))) void* heddle_clang_tell_debugger(const char* object,
                                                                        size_t size);
__attribute__((visibility("default"))) void heddle_clang_forget(void* told);
// Of the interface, the lowering and the headers together: code of another one is compiled again.
__attribute__((visibility("default"))) const char* heddle_clang_version(void);

#ifdef __cplusplus
}
#endif
