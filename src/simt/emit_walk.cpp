// How a block walks statements with barriers inside: what lives across them lies in rows.
#include <algorithm>
#include <utility>

#include "simt/emitter.h"

namespace heddle::simt {

// --- rows: what lives across seams ---

llvm::Value* Emitter::row_place(std::int64_t offset) {
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), row_, offset);
}

int Emitter::new_row_mask() {
  row_masks_.push_back(add_row(8));
  return static_cast<int>(row_masks_.size()) - 1;
}

llvm::Value* Emitter::load_row_mask(int row) {
  llvm::Value* place = row_place(row_masks_[static_cast<std::size_t>(row)]);
  llvm::Value* bits = b.CreateLoad(b.getIntNTy(static_cast<unsigned>(lanes_)), place);
  return b.CreateBitCast(bits,
                         llvm::FixedVectorType::get(b.getInt1Ty(), static_cast<unsigned>(lanes_)));
}

void Emitter::store_row_mask(int row, llvm::Value* mask) {
  b.CreateStore(bits_of(mask), row_place(row_masks_[static_cast<std::size_t>(row)]));
}

// A loop over chunks, with the locals it needs taken from rows, and put back.
void Emitter::in_segment(const std::vector<bool>& locals, const std::function<void()>& body) {
  for_chunks([&] {
    auto* done = block("segment_done");
    if (walk_mask_ >= 0) {
      mask_ = both(mask_, load_row_mask(walk_mask_));
      auto* on = block("segment");
      b.CreateCondBr(any(mask_), on, done);
      b.SetInsertPoint(on);
    }
    auto exchange = [&](bool in) {
      for (std::size_t i = 0; i < locals_.size(); ++i) {
        const LocalPlace& place = locals_[i];
        if (!locals[i] || place.row < 0) continue;
        const int lanes = place.spread.level == Level::varying ? lanes_ : 1;
        const Dtype dtype = p_.locals[i].dtype;
        llvm::Type* type = scalars_.type(dtype, lanes);
        const std::int64_t half = std::int64_t{1} * std::max(8, itemsize(dtype)) * lanes;
        auto move = [&](llvm::Value* local, std::int64_t at) {
          if (local == nullptr) return;
          llvm::Value* memory = row_place(at);
          // Truth values are packed.
          if (in) {
            b.CreateStore(b.CreateAlignedLoad(type, memory, llvm::Align(8)), local);
          } else {
            b.CreateAlignedStore(b.CreateLoad(type, local), memory, llvm::Align(8));
          }
        };
        move(place.re, place.row);
        move(place.im, place.row + half);
      }
    };
    exchange(true);
    body();
    exchange(false);
    b.CreateBr(done);
    b.SetInsertPoint(done);
  });
  mask_ = nullptr;
}

void Emitter::emit_segment(const std::vector<int>& list, std::size_t from, std::size_t to) {
  const std::vector<int> run(list.begin() + static_cast<std::ptrdiff_t>(from),
                             list.begin() + static_cast<std::ptrdiff_t>(to));
  std::vector<bool> locals(p_.locals.size());
  touched(run, locals);
  in_segment(locals, [&] { emit_list(run); });
}

llvm::Value* Emitter::any_thread(int row) {
  llvm::Type* type = b.getIntNTy(static_cast<unsigned>(lanes_));
  llvm::Value* found = slot(type, "any");
  b.CreateStore(llvm::ConstantInt::get(type, 0), found);
  const int saved = walk_mask_;
  walk_mask_ = -1;
  in_segment(std::vector<bool>(p_.locals.size()), [&] {
    llvm::Value* bits = bits_of(both(mask_, load_row_mask(row)));
    b.CreateStore(b.CreateOr(b.CreateLoad(type, found), bits), found);
  });
  walk_mask_ = saved;
  return b.CreateICmpNE(b.CreateLoad(type, found), llvm::ConstantInt::get(type, 0));
}

// --- how a block walks ---

bool Emitter::walk(const std::vector<int>& list) {
  std::size_t i = 0;
  while (i < list.size()) {
    if (uniformity_->walked(list[i])) {
      if (!walk(list[i])) return false;
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < list.size() && !uniformity_->walked(list[end])) ++end;
    emit_segment(list, i, end);
    i = end;
  }
  return true;
}

bool Emitter::walk(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  switch (s.kind) {
    case StmtKind::assign: {
      if (locals_[static_cast<std::size_t>(s.index)].spread.level == Level::block) {
        write_local(s.index, emit(s.exprs[0]), nullptr);
      } else {
        emit_segment({stmt}, 0, 1);
      }
      return true;
    }
    case StmtKind::branch:
      walk_branch(stmt);
      return b.GetInsertBlock()->getTerminator() == nullptr;
    case StmtKind::loop:
      walk_loop(stmt);
      return true;
    case StmtKind::scope:
      walk_scope(stmt);
      return true;
    case StmtKind::barrier:
      walk_barrier(stmt);
      return true;
    case StmtKind::leave_loop:
      return walk_exit(frames_.back(), false);
    case StmtKind::next_turn:
      return walk_exit(frames_.back(), true);
    case StmtKind::leave:
      return walk_exit(frame_of(s), false);
    case StmtKind::fail:
      in_segment(std::vector<bool>(p_.locals.size()),
                 [&] { report(s.index, mask_or_all(mask_), nullptr, nullptr, 0); });
      return walk_exit(frames_.front(), false);
    default:
      emit_segment({stmt}, 0, 1);
      return true;
  }
}

bool Emitter::walk_exit(Frame& frame, bool next) {
  if (!frame.varying) {
    b.CreateBr(next ? frame.next : frame.end);
    return false;
  }
  const int row = next ? frame.skip_row : frame.out_row;
  const bool ends = p_.checks == Checks::races && &frame == &frames_.front();
  in_segment(std::vector<bool>(p_.locals.size()), [&] {
    if (ends) watch_exit();
    store_row_mask(row, b.CreateOr(load_row_mask(row), mask_or_all(mask_)));
  });
  return false;
}

// The threads of a row, or all, without those that have left frames.
void Emitter::refresh_row_mask(int from, const std::vector<int>& frames) {
  walk_mask_ = from;
  if (frames.empty()) return;
  const int row = new_row_mask();
  walk_mask_ = -1;
  in_segment(std::vector<bool>(p_.locals.size()), [&] {
    Mask on = from >= 0 ? both(mask_, load_row_mask(from)) : mask_;
    llvm::Value* kept = mask_or_all(on);
    for (int i : frames) {
      const Frame& frame = frames_[static_cast<std::size_t>(i)];
      for (int left : {frame.out_row, frame.skip_row}) {
        if (left >= 0) kept = b.CreateAnd(kept, b.CreateNot(load_row_mask(left)));
      }
    }
    store_row_mask(row, kept);
  });
  walk_mask_ = row;
}

namespace {
std::vector<int> as_ints(const std::vector<std::size_t>& list) {
  return {list.begin(), list.end()};
}
}  // namespace

void Emitter::walk_branch(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  auto* done = block("walk_done");
  if (uniformity_->of(s.exprs[0]).level == Level::block) {
    auto* yes = block("walk_yes");
    auto* no = block("walk_no");
    b.CreateCondBr(emit_uniform(s.exprs[0]), yes, no);
    bool reached = false;
    for (std::size_t n = 0; n < 2; ++n) {
      b.SetInsertPoint(n == 0 ? yes : no);
      walk(s.lists[n]);
      reached |= go_on(done);
    }
    if (reached) {
      b.SetInsertPoint(done);
    } else {
      done->eraseFromParent();
    }
    return;
  }
  const int rows[] = {new_row_mask(), new_row_mask()};
  std::vector<bool> locals(p_.locals.size());
  touched_expr(s.exprs[0], locals);
  const int saved = walk_mask_;
  // Chunks that are off do nothing: what is left in their rows must say so.
  walk_mask_ = -1;
  in_segment(locals, [&] {
    if (saved >= 0) mask_ = both(mask_, load_row_mask(saved));
    bool one = false;
    llvm::Value* condition = emit_condition(s.exprs[0], one);
    if (one) condition = b.CreateVectorSplat(lanes_, condition);
    llvm::Value* on = mask_or_all(mask_);
    store_row_mask(rows[0], b.CreateAnd(on, condition));
    store_row_mask(rows[1], b.CreateAnd(on, b.CreateNot(condition)));
  });
  b.CreateBr(done);
  b.SetInsertPoint(done);
  for (std::size_t n = 0; n < 2; ++n) {
    if (s.lists[n].empty()) continue;
    auto* some = block("walk_some");
    auto* after = block("walk_after");
    b.CreateCondBr(any_thread(rows[n]), some, after);
    b.SetInsertPoint(some);
    walk_mask_ = rows[n];
    const int parted = std::exchange(parted_, s.line);
    walk(s.lists[n]);
    parted_ = parted;
    go_on(after);
    b.SetInsertPoint(after);
  }
  const std::vector<std::size_t> left = left_by_sides(s);
  if (!left.empty() && left.back() > 0) parted_ = s.line;  // who has left a function or a loop
  refresh_row_mask(saved, as_ints(left));
}

void Emitter::walk_loop(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  auto* head = block("walk_head");
  auto* body = block("walk_body");
  auto* step = block("walk_step");
  auto* end = block("walk_end");
  Frame frame;
  frame.stmt = stmt;
  frame.loop = frame.walked = true;
  frame.varying = uniformity_->exits(stmt) != Level::block;
  frame.end = end;
  frame.next = step;
  if (!frame.varying) {
    b.CreateBr(head);
    b.SetInsertPoint(head);
    walk(s.lists[0]);
    b.CreateCondBr(emit_uniform(s.exprs[0]), body, end);
    b.SetInsertPoint(body);
    frames_.push_back(frame);
    walk(s.lists[1]);
    frames_.pop_back();
    go_on(step);
    b.SetInsertPoint(step);
    walk(s.lists[2]);
    b.CreateBr(head);
    b.SetInsertPoint(end);
    return;
  }
  frame.out_row = new_row_mask();
  frame.skip_row = new_row_mask();
  const int saved = walk_mask_, on = new_row_mask();
  const std::vector<bool> none(p_.locals.size());
  llvm::Value* nobody = llvm::Constant::getNullValue(
      llvm::FixedVectorType::get(b.getInt1Ty(), static_cast<unsigned>(lanes_)));
  walk_mask_ = -1;
  in_segment(none, [&] {
    store_row_mask(frame.out_row, nobody);
    store_row_mask(frame.skip_row, nobody);
  });
  const std::vector<std::size_t> outer = left_by({stmt});
  frames_.push_back(frame);
  std::vector<int> left = as_ints(outer);
  left.push_back(static_cast<int>(frames_.size()) - 1);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  in_segment(none, [&] { store_row_mask(frame.skip_row, nobody); });
  refresh_row_mask(saved, left);
  walk(s.lists[0]);
  std::vector<bool> locals(p_.locals.size());
  touched_expr(s.exprs[0], locals);
  const int at_head = walk_mask_;
  walk_mask_ = -1;
  in_segment(locals, [&] {
    mask_ = both(mask_, load_row_mask(at_head));
    bool one = false;
    llvm::Value* condition = emit_condition(s.exprs[0], one);
    if (one) condition = b.CreateVectorSplat(lanes_, condition);
    llvm::Value* before = mask_or_all(mask_);
    store_row_mask(on, b.CreateAnd(before, condition));
    store_row_mask(frame.out_row, b.CreateOr(load_row_mask(frame.out_row),
                                             b.CreateAnd(before, b.CreateNot(condition))));
  });
  b.CreateCondBr(any_thread(on), body, end);
  b.SetInsertPoint(body);
  walk_mask_ = on;
  const int parted = std::exchange(parted_, s.line);
  walk(s.lists[1]);
  parted_ = parted;
  go_on(step);
  b.SetInsertPoint(step);
  // Who waited for the next turn is on again.
  in_segment(none, [&] { store_row_mask(frame.skip_row, nobody); });
  refresh_row_mask(on, left);
  walk(s.lists[2]);
  b.CreateBr(head);
  frames_.pop_back();
  b.SetInsertPoint(end);
  refresh_row_mask(saved, as_ints(outer));
}

void Emitter::walk_scope(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  auto* end = block("walk_end");
  Frame frame;
  frame.stmt = stmt;
  frame.walked = true;
  frame.varying = uniformity_->exits(stmt) != Level::block;
  frame.end = end;
  const int saved = walk_mask_;
  const std::vector<std::size_t> outer = left_by({stmt});
  if (frame.varying) {
    frame.out_row = new_row_mask();
    walk_mask_ = -1;
    in_segment(std::vector<bool>(p_.locals.size()), [&] {
      store_row_mask(frame.out_row, llvm::Constant::getNullValue(llvm::FixedVectorType::get(
                                        b.getInt1Ty(), static_cast<unsigned>(lanes_))));
    });
    walk_mask_ = saved;
  }
  frames_.push_back(frame);
  walk(s.lists[0]);
  frames_.pop_back();
  go_on(end);
  b.SetInsertPoint(end);
  refresh_row_mask(saved, as_ints(outer));
}

void Emitter::walk_barrier(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  const auto kind = static_cast<Barrier>(s.index);
  if (p_.checks == Checks::races) watch_barrier(s);
  if (kind == Barrier::plain || kind == Barrier::grid) return;
  if (p_.cooperative && !in_block_) {
    // Each block counts for itself.
    in_block_ = true;
    for_blocks([&] { count_at_barrier(stmt); });
    in_block_ = false;
    return;
  }
  count_at_barrier(stmt);
}

void Emitter::count_at_barrier(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  const auto kind = static_cast<Barrier>(s.index);
  llvm::Value* holds = slot(b.getInt64Ty(), "holds");
  llvm::Value* count = slot(b.getInt64Ty(), "count");
  b.CreateStore(i64(0), holds);
  b.CreateStore(i64(0), count);
  std::vector<bool> locals(p_.locals.size());
  touched_expr(s.exprs[0], locals);
  in_segment(locals, [&] {
    bool one = false;
    llvm::Value* condition = emit_condition(s.exprs[0], one);
    if (one) condition = b.CreateVectorSplat(lanes_, condition);
    llvm::Value* on = mask_or_all(mask_);
    auto add = [&](llvm::Value* place, llvm::Value* mask) {
      llvm::Value* bits = b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits_of(mask));
      llvm::Value* more = b.CreateZExtOrTrunc(bits, b.getInt64Ty());
      b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt64Ty(), place), more), place);
    };
    add(count, on);
    add(holds, b.CreateAnd(on, condition));
  });
  llvm::Value* result = b.CreateLoad(b.getInt64Ty(), holds);
  if (kind == Barrier::all)
    result =
        b.CreateZExt(b.CreateICmpEQ(result, b.CreateLoad(b.getInt64Ty(), count)), b.getInt64Ty());
  if (kind == Barrier::any) result = b.CreateZExt(b.CreateICmpNE(result, i64(0)), b.getInt64Ty());
  const auto local = static_cast<std::size_t>(s.axis);
  if (locals_[local].spread.level == Level::block)
    return write_local(s.axis, uniform(result), nullptr);
  std::vector<bool> written(p_.locals.size());
  written[local] = true;
  in_segment(written, [&] {
    write_local(s.axis, uniform(result), uniformity_->blends(stmt) ? mask_ : nullptr);
  });
}

}  // namespace heddle::simt
