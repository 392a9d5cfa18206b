#include "kernel/grid_machine.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

namespace heddle::kernel {

namespace {
constexpr unsigned global_space = 1;
constexpr unsigned shared_space = 3;
}  // namespace

void GridMachine::make_kernel(llvm::Function& function, int threads, int blocks, int bytes) {
  function.setCallingConv(llvm::CallingConv::PTX_Kernel);
  function.addFnAttr("nvvm.maxntid", std::to_string(threads));
  function.addFnAttr("nvvm.minctasm", std::to_string(blocks));
  if (bytes == 0) return;
  auto* type = llvm::ArrayType::get(b.getInt64Ty(), static_cast<std::uint64_t>(bytes / 8));
  llvm::AttrBuilder attributes(b.getContext());
  attributes.addByValAttr(type);
  attributes.addAlignmentAttr(8);
  attributes.addAttribute(llvm::Attribute::ReadOnly);
  attributes.addAttribute("nvvm.grid_constant");
  function.addParamAttrs(0, attributes);
}

llvm::Value* GridMachine::sreg(llvm::Intrinsic::ID id) { return b.CreateIntrinsic(id, {}); }

llvm::Value* GridMachine::thread_x() { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x); }
llvm::Value* GridMachine::thread_y() { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y); }
llvm::Value* GridMachine::block_x() { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x); }
llvm::Value* GridMachine::block_y() { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y); }
llvm::Value* GridMachine::block_z() { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z); }
llvm::Value* GridMachine::threads_x() { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x); }
llvm::Value* GridMachine::threads_y() { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_y); }
llvm::Value* GridMachine::blocks_x() { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x); }
llvm::Value* GridMachine::blocks_y() { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y); }
llvm::Value* GridMachine::blocks_z() { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_z); }

// As an instruction of its own: LLVM would move the conversions to other blocks than the product
// and then multiply 64 bits, which takes four instructions.
llvm::Value* GridMachine::multiply(llvm::Value* x, llvm::Value* y) {
  auto* type = llvm::FunctionType::get(b.getInt64Ty(), {b.getInt32Ty(), b.getInt32Ty()}, false);
  auto* code = llvm::InlineAsm::get(type, "mul.wide.s32 $0, $1, $2;", "=l,r,r", false);
  auto* call = b.CreateCall(code, {x, y});
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

void GridMachine::barrier() {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {b.getInt32(0)});
}

void GridMachine::fence() { b.CreateIntrinsic(llvm::Intrinsic::nvvm_membar_gl, {}); }

llvm::Value* GridMachine::shuffle_by(llvm::Intrinsic::ID how, llvm::Value* value, int operand,
                                     int clamp) {
  auto move = [&](llvm::Value* word) {
    return b.CreateIntrinsic(
        how, {b.getInt32(0xffffffff), word, b.getInt32(operand), b.getInt32(clamp)});
  };
  llvm::Type* type = value->getType();
  const unsigned width = type->getPrimitiveSizeInBits();
  llvm::Value* word = b.CreateBitCast(value, b.getIntNTy(width));
  if (width <= 32) {
    word = b.CreateTrunc(move(b.CreateZExt(word, b.getInt32Ty())), b.getIntNTy(width));
  } else {
    llvm::Value* low = move(b.CreateTrunc(word, b.getInt32Ty()));
    llvm::Value* high = move(b.CreateTrunc(b.CreateLShr(word, 32), b.getInt32Ty()));
    word = b.CreateOr(b.CreateZExt(low, b.getInt64Ty()),
                      b.CreateShl(b.CreateZExt(high, b.getInt64Ty()), 32));
  }
  return b.CreateBitCast(word, type);
}

llvm::Value* GridMachine::shuffle(llvm::Value* value, int bits) {
  return shuffle_by(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, value, bits, 31);
}

llvm::Value* GridMachine::shuffle_up(llvm::Value* value, int distance) {
  return shuffle_by(llvm::Intrinsic::nvvm_shfl_sync_up_i32, value, distance, 0);
}

llvm::Value* GridMachine::broadcast(llvm::Value* value, int thread) {
  return shuffle_by(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, value, thread, 31);
}

llvm::Value* GridMachine::take_ticket(llvm::Value* counter) {
  return b.CreateAtomicRMW(llvm::AtomicRMWInst::Add, counter, b.getInt32(1), llvm::Align(4),
                           llvm::AtomicOrdering::Monotonic,
                           b.getContext().getOrInsertSyncScopeID("device"));
}

void GridMachine::publish(llvm::Value* place, llvm::Value* value) {
  const unsigned bytes = value->getType()->getPrimitiveSizeInBits() / 8;
  b.CreateAlignedStore(value, place, llvm::Align(bytes))
      ->setAtomic(llvm::AtomicOrdering::Monotonic, b.getContext().getOrInsertSyncScopeID("device"));
}

llvm::Value* GridMachine::look(llvm::Type* type, llvm::Value* place) {
  const unsigned bytes = type->getPrimitiveSizeInBits() / 8;
  auto* load = b.CreateAlignedLoad(type, place, llvm::Align(bytes));
  load->setAtomic(llvm::AtomicOrdering::Monotonic, b.getContext().getOrInsertSyncScopeID("device"));
  return load;
}

llvm::Value* GridMachine::all_of_warp(llvm::Value* condition) {
  return b.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_all_sync,
                           {b.getInt32(0xffffffff), condition});
}

void GridMachine::add_to(llvm::Value* place, llvm::Value* value) {
  const bool floating = value->getType()->isFloatingPointTy();
  const unsigned bytes = value->getType()->getPrimitiveSizeInBits() / 8;
  b.CreateAtomicRMW(floating ? llvm::AtomicRMWInst::FAdd : llvm::AtomicRMWInst::Add, place, value,
                    llvm::Align(bytes), llvm::AtomicOrdering::Monotonic,
                    b.getContext().getOrInsertSyncScopeID("device"));
}

void GridMachine::raise(llvm::Value* place, llvm::Value* value) {
  const unsigned bytes = value->getType()->getPrimitiveSizeInBits() / 8;
  b.CreateAtomicRMW(llvm::AtomicRMWInst::UMax, place, value, llvm::Align(bytes),
                    llvm::AtomicOrdering::Monotonic,
                    b.getContext().getOrInsertSyncScopeID("device"));
}

std::pair<llvm::Value*, llvm::Value*> GridMachine::exchange(llvm::Value* place,
                                                            llvm::Value* expected,
                                                            llvm::Value* wanted) {
  const unsigned bytes = wanted->getType()->getPrimitiveSizeInBits() / 8;
  auto* pair = b.CreateAtomicCmpXchg(
      place, expected, wanted, llvm::Align(bytes), llvm::AtomicOrdering::Monotonic,
      llvm::AtomicOrdering::Monotonic, b.getContext().getOrInsertSyncScopeID("device"));
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

llvm::Value* GridMachine::device_pointer(llvm::Value* word) {
  return b.CreateAddrSpaceCast(b.CreateIntToPtr(word, b.getPtrTy(global_space)), b.getPtrTy());
}

}  // namespace heddle::kernel
