// Kernels to functions, through the pack of prebuilt kernels, the cache on disk, or LLVM.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backend/cpu/target.h"
#include "kernel/ir.h"
#include "kernel/target.h"
#include "runtime/disk_cache.h"

namespace heddle::cpu {

enum class Origin { compiled, disk_hit, pack_hit, memory_hit };

// The code stays loaded while somebody holds this.
struct LoadedKernel : kernel::EntryPoints {
  std::shared_ptr<void> code;
};

// Safe from any thread; several kernels are compiled at the same time. Callers look a kernel up in
// their own memory first: this serialises and hashes it. Throws std::logic_error for a kernel that
// breaks the rules of kernel/ir.h, std::runtime_error when LLVM fails, std::bad_alloc or
// out_of_memory where there is no memory to compile it or for its code.
LoadedKernel compile(const kernel::Kernel& kernel, Origin* origin = nullptr);
LoadedKernel compile(const kernel::Kernel& kernel, const kernel::Target& target,
                     Origin* origin = nullptr);

// How many elements one step of the kernel handles on this machine.
int lanes(const kernel::Kernel& kernel);

// Kernels compiled for each target, for the pack (kernel/pack.h) that compile() looks in first.
std::map<CacheKey, std::string> prebuild(const std::vector<kernel::Kernel>& kernels,
                                         const std::vector<kernel::Target>& targets);

}  // namespace heddle::cpu
