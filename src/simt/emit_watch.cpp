// What programs that look for races tell of themselves. On CPUs.
#include "simt/emitter.h"
#include "simt/watch.h"

namespace heddle::simt {

// The number in its block of the thread that a lane is.
llvm::Value* Emitter::thread_number(llvm::Value* lane) {
  auto part = [&](int d) -> llvm::Value* {
    if (lanes_ == 1) return thread_index_[d].at.re;
    return b.CreateExtractElement(widened(thread_index_[d], Dtype::int64).re, lane);
  };
  llvm::Value* rows = b.CreateAdd(part(1), b.CreateMul(part(2), block_size_[1]));
  return b.CreateAdd(part(0), b.CreateMul(rows, block_size_[0]));
}

void Emitter::tell(int what, llvm::Value* address, llvm::Value* site, llvm::Value* thread) {
  auto place = [&](int word) {
    return b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), report_, static_cast<unsigned>(word));
  };
  llvm::Type* const pointer = b.getPtrTy();
  llvm::Type* const word = b.getInt64Ty();
  llvm::Value* function = b.CreateLoad(pointer, place(Report::watch));
  llvm::Value* context = b.CreateLoad(pointer, place(Report::context));
  auto* type =
      llvm::FunctionType::get(b.getVoidTy(), {pointer, word, word, word, word, word}, false);
  auto* call =
      b.CreateCall(type, function, {context, i64(what), address, site, block_number_, thread});
  call->addFnAttr(llvm::Attribute::NoUnwind);
}

void Emitter::watch(const Access& access, int what) {
  const ArrayKind root = p_.array(p_.root_of(access.array)).kind;
  if (grid_ || root == ArrayKind::local) return;
  // What is held is not in shared memory: the front end sees to it where races are looked for.
  if (root != ArrayKind::parameter && root != ArrayKind::held) what += Watch::in_shared;
  const Element element = element_of(access.array);
  auto told = [&](const Place& place, llvm::Value* offset, llvm::Value* lane) {
    llvm::Value* at =
        b.CreatePtrToInt(address(lane_base(place.base, lane), offset, element, 0), b.getInt64Ty());
    tell(what, at, i64(access.line), thread_number(lane));
  };
  if (lanes_ > 1) {
    const Place place = vector_place(access);
    llvm::Value* offsets = widened(place.offset, Dtype::int64).re;
    for_lanes(both(mask_, place.ok),
              [&](llvm::Value* lane) { told(place, b.CreateExtractElement(offsets, lane), lane); });
    return;
  }
  const Place place = uniform_place(access);
  auto* done = block("told");
  if (place.ok != nullptr) {
    auto* there = block("there");
    b.CreateCondBr(place.ok, there, done);
    b.SetInsertPoint(there);
  }
  told(place, place.offset.at.re, b.getInt32(0));
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

// Who is there, and then that the barrier is passed.
void Emitter::watch_barrier(const Stmt& s) {
  const bool grid = static_cast<Barrier>(s.index) == Barrier::grid;
  auto of_block = [&] {
    in_segment(std::vector<bool>(p_.locals.size()), [&] {
      for_lanes(mask_, [&](llvm::Value* lane) {
        tell(Watch::arrive, i64(0), i64(s.line), thread_number(lane));
      });
    });
    tell(grid ? Watch::grid_barrier : Watch::barrier, i64(parted_), i64(s.line), i64(0));
  };
  if (!p_.cooperative || in_block_) {
    of_block();
    return;
  }
  in_block_ = true;
  for_blocks(of_block);
  in_block_ = false;
}

void Emitter::watch_exit() {
  for_lanes(mask_,
            [&](llvm::Value* lane) { tell(Watch::exit, i64(0), i64(0), thread_number(lane)); });
}

void Emitter::watch_fence(int what) { tell(what, i64(0), i64(0), thread_number(b.getInt32(0))); }

}  // namespace heddle::simt
