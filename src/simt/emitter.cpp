#include "simt/emitter.h"

#include <algorithm>

#include <llvm/IR/MDBuilder.h>
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
  } else if (!program.host) {
    uniformity_ = std::make_unique<Uniformity>(program, chunks);
  }
}

void Emitter::set_target() {
  function_->addFnAttr("target-cpu", target_.cpu);
  if (!target_.features.empty()) function_->addFnAttr("target-features", target_.features);
  function_->addFnAttr("prefer-vector-width", std::to_string(8 * target_.vector_bytes));
}

void Emitter::emit(const std::string& entry, int threads) {
  if (p_.host) {
    emit_host(entry);
    return;
  }
  llvm::Type* pointer = b.getPtrTy();
  std::vector<llvm::Type*> types = {pointer};
  if (!grid_) types.insert(types.end(), {b.getInt64Ty(), b.getInt64Ty(), pointer});
  auto* type = llvm::FunctionType::get(b.getVoidTy(), types, false);
  function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, entry, module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  if (grid_) {
    machine_->make_kernel(*function_, threads, 1, arguments_.words * 8);
    if (p_.most_registers > 0) machine_->limit_registers(*function_, p_.most_registers);
  } else {
    set_target();
    const int bits = 8 * target_.vector_bytes;
    function_->addFnAttr("min-legal-vector-width", std::to_string(bits));
    function_->addParamAttr(3, llvm::Attribute::NoAlias);
  }
  function_->addParamAttr(0, llvm::Attribute::NoAlias);
  function_->addParamAttr(0, llvm::Attribute::ReadOnly);
  entry_ = block("entry");
  b.SetInsertPoint(entry_);
  words_ = function_->getArg(0);
  begin_lines();
  read_arguments();
  make_locals();
  auto* start = block("start");
  b.CreateBr(start);
  b.SetInsertPoint(start);
  grid_ ? emit_thread() : emit_blocks();
  end_lines();
  emit_thread_functions();
}

// --- arguments ---

llvm::Value* Emitter::word(int i) {
  llvm::Value* place = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), words_, i);
  auto* load = b.CreateAlignedLoad(b.getInt64Ty(), place, llvm::Align(8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return load;
}

llvm::Value* Emitter::extent_word(int i) {
  auto* load = llvm::cast<llvm::Instruction>(word(i));
  if (grid_) {
    llvm::MDBuilder metadata(b.getContext());
    load->setMetadata(llvm::LLVMContext::MD_range,
                      metadata.createRange(llvm::APInt(64, 0), llvm::APInt(64, most_extent)));
  }
  return load;
}

// Of a grid: the hardware knows it.
void Emitter::read_geometry() {
  auto wide = [&](llvm::Value* value) { return b.CreateZExt(value, b.getInt64Ty()); };
  llvm::Value* const sizes[] = {machine_->threads_x(), machine_->threads_y(),
                                machine_->threads_z()};
  llvm::Value* const grids[] = {machine_->blocks_x(), machine_->blocks_y(), machine_->blocks_z()};
  llvm::Value* const blocks[] = {machine_->block_x(), machine_->block_y(), machine_->block_z()};
  llvm::Value* const threads[] = {machine_->thread_x(), machine_->thread_y(), machine_->thread_z()};
  for (int d = 0; d < 3; ++d) {
    block_size_[d] = wide(sizes[d]);
    grid_size_[d] = wide(grids[d]);
    block_index_[d] = wide(blocks[d]);
    thread_index_[d] = uniform(wide(threads[d]));
  }
}

void Emitter::read_arguments() {
  if (grid_) {
    read_geometry();
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
  read_parameters();
  place_shared();
}

void Emitter::read_parameters() {
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
    for (int d = 0; d < a.ndim; ++d) shapes_[k].push_back(extent_word(at + 1 + d));
    for (int d = 0; d < a.ndim; ++d) {
      const bool unit = a.unit && d + 1 == a.ndim;
      strides_[k].push_back(unit ? i64(1) : word(at + 1 + a.ndim + d));
    }
  }
}

// Shared memory, one array after the other; what the launch gives comes last.
void Emitter::place_shared() {
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
    shapes_[k] = {b.CreateUDiv(dynamic_, i64(a.ndim == 2 ? a.extents[0] : itemsize(a.dtype)))};
    if (a.ndim == 2) shapes_[k].push_back(i64(a.extents[0]));
  }
  if (!grid_) {
    llvm::Value* rounded =
        b.CreateAnd(b.CreateAdd(dynamic_, i64(row_alignment - 1)), i64(-row_alignment));
    shared_bytes_ = b.CreateAdd(rounded, i64(at));
    llvm::Value* all = shared_bytes_;
    if (p_.cooperative) {
      for (llvm::Value* size : grid_size_) all = b.CreateMul(all, size);
      shared_bases_ = bases_;
    }
    rows_ = b.CreateInBoundsGEP(b.getInt8Ty(), scratch_, all);
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
    if (uniformity_ && (walks || size * itemsize(a.dtype) > most_on_stack)) {
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
  chunk_bytes_ = row_;
  row_ = nullptr;
  auto run = [&] {
    const bool walks = std::any_of(p_.body.begin(), p_.body.end(),
                                   [&](int stmt) { return uniformity_->walked(stmt); });
    if (!walks) {
      for_chunks([&] {
        begin_locals(false);
        emit_list(p_.body);
      });
      return;
    }
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
  };
  if (p_.cooperative) {
    run();
  } else {
    for_blocks(run);
  }
  b.CreateRetVoid();
  row_bytes->replaceAllUsesWith(i64(row_bytes_));
  row_bytes->eraseFromParent();
}

// Those that the code is called for, one after the other.
void Emitter::for_blocks(const std::function<void()>& body) {
  llvm::Value* first = function_->getArg(1);
  llvm::Value* end = b.CreateAdd(first, function_->getArg(2));
  auto* head = block("blocks");
  auto* one = block("block");
  auto* done = block("done");
  llvm::BasicBlock* before = b.GetInsertBlock();
  b.CreateBr(head);
  b.SetInsertPoint(head);
  auto* at = b.CreatePHI(b.getInt64Ty(), 2);
  at->addIncoming(first, before);
  b.CreateCondBr(b.CreateICmpSLT(at, end), one, done);
  b.SetInsertPoint(one);
  set_block(at);
  body();
  if (b.GetInsertBlock()->getTerminator() == nullptr) {
    at->addIncoming(b.CreateAdd(at, i64(1)), b.GetInsertBlock());
    b.CreateBr(head);
  }
  b.SetInsertPoint(done);
}

void Emitter::set_block(llvm::Value* number) {
  block_number_ = number;
  block_index_[0] = b.CreateURem(number, grid_size_[0]);
  llvm::Value* rest = b.CreateUDiv(number, grid_size_[0]);
  block_index_[1] = b.CreateURem(rest, grid_size_[1]);
  block_index_[2] = b.CreateUDiv(rest, grid_size_[1]);
  if (!p_.cooperative) return;
  for (std::size_t k = 0; k < p_.arrays.size(); ++k) {
    const ArrayKind kind = p_.arrays[k].kind;
    if (kind != ArrayKind::shared && kind != ArrayKind::dynamic) continue;
    bases_[k] =
        b.CreateInBoundsGEP(b.getInt8Ty(), shared_bases_[k], b.CreateMul(number, shared_bytes_));
  }
}

void Emitter::for_chunks(const std::function<void()>& body) {
  if (!p_.cooperative || in_block_) {
    for_chunks_of_block(body);
    return;
  }
  in_block_ = true;
  for_blocks([&] { for_chunks_of_block(body); });
  in_block_ = false;
}

void Emitter::for_chunks_of_block(const std::function<void()>& body) {
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
      llvm::Value* number = z.at;
      if (p_.cooperative)
        number = b.CreateAdd(b.CreateMul(block_number_, block_size_[outer]), number);
      return b.CreateAdd(
          b.CreateMul(b.CreateAdd(b.CreateMul(number, block_size_[inner]), y.at), along_axis),
          x.at);
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
  begin_chunk([&]() -> llvm::Value* {
    if (!p_.cooperative) return x.at;
    return b.CreateAdd(b.CreateMul(block_number_, rounded(threads)), x.at);
  });
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

// --- locals that statements read or set ---

void Emitter::touched_array(int array, std::vector<bool>& locals) const {
  const Array& a = p_.layout_of(array);
  for (int local : {a.offset, a.address, a.owner}) {
    if (local >= 0) locals[static_cast<std::size_t>(local)] = true;
  }
  for (int local : a.shape) locals[static_cast<std::size_t>(local)] = true;
  for (int local : a.strides) locals[static_cast<std::size_t>(local)] = true;
}

void Emitter::touched_expr(int expr, std::vector<bool>& locals) const {
  const Expr& e = p_.expr(expr);
  for (int arg : e.args) touched_expr(arg, locals);
  if (e.kind == ExprKind::local) locals[static_cast<std::size_t>(e.index)] = true;
  if (e.kind == ExprKind::load || e.kind == ExprKind::extent || e.kind == ExprKind::stride ||
      e.kind == ExprKind::atomic || e.kind == ExprKind::address)
    touched_array(e.index, locals);
}

void Emitter::touched(const std::vector<int>& list, std::vector<bool>& locals) const {
  for (int stmt : list) {
    const Stmt& s = p_.stmt(stmt);
    for (int e : s.exprs) touched_expr(e, locals);
    for (int local : s.locals) locals[static_cast<std::size_t>(local)] = true;
    switch (s.kind) {
      case StmtKind::assign:
      case StmtKind::range:
      case StmtKind::retain:
      case StmtKind::release:
        locals[static_cast<std::size_t>(s.index)] = true;
        break;
      case StmtKind::store:
      case StmtKind::allocate:
        touched_array(s.index, locals);
        break;
      default:
        break;
    }
    for (const auto& inner : s.lists) touched(inner, locals);
  }
}

}  // namespace heddle::simt
