// Code that is loaded while a program runs, told to a debugger of this process by the interface
// that GDB and LLDB have for it. It is here as the library that has LLVM's loader hides its own.
#include <cstdint>
#include <mutex>
#include <string>

#include "backend/cpu/plugin_interface.h"

// The interface: a list of object files, and a function where debuggers have a breakpoint.
extern "C" {

struct jit_code_entry {
  jit_code_entry* next_entry;
  jit_code_entry* prev_entry;
  const char* symfile_addr;
  std::uint64_t symfile_size;
};

struct jit_descriptor {
  std::uint32_t version;
  std::uint32_t action_flag;
  jit_code_entry* relevant_entry;
  jit_code_entry* first_entry;
};

// NOLINTBEGIN(bugprone-reserved-identifier): these are the names that debuggers look for
__attribute__((visibility("default"))) extern jit_descriptor __jit_debug_descriptor;
jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};

__attribute__((visibility("default"))) void __jit_debug_register_code();
[[gnu::noinline]] void __jit_debug_register_code() { asm volatile("" ::: "memory"); }
// NOLINTEND(bugprone-reserved-identifier)
}

namespace heddle::clang_plugin {
namespace {

constexpr std::uint32_t registers = 1, unregisters = 2;

std::mutex& list_mutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

void tell(std::uint32_t action, jit_code_entry& entry) {
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_descriptor.relevant_entry = &entry;
  __jit_debug_register_code();
  __jit_debug_descriptor.action_flag = 0;
  __jit_debug_descriptor.relevant_entry = nullptr;
}

class Told {
 public:
  explicit Told(std::string file) : file_(std::move(file)) {
    const std::lock_guard lock(list_mutex());
    entry_ = {__jit_debug_descriptor.first_entry, nullptr, file_.data(), file_.size()};
    if (entry_.next_entry != nullptr) entry_.next_entry->prev_entry = &entry_;
    __jit_debug_descriptor.first_entry = &entry_;
    tell(registers, entry_);
  }
  ~Told() {
    const std::lock_guard lock(list_mutex());
    if (entry_.next_entry != nullptr) entry_.next_entry->prev_entry = entry_.prev_entry;
    (entry_.prev_entry != nullptr ? entry_.prev_entry->next_entry
                                  : __jit_debug_descriptor.first_entry) = entry_.next_entry;
    tell(unregisters, entry_);
  }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

 private:
  std::string file_;
  jit_code_entry entry_{};
};

}  // namespace
}  // namespace heddle::clang_plugin

void* heddle_clang_tell_debugger(const char* object, size_t size) {
  return new heddle::clang_plugin::Told(std::string(object, size));
}

void heddle_clang_forget(void* told) { delete static_cast<heddle::clang_plugin::Told*>(told); }
