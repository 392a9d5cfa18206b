#include "kernel/lane_builder.h"

#include <algorithm>
#include <bit>

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include "kernel/grid_machine.h"

namespace heddle::kernel {

using llvm::Type;
using llvm::Value;

namespace {

bool is_float(Value* x) { return x->getType()->isFPOrFPVectorTy(); }

// Math functions read and write nothing but their arguments.
llvm::Function* pure_function(llvm::Module& module, const std::string& name, Type* result,
                              llvm::ArrayRef<Type*> params) {
  if (llvm::Function* found = module.getFunction(name)) return found;
  auto* type = llvm::FunctionType::get(result, params, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, &module);
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  return function;
}

}  // namespace

Type* LaneBuilder::widen(Type* scalar) const {
  return lanes == 1 ? scalar : llvm::FixedVectorType::get(scalar, lanes);
}

Type* LaneBuilder::int_like(Type* type) const {
  return widen(b.getIntNTy(type->getScalarSizeInBits()));
}

Lane LaneBuilder::number(Type* like, double value) {
  Type* type = like->getScalarType();
  llvm::Constant* scalar =
      type->isFloatingPointTy()
          ? llvm::ConstantFP::get(type, value)
          : llvm::ConstantInt::get(type,
                                   static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
  return (*this)(lanes == 1
                     ? scalar
                     : llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes), scalar));
}

Lane LaneBuilder::integer(Type* like, std::uint64_t bits) {
  Type* type = b.getIntNTy(like->getScalarSizeInBits());
  auto* scalar = llvm::ConstantInt::get(
      llvm::cast<llvm::IntegerType>(type),
      llvm::APInt(type->getIntegerBitWidth(), bits, false, /*implicitTrunc=*/true));
  return (*this)(lanes == 1
                     ? scalar
                     : llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(lanes), scalar));
}

Lane LaneBuilder::where(Value* condition, Value* yes, Value* no) {
  return (*this)(b.CreateSelect(condition, yes, no));
}

Lane LaneBuilder::intrinsic(llvm::Intrinsic::ID id, std::initializer_list<Value*> args) {
  return (*this)(b.CreateIntrinsic(id, {(*args.begin())->getType()},
                                   llvm::ArrayRef<Value*>(args.begin(), args.size())));
}

Lane LaneBuilder::mad(Value* x, Value* y, Value* z) {
  if (!has_fma()) return (*this)(b.CreateFAdd(b.CreateFMul(x, y), z));
  return intrinsic(llvm::Intrinsic::fma, {x, y, z});
}

Lane LaneBuilder::polynomial(Value* x, std::initializer_list<double> coefficients) {
  const double* c = coefficients.begin();
  Lane sum = number(x->getType(), c[coefficients.size() - 1]);
  for (std::size_t i = coefficients.size() - 1; i-- > 0;) {
    sum = mad(sum, x, number(x->getType(), c[i]));
  }
  return sum;
}

Lane LaneBuilder::bits_of(Value* x) { return (*this)(b.CreateBitCast(x, int_like(x->getType()))); }

Lane LaneBuilder::float_of(Value* bits) {
  Type* type = bits->getType()->getScalarSizeInBits() == 64 ? b.getDoubleTy() : b.getFloatTy();
  return (*this)(b.CreateBitCast(bits, widen(type)));
}

Lane LaneBuilder::convert(Value* x, Type* scalar) {
  return (*this)(b.CreateFPCast(x, widen(scalar)));
}

int LaneBuilder::register_lanes(Type* scalar) const {
  return std::max(1, target.vector_bytes / static_cast<int>(scalar->getScalarSizeInBits() / 8));
}

Value* LaneBuilder::extract_piece(Value* value, int first, int count) {
  llvm::SmallVector<int, 64> mask(count);
  for (int i = 0; i < count; ++i) mask[i] = first + i;
  return b.CreateShuffleVector(value, mask);
}

Lane LaneBuilder::by_register(std::initializer_list<Value*> args, Type* result_scalar,
                              const std::function<Value*(llvm::ArrayRef<Value*>)>& f) {
  const int width = register_lanes((*args.begin())->getType()->getScalarType());
  llvm::SmallVector<Value*, 3> piece;
  if (lanes == width && lanes > 1) {
    piece.assign(args.begin(), args.end());
    return (*this)(f(piece));
  }
  if (lanes < width) {
    for (Value* arg : args) {
      Type* wide = llvm::FixedVectorType::get(arg->getType()->getScalarType(), width);
      Value* zero = llvm::Constant::getNullValue(wide);
      if (lanes == 1) {
        piece.push_back(b.CreateInsertElement(zero, arg, std::uint64_t{0}));
        continue;
      }
      llvm::SmallVector<int, 64> mask(width, lanes);  // the first zero
      for (int i = 0; i < lanes; ++i) mask[i] = i;
      piece.push_back(
          b.CreateShuffleVector(arg, llvm::Constant::getNullValue(arg->getType()), mask));
    }
    Value* result = f(piece);
    if (lanes == 1) return (*this)(b.CreateExtractElement(result, std::uint64_t{0}));
    return (*this)(extract_piece(result, 0, lanes));
  }
  llvm::SmallVector<Value*, 8> results;
  for (int first = 0; first < lanes; first += width) {
    piece.clear();
    for (Value* arg : args) piece.push_back(extract_piece(arg, first, width));
    results.push_back(f(piece));
  }
  while (results.size() > 1) {
    llvm::SmallVector<Value*, 8> pairs;
    for (std::size_t i = 0; i < results.size(); i += 2) {
      const int count = static_cast<int>(
          llvm::cast<llvm::FixedVectorType>(results[i]->getType())->getNumElements());
      llvm::SmallVector<int, 64> mask(2 * count);
      for (int k = 0; k < 2 * count; ++k) mask[k] = k;
      pairs.push_back(b.CreateShuffleVector(results[i], results[i + 1], mask));
    }
    results = pairs;
  }
  return (*this)(results.front());
}

Lane LaneBuilder::math(std::string_view name, std::initializer_list<Value*> args) {
  Type* scalar = (*args.begin())->getType()->getScalarType();
  const bool is_single = scalar->isFloatTy();
  if (target.model == Model::grid) return device_math(name, args, false);
  if (!target.vector_math) return rare_math(name, args);
  // The vector function ABI: isa letter, N for unmasked, lanes, a v for every vector argument.
  const char isa = target.vector_bytes >= 64 ? 'e' : target.vector_bytes >= 32 ? 'd' : 'b';
  const int width = register_lanes(scalar);
  std::string symbol = std::string("_ZGV") + isa + 'N' + std::to_string(width);
  symbol.append(args.size(), 'v').append("_").append(name).append(is_single ? "f" : "");
  return by_register(args, scalar, [&](llvm::ArrayRef<Value*> piece) -> Value* {
    Type* type = llvm::FixedVectorType::get(scalar, width);
    llvm::SmallVector<Type*, 2> params(piece.size(), type);
    auto* function = pure_function(*b.GetInsertBlock()->getModule(), symbol, type, params);
    return b.CreateCall(function, piece);
  });
}

Lane LaneBuilder::rare_math(std::string_view name, std::initializer_list<Value*> args) {
  if (target.model == Model::grid) return device_math(name, args, true);
  Type* type = (*args.begin())->getType();
  const char* suffix = type->getScalarType()->isFloatTy() ? "_f32" : "_f64";
  return helper(std::string(name) + suffix, type, args);
}

// A call for every lane of a function of the device's math library, linked in later.
Lane LaneBuilder::device_math(std::string_view name, std::initializer_list<Value*> args,
                              bool rare) {
  Type* type = (*args.begin())->getType();
  Type* scalar = type->getScalarType();
  const std::string symbol = target.dialect->math(name, scalar->isFloatTy());
  llvm::SmallVector<Type*, 2> params(args.size(), scalar);
  auto* function = pure_function(*b.GetInsertBlock()->getModule(), symbol, scalar, params);
  return lane_by_lane(args, [&](llvm::ArrayRef<Value*> lane) {
    llvm::CallInst* call = b.CreateCall(function, lane);
    if (rare) call->setIsNoInline();
    return call;
  });
}

Lane LaneBuilder::lane_by_lane(std::initializer_list<Value*> args,
                               const std::function<Value*(llvm::ArrayRef<Value*>)>& f) {
  if (lanes == 1) return (*this)(f(llvm::ArrayRef<Value*>(args.begin(), args.size())));
  Value* result = llvm::PoisonValue::get((*args.begin())->getType());
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(lanes); ++i) {
    llvm::SmallVector<Value*, 2> lane;
    for (Value* arg : args) lane.push_back(b.CreateExtractElement(arg, i));
    result = b.CreateInsertElement(result, f(lane), i);
  }
  return (*this)(result);
}

Value* LaneBuilder::stack_slot(Type* element, int count) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  llvm::BasicBlock& entry = function->getEntryBlock();
  llvm::IRBuilder<> at_entry(&entry, entry.getFirstInsertionPt());
  auto* slot = at_entry.CreateAlloca(llvm::ArrayType::get(element, count));
  slot->setAlignment(llvm::Align(64));
  return slot;
}

Lane LaneBuilder::helper(const std::string& name, Type* result,
                         std::initializer_list<Value*> args) {
  llvm::SmallVector<Value*, 4> pointers{stack_slot(result->getScalarType(), lanes)};
  for (Value* arg : args) {
    pointers.push_back(stack_slot(arg->getType()->getScalarType(), lanes));
    b.CreateAlignedStore(arg, pointers.back(), llvm::Align(64));
  }
  llvm::SmallVector<Value*, 5> call_args(pointers.begin(), pointers.end());
  call_args.push_back(b.getInt64(lanes));
  llvm::SmallVector<Type*, 5> params(pointers.size(), b.getPtrTy());
  params.push_back(b.getInt64Ty());
  auto callee = b.GetInsertBlock()->getModule()->getOrInsertFunction(
      "heddle_rt_" + name, llvm::FunctionType::get(b.getVoidTy(), params, false));
  if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    function->setDoesNotThrow();
    function->setWillReturn();
    function->setOnlyAccessesArgMemory();
  }
  b.CreateCall(callee, call_args);
  return (*this)(b.CreateAlignedLoad(result, pointers[0], llvm::Align(64)));
}

Value* LaneBuilder::any(Value* condition) {
  if (!condition->getType()->isVectorTy()) return condition;
  if (target.model == Model::simd) return b.CreateOrReduce(condition);
  // Not as one number, whose bits would have to be put together: each is in a register of its own.
  Value* found = b.CreateExtractElement(condition, std::uint64_t{0});
  for (std::uint64_t i = 1; i < static_cast<std::uint64_t>(lanes); ++i)
    found = b.CreateOr(found, b.CreateExtractElement(condition, i));
  return found;
}

Lane LaneBuilder::rarely(Value* condition, Value* usual, const std::function<Value*()>& slow) {
  return rarely(condition, LaneList{(*this)(usual)}, [&] { return LaneList{(*this)(slow())}; })
      .front();
}

LaneList LaneBuilder::rarely(Value* condition, const LaneList& usual,
                             const std::function<LaneList()>& slow) {
  llvm::LLVMContext& context = b.getContext();
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::Function* function = before->getParent();
  auto* rare = llvm::BasicBlock::Create(context, "rare", function);
  auto* after = llvm::BasicBlock::Create(context, "usual", function);
  b.CreateCondBr(any(condition), rare, after,
                 llvm::MDBuilder(context).createUnlikelyBranchWeights());
  b.SetInsertPoint(rare);
  LaneList replaced = slow();
  for (std::size_t i = 0; i < usual.size(); ++i)
    replaced[i] = where(condition, replaced[i], usual[i]);
  rare = b.GetInsertBlock();
  b.CreateBr(after);
  b.SetInsertPoint(after);
  LaneList merged;
  for (std::size_t i = 0; i < usual.size(); ++i) {
    llvm::PHINode* phi = b.CreatePHI(usual[i].value->getType(), 2);
    phi->addIncoming(usual[i], before);
    phi->addIncoming(replaced[i], rare);
    merged.push_back((*this)(phi));
  }
  return merged;
}

LaneList LaneBuilder::rarely_in_turn(
    Value* condition, const LaneList& usual, const LaneList& args,
    const std::function<LaneList(LaneBuilder&, const LaneList&)>& slow) {
  if (lanes == 1) return rarely(condition, usual, [&] { return slow(*this, args); });
  const auto count = static_cast<std::uint64_t>(lanes);
  return rarely(condition, usual, [&] {
    LaneBuilder one(b, target, 1);
    one.brief = true;
    LaneList state{one(b.getInt32(0))};  // whose turn it is, and the results lane by lane
    for (Lane value : usual) {
      for (std::uint64_t i = 0; i < count; ++i)
        state.push_back(one(b.CreateExtractElement(value, i)));
    }
    const auto is_turn_of = [&](Lane turn, std::uint64_t i) {
      return one(b.CreateICmpEQ(turn, b.getInt32(static_cast<std::uint32_t>(i))));
    };
    const LaneList done = one.repeat_while(
        state, [&](const LaneList& s) { return s[0] < static_cast<double>(lanes); },
        [&](const LaneList& s) {
          LaneList own;
          for (Lane arg : args) {
            Value* mine = b.CreateExtractElement(arg, std::uint64_t{0});
            for (std::uint64_t i = 1; i < count; ++i)
              mine = one.where(is_turn_of(s[0], i), b.CreateExtractElement(arg, i), mine);
            own.push_back(one(mine));
          }
          const LaneList made = slow(one, own);
          LaneList next{s[0] + 1.0};
          for (Lane result : made) {
            for (std::uint64_t i = 0; i < count; ++i)
              next.push_back(one.where(is_turn_of(s[0], i), result, s[next.size()]));
          }
          return next;
        });
    LaneList results;
    for (std::size_t r = 0; r < usual.size(); ++r) {
      Value* together = llvm::PoisonValue::get(usual[r].value->getType());
      for (std::uint64_t i = 0; i < count; ++i)
        together = b.CreateInsertElement(together, done[1 + r * count + i], i);
      results.push_back((*this)(together));
    }
    return results;
  });
}

Lane LaneBuilder::one_by_one(Value* condition, Value* usual, const LaneList& args,
                             const std::function<Lane(LaneBuilder&, const LaneList&)>& slow) {
  if (lanes == 1 || target.model == Model::grid)
    return rarely(condition, usual, [&]() -> Value* { return slow(*this, args); });
  return rarely(condition, usual, [&]() -> Value* {
    Type* type = usual->getType();
    auto spilled = [&](Value* x) {
      Value* slot = stack_slot(x->getType()->getScalarType(), lanes);
      b.CreateAlignedStore(x, slot, llvm::Align(64));
      return slot;
    };
    Value* results = spilled(usual);
    llvm::SmallVector<Value*, 8> slots;
    for (Lane arg : args) slots.push_back(spilled(arg));
    LaneBuilder one(b, target, 1);
    Type* bits = b.getIntNTy(lanes);
    Lane left = one(b.CreateBitCast(condition, bits));
    one.repeat_while(
        {left}, [&](const LaneList& s) { return s[0] != 0.0; },
        [&](const LaneList& s) {
          Value* lane = one.intrinsic(llvm::Intrinsic::cttz, {s[0], b.getTrue()});
          lane = b.CreateZExtOrTrunc(lane, b.getInt64Ty());
          auto place = [&](Value* slot, Type* element) {
            return b.CreateInBoundsGEP(element, slot, lane);
          };
          LaneList own;
          for (std::size_t i = 0; i < args.size(); ++i) {
            Type* element = args[i].value->getType()->getScalarType();
            own.push_back(one(b.CreateLoad(element, place(slots[i], element))));
          }
          Lane made = slow(one, own);
          b.CreateStore(made, place(results, type->getScalarType()));
          return LaneList{s[0] & (s[0] - 1.0)};
        });
    return b.CreateAlignedLoad(type, results, llvm::Align(64));
  });
}

Lane LaneBuilder::in_turns(Value* x, Type* result_scalar,
                           const std::function<Lane(LaneBuilder&, Lane)>& f) {
  Type* scalar = x->getType()->getScalarType();
  const int width = register_lanes(scalar);
  if (lanes <= width || lanes % width != 0 || target.model == Model::grid)
    return f(*this, (*this)(x));
  Value* from = stack_slot(scalar, lanes);
  Value* to = stack_slot(result_scalar, lanes);
  b.CreateAlignedStore(x, from, llvm::Align(64));
  LaneBuilder one(b, target, 1), some(b, target, width);
  one.repeat_while(
      {one(b.getInt64(0))}, [&](const LaneList& s) { return s[0] < lanes; },
      [&](const LaneList& s) {
        auto place = [&](Type* type, Value* slot) {
          return b.CreateInBoundsGEP(type, slot, s[0].value);
        };
        Value* part = b.CreateAlignedLoad(some.widen(scalar), place(scalar, from), llvm::Align(8));
        Lane made = f(some, some(part));
        b.CreateAlignedStore(made, place(result_scalar, to), llvm::Align(4));
        return LaneList{s[0] + width};
      });
  return (*this)(b.CreateAlignedLoad(widen(result_scalar), to, llvm::Align(64)));
}

LaneList LaneBuilder::shared(const LaneList& args,
                             const std::function<LaneList(LaneBuilder&, const LaneList&)>& f) {
  LaneBuilder one(b, target, 1);
  LaneList scalars, result;
  for (Lane arg : args) {
    Value* same = lanes == 1 ? nullptr : llvm::getSplatValue(arg);
    if (same == nullptr) return f(*this, args);
    scalars.push_back(one(same));
  }
  for (Lane x : f(one, scalars)) result.push_back((*this)(b.CreateVectorSplat(lanes, x)));
  return result;
}

LaneList LaneBuilder::repeat_while(const LaneList& initial,
                                   const std::function<Lane(const LaneList&)>& active,
                                   const std::function<LaneList(const LaneList&)>& step) {
  llvm::LLVMContext& context = b.getContext();
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::Function* function = before->getParent();
  auto* test = llvm::BasicBlock::Create(context, "test", function);
  auto* body = llvm::BasicBlock::Create(context, "step", function);
  auto* after = llvm::BasicBlock::Create(context, "repeated", function);
  b.CreateBr(test);
  b.SetInsertPoint(test);
  LaneList state;
  llvm::SmallVector<llvm::PHINode*, 6> phis;
  for (Lane value : initial) {
    phis.push_back(b.CreatePHI(value.value->getType(), 2));
    phis.back()->addIncoming(value, before);
    state.push_back((*this)(phis.back()));
  }
  b.CreateCondBr(any(active(state)), body, after);
  b.SetInsertPoint(body);
  const LaneList next = step(state);
  for (std::size_t i = 0; i < phis.size(); ++i) phis[i]->addIncoming(next[i], b.GetInsertBlock());
  llvm::Instruction* back = b.CreateBr(test);
  if (brief) {  // assemblers repeat the code of loops that they can count
    auto* once =
        llvm::MDNode::get(context, llvm::MDString::get(context, "llvm.loop.unroll.disable"));
    auto* loop = llvm::MDNode::getDistinct(context, {nullptr, once});
    loop->replaceOperandWith(0, loop);
    back->setMetadata(llvm::LLVMContext::MD_loop, loop);
  }
  b.SetInsertPoint(after);
  return state;
}

namespace {
Lane like(Lane x, double y) { return x.lanes->number(x.value->getType(), y); }
}  // namespace

Lane operator+(Lane x, Lane y) {
  auto& b = x.lanes->b;
  return (*x.lanes)(is_float(x) ? b.CreateFAdd(x, y) : b.CreateAdd(x, y));
}
Lane operator-(Lane x, Lane y) {
  auto& b = x.lanes->b;
  return (*x.lanes)(is_float(x) ? b.CreateFSub(x, y) : b.CreateSub(x, y));
}
Lane operator*(Lane x, Lane y) {
  auto& b = x.lanes->b;
  return (*x.lanes)(is_float(x) ? b.CreateFMul(x, y) : b.CreateMul(x, y));
}
Lane operator/(Lane x, Lane y) { return (*x.lanes)(x.lanes->b.CreateFDiv(x, y)); }
Lane operator-(Lane x) {
  auto& b = x.lanes->b;
  return (*x.lanes)(is_float(x) ? b.CreateFNeg(x) : b.CreateNeg(x));
}
Lane operator+(Lane x, double y) { return x + like(x, y); }
Lane operator-(Lane x, double y) { return x - like(x, y); }
Lane operator-(double x, Lane y) { return like(y, x) - y; }
Lane operator*(Lane x, double y) { return x * like(x, y); }
Lane operator/(double x, Lane y) { return like(y, x) / y; }
Lane operator&(Lane x, Lane y) { return (*x.lanes)(x.lanes->b.CreateAnd(x, y)); }
Lane operator|(Lane x, Lane y) { return (*x.lanes)(x.lanes->b.CreateOr(x, y)); }
Lane operator^(Lane x, Lane y) { return (*x.lanes)(x.lanes->b.CreateXor(x, y)); }
Lane operator!(Lane x) { return (*x.lanes)(x.lanes->b.CreateNot(x)); }
Lane operator<<(Lane x, int count) { return (*x.lanes)(x.lanes->b.CreateShl(x, count)); }

#define HEDDLE_COMPARE(op, float_predicate, int_predicate)                             \
  Lane operator op(Lane x, Lane y) {                                                   \
    auto& b = x.lanes->b;                                                              \
    return (*x.lanes)(is_float(x) ? b.CreateFCmp(llvm::CmpInst::float_predicate, x, y) \
                                  : b.CreateICmp(llvm::CmpInst::int_predicate, x, y)); \
  }                                                                                    \
  Lane operator op(Lane x, double y) { return x op like(x, y); }
HEDDLE_COMPARE(<, FCMP_OLT, ICMP_SLT)
HEDDLE_COMPARE(<=, FCMP_OLE, ICMP_SLE)
HEDDLE_COMPARE(>, FCMP_OGT, ICMP_SGT)
HEDDLE_COMPARE(>=, FCMP_OGE, ICMP_SGE)
HEDDLE_COMPARE(==, FCMP_OEQ, ICMP_EQ)
HEDDLE_COMPARE(!=, FCMP_UNE, ICMP_NE)
#undef HEDDLE_COMPARE

}  // namespace heddle::kernel
