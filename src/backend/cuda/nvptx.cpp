#include "backend/cuda/nvptx.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/Support/TargetSelect.h>

namespace heddle::cuda {

namespace {

class NvptxMachine final : public kernel::GridMachine {
 public:
  using GridMachine::GridMachine;

  void make_kernel(llvm::Function& function, int threads, int blocks, int bytes) override;
  void limit_registers(llvm::Function& function, int registers) override;
  llvm::Value* thread_x() override { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x); }
  llvm::Value* thread_y() override { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_y); }
  llvm::Value* thread_z() override { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_z); }
  llvm::Value* block_x() override { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x); }
  llvm::Value* block_y() override { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_y); }
  llvm::Value* block_z() override { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_z); }
  llvm::Value* threads_x() override { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x); }
  llvm::Value* threads_y() override { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_y); }
  llvm::Value* threads_z() override { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_z); }
  llvm::Value* lane() override { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_laneid); }
  llvm::Value* clock() override { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_clock64); }
  llvm::Value* blocks_x() override { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x); }
  llvm::Value* blocks_y() override { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_y); }
  llvm::Value* blocks_z() override { return sreg(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_z); }
  llvm::Value* multiply(llvm::Value* x, llvm::Value* y) override;
  llvm::Value* bits_of(llvm::Value* number) override;
  void barrier() override;
  llvm::Value* barrier_count(llvm::Value* condition) override;
  llvm::Value* barrier_all(llvm::Value* condition) override;
  llvm::Value* barrier_any(llvm::Value* condition) override;
  void warp_barrier(llvm::Value* members) override;
  void fence() override;
  void block_fence() override;
  llvm::Value* shuffle(llvm::Value* value, int bits) override;
  llvm::Value* shuffle_up(llvm::Value* value, int distance) override;
  llvm::Value* broadcast(llvm::Value* value, int thread) override;
  llvm::Value* all_of_warp(llvm::Value* condition) override;
  llvm::Value* shuffle(Move how, llvm::Value* members, llvm::Value* value, llvm::Value* operand,
                       llvm::Value* width) override;
  llvm::Value* vote(Vote how, llvm::Value* members, llvm::Value* condition) override;
  llvm::Value* ballot(llvm::Value* members, llvm::Value* condition) override;
  llvm::Value* match_any(llvm::Value* members, llvm::Value* value) override;
  llvm::Value* match_all(llvm::Value* members, llvm::Value* value) override;
  llvm::Value* active() override;

 private:
  const char* device_scope() const override { return "device"; }
  llvm::Value* sreg(llvm::Intrinsic::ID id) { return b.CreateIntrinsic(id, {}); }
  llvm::Value* shuffle_by(llvm::Intrinsic::ID how, llvm::Value* value, int operand, int clamp) {
    return shuffle_by(how, b.getInt32(0xffffffff), value, b.getInt32(operand), b.getInt32(clamp));
  }
  llvm::Value* shuffle_by(llvm::Intrinsic::ID how, llvm::Value* members, llvm::Value* value,
                          llvm::Value* operand, llvm::Value* clamp);
  llvm::Value* barrier_vote(llvm::Intrinsic::ID how, llvm::Value* condition);
};

void NvptxMachine::make_kernel(llvm::Function& function, int threads, int blocks, int bytes) {
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

void NvptxMachine::limit_registers(llvm::Function& function, int registers) {
  function.removeFnAttr("nvvm.minctasm");
  function.addFnAttr("nvvm.maxnreg", std::to_string(registers));
}

// As an instruction of its own: LLVM would move the conversions to other blocks than the product
// and then multiply 64 bits, which takes four instructions.
llvm::Value* NvptxMachine::multiply(llvm::Value* x, llvm::Value* y) {
  auto* type = llvm::FunctionType::get(b.getInt64Ty(), {b.getInt32Ty(), b.getInt32Ty()}, false);
  auto* code = llvm::InlineAsm::get(type, "mul.wide.s32 $0, $1, $2;", "=l,r,r", false);
  auto* call = b.CreateCall(code, {x, y});
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

// Moved by an instruction of its own: where the lowest byte of a register that holds a
// floating-point number is stored, ptxas converts the number to an integer instead.
llvm::Value* NvptxMachine::bits_of(llvm::Value* number) {
  const unsigned bits = number->getType()->getScalarSizeInBits();
  auto* type = b.getIntNTy(bits);
  const std::string constraint = bits == 64 ? "=l,l" : bits == 32 ? "=r,r" : "=h,h";
  auto* code = llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, false),
                                    "mov.b" + std::to_string(bits) + " $0, $1;", constraint, false);
  auto* call = b.CreateCall(code, {b.CreateBitCast(number, type)});
  call->setDoesNotAccessMemory();
  call->setDoesNotThrow();
  return call;
}

void NvptxMachine::barrier() {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {b.getInt32(0)});
}

void NvptxMachine::fence() { b.CreateIntrinsic(llvm::Intrinsic::nvvm_membar_gl, {}); }

void NvptxMachine::block_fence() { b.CreateIntrinsic(llvm::Intrinsic::nvvm_membar_cta, {}); }

llvm::Value* NvptxMachine::barrier_count(llvm::Value* condition) {
  return b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_red_popc_aligned_all,
                           {b.getInt32(0), condition});
}

llvm::Value* NvptxMachine::barrier_vote(llvm::Intrinsic::ID how, llvm::Value* condition) {
  return b.CreateIntrinsic(how, {b.getInt32(0), condition});
}

llvm::Value* NvptxMachine::barrier_all(llvm::Value* condition) {
  return barrier_vote(llvm::Intrinsic::nvvm_barrier_cta_red_and_aligned_all, condition);
}

llvm::Value* NvptxMachine::barrier_any(llvm::Value* condition) {
  return barrier_vote(llvm::Intrinsic::nvvm_barrier_cta_red_or_aligned_all, condition);
}

void NvptxMachine::warp_barrier(llvm::Value* members) {
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {members});
}

llvm::Value* NvptxMachine::shuffle(Move how, llvm::Value* members, llvm::Value* value,
                                   llvm::Value* operand, llvm::Value* width) {
  // The segment of lanes in the upper byte, and what is the end of it.
  llvm::Value* segment =
      b.CreateShl(b.CreateSub(b.getInt32(kernel::warp_threads), width), b.getInt32(8));
  llvm::Value* clamp = how == Move::up ? segment : b.CreateOr(segment, b.getInt32(31));
  switch (how) {
    case Move::number:
      return shuffle_by(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, members, value, operand, clamp);
    case Move::up:
      return shuffle_by(llvm::Intrinsic::nvvm_shfl_sync_up_i32, members, value, operand, clamp);
    case Move::down:
      return shuffle_by(llvm::Intrinsic::nvvm_shfl_sync_down_i32, members, value, operand, clamp);
    case Move::bits:
      return shuffle_by(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, members, value, operand, clamp);
  }
  return nullptr;
}

llvm::Value* NvptxMachine::vote(Vote how, llvm::Value* members, llvm::Value* condition) {
  const auto id = how == Vote::all   ? llvm::Intrinsic::nvvm_vote_all_sync
                  : how == Vote::any ? llvm::Intrinsic::nvvm_vote_any_sync
                                     : llvm::Intrinsic::nvvm_vote_uni_sync;
  return b.CreateIntrinsic(id, {members, condition});
}

llvm::Value* NvptxMachine::ballot(llvm::Value* members, llvm::Value* condition) {
  return b.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_ballot_sync, {members, condition});
}

llvm::Value* NvptxMachine::match_any(llvm::Value* members, llvm::Value* value) {
  const bool wide = value->getType()->isIntegerTy(64);
  return b.CreateIntrinsic(
      wide ? llvm::Intrinsic::nvvm_match_any_sync_i64 : llvm::Intrinsic::nvvm_match_any_sync_i32,
      {members, value});
}

llvm::Value* NvptxMachine::match_all(llvm::Value* members, llvm::Value* value) {
  const bool wide = value->getType()->isIntegerTy(64);
  llvm::Value* pair = b.CreateIntrinsic(
      wide ? llvm::Intrinsic::nvvm_match_all_sync_i64p : llvm::Intrinsic::nvvm_match_all_sync_i32p,
      {members, value});
  return b.CreateExtractValue(pair, 0);
}

llvm::Value* NvptxMachine::active() {
  return b.CreateIntrinsic(llvm::Intrinsic::nvvm_activemask, {});
}

llvm::Value* NvptxMachine::shuffle_by(llvm::Intrinsic::ID how, llvm::Value* members,
                                      llvm::Value* value, llvm::Value* operand,
                                      llvm::Value* clamp) {
  auto move = [&](llvm::Value* word) {
    return b.CreateIntrinsic(how, {members, word, operand, clamp});
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

llvm::Value* NvptxMachine::shuffle(llvm::Value* value, int bits) {
  return shuffle_by(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, value, bits, 31);
}

llvm::Value* NvptxMachine::shuffle_up(llvm::Value* value, int distance) {
  return shuffle_by(llvm::Intrinsic::nvvm_shfl_sync_up_i32, value, distance, 0);
}

llvm::Value* NvptxMachine::broadcast(llvm::Value* value, int thread) {
  return shuffle_by(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, value, thread, 31);
}

llvm::Value* NvptxMachine::all_of_warp(llvm::Value* condition) {
  return b.CreateIntrinsic(llvm::Intrinsic::nvvm_vote_all_sync,
                           {b.getInt32(0xffffffff), condition});
}

class NvptxDialect final : public kernel::GridDialect {
 public:
  std::unique_ptr<kernel::GridMachine> machine(llvm::IRBuilder<>& builder,
                                               llvm::Module& module) const override {
    return std::make_unique<NvptxMachine>(builder, module);
  }
  std::string math(std::string_view name, bool single) const override {
    return std::string("__nv_").append(name).append(single ? "f" : "");
  }
  llvm::Value* reciprocal(llvm::IRBuilder<>& b, llvm::Value* x) const override {
    return b.CreateIntrinsic(llvm::Intrinsic::nvvm_rcp_approx_ftz_f, {}, {x});
  }
  llvm::Value* inverse_root(llvm::IRBuilder<>& b, llvm::Value* x) const override {
    return b.CreateIntrinsic(llvm::Intrinsic::nvvm_rsqrt_approx_ftz_f, {}, {x});
  }
};

}  // namespace

const kernel::GridDialect& nvptx_dialect() {
  static const NvptxDialect dialect;
  return dialect;
}

void register_nvptx() {
  static const bool registered = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)registered;
}

}  // namespace heddle::cuda
