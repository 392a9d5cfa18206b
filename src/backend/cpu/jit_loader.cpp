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

#include "backend/cpu/block_scheduler.h"
#include "backend/cpu/jit.h"
#include "backend/cpu/jit_memory.h"
#include "backend/cpu/target.h"
#include "core/fork.h"
#include "kernel/llvm_codegen.h"
#include "kernel/runtime_symbols.h"
#include <heddle/errors.h>

namespace heddle::cpu {
namespace {

namespace orc = llvm::orc;

void* find_symbol(const std::string& name) {
  if (void* address = kernel::runtime_symbol(name)) return address;
  if (void* address = kernel_symbol(name)) return address;
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

// Notes where the sections of an object were put, if somebody asks.
class NotedSections : public orc::ObjectLinkingLayer::Plugin {
 public:
  SectionAddresses* wanted = nullptr;

  void modifyPassConfig(orc::MaterializationResponsibility&, llvm::jitlink::LinkGraph&,
                        llvm::jitlink::PassConfiguration& passes) override {
    if (wanted == nullptr) return;
    passes.PostAllocationPasses.emplace_back([this](llvm::jitlink::LinkGraph& graph) {
      for (const llvm::jitlink::Section& section : graph.sections()) {
        const llvm::jitlink::SectionRange range(section);
        if (!range.empty()) (*wanted)[section.getName().str()] = range.getStart().getValue();
      }
      return llvm::Error::success();
    });
  }
  llvm::Error notifyFailed(orc::MaterializationResponsibility&) override {
    return llvm::Error::success();
  }
  llvm::Error notifyRemovingResources(orc::JITDylib&, orc::ResourceKey) override {
    return llvm::Error::success();
  }
  void notifyTransferringResources(orc::JITDylib&, orc::ResourceKey, orc::ResourceKey) override {}
};

struct Loader {
  // Everything in the calling thread: the default dispatcher starts threads.
  explicit Loader(std::unique_ptr<KernelMemory> own_memory)
      : memory(*own_memory),
        session(checked(orc::SelfExecutorProcessControl::Create(
            nullptr, std::make_unique<orc::InPlaceTaskDispatcher>(), std::move(own_memory)))),
        layer(session, memory) {
    layer.addPlugin(sections);
    session.setErrorReporter([](llvm::Error error) { llvm::consumeError(std::move(error)); });
  }

  std::mutex mutex;
  bool abandoned = false;  // memory ended inside of LLVM, which may hold locks of its own since
  KernelMemory& memory;
  orc::ExecutionSession session;
  orc::ObjectLinkingLayer layer;
  std::shared_ptr<NotedSections> sections = std::make_shared<NotedSections>();
  std::uint64_t libraries = 0;  // made so far
};

void check(Loader& l, llvm::Error error) {
  if (!error) return;
  const std::string reason = "kernel loader: " + llvm::toString(std::move(error));
  if (l.memory.exhausted()) throw out_of_memory("there is no memory for the code of a kernel");
  throw std::runtime_error(reason);
}

// Never destroyed: kernels may still run while the process ends.
std::mutex& current_mutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}
Loader*& current() {
  static Loader* loader = nullptr;
  return loader;
}

Loader& loader() {
  const std::lock_guard lock(current_mutex());
  Loader*& instance = current();
  if (!instance) instance = new Loader(std::make_unique<KernelMemory>());
  return *instance;
}

// The next kernel gets a new one.
void abandon(Loader& used) {
  used.abandoned = true;
  const std::lock_guard lock(current_mutex());
  if (current() == &used) current() = nullptr;
}

void unload(Loader& from, orc::JITDylib& library) {
  const NoForkScope no_fork;
  const std::lock_guard lock(from.mutex);
  if (from.abandoned) return;  // it stays
  llvm::consumeError(from.session.removeJITDylib(library));
}

std::vector<void*> link(Loader& l, orc::JITDylib& library, std::string_view object,
                        std::span<const std::string> names) {
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object.data(), object.size()));
  check(l, l.layer.add(library, std::move(buffer)));
  orc::SymbolLookupSet wanted;
  for (const std::string& name : names) wanted.add(l.session.intern(name));
  auto looked_up = l.session.lookup(orc::makeJITDylibSearchOrder({&library}), std::move(wanted));
  check(l, looked_up.takeError());
  auto& found = *looked_up;
  std::vector<void*> addresses;
  for (const std::string& name : names)
    addresses.push_back(found[l.session.intern(name)].getAddress().toPtr<void*>());
  return addresses;
}

}  // namespace

// Each object is a library of its own, which may have the names of another.
LoadedObject load_object(std::string_view object, std::span<const std::string> names,
                         SectionAddresses* sections) {
  kernel::expect_memory();
  Loader& l = loader();
  const std::lock_guard lock(l.mutex);
  try {
    orc::JITDylib& library = l.session.createBareJITDylib(std::to_string(l.libraries++));
    library.addGenerator(std::make_unique<ProcessSymbols>());
    try {
      LoadedObject loaded;
      l.sections->wanted = sections;
      loaded.addresses = link(l, library, object, names);
      l.sections->wanted = nullptr;
      loaded.code =
          std::shared_ptr<void>(loaded.addresses[0], [&l, &library](void*) { unload(l, library); });
      return loaded;
    } catch (const std::runtime_error&) {
      l.sections->wanted = nullptr;
      llvm::consumeError(l.session.removeJITDylib(library));
      throw;
    }
  } catch (const std::bad_alloc&) {
    abandon(l);
    throw;
  }
}

}  // namespace heddle::cpu
