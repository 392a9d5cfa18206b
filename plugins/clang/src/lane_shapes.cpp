#include "lane_shapes.h"

#include <vector>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include "known.h"

namespace heddle::clang_plugin {
namespace {

using Kind = Shape::Kind;

constexpr Shape uniform_shape = {Kind::uniform, false, 0};
constexpr Shape varying_shape = {Kind::varying, false, 0};

Shape stepping(std::int64_t step, bool assumed) {
  // Whatever was assumed of numbers whose steps cancel does not matter: they are all the same.
  if (step == 0) return assumed ? varying_shape : uniform_shape;
  constexpr std::int64_t most = std::int64_t{1} << 24;
  if (step > most || step < -most) return varying_shape;
  return {Kind::affine, assumed, step};
}

Shape joined(Shape a, Shape b) {
  if (a.kind == Kind::unknown) return b;
  if (b.kind == Kind::unknown) return a;
  if (a.kind != b.kind || a.step != b.step) return varying_shape;
  a.assumed |= b.assumed;
  return a;
}

Shape scaled(Shape a, const llvm::APInt& by) {
  if (a.kind != Kind::affine) return a;
  if (by.getSignificantBits() > 32) return varying_shape;
  return stepping(a.step * by.getSExtValue(), a.assumed);
}

Shape added(Shape a, Shape b, int sign) {
  if (a.kind == Kind::unknown || b.kind == Kind::unknown) return {};
  if (!a.is_scalar() || !b.is_scalar()) return varying_shape;
  return stepping(a.step + sign * b.step, a.assumed || b.assumed);
}

}  // namespace

LaneShapes::LaneShapes(llvm::Function& function, const llvm::LoopInfo& loops,
                       const llvm::PostDominatorTree& post,
                       std::initializer_list<unsigned> counting)
    : function_(function),
      loops_(loops),
      post_(post),
      layout_(function.getParent()->getDataLayout()) {
  for (llvm::Argument& a : function.args()) shapes_[&a] = uniform_shape;
  for (const unsigned i : counting) shapes_[function.getArg(i)] = {Kind::affine, false, 1};
  const llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
  // Shapes only ever go from what is known of all lanes to what is known of none.
  for (bool changed = true; changed;) {
    changed = false;
    for (llvm::BasicBlock* block : order) {
      for (llvm::Instruction& i : *block) {
        if (i.isTerminator()) {
          const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&i);
          if (!branch || !branch->isConditional() || parted_.contains(&i)) continue;
          const Shape shape = of(*branch->getCondition());
          if (shape.kind == Kind::unknown || shape.kind == Kind::uniform) continue;
          parted_.insert(&i);
          part(i);
          changed = true;
        } else if (!i.getType()->isVoidTy()) {
          Shape& known = shapes_[&i];
          if (known.kind == Kind::varying) continue;
          const Shape shape = of_instruction(i);
          if (shape == known) continue;
          // A shape that has been another one before is neither.
          const bool again =
              known.kind != Kind::unknown && (shape.kind < known.kind || shape.step != known.step);
          Shape next = again ? varying_shape : shape;
          if (next == known) continue;
          next.assumed |= known.assumed && next.kind == Kind::affine;
          changed |= !(next == known);
          known = next;
        }
      }
    }
  }
}

Shape LaneShapes::of(const llvm::Value& value) const {
  const auto found = shapes_.find(&value);
  if (found != shapes_.end()) return found->second;
  return llvm::isa<llvm::Instruction>(value) ? Shape{} : uniform_shape;
}

// Where lanes go different ways: blocks up to where they meet have some of them, and where they
// meet they bring different values. Those that leave a loop at different times have what it made
// then; within it, those that are still there have made as many passes.
void LaneShapes::part(const llvm::Instruction& branch) {
  auto* from = const_cast<llvm::BasicBlock*>(branch.getParent());
  const auto* node = post_.getNode(from);
  const llvm::BasicBlock* join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  llvm::DenseMap<const llvm::BasicBlock*, int> ways;
  llvm::SmallPtrSet<llvm::BasicBlock*, 4> starts;
  for (llvm::BasicBlock* start : llvm::successors(from)) {
    if (!starts.insert(start).second) continue;
    llvm::SmallPtrSet<llvm::BasicBlock*, 16> seen;
    std::vector<llvm::BasicBlock*> todo = {start};
    while (!todo.empty()) {
      llvm::BasicBlock* block = todo.back();
      todo.pop_back();
      if (!seen.insert(block).second) continue;
      ++ways[block];
      if (block == join) continue;
      divergent_.insert(block);
      if (block == from) continue;
      for (llvm::BasicBlock* next : llvm::successors(block)) todo.push_back(next);
    }
  }
  for (const auto& [block, count] : ways) {
    if (count > 1) joins_.insert(block);
  }
  for (const llvm::Loop* loop = loops_.getLoopFor(from); loop; loop = loop->getParentLoop()) {
    bool leaves = false;
    for (const llvm::BasicBlock* next : llvm::successors(from)) leaves |= !loop->contains(next);
    if (!leaves) break;
    parting_.insert(loop);
    llvm::SmallVector<llvm::BasicBlock*, 4> exits;
    loop->getExitBlocks(exits);
    for (const llvm::BasicBlock* exit : exits) joins_.insert(exit);
  }
}

Shape LaneShapes::of_instruction(const llvm::Instruction& i) const {
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&i)) return of_phi(*phi);
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&i)) return of_cast(*cast);
  if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&i)) {
    const std::optional<llvm::TypeSize> size = variable->getAllocationSize(layout_);
    if (!size) return varying_shape;
    return stepping(
        static_cast<std::int64_t>(llvm::alignTo(size->getFixedValue(), variable->getAlign())),
        false);
  }
  if (llvm::isa<llvm::GetElementPtrInst>(i)) return of_address(i);
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) return of_call(*call);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
    // Memory that is read at one place between two barriers is the same for all, or raced for.
    const Shape at = of(*load->getPointerOperand());
    if (at.kind == Kind::unknown) return {};
    return at.kind == Kind::uniform && load->isSimple() ? uniform_shape : varying_shape;
  }
  if (llvm::isa<llvm::FreezeInst>(i)) return of(*i.getOperand(0));
  if (i.mayReadOrWriteMemory()) return varying_shape;
  bool all = true;
  for (const llvm::Use& use : i.operands()) {
    const Shape shape = of(*use.get());
    if (shape.kind == Kind::unknown) return {};
    all &= shape.kind == Kind::uniform;
  }
  if (all) return uniform_shape;
  return of_arithmetic(i);
}

Shape LaneShapes::of_phi(const llvm::PHINode& phi) const {
  if (const llvm::Value* same = phi.hasConstantValue(); same && same != &phi) {
    if (!joins_.contains(phi.getParent()) || llvm::isa<llvm::Constant>(same)) return of(*same);
  }
  if (joins_.contains(phi.getParent())) return varying_shape;
  Shape shape;
  for (const llvm::Use& use : phi.incoming_values()) shape = joined(shape, of(*use.get()));
  return shape;
}

Shape LaneShapes::of_arithmetic(const llvm::Instruction& i) const {
  if (i.getType()->isIntegerTy() && i.getNumOperands() == 2 && llvm::isa<llvm::BinaryOperator>(i)) {
    const Shape a = of(*i.getOperand(0)), b = of(*i.getOperand(1));
    const auto* right = llvm::dyn_cast<llvm::ConstantInt>(i.getOperand(1));
    switch (i.getOpcode()) {
      case llvm::Instruction::Add:
        return added(a, b, 1);
      case llvm::Instruction::Sub:
        return added(a, b, -1);
      case llvm::Instruction::Mul:
        if (right) return scaled(a, right->getValue());
        break;
      case llvm::Instruction::Shl:
        if (right && right->getValue().ult(24))
          return scaled(a, llvm::APInt(64, std::uint64_t{1} << right->getZExtValue()));
        break;
      case llvm::Instruction::Or:
        if (llvm::cast<llvm::PossiblyDisjointInst>(i).isDisjoint()) return added(a, b, 1);
        break;
      default:
        break;
    }
  }
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&i);
      select && of(*select->getCondition()).kind == Kind::uniform)
    return joined(of(*select->getTrueValue()), of(*select->getFalseValue()));
  return varying_shape;
}

Shape LaneShapes::of_cast(const llvm::CastInst& cast) const {
  Shape shape = of(*cast.getOperand(0));
  if (shape.kind != Kind::affine) return shape;
  switch (cast.getOpcode()) {
    case llvm::Instruction::Trunc:
      return cast.getType()->getIntegerBitWidth() >= 32 ? shape : varying_shape;
    case llvm::Instruction::SExt:
    case llvm::Instruction::ZExt: {
      if (cast.getSrcTy()->getIntegerBitWidth() < 32) return varying_shape;
      // What counts threads does not overflow.
      const auto* from = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(cast.getOperand(0));
      const bool exact =
          llvm::isa<llvm::Argument>(cast.getOperand(0)) ||
          (cast.getOpcode() == llvm::Instruction::SExt && from && from->hasNoSignedWrap());
      shape.assumed |= !exact;
      return shape;
    }
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
      return layout_.getTypeSizeInBits(cast.getSrcTy()) ==
                     layout_.getTypeSizeInBits(cast.getDestTy())
                 ? shape
                 : varying_shape;
    default:
      return varying_shape;
  }
}

Shape LaneShapes::of_address(const llvm::Instruction& address) const {
  Shape shape = of(*address.getOperand(0));
  for (auto at = llvm::gep_type_begin(address), end = llvm::gep_type_end(address); at != end;
       ++at) {
    if (at.isStruct()) continue;
    Shape index = of(*at.getOperand());
    if (index.kind == Kind::affine && !at.getOperand()->getType()->isIntegerTy(64))
      return varying_shape;
    const llvm::TypeSize size = at.getSequentialElementStride(layout_);
    index = scaled(index, llvm::APInt(64, size.getFixedValue()));
    shape = added(shape, index, 1);
    if (shape.kind == Kind::unknown || shape.kind == Kind::varying) return shape;
  }
  return shape;
}

Shape LaneShapes::of_call(const llvm::CallBase& call) const {
  if (is_call_of(call, "heddle_should_stop")) return uniform_shape;
  if (!call.doesNotAccessMemory()) return varying_shape;
  for (const llvm::Use& use : call.args()) {
    const Shape shape = of(*use.get());
    if (shape.kind == Kind::unknown) return {};
    if (shape.kind != Kind::uniform) return varying_shape;
  }
  return uniform_shape;
}

}  // namespace heddle::clang_plugin
