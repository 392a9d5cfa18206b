#include "kernel/runtime_symbols.h"

#include <cmath>
#include <cstring>
#include <map>
#include <string>

#include <dlfcn.h>

#include "kernel/runtime_math.h"

// Conversions of half precision for machines without F16C: the compiler's own run-time library.
extern "C" {
void __extendhfsf2();
void __truncsfhf2();
void __truncdfhf2();
}

namespace heddle::kernel {

namespace {

using Symbols = std::map<std::string, void*, std::less<>>;

template <class F>
void* address(F* function) {
  return reinterpret_cast<void*>(function);
}

Symbols make_symbols() {
  Symbols symbols;
  for (auto& [name, address] : runtime_math()) symbols[name] = address;
#define HEDDLE_SYMBOL(name) symbols[#name] = address(&::name);
  HEDDLE_SYMBOL(__extendhfsf2)
  HEDDLE_SYMBOL(__truncsfhf2)
  HEDDLE_SYMBOL(__truncdfhf2)
  // Rounding without SSE4.1, and memory operations.
  HEDDLE_SYMBOL(memcpy)
  HEDDLE_SYMBOL(memmove)
  HEDDLE_SYMBOL(memset)
  HEDDLE_SYMBOL(floorf)
  HEDDLE_SYMBOL(ceilf)
  HEDDLE_SYMBOL(truncf)
  HEDDLE_SYMBOL(rintf)
  HEDDLE_SYMBOL(nearbyintf)
  HEDDLE_SYMBOL(fmaf)
  HEDDLE_SYMBOL(fmodf)
  HEDDLE_SYMBOL(ldexpf)
#undef HEDDLE_SYMBOL
#define HEDDLE_SYMBOL(name) \
  symbols[#name] = reinterpret_cast<void*>(static_cast<double (*)(double)>(&::name));
  HEDDLE_SYMBOL(floor)
  HEDDLE_SYMBOL(ceil)
  HEDDLE_SYMBOL(trunc)
  HEDDLE_SYMBOL(rint)
  HEDDLE_SYMBOL(nearbyint)
#undef HEDDLE_SYMBOL
  symbols["fma"] = reinterpret_cast<void*>(static_cast<double (*)(double, double, double)>(&::fma));
  symbols["fmod"] = reinterpret_cast<void*>(static_cast<double (*)(double, double)>(&::fmod));
  symbols["ldexp"] = reinterpret_cast<void*>(static_cast<double (*)(double, int)>(&::ldexp));
  return symbols;
}

}  // namespace

void* runtime_symbol(std::string_view name) {
  static const auto* symbols = new Symbols(make_symbols());
  if (auto found = symbols->find(name); found != symbols->end()) return found->second;
  // The C library's vector functions. It stays open for the life of the process.
  if (name.starts_with("_ZGV")) {
    static void* const library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : dlsym(library, std::string(name).c_str());
  }
  return nullptr;
}

}  // namespace heddle::kernel
