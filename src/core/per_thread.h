// An object for each thread, made when the thread first asks for it and destroyed when it ends.
//
// The words of a thread (thread_local) have only its address. They are quick to reach as long as a
// library has few of them: glibc has 512 bytes for libraries that are loaded while a program runs,
// as Python's extensions are, and looks up where the others are at each use.
#pragma once

#include <utility>

#include <heddle/export.h>

namespace heddle {

// Calls it when this thread ends, the last one first. False when the thread is ending already.
HEDDLE_API bool at_end_of_thread(void (*call)());

template <class T>
class PerThread {
 public:
  // Null when the thread is ending and has destroyed it: destructors of others may still ask.
  static T* get() { return object_ ? object_ : make(); }
  // For what these have no use for.
  static T& own() {
    T* object = get();
    return object ? *object : *(object_ = new T);
  }

 private:
  [[gnu::noinline]] static T* make() {
    auto destroy = [] { delete std::exchange(object_, nullptr); };
    return at_end_of_thread(destroy) ? object_ = new T : nullptr;
  }

  static inline constinit thread_local T* object_ = nullptr;  // NOLINT(*-naming): a member
};

}  // namespace heddle
