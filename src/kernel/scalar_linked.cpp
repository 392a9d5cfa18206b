// Operations whose code is linked (kernel/linked_code.h): a call for each lane.
#include <llvm/IR/Dominators.h>

#include "kernel/lane_builder.h"
#include "kernel/linked_code.h"
#include "kernel/scalar_lowering.h"

namespace heddle::kernel {

namespace {

using Values = llvm::SmallVector<llvm::Value*, 8>;

// A function of numbers, which gives back all results at once and reads no memory, so that equal
// calls of it become one: around that of src/special, which has operands and results in memory.
llvm::Function* pure_function(llvm::Module& module, const std::string& name, std::size_t operands,
                              std::size_t results) {
  const std::string pure = name + ".pure";
  if (llvm::Function* made = module.getFunction(pure)) return made;
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* number = llvm::Type::getDoubleTy(context);
  llvm::Type* result = llvm::ArrayType::get(number, results);
  const llvm::SmallVector<llvm::Type*, 8> params(operands, number);
  auto* made = llvm::Function::Create(llvm::FunctionType::get(result, params, false),
                                      llvm::GlobalValue::InternalLinkage, pure, module);
  made->setDoesNotAccessMemory();
  made->setDoesNotThrow();
  made->setWillReturn();
  made->addFnAttr(llvm::Attribute::AlwaysInline);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "", made));
  llvm::Value* in = b.CreateAlloca(llvm::ArrayType::get(number, operands));
  llvm::Value* out = b.CreateAlloca(result);
  for (std::size_t i = 0; i < operands; ++i) {
    b.CreateStore(made->getArg(static_cast<unsigned>(i)),
                  b.CreateConstInBoundsGEP1_64(number, in, i));
  }
  auto called = module.getOrInsertFunction(
      name, llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy()}, false));
  auto* callee = llvm::cast<llvm::Function>(called.getCallee());
  callee->setDoesNotThrow();
  b.CreateCall(called, {in, out});
  b.CreateRet(b.CreateLoad(result, out));
  return made;
}

bool dominates(llvm::BasicBlock* first, llvm::BasicBlock* second) {
  if (first->getParent() != second->getParent()) return false;
  return llvm::DominatorTree(*first->getParent()).dominates(first, second);
}

// Results of a call for each lane, each in an array of numbers on the stack. Another row that wants
// a result of the same call finds it there.
Values results_in_memory(LaneBuilder& l, LinkedCalls& calls, llvm::Function* function,
                         const Values& given, const Values& operands, std::size_t results) {
  for (const LinkedCalls::Call& call : calls.made) {
    if (call.function == function && call.operands == given &&
        dominates(call.block, l.b.GetInsertBlock()))
      return call.results;
  }
  llvm::Type* number = l.b.getDoubleTy();
  Values from, to;
  for (llvm::Value* operand : operands) {
    from.push_back(l.stack_slot(number, l.lanes));
    l.b.CreateAlignedStore(operand, from.back(), llvm::Align(64));
  }
  for (std::size_t i = 0; i < results; ++i) to.push_back(l.stack_slot(number, l.lanes));
  LaneBuilder one(l.b, l.target, 1);
  one.repeat_while(
      {one(l.b.getInt64(0))}, [&](const LaneList& s) { return s[0] < l.lanes; },
      [&](const LaneList& s) {
        auto place = [&](llvm::Value* slot) {
          return l.b.CreateInBoundsGEP(number, slot, s[0].value);
        };
        Values lane;
        for (llvm::Value* slot : from) lane.push_back(l.b.CreateLoad(number, place(slot)));
        llvm::Value* all = l.b.CreateCall(function, lane);
        for (unsigned i = 0; i < results; ++i)
          l.b.CreateStore(l.b.CreateExtractValue(all, i), place(to[i]));
        return LaneList{s[0] + 1.0};
      });
  calls.made.push_back({function, given, to, l.b.GetInsertBlock()});
  return to;
}

}  // namespace

Value lower_linked(LaneBuilder& l, LinkedCalls& calls, Op op, Dtype compute, Dtype result,
                   std::span<const Value> args) {
  const OpInfo& row = info(op);
  llvm::Type* number = l.b.getDoubleTy();
  auto as_number = [&](llvm::Value* x) -> llvm::Value* {
    if (x->getType()->isIntOrIntVectorTy()) return l.b.CreateBitCast(x, l.widen(number));
    return l.convert(x, number);
  };
  Values given, operands;
  for (std::size_t i = 0; i < args.size(); ++i) {
    given.push_back(args[i].re);
    if (is_complex(compute) && row.takes[i] == Takes::value) given.push_back(args[i].im);
  }
  for (llvm::Value* x : given) operands.push_back(as_number(x));
  const unsigned parts = is_complex(result) ? 2 : 1;
  const std::size_t results = std::size_t{row.outputs} * parts;
  llvm::Function* function =
      pure_function(*l.b.GetInsertBlock()->getModule(), linked_name(op, is_complex(compute)),
                    operands.size(), results);
  auto part_of = [&](unsigned part) -> llvm::Value* {
    const unsigned place = row.output * parts + part;
    llvm::Value* made = nullptr;
    if (l.lanes == 1) {
      made = l.b.CreateExtractValue(l.b.CreateCall(function, operands), place);
    } else if (l.target.model == Model::grid) {
      made = llvm::PoisonValue::get(l.widen(number));
      for (std::uint64_t lane = 0; lane < static_cast<std::uint64_t>(l.lanes); ++lane) {
        Values own;
        for (llvm::Value* operand : operands)
          own.push_back(l.b.CreateExtractElement(operand, lane));
        llvm::Value* one = l.b.CreateExtractValue(l.b.CreateCall(function, own), place);
        made = l.b.CreateInsertElement(made, one, lane);
      }
    } else {
      llvm::Value* slot = results_in_memory(l, calls, function, given, operands, results)[place];
      made = l.b.CreateAlignedLoad(l.widen(number), slot, llvm::Align(64));
    }
    return itemsize(real_type(result)) == 4 ? l.convert(made, l.b.getFloatTy()).value : made;
  };
  Value value{part_of(0)};
  if (parts == 2) value.im = part_of(1);
  return value;
}

}  // namespace heddle::kernel
