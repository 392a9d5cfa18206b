// What is the same on every kind of grid: atomic access to memory, address spaces.
#include "kernel/grid_machine.h"

namespace heddle::kernel {

namespace {
constexpr unsigned global_space = 1;
constexpr unsigned shared_space = 3;
}  // namespace

llvm::Value* GridMachine::take_ticket(llvm::Value* counter) {
  return b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, counter, b.getInt32(1), llvm::Align(4),
                           llvm::AtomicOrdering::Monotonic, scope());
}

void GridMachine::publish(llvm::Value* place, llvm::Value* value) {
  const unsigned bytes = value->getType()->getPrimitiveSizeInBits() / 8;
  b.CreateAlignedStore(value, place, llvm::Align(bytes))
      ->setAtomic(llvm::AtomicOrdering::Monotonic, scope());
}

llvm::Value* GridMachine::look(llvm::Type* type, llvm::Value* place) {
  const unsigned bytes = type->getPrimitiveSizeInBits() / 8;
  auto* load = b.CreateAlignedLoad(type, place, llvm::Align(bytes));
  load->setAtomic(llvm::AtomicOrdering::Monotonic, scope());
  return load;
}

void GridMachine::add_to(llvm::Value* place, llvm::Value* value) {
  const bool floating = value->getType()->isFloatingPointTy();
  const unsigned bytes = value->getType()->getPrimitiveSizeInBits() / 8;
  b.CreateAtomicRMW(floating ? llvm::AtomicRMWInst::FAdd : llvm::AtomicRMWInst::Add, place, value,
                    llvm::Align(bytes), llvm::AtomicOrdering::Monotonic, scope());
}

void GridMachine::raise(llvm::Value* place, llvm::Value* value) {
  const unsigned bytes = value->getType()->getPrimitiveSizeInBits() / 8;
  b.CreateAtomicRMW(llvm::AtomicRMWInst::UMax, place, value, llvm::Align(bytes),
                    llvm::AtomicOrdering::Monotonic, scope());
}

std::pair<llvm::Value*, llvm::Value*> GridMachine::exchange(llvm::Value* place,
                                                            llvm::Value* expected,
                                                            llvm::Value* wanted) {
  const unsigned bytes = wanted->getType()->getPrimitiveSizeInBits() / 8;
  auto* pair = b.CreateAtomicCmpXchg(place, expected, wanted, llvm::Align(bytes),
                                     llvm::AtomicOrdering::Monotonic,
                                     llvm::AtomicOrdering::Monotonic, scope());
  return {b.CreateExtractValue(pair, 0), b.CreateExtractValue(pair, 1)};
}

llvm::Value* GridMachine::shared(llvm::Type* element, int count) {
  auto* type = llvm::ArrayType::get(element, static_cast<std::uint64_t>(count));
  auto* memory = new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::InternalLinkage,
                                          llvm::PoisonValue::get(type), "shared", nullptr,
                                          llvm::GlobalValue::NotThreadLocal, shared_space);
  memory->setAlignment(llvm::Align(16));
  return b.CreateAddrSpaceCast(memory, b.getPtrTy());
}

llvm::Value* GridMachine::dynamic_shared() {
  constexpr const char* name = "dynamic_shared";
  llvm::GlobalVariable* memory = module_.getNamedGlobal(name);
  if (memory == nullptr) {
    auto* type = llvm::ArrayType::get(b.getInt8Ty(), 0);
    memory =
        new llvm::GlobalVariable(module_, type, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                                 name, nullptr, llvm::GlobalValue::NotThreadLocal, shared_space);
    memory->setAlignment(llvm::Align(16));
  }
  return b.CreateAddrSpaceCast(memory, b.getPtrTy());
}

llvm::Value* GridMachine::device_pointer(llvm::Value* word) {
  return b.CreateAddrSpaceCast(b.CreateIntToPtr(word, b.getPtrTy(global_space)), b.getPtrTy());
}

}  // namespace heddle::kernel
