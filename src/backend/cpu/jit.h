// From a kernel to machine code in two steps that the caches sit between: an object file, and the
// same object file linked into this process. Both throw std::runtime_error, and where there is no
// memory std::bad_alloc or heddle::out_of_memory.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/ir.h"
#include "kernel/target.h"

namespace heddle::cpu {

// ELF bytes; see kernel/llvm_emitter.h for the names of its functions. Safe from any thread.
std::string generate_object(const kernel::Kernel& kernel, const kernel::Target& target,
                            const std::string& prefix);

// Code in this process, for as long as somebody holds it.
struct LoadedObject {
  std::vector<void*> addresses;
  std::shared_ptr<void> code;
};
// Where sections of an object were put, by name.
using SectionAddresses = std::map<std::string, std::uint64_t>;
// With the addresses of these functions; `sections` is filled in where it is given.
LoadedObject load_object(std::string_view object, std::span<const std::string> names,
                         SectionAddresses* sections = nullptr);

}  // namespace heddle::cpu
