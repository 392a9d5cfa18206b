// Object file -> code in this process, with ORC and JITLink.
#include <memory>
#include <mutex>
#include <stdexcept>

#include <dlfcn.h>
#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/TaskDispatch.h>
#include <llvm/Support/MemoryBuffer.h>

#include "backend/cpu/jit.h"
#include "backend/cpu/target.h"
#include "kernel/runtime_symbols.h"

namespace heddle::cpu {
namespace {

namespace orc = llvm::orc;

void* find_symbol(const std::string& name) {
  if (void* address = kernel::runtime_symbol(name)) return address;
  if (void* library = vector_math_library()) {
    if (void* address = dlsym(library, name.c_str())) return address;
  }
  return dlsym(RTLD_DEFAULT, name.c_str());
}

// What kernels call: helpers of the library, libmvec, libm and the C library.
class ProcessSymbols : public orc::DefinitionGenerator {
 public:
  llvm::Error tryToGenerate(orc::LookupState&, orc::LookupKind, orc::JITDylib& library,
                            orc::JITDylibLookupFlags, const orc::SymbolLookupSet& names) override {
    orc::SymbolMap found;
    for (const auto& [name, flags] : names) {
      if (void* address = find_symbol((*name).str())) {
        found[name] = {orc::ExecutorAddr::fromPtr(address),
                       llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
      }
    }
    if (found.empty()) return llvm::Error::success();
    return library.define(orc::absoluteSymbols(std::move(found)));
  }
};

template <class T>
T checked(llvm::Expected<T> value) {
  if (!value) throw std::runtime_error("kernel loader: " + llvm::toString(value.takeError()));
  return std::move(*value);
}

struct Loader {
  // Everything in the calling thread: the default dispatcher starts threads.
  Loader()
      : session(checked(orc::SelfExecutorProcessControl::Create(
            nullptr, std::make_unique<orc::InPlaceTaskDispatcher>()))),
        layer(session, session.getExecutorProcessControl().getMemMgr()),
        library(session.createBareJITDylib("kernels")) {
    library.addGenerator(std::make_unique<ProcessSymbols>());
    session.setErrorReporter([](llvm::Error error) { llvm::consumeError(std::move(error)); });
  }

  std::mutex mutex;
  orc::ExecutionSession session;
  orc::ObjectLinkingLayer layer;
  orc::JITDylib& library;
};

// Never destroyed: kernels may still run while the process ends.
Loader& loader() {
  static Loader* instance = new Loader;
  return *instance;
}

}  // namespace

std::vector<void*> load_object(std::string_view object, std::span<const std::string> names) {
  Loader& l = loader();
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object.data(), object.size()));
  const std::lock_guard lock(l.mutex);
  auto tracker = l.library.createResourceTracker();
  auto fail = [&](llvm::Error error) {
    llvm::consumeError(tracker->remove());  // its names may be defined again
    throw std::runtime_error("kernel loader: " + llvm::toString(std::move(error)));
  };
  if (auto error = l.layer.add(tracker, std::move(buffer))) fail(std::move(error));
  orc::SymbolLookupSet wanted;
  for (const std::string& name : names) wanted.add(l.session.intern(name));
  auto looked_up = l.session.lookup(orc::makeJITDylibSearchOrder({&l.library}), std::move(wanted));
  if (!looked_up) fail(looked_up.takeError());
  auto& found = *looked_up;
  std::vector<void*> addresses;
  for (const std::string& name : names)
    addresses.push_back(found[l.session.intern(name)].getAddress().toPtr<void*>());
  return addresses;
}

}  // namespace heddle::cpu
