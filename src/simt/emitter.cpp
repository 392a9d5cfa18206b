#include "simt/emitter.h"

#include <algorithm>

#include <llvm/IR/Verifier.h>

namespace heddle::simt {

namespace {
constexpr std::int64_t row_alignment = 64;
}

Emitted emit_program(const Program& program, const Chunks& chunks, const kernel::Target& target,
                     llvm::LLVMContext& context, const std::string& entry, int threads) {
  Emitted made;
  made.module = std::make_unique<llvm::Module>("program", context);
  made.module->setTargetTriple(llvm::Triple(target.triple));
  Emitter emitter(program, chunks, target, *made.module);
  emitter.emit(entry, threads);
  made.row_bytes = emitter.row_bytes();
  return made;
}

Emitter::Emitter(const Program& program, const Chunks& chunks, const kernel::Target& target,
                 llvm::Module& module)
    : p_(program),
      chunks_(chunks),
      target_(target),
      lanes_(chunks.lanes),
      grid_(target.model == kernel::Model::grid),
      module_(module),
      b(module.getContext()),
      scalars_(b, target),
      arguments_(program) {
  if (grid_) {
    machine_ = target.dialect->machine(b, module);
  } else {
    uniformity_ = std::make_unique<Uniformity>(program, chunks);
  }
}

void Emitter::emit(const std::string& entry, int threads) {
  llvm::Type* pointer = b.getPtrTy();
  std::vector<llvm::Type*> types = {pointer};
  if (!grid_) types.insert(types.end(), {b.getInt64Ty(), b.getInt64Ty(), pointer});
  auto* type = llvm::FunctionType::get(b.getVoidTy(), types, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, entry, module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  if (grid_) {
    machine_->make_kernel(*function_, threads, 1, arguments_.words * 8);
  } else {
    function_->addFnAttr("target-cpu", target_.cpu);
    if (!target_.features.empty()) function_->addFnAttr("target-features", target_.features);
    const int bits = 8 * target_.vector_bytes;
    function_->addFnAttr("prefer-vector-width", std::to_string(bits));
    function_->addFnAttr("min-legal-vector-width", std::to_string(bits));
    function_->addParamAttr(3, llvm::Attribute::NoAlias);
  }
  function_->addParamAttr(0, llvm::Attribute::NoAlias);
  function_->addParamAttr(0, llvm::Attribute::ReadOnly);
  entry_ = block("entry");
  b.SetInsertPoint(entry_);
  read_arguments();
  make_locals();
  auto* start = block("start");
  b.CreateBr(start);
  b.SetInsertPoint(start);
  grid_ ? emit_thread() : emit_blocks();
}

// --- arguments ---

void Emitter::read_arguments() {
  words_ = function_->getArg(0);
  auto word = [&](int i) -> llvm::Value* {
    llvm::Value* place = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), words_, i);
    auto* load = b.CreateAlignedLoad(b.getInt64Ty(), place, llvm::Align(8));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
    return load;
  };
  if (grid_) {
    auto wide = [&](llvm::Value* value) { return b.CreateZExt(value, b.getInt64Ty()); };
    llvm::Value* const sizes[] = {machine_->threads_x(), machine_->threads_y(),
                                  machine_->threads_z()};
    llvm::Value* const grids[] = {machine_->blocks_x(), machine_->blocks_y(), machine_->blocks_z()};
    llvm::Value* const blocks[] = {machine_->block_x(), machine_->block_y(), machine_->block_z()};
    llvm::Value* const threads[] = {machine_->thread_x(), machine_->thread_y(),
                                    machine_->thread_z()};
    for (int d = 0; d < 3; ++d) {
      block_size_[d] = wide(sizes[d]);
      grid_size_[d] = wide(grids[d]);
      block_index_[d] = wide(blocks[d]);
      thread_index_[d] = uniform(wide(threads[d]));
    }
  } else {
    for (int d = 0; d < 3; ++d) {
      grid_size_[d] = word(Arguments::grid + d);
      block_size_[d] = word(Arguments::block + d);
    }
    scratch_ = function_->getArg(3);
    nothing_ = b.CreateAlloca(llvm::ArrayType::get(b.getInt64Ty(), 2));
    b.CreateStore(llvm::Constant::getNullValue(llvm::ArrayType::get(b.getInt64Ty(), 2)), nothing_);
  }
  dynamic_ = word(Arguments::dynamic);
  auto to_pointer = [&](llvm::Value* value) -> llvm::Value* {
    return grid_ ? machine_->device_pointer(value) : b.CreateIntToPtr(value, b.getPtrTy());
  };
  if (p_.fails) report_ = to_pointer(word(Arguments::report));
  bases_.resize(p_.arrays.size());
  shapes_.resize(p_.arrays.size());
  strides_.resize(p_.arrays.size());
  numbers_.resize(p_.parameters.size());
  for (std::size_t i = 0; i < p_.parameters.size(); ++i) {
    const Parameter& parameter = p_.parameters[i];
    const int at = arguments_.at[i];
    if (parameter.array < 0) {
      const Dtype dtype = p_.locals[static_cast<std::size_t>(parameter.local)].dtype;
      auto part = [&](int n) {
        llvm::Type* type = scalars_.memory_type(dtype);
        llvm::Value* bits =
            b.CreateTrunc(word(at + n), b.getIntNTy(type->getPrimitiveSizeInBits()));
        return b.CreateBitCast(bits, type);
      };
      kernel::Value value{part(0), is_complex(dtype) ? part(1) : nullptr};
      numbers_[i] = from_memory(value, dtype);
      continue;
    }
    const auto k = static_cast<std::size_t>(parameter.array);
    const Array& a = p_.array(parameter.array);
    bases_[k] = to_pointer(word(at));
    for (int d = 0; d < a.ndim; ++d) shapes_[k].push_back(word(at + 1 + d));
    for (int d = 0; d < a.ndim; ++d) {
      const bool unit = a.unit && d + 1 == a.ndim;
      strides_[k].push_back(unit ? i64(1) : word(at + 1 + a.ndim + d));
    }
  }
  // Shared memory, one array after the other; what the launch gives comes last.
  std::int64_t at = 0;
  for (std::size_t k = 0; k < p_.arrays.size(); ++k) {
    const Array& a = p_.arrays[k];
    if (a.kind == ArrayKind::shared) {
      std::int64_t size = 1;
      for (auto extent : a.extents) size *= extent;
      if (grid_) {
        bases_[k] = machine_->shared(scalars_.memory_type(a.dtype),
                                     static_cast<int>(size * (is_complex(a.dtype) ? 2 : 1)));
      } else {
        bases_[k] = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), scratch_, at);
        at += (size * itemsize(a.dtype) + row_alignment - 1) / row_alignment * row_alignment;
      }
    }
  }
  for (std::size_t k = 0; k < p_.arrays.size(); ++k) {
    const Array& a = p_.arrays[k];
    if (a.kind != ArrayKind::dynamic) continue;
    bases_[k] = grid_ ? machine_->dynamic_shared()
                      : b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), scratch_, at);
    shapes_[k] = {b.CreateUDiv(dynamic_, i64(itemsize(a.dtype)))};
  }
  if (!grid_) {
    llvm::Value* rounded =
        b.CreateAnd(b.CreateAdd(dynamic_, i64(row_alignment - 1)), i64(-row_alignment));
    rows_ = b.CreateInBoundsGEP(b.getInt8Ty(), scratch_, b.CreateAdd(rounded, i64(at)));
  }
}

// --- locals ---

std::int64_t Emitter::add_row(std::int64_t bytes) {
  const std::int64_t at = row_bytes_;
  row_bytes_ += (bytes + row_alignment - 1) / row_alignment * row_alignment;
  return at;
}

llvm::Value* Emitter::slot(llvm::Type* type, const char* name) {
  llvm::IRBuilder<> at(entry_, entry_->getFirstInsertionPt());
  return at.CreateAlloca(type, nullptr, name);
}

void Emitter::make_locals() {
  const bool walks = uniformity_ && p_.has_barrier;
  for (std::size_t i = 0; i < p_.locals.size(); ++i) {
    const Dtype dtype = p_.locals[i].dtype;
    LocalPlace place;
    if (uniformity_) place.spread = uniformity_->of_local(static_cast<int>(i));
    const int lanes = place.spread.level == Level::varying ? lanes_ : 1;
    llvm::Type* type = scalars_.type(dtype, lanes);
    place.re = slot(type, "local");
    if (is_complex(dtype)) place.im = slot(type, "local");
    if (walks && uniformity_->crosses(static_cast<int>(i)) && place.spread.level != Level::block)
      place.row = add_row(std::int64_t{2} * std::max(8, itemsize(dtype)) * lanes);
    clear(place, dtype);
    locals_.push_back(place);
  }
  array_rows_.assign(p_.arrays.size(), -1);
  for (std::size_t k = 0; k < p_.arrays.size(); ++k) {
    const Array& a = p_.arrays[k];
    if (a.kind != ArrayKind::local) continue;
    std::int64_t size = lanes_;
    for (auto extent : a.extents) size *= extent;
    constexpr std::int64_t most_on_stack = 16 << 10;
    if (!grid_ && (walks || size * itemsize(a.dtype) > most_on_stack)) {
      array_rows_[k] = add_row(size * itemsize(a.dtype));
    } else {
      auto* type =
          llvm::ArrayType::get(scalars_.memory_type(a.dtype),
                               static_cast<std::uint64_t>(size) * (is_complex(a.dtype) ? 2 : 1));
      llvm::Value* memory = slot(type, "local_array");
      llvm::cast<llvm::AllocaInst>(memory)->setAlignment(llvm::Align(16));
      bases_[k] = memory;
    }
  }
}

// Parameters that are numbers are locals, which a program may change.
void Emitter::begin_locals(bool crossing) {
  for (std::size_t i = 0; i < p_.parameters.size(); ++i) {
    const int local = p_.parameters[i].local;
    if (local < 0) continue;
    const bool crosses = uniformity_ && p_.has_barrier && uniformity_->crosses(local);
    if (crosses != crossing) continue;
    write_local(local, {numbers_[i], {Level::block, 0}}, nullptr);
  }
}

void Emitter::emit_thread() {
  begin_locals(false);
  emit_list(p_.body);
  if (b.GetInsertBlock()->getTerminator() == nullptr) b.CreateRetVoid();
}

// --- blocks and chunks ---

void Emitter::emit_blocks() {
  // How large rows are is known when all of them are there.
  auto* row_bytes = llvm::cast<llvm::Instruction>(
      b.CreateFreeze(llvm::UndefValue::get(b.getInt64Ty()), "row_bytes"));
  row_ = row_bytes;
  llvm::Value* first = function_->getArg(1);
  llvm::Value* end = b.CreateAdd(first, function_->getArg(2));
  auto* head = block("blocks");
  auto* body = block("block");
  auto* done = block("done");
  llvm::BasicBlock* before = b.GetInsertBlock();
  b.CreateBr(head);
  b.SetInsertPoint(head);
  auto* at = b.CreatePHI(b.getInt64Ty(), 2);
  at->addIncoming(first, before);
  b.CreateCondBr(b.CreateICmpSLT(at, end), body, done);
  b.SetInsertPoint(body);
  block_index_[0] = b.CreateURem(at, grid_size_[0]);
  llvm::Value* rest = b.CreateUDiv(at, grid_size_[0]);
  block_index_[1] = b.CreateURem(rest, grid_size_[1]);
  block_index_[2] = b.CreateUDiv(rest, grid_size_[1]);
  llvm::Value* const unit = row_;
  row_ = nullptr;
  chunk_bytes_ = unit;
  const bool walks = std::any_of(p_.body.begin(), p_.body.end(),
                                 [&](int stmt) { return uniformity_->walked(stmt); });
  if (walks) {
    begin_locals(true);
    std::vector<bool> numbers(p_.locals.size());
    bool any_rows = false;
    for (const Parameter& parameter : p_.parameters) {
      if (parameter.local < 0) continue;
      const auto i = static_cast<std::size_t>(parameter.local);
      numbers[i] = true;
      any_rows |= locals_[i].row >= 0;
    }
    if (any_rows) in_segment(numbers, [&] { begin_locals(true); });
    walk(p_.body);
  } else {
    for_chunks([&] {
      begin_locals(false);
      emit_list(p_.body);
    });
  }
  if (b.GetInsertBlock()->getTerminator() == nullptr) {
    at->addIncoming(b.CreateAdd(at, i64(1)), b.GetInsertBlock());
    b.CreateBr(head);
  }
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  row_bytes->replaceAllUsesWith(i64(row_bytes_));
  row_bytes->eraseFromParent();
}

void Emitter::for_chunks(const std::function<void()>& body) {
  struct Counter {
    llvm::PHINode* at;
    llvm::BasicBlock *head, *done;
  };
  auto begin = [&](llvm::Value* count, const char* name) {
    auto* head = block(name);
    auto* inner = block(name);
    auto* done = block(name);
    llvm::BasicBlock* before = b.GetInsertBlock();
    b.CreateBr(head);
    b.SetInsertPoint(head);
    auto* at = b.CreatePHI(b.getInt64Ty(), 2);
    at->addIncoming(i64(0), before);
    b.CreateCondBr(b.CreateICmpSLT(at, count), inner, done);
    b.SetInsertPoint(inner);
    return Counter{at, head, done};
  };
  auto end = [&](const Counter& counter) {
    counter.at->addIncoming(b.CreateAdd(counter.at, i64(1), "", true, true), b.GetInsertBlock());
    b.CreateBr(counter.head);
    b.SetInsertPoint(counter.done);
  };
  auto rounded = [&](llvm::Value* count) {
    return lanes_ == 1 ? count : b.CreateUDiv(b.CreateAdd(count, i64(lanes_ - 1)), i64(lanes_));
  };
  const Spread along{lanes_ == 1 ? Level::chunk : Level::affine, lanes_ == 1 ? 0 : 1};
  mask_ = nullptr;
  if (chunks_.axis >= 0) {
    const int axis = chunks_.axis, inner = axis == 0 ? 1 : 0, outer = axis == 2 ? 1 : 2;
    llvm::Value* along_axis = rounded(block_size_[axis]);
    const Counter z = begin(block_size_[outer], "outer");
    const Counter y = begin(block_size_[inner], "inner");
    const Counter x = begin(along_axis, "chunk");
    llvm::Value* first = b.CreateMul(x.at, i64(lanes_), "", true, true);
    thread_index_[axis] = {{first, nullptr}, along};
    thread_index_[inner] = {{y.at, nullptr}, {Level::chunk, 0}};
    thread_index_[outer] = {{z.at, nullptr}, {Level::chunk, 0}};
    begin_chunk([&] {
      return b.CreateAdd(
          b.CreateMul(b.CreateAdd(b.CreateMul(z.at, block_size_[inner]), y.at), along_axis), x.at);
    });
    if (!chunks_.full && lanes_ > 1) {
      llvm::Value* numbers = widened(thread_index_[axis], Dtype::int64).re;
      mask_ = b.CreateICmpSLT(numbers, b.CreateVectorSplat(lanes_, block_size_[axis]));
    }
    body();
    end(x);
    end(y);
    end(z);
    return;
  }
  llvm::Value* threads = b.CreateMul(b.CreateMul(block_size_[0], block_size_[1]), block_size_[2]);
  const Counter x = begin(rounded(threads), "chunk");
  const Val number{{b.CreateMul(x.at, i64(lanes_)), nullptr}, along};
  llvm::Value* numbers = widened(number, Dtype::int64).re;
  auto wide = [&](llvm::Value* value) { return b.CreateVectorSplat(lanes_, value); };
  auto varying = [](llvm::Value* value) { return Val{{value, nullptr}, {Level::varying, 0}}; };
  llvm::Value* rest = b.CreateUDiv(numbers, wide(block_size_[0]));
  thread_index_[0] = varying(b.CreateURem(numbers, wide(block_size_[0])));
  thread_index_[1] = varying(b.CreateURem(rest, wide(block_size_[1])));
  thread_index_[2] = varying(b.CreateUDiv(rest, wide(block_size_[1])));
  begin_chunk([&] { return x.at; });
  if (!chunks_.full) mask_ = b.CreateICmpSLT(numbers, wide(threads));
  body();
  end(x);
}

// Where a chunk has its row, and locals that it has for itself, which begin as nothing.
void Emitter::begin_chunk(const std::function<llvm::Value*()>& number) {
  row_ = rows_;
  if (p_.has_barrier)
    row_ = b.CreateInBoundsGEP(b.getInt8Ty(), rows_, b.CreateMul(number(), chunk_bytes_));
  for (std::size_t k = 0; k < p_.arrays.size(); ++k) {
    if (array_rows_[k] >= 0) bases_[k] = row_place(array_rows_[k]);
  }
  for (std::size_t i = 0; i < locals_.size(); ++i) {
    const LocalPlace& place = locals_[i];
    if (p_.has_barrier && uniformity_->crosses(static_cast<int>(i)) && place.row < 0) continue;
    clear(place, p_.locals[i].dtype);
  }
}

void Emitter::clear(const LocalPlace& place, Dtype dtype) {
  const int lanes = place.spread.level == Level::varying ? lanes_ : 1;
  llvm::Value* none = llvm::Constant::getNullValue(scalars_.type(dtype, lanes));
  b.CreateStore(none, place.re);
  if (place.im != nullptr) b.CreateStore(none, place.im);
}

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

void Emitter::touched_array(int array, std::vector<bool>& locals) const {
  const Array& a = p_.array(array);
  if (a.kind != ArrayKind::view) return;
  locals[static_cast<std::size_t>(a.offset)] = true;
  for (int local : a.shape) locals[static_cast<std::size_t>(local)] = true;
  for (int local : a.strides) locals[static_cast<std::size_t>(local)] = true;
}

void Emitter::touched_expr(int expr, std::vector<bool>& locals) const {
  const Expr& e = p_.expr(expr);
  for (int arg : e.args) touched_expr(arg, locals);
  if (e.kind == ExprKind::local) locals[static_cast<std::size_t>(e.index)] = true;
  if (e.kind == ExprKind::load || e.kind == ExprKind::extent || e.kind == ExprKind::stride ||
      e.kind == ExprKind::atomic)
    touched_array(e.index, locals);
}

void Emitter::touched(const std::vector<int>& list, std::vector<bool>& locals) const {
  for (int stmt : list) {
    const Stmt& s = p_.stmt(stmt);
    for (int e : s.exprs) touched_expr(e, locals);
    if (s.kind == StmtKind::assign) locals[static_cast<std::size_t>(s.index)] = true;
    if (s.kind == StmtKind::store) touched_array(s.index, locals);
    for (const auto& inner : s.lists) touched(inner, locals);
  }
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
  in_segment(std::vector<bool>(p_.locals.size()),
             [&] { store_row_mask(row, b.CreateOr(load_row_mask(row), mask_or_all(mask_))); });
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
    walk(s.lists[n]);
    go_on(after);
    b.SetInsertPoint(after);
  }
  std::vector<std::size_t> left = left_by(s.lists[0]);
  for (std::size_t i : left_by(s.lists[1])) {
    if (std::find(left.begin(), left.end(), i) == left.end()) left.push_back(i);
  }
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
  walk(s.lists[1]);
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
  if (kind == Barrier::plain) return;
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
