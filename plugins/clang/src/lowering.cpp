// The functions that run the threads of a block, made of a kernel that is cut.
#include "lowering.h"

#include <cstddef>
#include <map>

#include <fmt/format.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "crossing.h"
#include "known.h"

namespace heddle::clang_plugin {
namespace {

using cpu::BlockFrame;
using llvm::Value;

std::uint64_t rounded(std::uint64_t bytes, std::uint64_t to) { return (bytes + to - 1) / to * to; }

// Where shared variables lie in a block's memory; of each kernel its own.
struct SharedLayout {
  std::map<llvm::GlobalVariable*, std::uint64_t> offsets;  // static ones
  std::set<llvm::GlobalVariable*> dynamic;
  std::uint64_t bytes = 0;
};

SharedLayout lay_out_shared(llvm::Function& kernel, const Parts& parts) {
  SharedLayout made;
  // Places in them that passes have made constants of are instructions again.
  std::vector<llvm::Constant*> shared(parts.shared.begin(), parts.shared.end());
  shared.insert(shared.end(), parts.variables.begin(), parts.variables.end());
  llvm::convertUsersOfConstantsToInstructions(shared, &kernel);
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  for (llvm::Instruction& i : llvm::instructions(kernel)) {
    for (Value* operand : i.operands()) {
      auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(operand->stripPointerCasts());
      if (!variable || !parts.shared.count(variable)) continue;
      const std::uint64_t size = layout.getTypeAllocSize(variable->getValueType()).getFixedValue();
      if (variable->isDeclaration() || size == 0) {
        made.dynamic.insert(variable);
      } else if (!made.offsets.count(variable)) {
        made.bytes = rounded(
            made.bytes, std::max<std::uint64_t>(variable->getAlign().valueOrOne().value(), 16));
        made.offsets[variable] = made.bytes;
        made.bytes += size;
      }
    }
  }
  made.bytes = rounded(made.bytes, 64);
  return made;
}

// What code of one thread is given, in the order of parameters of a region's function.
enum Given : unsigned {
  x,
  y,
  z,
  thread,  // numbers of 32 bits; `thread` of 64
  block_x,
  block_y,
  block_z,
  block_size_x,
  block_size_y,
  block_size_z,
  grid_size_x,
  grid_size_y,
  grid_size_z,
  dynamic_bytes,
  frame,
  shared,
  dynamic,
  variables,
  rows,
  stride,
  masks,
  sources,
  given,
  taken,
  given_wide,
  taken_wide,
  uniform_in,
  uniform_out,
  count,
};

class Lowering {
 public:
  Lowering(llvm::Function& kernel, const Parts& parts, int number)
      : kernel_(kernel),
        parts_(parts),
        module_(*kernel.getParent()),
        context_(module_.getContext()),
        layout_(module_.getDataLayout()),
        shared_(lay_out_shared(kernel, parts)) {
    i32_ = llvm::Type::getInt32Ty(context_);
    i64_ = llvm::Type::getInt64Ty(context_);
    i8_ = llvm::Type::getInt8Ty(context_);
    ptr_ = llvm::PointerType::get(context_, 0);
    made_.symbol = kernel.getName().str();
    made_.run_all = fmt::format("heddle_all_{}", number);
    made_.run_one = fmt::format("heddle_one_{}", number);
  }

  KernelDescription run() {
    describe();
    own_parameters();
    replace_shared();
    relax_shared();
    crossing_ = cut(kernel_);
    made_.rows = crossing_.row_bytes;
    made_.uniform = crossing_.uniform_bytes;
    made_.shared = shared_.bytes;
    made_.sites.push_back(static_cast<int>(Site::begin));
    for (const Cut& c : crossing_.cuts) {
      made_.sites.push_back(static_cast<int>(c.kind));
      made_.warps |= is_of_a_warp(c.kind);
    }
    for (std::size_t state = 0; state <= crossing_.cuts.size(); ++state)
      regions_.push_back(region(state));
    emit_all();
    emit_one();
    kernel_.deleteBody();
    return std::move(made_);
  }

 private:
  void describe() {
    for (llvm::Argument& a : kernel_.args()) {
      llvm::Type* type = a.hasByValAttr() ? a.getParamByValType() : a.getType();
      made_.parameters.push_back(
          {layout_.getTypeAllocSize(type).getFixedValue(), layout_.getABITypeAlign(type).value()});
    }
    for (llvm::Instruction& i : llvm::instructions(kernel_)) {
      made_.prints |= is_call_of(i, "heddle_print");
      made_.fails |= is_call_of(i, fail_name);
      made_.asks |= is_call_of(i, stop_name);
    }
  }

  // A struct is the thread's own, which may write to it; most only read.
  void own_parameters() {
    for (llvm::Argument& a : kernel_.args()) {
      if (!a.hasByValAttr() || a.onlyReadsMemory() || only_read(&a)) continue;
      llvm::IRBuilder<> build(&*kernel_.getEntryBlock().getFirstInsertionPt());
      llvm::Type* type = a.getParamByValType();
      llvm::AllocaInst* copy = build.CreateAlloca(type);
      const llvm::Align align =
          std::max(a.getParamAlign().valueOrOne(), layout_.getABITypeAlign(type));
      copy->setAlignment(align);
      a.replaceAllUsesWith(copy);
      build.CreateMemCpy(copy, align, &a, layout_.getABITypeAlign(type),
                         layout_.getTypeAllocSize(type).getFixedValue());
    }
  }
  static bool only_read(const Value* pointer) {
    for (const llvm::User* user : pointer->users()) {
      if (llvm::isa<llvm::LoadInst>(user)) continue;
      if (llvm::isa<llvm::GetElementPtrInst>(user) && only_read(user)) continue;
      if (const auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(user);
          copy && copy->getRawDest() != pointer)
        continue;
      return false;
    }
    return true;
  }

  // Shared variables become places in the block's memory; `__heddle_shared` stands for its address.
  void replace_shared() {
    llvm::FunctionCallee base = address_function("__heddle_shared");
    llvm::FunctionCallee dynamic_base = address_function("__heddle_dynamic");
    const auto replace = [&](llvm::GlobalVariable* variable, llvm::FunctionCallee from,
                             std::uint64_t offset) {
      std::vector<llvm::Use*> uses;
      for (llvm::Use& use : variable->uses()) {
        auto* i = llvm::dyn_cast<llvm::Instruction>(use.getUser());
        if (i && i->getFunction() == &kernel_) uses.push_back(&use);
      }
      for (llvm::Use* use : uses) {
        auto* i = llvm::cast<llvm::Instruction>(use->getUser());
        auto* phi = llvm::dyn_cast<llvm::PHINode>(i);
        llvm::IRBuilder<> build(phi ? phi->getIncomingBlock(*use)->getTerminator() : i);
        Value* at = build.CreateCall(from);
        use->set(offset ? build.CreateConstInBoundsGEP1_64(i8_, at, offset) : at);
      }
    };
    for (auto& [variable, offset] : shared_.offsets) replace(variable, base, offset);
    for (llvm::GlobalVariable* variable : shared_.dynamic) replace(variable, dynamic_base, 0);
    llvm::FunctionCallee variables = address_function("__heddle_variables");
    for (auto& [variable, offset] : parts_.places) replace(variable, variables, offset);
  }
  // One core runs a block: what is atomic among its threads needs no atomics.
  void relax_shared() {
    std::vector<llvm::Instruction*> atomics;
    for (llvm::Instruction& i : llvm::instructions(kernel_)) {
      const Value* at = nullptr;
      if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) at = update->getPointerOperand();
      if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i))
        at = exchange->getPointerOperand();
      if (!at) continue;
      const Value* object = llvm::getUnderlyingObject(at, 0);
      if (is_call_of(*object, "__heddle_shared") || is_call_of(*object, "__heddle_dynamic"))
        atomics.push_back(&i);
    }
    for (llvm::Instruction* i : atomics) {
      if (auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(i)) {
        llvm::lowerAtomicRMWInst(update);
      } else {
        llvm::lowerAtomicCmpXchgInst(llvm::cast<llvm::AtomicCmpXchgInst>(i));
      }
    }
  }
  llvm::FunctionCallee address_function(const char* name) {
    llvm::FunctionCallee made = module_.getOrInsertFunction(name, ptr_);
    auto* function = llvm::cast<llvm::Function>(made.getCallee());
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->setWillReturn();
    return made;
  }

  // --- regions: what one thread does from a state to the next ---

  llvm::FunctionType* region_type() {
    std::vector<llvm::Type*> types(Given::count, ptr_);
    for (unsigned i = 0; i < Given::frame; ++i) types[i] = i32_;
    types[Given::thread] = i64_;
    types[Given::stride] = i64_;
    for (llvm::Argument& a : kernel_.args()) types.push_back(a.getType());
    return llvm::FunctionType::get(i32_, types, false);
  }

  llvm::Function* region(std::size_t state) {
    llvm::Function* made = llvm::Function::Create(region_type(), llvm::Function::InternalLinkage,
                                                  made_.symbol + ".region", module_);
    llvm::ValueToValueMapTy map;
    for (llvm::Argument& a : kernel_.args()) map[&a] = made->getArg(Given::count + a.getArgNo());
    // The kernel returns nothing, a region a number: the blocks are cloned one by one.
    for (llvm::BasicBlock& block : kernel_) {
      llvm::BasicBlock* copy = llvm::CloneBasicBlock(&block, map, "", made);
      map[&block] = copy;
    }
    for (llvm::BasicBlock& block : *made) {
      for (llvm::Instruction& i : block) {
        i.setDebugLoc(llvm::DebugLoc());
        llvm::RemapInstruction(&i, map,
                               llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
      }
    }
    made->setAttributes(llvm::AttributeList());
    made->setDoesNotThrow();
    begin(*made, state, map);
    end(*made, map);
    llvm::EliminateUnreachableBlocks(*made);
    replace_known(*made);
    promote(*made);
    return made;
  }

  Value* place(llvm::IRBuilder<>& build, llvm::Function& f, const Kept& kept, bool out) {
    if (kept.uniform) {
      return build.CreateConstInBoundsGEP1_64(
          i8_, f.getArg(out ? Given::uniform_out : Given::uniform_in), kept.offset);
    }
    return row(build, f, kept.offset, layout_.getTypeAllocSize(kept.variable->getAllocatedType()));
  }
  Value* row(llvm::IRBuilder<>& build, llvm::Function& f, std::uint64_t offset,
             std::uint64_t size) {
    Value* begin = build.CreateMul(f.getArg(Given::stride), build.getInt64(offset));
    Value* base = build.CreateInBoundsGEP(i8_, f.getArg(Given::rows), begin);
    Value* at = build.CreateMul(f.getArg(Given::thread), build.getInt64(size), "", true, true);
    return build.CreateInBoundsGEP(i8_, base, at);
  }

  void begin(llvm::Function& f, std::size_t state, llvm::ValueToValueMapTy& map) {
    auto* old = llvm::cast<llvm::BasicBlock>(map[&kernel_.getEntryBlock()]);
    llvm::BasicBlock* first = llvm::BasicBlock::Create(context_, "begin", &f, &f.front());
    llvm::IRBuilder<> build(first);
    // Variables first, whichever way the region begins.
    for (llvm::Instruction& i : llvm::make_early_inc_range(*old)) {
      auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&i);
      if (variable && llvm::isa<llvm::ConstantInt>(variable->getArraySize()))
        variable->moveBefore(*first, first->end());
    }
    build.SetInsertPoint(first);
    for (const KeptMemory& kept : crossing_.memory) {
      auto* variable = llvm::cast<llvm::AllocaInst>(map[kept.variable]);
      variable->replaceAllUsesWith(row(build, f, kept.offset, kept.size));
    }
    if (state == 0) {
      build.CreateBr(old);
      return;
    }
    const llvm::BasicBlock* resumed = crossing_.cuts[state - 1].resumed;
    for (const Kept& kept : crossing_.values) {
      if (std::find(kept.alive.begin(), kept.alive.end(), resumed) == kept.alive.end()) continue;
      auto* variable = llvm::cast<llvm::AllocaInst>(map[kept.variable]);
      Value* value = build.CreateLoad(variable->getAllocatedType(), place(build, f, kept, false));
      build.CreateStore(value, variable);
    }
    // Nobody comes to where threads go on but from here.
    auto* target = llvm::cast<llvm::BasicBlock>(map[resumed]);
    build.CreateBr(target);
  }

  void end(llvm::Function& f, llvm::ValueToValueMapTy& map) {
    for (llvm::BasicBlock& block : llvm::make_early_inc_range(f)) {
      if (llvm::isa<llvm::ReturnInst>(block.getTerminator())) {
        block.getTerminator()->eraseFromParent();
        llvm::IRBuilder<>(&block).CreateRet(number(cpu::finished_state));
      }
    }
    for (std::size_t i = 0; i < crossing_.cuts.size(); ++i) {
      const Cut& c = crossing_.cuts[i];
      auto* call = llvm::cast<llvm::CallInst>(map[c.call]);
      llvm::IRBuilder<> build(call);
      bring(build, f, c.kind, *call);
      llvm::ReturnInst* ret = build.CreateRet(number(static_cast<int>(i + 1)));
      while (&ret->getParent()->back() != ret) ret->getParent()->back().eraseFromParent();
    }
    llvm::EliminateUnreachableBlocks(f);
    keep(f, map);
  }

  // Before a thread waits it puts away what is wanted later.
  void keep(llvm::Function& f, llvm::ValueToValueMapTy& map) {
    std::vector<std::pair<llvm::ReturnInst*, int>> exits;
    for (llvm::BasicBlock& block : f) {
      auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
      if (!ret) continue;
      const auto state = llvm::cast<llvm::ConstantInt>(ret->getReturnValue())->getSExtValue();
      if (state > 0) exits.emplace_back(ret, static_cast<int>(state));
    }
    std::vector<std::pair<const Kept*, llvm::AllocaInst*>> changed;
    for (const Kept& kept : crossing_.values) {
      auto* variable = llvm::cast<llvm::AllocaInst>(map[kept.variable]);
      // One store is of what came in; the region's own come after it.
      int stores = 0;
      for (const llvm::User* user : variable->users()) stores += llvm::isa<llvm::StoreInst>(user);
      bool came_in = false;
      for (const llvm::User* user : variable->users()) {
        const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
        came_in |= store && store->getParent() == &f.getEntryBlock();
      }
      if (stores > (came_in ? 1 : 0)) changed.emplace_back(&kept, variable);
    }
    for (auto& [ret, state] : exits) {
      const llvm::BasicBlock* resumed = crossing_.cuts[static_cast<std::size_t>(state) - 1].resumed;
      for (auto& [kept, variable] : changed) {
        if (std::find(kept->alive.begin(), kept->alive.end(), resumed) == kept->alive.end())
          continue;
        llvm::IRBuilder<> build(ret);
        Value* value = build.CreateLoad(variable->getAllocatedType(), variable);
        build.CreateStore(value, place(build, f, *kept, true));
      }
    }
  }

  // What a thread brings to a site.
  void bring(llvm::IRBuilder<>& build, llvm::Function& f, Site kind, llvm::CallInst& call) {
    const auto put = [&](Given to, llvm::Type* type, Value* value) {
      build.CreateStore(value,
                        build.CreateInBoundsGEP(type, f.getArg(to), f.getArg(Given::thread)));
    };
    switch (kind) {
      case Site::block_count:
      case Site::block_and:
      case Site::block_or:
        put(Given::given, i32_, call.getArgOperand(0));
        break;
      case Site::warp_barrier:
        put(Given::masks, i32_, call.getArgOperand(0));
        break;
      case Site::shuffle:
      case Site::reduce:
        put(Given::masks, i32_, call.getArgOperand(0));
        put(Given::given, i32_, call.getArgOperand(1));
        put(Given::sources, i32_, call.getArgOperand(2));
        break;
      case Site::shuffle_wide:
        put(Given::masks, i32_, call.getArgOperand(0));
        put(Given::given_wide, i64_, call.getArgOperand(1));
        put(Given::sources, i32_, call.getArgOperand(2));
        break;
      case Site::ballot:
        put(Given::masks, i32_, call.getArgOperand(0));
        put(Given::given, i32_, call.getArgOperand(1));
        break;
      case Site::match:
        put(Given::masks, i32_, call.getArgOperand(0));
        put(Given::given_wide, i64_, call.getArgOperand(1));
        break;
      default:
        break;
    }
  }

  // Calls that the headers stand on.
  void replace_known(llvm::Function& f) {
    std::vector<llvm::CallInst*> calls;
    for (llvm::Instruction& i : llvm::instructions(f)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
      if (call && call->getCalledFunction()) calls.push_back(call);
    }
    for (llvm::CallInst* call : calls) {
      const llvm::StringRef name = call->getCalledFunction()->getName();
      if (!name.starts_with("__heddle_")) continue;
      llvm::IRBuilder<> build(call);
      Value* value = nullptr;
      if (const auto place = place_of(*call)) {
        value = place_value(build, f, *place);
      } else if (name.starts_with(taken_name)) {
        const bool wide = call->getType()->isIntegerTy(64);
        Value* at = build.CreateInBoundsGEP(call->getType(),
                                            f.getArg(wide ? Given::taken_wide : Given::taken),
                                            f.getArg(Given::thread));
        value = build.CreateLoad(call->getType(), at);
      } else if (name == "__heddle_shared") {
        value = f.getArg(Given::shared);
      } else if (name == "__heddle_dynamic") {
        value = f.getArg(Given::dynamic);
      } else if (name == "__heddle_variables") {
        value = f.getArg(Given::variables);
      } else if (name == stop_name) {
        value = ask(f, *call);
      } else if (name == fail_name) {
        fail(build, f, *call);
      } else {
        continue;
      }
      if (value) call->replaceAllUsesWith(value);
      call->eraseFromParent();
    }
  }
  // The answer to whether to stop; the question is put once in a while.
  Value* ask(llvm::Function& f, llvm::CallInst& call) {
    llvm::IRBuilder<> build(&call);
    Value* at =
        build.CreateConstInBoundsGEP1_64(i8_, f.getArg(Given::frame), offsetof(BlockFrame, asked));
    Value* count = build.CreateAdd(build.CreateLoad(i64_, at), build.getInt64(1));
    build.CreateStore(count, at);
    Value* now = build.CreateICmpEQ(
        build.CreateAnd(count, build.getInt64(cpu::passes_between_questions - 1)),
        build.getInt64(0));
    llvm::BasicBlock* before = call.getParent();
    llvm::Instruction* then = llvm::SplitBlockAndInsertIfThen(now, &call, false);
    build.SetInsertPoint(then);
    llvm::FunctionCallee asked = module_.getOrInsertFunction("heddle_should_stop", i32_, ptr_);
    Value* answer = build.CreateCall(asked, {f.getArg(Given::frame)});
    build.SetInsertPoint(&call);
    llvm::PHINode* value = build.CreatePHI(i32_, 2);
    value->addIncoming(number(0), before);
    value->addIncoming(answer, then->getParent());
    return value;
  }
  void fail(llvm::IRBuilder<>& build, llvm::Function& f, llvm::CallInst& call) {
    llvm::FunctionCallee said =
        module_.getOrInsertFunction("heddle_kernel_failed", llvm::Type::getVoidTy(context_), ptr_,
                                    ptr_, ptr_, i32_, i32_, i32_, i32_);
    build.CreateCall(
        said, {f.getArg(Given::frame), call.getArgOperand(0), call.getArgOperand(1),
               call.getArgOperand(2), f.getArg(Given::x), f.getArg(Given::y), f.getArg(Given::z)});
  }
  Value* place_value(llvm::IRBuilder<>& build, llvm::Function& f, Place place) {
    switch (place) {
      case Place::thread_x:
        return f.getArg(Given::x);
      case Place::thread_y:
        return f.getArg(Given::y);
      case Place::thread_z:
        return f.getArg(Given::z);
      case Place::lane:
        return build.CreateAnd(build.CreateTrunc(f.getArg(Given::thread), i32_), number(31));
      case Place::dynamic_bytes:
        return f.getArg(Given::dynamic_bytes);
      default:
        return f.getArg(Given::block_x + static_cast<unsigned>(place) -
                        static_cast<unsigned>(Place::block_x));
    }
  }

  void promote(llvm::Function& f) {
    std::vector<llvm::AllocaInst*> variables;
    for (llvm::Instruction& i : f.getEntryBlock()) {
      auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&i);
      if (!variable) continue;
      if (variable->use_empty() || llvm::isAllocaPromotable(variable))
        variables.push_back(variable);
    }
    llvm::DominatorTree dominators(f);
    llvm::PromoteMemToReg(variables, dominators);
  }

  // --- all threads of a group ---

  llvm::ConstantInt* number(int value) {
    return llvm::ConstantInt::getSigned(llvm::cast<llvm::IntegerType>(i32_), value);
  }
  Value* field(llvm::IRBuilder<>& build, Value* frame, llvm::Type* type, std::size_t offset) {
    return build.CreateLoad(type, build.CreateConstInBoundsGEP1_64(i8_, frame, offset));
  }

  // Memory of the function itself, which no store of a kernel's can reach: it becomes registers.
  llvm::AllocaInst* copy_of(llvm::IRBuilder<>& build, llvm::Function& f, Value* from,
                            llvm::Type* type, llvm::Align align) {
    llvm::IRBuilder<> top(&f.getEntryBlock(), f.getEntryBlock().begin());
    llvm::AllocaInst* made = top.CreateAlloca(type);
    made->setAlignment(align);
    build.CreateMemCpy(made, align, from, align, layout_.getTypeAllocSize(type).getFixedValue());
    return made;
  }

  // What is the same for all threads.
  std::vector<Value*> load_frame(llvm::IRBuilder<>& build, llvm::Function& f) {
    Value* frame = f.getArg(0);
    std::vector<Value*> values(Given::count, nullptr);
    for (unsigned d = 0; d < 3; ++d) {
      values[Given::block_x + d] = field(build, frame, i32_, offsetof(BlockFrame, block) + 4 * d);
      values[Given::block_size_x + d] =
          field(build, frame, i32_, offsetof(BlockFrame, block_size) + 4 * d);
      values[Given::grid_size_x + d] =
          field(build, frame, i32_, offsetof(BlockFrame, grid_size) + 4 * d);
    }
    values[Given::dynamic_bytes] = field(build, frame, i32_, offsetof(BlockFrame, dynamic_bytes));
    values[Given::frame] = frame;
    values[Given::shared] = field(build, frame, ptr_, offsetof(BlockFrame, shared));
    values[Given::dynamic] = field(build, frame, ptr_, offsetof(BlockFrame, dynamic));
    values[Given::variables] = field(build, frame, ptr_, offsetof(BlockFrame, variables));
    values[Given::rows] = field(build, frame, ptr_, offsetof(BlockFrame, rows));
    values[Given::stride] = field(build, frame, i64_, offsetof(BlockFrame, stride));
    values[Given::masks] = field(build, frame, ptr_, offsetof(BlockFrame, masks));
    values[Given::sources] = field(build, frame, ptr_, offsetof(BlockFrame, sources));
    values[Given::given] = field(build, frame, ptr_, offsetof(BlockFrame, given));
    values[Given::taken] = field(build, frame, ptr_, offsetof(BlockFrame, taken));
    values[Given::given_wide] = field(build, frame, ptr_, offsetof(BlockFrame, given_wide));
    values[Given::taken_wide] = field(build, frame, ptr_, offsetof(BlockFrame, taken_wide));
    Value* parameters = field(build, frame, ptr_, offsetof(BlockFrame, parameters));
    for (llvm::Argument& a : kernel_.args()) {
      Value* at =
          build.CreateLoad(ptr_, build.CreateConstInBoundsGEP1_64(ptr_, parameters, a.getArgNo()));
      if (a.hasByValAttr()) {
        llvm::Type* type = a.getParamByValType();
        values.push_back(copy_of(build, f, at, type, layout_.getABITypeAlign(type)));
      } else {
        values.push_back(build.CreateLoad(a.getType(), at));
      }
    }
    return values;
  }

  // The one state that follows, where there is only one.
  static const llvm::ConstantInt* single_result(const llvm::Function& f) {
    const llvm::ConstantInt* single = nullptr;
    for (const llvm::BasicBlock& block : f) {
      const auto* ret = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
      if (!ret) continue;
      const auto* value = llvm::dyn_cast<llvm::ConstantInt>(ret->getReturnValue());
      if (!value || (single && single != value)) return nullptr;
      single = value;
    }
    return single;
  }

  void emit_all() {
    llvm::Function* f =
        llvm::Function::Create(llvm::FunctionType::get(i32_, {ptr_, i32_, i32_, i32_, ptr_}, false),
                               llvm::Function::ExternalLinkage, made_.run_all, module_);
    f->setDoesNotThrow();
    llvm::BasicBlock* entry = llvm::BasicBlock::Create(context_, "entry", f);
    llvm::BasicBlock* nowhere = llvm::BasicBlock::Create(context_, "nowhere", f);
    llvm::IRBuilder<> build(entry);
    const std::vector<Value*> values = load_frame(build, *f);
    llvm::SwitchInst* choice = build.CreateSwitch(f->getArg(1), nowhere);
    llvm::IRBuilder<>(nowhere).CreateUnreachable();
    std::vector<llvm::CallInst*> calls;
    for (std::size_t state = 0; state < regions_.size(); ++state) {
      llvm::BasicBlock* block = llvm::BasicBlock::Create(context_, "state", f);
      choice->addCase(number(static_cast<int>(state)), block);
      calls.push_back(emit_state(*f, block, *regions_[state], values));
    }
    for (llvm::CallInst* call : calls) {
      llvm::InlineFunctionInfo info;
      llvm::InlineFunction(*call, info);
    }
    mark_parallel(*f);
  }

  // Threads of a row of the block follow each other along x; a group is some rows, or parts of
  // them.
  llvm::CallInst* emit_state(llvm::Function& f, llvm::BasicBlock* block, llvm::Function& region,
                             std::vector<Value*> values) {
    llvm::IRBuilder<> build(block);
    Value* first = f.getArg(2);
    Value* end = f.getArg(3);
    Value* uniform = f.getArg(4);
    Value* size_x = values[Given::block_size_x];
    Value* size_y = values[Given::block_size_y];
    // What is uniform is read before and written after the threads, which all have the same.
    llvm::AllocaInst* out = nullptr;
    values[Given::uniform_in] = values[Given::uniform_out] = llvm::PoisonValue::get(ptr_);
    if (const std::uint64_t bytes = crossing_.uniform_bytes; bytes != 0) {
      llvm::Type* type = llvm::ArrayType::get(i8_, bytes);
      values[Given::uniform_in] = copy_of(build, f, uniform, type, llvm::Align(16));
      values[Given::uniform_out] = out = copy_of(build, f, uniform, type, llvm::Align(16));
    }
    Value* states = field(build, f.getArg(0), ptr_, offsetof(BlockFrame, states));
    const llvm::ConstantInt* single = single_result(region);
    llvm::BasicBlock* row = llvm::BasicBlock::Create(context_, "row", &f);
    llvm::BasicBlock* body = llvm::BasicBlock::Create(context_, "thread", &f);
    llvm::BasicBlock* after = llvm::BasicBlock::Create(context_, "row.end", &f);
    llvm::BasicBlock* done = llvm::BasicBlock::Create(context_, "done", &f);
    build.CreateBr(row);

    build.SetInsertPoint(row);
    llvm::PHINode* at = build.CreatePHI(i32_, 2);
    at->addIncoming(first, block);
    llvm::PHINode* all_or = build.CreatePHI(i32_, 2);
    all_or->addIncoming(number(0), block);
    llvm::PHINode* all_and = build.CreatePHI(i32_, 2);
    all_and->addIncoming(number(-1), block);
    Value* x0 = build.CreateURem(at, size_x);
    Value* line = build.CreateUDiv(at, size_x);
    values[Given::y] = build.CreateURem(line, size_y);
    values[Given::z] = build.CreateUDiv(line, size_y);
    Value* left = build.CreateSub(end, at);
    Value* to_end = build.CreateSub(size_x, x0);
    Value* many = build.CreateSelect(build.CreateICmpULT(left, to_end), left, to_end);
    Value* x_end = build.CreateAdd(x0, many);
    Value* base = build.CreateSub(build.CreateZExt(at, i64_), build.CreateZExt(x0, i64_));
    build.CreateBr(body);

    build.SetInsertPoint(body);
    llvm::PHINode* x = build.CreatePHI(i32_, 2);
    x->addIncoming(x0, row);
    llvm::PHINode* some_or = build.CreatePHI(i32_, 2);
    some_or->addIncoming(all_or, row);
    llvm::PHINode* some_and = build.CreatePHI(i32_, 2);
    some_and->addIncoming(all_and, row);
    values[Given::x] = x;
    values[Given::thread] = build.CreateAdd(base, build.CreateZExt(x, i64_), "", true, true);
    llvm::CallInst* call = build.CreateCall(&region, values);
    Value* next_or = some_or;
    Value* next_and = some_and;
    if (!single) {
      build.CreateStore(call, build.CreateInBoundsGEP(i32_, states, values[Given::thread]));
      next_or = build.CreateOr(some_or, call);
      next_and = build.CreateAnd(some_and, call);
    }
    Value* x_next = build.CreateAdd(x, number(1), "", true, true);
    llvm::BranchInst* latch = build.CreateCondBr(build.CreateICmpULT(x_next, x_end), body, after);
    x->addIncoming(x_next, body);
    some_or->addIncoming(next_or, body);
    some_and->addIncoming(next_and, body);
    latches_.push_back(latch);

    build.SetInsertPoint(after);
    Value* at_next = build.CreateAdd(at, many);
    at->addIncoming(at_next, after);
    all_or->addIncoming(next_or, after);
    all_and->addIncoming(next_and, after);
    build.CreateCondBr(build.CreateICmpULT(at_next, end), row, done);

    build.SetInsertPoint(done);
    if (out)
      build.CreateMemCpy(uniform, llvm::Align(16), out, llvm::Align(16), crossing_.uniform_bytes);
    if (single) {
      build.CreateRet(const_cast<llvm::ConstantInt*>(single));
    } else {
      build.CreateRet(build.CreateSelect(build.CreateICmpEQ(next_or, next_and), next_or,
                                         number(cpu::diverged_state)));
    }
    return call;
  }

  // Threads between two sites do not depend on each other: loops over them may be vectors.
  void mark_parallel(llvm::Function& f) {
    llvm::DominatorTree dominators(f);
    llvm::LoopInfo loops(dominators);
    for (llvm::BranchInst* latch : latches_) {
      llvm::Loop* loop = loops.getLoopFor(latch->getParent());
      if (!loop) continue;
      llvm::MDNode* group = llvm::MDNode::getDistinct(context_, {});
      for (llvm::BasicBlock* block : loop->blocks()) {
        for (llvm::Instruction& i : *block) {
          if (i.mayReadOrWriteMemory()) i.setMetadata(llvm::LLVMContext::MD_access_group, group);
        }
      }
      const auto text = [&](const char* words) { return llvm::MDString::get(context_, words); };
      llvm::Metadata* parallel[] = {text("llvm.loop.parallel_accesses"), group};
      llvm::Metadata* interleave[] = {
          text("llvm.loop.interleave.count"),
          llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(i32_, 1))};
      llvm::Metadata* all[] = {nullptr, llvm::MDNode::get(context_, parallel),
                               llvm::MDNode::get(context_, interleave)};
      llvm::MDNode* id = llvm::MDNode::getDistinct(context_, all);
      id->replaceOperandWith(0, id);
      latch->setMetadata(llvm::LLVMContext::MD_loop, id);
    }
  }

  void emit_one() {
    llvm::Function* f =
        llvm::Function::Create(llvm::FunctionType::get(i32_, {ptr_, i32_, i32_, ptr_, ptr_}, false),
                               llvm::Function::ExternalLinkage, made_.run_one, module_);
    f->setDoesNotThrow();
    llvm::BasicBlock* entry = llvm::BasicBlock::Create(context_, "entry", f);
    llvm::BasicBlock* nowhere = llvm::BasicBlock::Create(context_, "nowhere", f);
    llvm::IRBuilder<> build(entry);
    std::vector<Value*> values = load_frame(build, *f);
    Value* thread = f->getArg(2);
    Value* line = build.CreateUDiv(thread, values[Given::block_size_x]);
    values[Given::x] = build.CreateURem(thread, values[Given::block_size_x]);
    values[Given::y] = build.CreateURem(line, values[Given::block_size_y]);
    values[Given::z] = build.CreateUDiv(line, values[Given::block_size_y]);
    values[Given::thread] = build.CreateZExt(thread, i64_);
    values[Given::uniform_in] = f->getArg(3);
    values[Given::uniform_out] = f->getArg(4);
    llvm::SwitchInst* choice = build.CreateSwitch(f->getArg(1), nowhere);
    llvm::IRBuilder<>(nowhere).CreateUnreachable();
    for (std::size_t state = 0; state < regions_.size(); ++state) {
      llvm::BasicBlock* block = llvm::BasicBlock::Create(context_, "state", f);
      choice->addCase(number(static_cast<int>(state)), block);
      build.SetInsertPoint(block);
      llvm::CallInst* call = build.CreateCall(regions_[state], values);
      call->setIsNoInline();
      build.CreateRet(call);
    }
  }

  llvm::Function& kernel_;
  const Parts& parts_;
  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const llvm::DataLayout& layout_;
  SharedLayout shared_;
  KernelDescription made_;
  Crossing crossing_;
  std::vector<llvm::Function*> regions_;
  std::vector<llvm::BranchInst*> latches_;
  llvm::Type *i8_, *i32_, *i64_, *ptr_;
};

}  // namespace

void write_variables(llvm::Module& module, const Parts& parts) {
  if (parts.places.empty()) return;
  llvm::LLVMContext& context = module.getContext();
  std::vector<std::pair<std::uint64_t, llvm::GlobalVariable*>> order;
  for (auto& [variable, offset] : parts.places) order.emplace_back(offset, variable);
  std::sort(order.begin(), order.end());
  std::vector<llvm::Constant*> members;
  std::uint64_t at = 0;
  const auto fill = [&](std::uint64_t to) {
    if (to > at)
      members.push_back(llvm::ConstantAggregateZero::get(
          llvm::ArrayType::get(llvm::Type::getInt8Ty(context), to - at)));
    at = to;
  };
  for (auto& [offset, variable] : order) {
    fill(offset);
    members.push_back(variable->getInitializer());
    at += module.getDataLayout().getTypeAllocSize(variable->getValueType()).getFixedValue();
  }
  fill(parts.variable_bytes);
  llvm::Constant* all = llvm::ConstantStruct::getAnon(context, members, /*Packed=*/true);
  auto* image = new llvm::GlobalVariable(
      module, all->getType(), true, llvm::GlobalValue::ExternalLinkage, all, "heddle_variables");
  image->setAlignment(llvm::Align(64));
  for (auto& [offset, variable] : order) {
    variable->removeDeadConstantUsers();
    if (!variable->use_empty())
      throw Refused{
          "error: " + variable->getName().str() +
          " is used by a function that calls itself, or by another variable: on a CPU only "
          "kernels and what they call by name can use variables"};
    variable->eraseFromParent();
  }
}

KernelDescription lower_kernel(llvm::Function& kernel, const Parts& parts, int number) {
  return Lowering(kernel, parts, number).run();
}

}  // namespace heddle::clang_plugin
