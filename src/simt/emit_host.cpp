// Host programs: functions, arrays that are allocated, failures. Everything is uniform.
//
// Each local that is an owner holds its memory once, from when it is set until it is released;
// what is left at the end of a function is released there.
#include <algorithm>

#include <llvm/IR/Intrinsics.h>

#include "simt/emitter.h"
#include <heddle/errors.h>

namespace heddle::simt {

namespace {

enum Service { allocate_memory, release_memory, count_pieces, run_parallel, find_numbers };

}  // namespace

// --- functions ---

void Emitter::emit_host(const std::string& entry) {
  llvm::Type* pointer = b.getPtrTy();
  auto* type = llvm::FunctionType::get(b.getVoidTy(), {pointer, pointer, b.getInt64Ty()}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, entry, module_);
  function->addParamAttr(0, llvm::Attribute::NoAlias);
  function->addParamAttr(0, llvm::Attribute::ReadOnly);
  function->addParamAttr(1, llvm::Attribute::NoAlias);
  std::vector<bool> locals(p_.locals.size());
  touched(p_.body, locals);
  for (int result : p_.results) locals[static_cast<std::size_t>(result)] = true;
  for (const Parameter& parameter : p_.parameters) {
    if (parameter.local >= 0) locals[static_cast<std::size_t>(parameter.local)] = true;
  }
  begin_host(function, function->getArg(2), locals);
  give_away(p_.results);
  begin_locals(false);
  emit_host_body([&] { emit_list(p_.body); });
  for (std::size_t i = 0; i < p_.results.size(); ++i) {
    const Dtype dtype = p_.locals[static_cast<std::size_t>(p_.results[i])].dtype;
    const kernel::Value value = to_memory(read_local(p_.results[i]).at, dtype);
    auto keep = [&](llvm::Value* part, std::size_t word) {
      if (part == nullptr) return;
      b.CreateAlignedStore(part,
                           b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), function->getArg(1), word),
                           llvm::Align(8));
    };
    keep(value.re, 2 * i);
    keep(value.im, 2 * i + 1);
  }
  b.CreateRetVoid();
  for (std::size_t i = 0; i < p_.functions.size(); ++i) {
    Emitter(p_, chunks_, target_, module_).emit_function(static_cast<int>(i));
  }
}

// `touched`: the locals that this function has.
void Emitter::begin_host(llvm::Function* function, llvm::Value* limit,
                         const std::vector<bool>& touched) {
  function_ = function;
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  set_target();
  entry_ = block("entry");
  b.SetInsertPoint(entry_);
  words_ = function_->getArg(0);
  limit_ = limit;
  read_parameters();
  for (std::size_t i = 0; i < p_.locals.size(); ++i) {
    LocalPlace place;
    if (touched[i]) {
      llvm::Type* type = scalars_.type(p_.locals[i].dtype, 1);
      place.re = slot(type, "local");
      if (is_complex(p_.locals[i].dtype)) place.im = slot(type, "local");
      clear(place, p_.locals[i].dtype);
    }
    locals_.push_back(place);
  }
  for (const Array& a : p_.arrays) {
    if (a.kind != ArrayKind::held || !touched[static_cast<std::size_t>(a.owner)]) continue;
    if (std::find(owners_.begin(), owners_.end(), a.owner) == owners_.end())
      owners_.push_back(a.owner);
  }
  // Arrays of known sizes that the function has for itself: registers, where LLVM sees it.
  for (std::size_t k = 0; k < p_.arrays.size(); ++k) {
    const Array& a = p_.arrays[k];
    if (a.kind != ArrayKind::local) continue;
    std::uint64_t size = is_complex(a.dtype) ? 2 : 1;
    for (auto extent : a.extents) size *= static_cast<std::uint64_t>(extent);
    llvm::Value* memory =
        slot(llvm::ArrayType::get(scalars_.memory_type(a.dtype), size), "local_array");
    llvm::cast<llvm::AllocaInst>(memory)->setAlignment(llvm::Align(16));
    bases_[k] = memory;
  }
  failed_ = slot(b.getInt1Ty(), "failed");
  b.CreateStore(b.getFalse(), failed_);
  auto* start = block("start");
  b.CreateBr(start);
  b.SetInsertPoint(start);
  exit_ = block("exit");
}

// Memory of results is not released at the end: who called has it then.
void Emitter::give_away(const std::vector<int>& results) {
  for (int local : results)
    owners_.erase(std::remove(owners_.begin(), owners_.end(), local), owners_.end());
}

// What fails inside ends up behind it, as does what ends as it should.
void Emitter::emit_host_body(const std::function<void()>& body) {
  Frame frame;
  frame.end = exit_;
  frames_.push_back(frame);
  body();
  go_on(exit_);
  frames_.pop_back();
  b.SetInsertPoint(exit_);
  for (int owner : owners_) emit_release(owner);
}

std::vector<llvm::Type*> Emitter::parts_of(int local) {
  const Dtype dtype = p_.locals[static_cast<std::size_t>(local)].dtype;
  return std::vector<llvm::Type*>(is_complex(dtype) ? 2 : 1, scalars_.type(dtype, 1));
}

void Emitter::return_results(const Function& function) {
  llvm::Value* result = llvm::PoisonValue::get(function_->getReturnType());
  result = b.CreateInsertValue(result, b.CreateLoad(b.getInt1Ty(), failed_), 0);
  unsigned at = 1;
  for (int local : function.results) {
    for (llvm::Value* part : read_parts(local)) result = b.CreateInsertValue(result, part, at++);
  }
  b.CreateRet(result);
}

std::vector<llvm::Value*> Emitter::read_parts(int local) {
  const kernel::Value value = read_local(local).at;
  if (value.im == nullptr) return {value.re};
  return {value.re, value.im};
}

void Emitter::write_parts(int local, llvm::ArrayRef<llvm::Value*> parts) {
  const kernel::Value value{parts[0], parts.size() > 1 ? parts[1] : nullptr};
  write_local(local, {value, {Level::block, 0}}, nullptr);
}

// Takes the words, the limit and its parameters; gives its results and whether it failed.
llvm::Function* Emitter::function_of(int number) {
  const std::string name = "function" + std::to_string(number);
  if (llvm::Function* made = module_.getFunction(name)) return made;
  const Function& function = p_.functions[static_cast<std::size_t>(number)];
  auto types = [&](const std::vector<int>& locals, std::vector<llvm::Type*> made) {
    for (int local : locals) {
      for (llvm::Type* part : parts_of(local)) made.push_back(part);
    }
    return made;
  };
  auto* result = llvm::StructType::get(b.getContext(), types(function.results, {b.getInt1Ty()}));
  auto* type = llvm::FunctionType::get(
      result, types(function.parameters, {b.getPtrTy(), b.getInt64Ty()}), false);
  return llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module_);
}

void Emitter::emit_function(int number) {
  const Function& function = p_.functions[static_cast<std::size_t>(number)];
  llvm::Function* made = function_of(number);
  // As a loop, what never ends would never end: on the stack it is an error.
  made->addFnAttr("disable-tail-calls", "true");
  made->addParamAttr(0, llvm::Attribute::NoAlias);
  made->addParamAttr(0, llvm::Attribute::ReadOnly);
  std::vector<bool> locals(p_.locals.size());
  touched(function.body, locals);
  for (const auto* list : {&function.parameters, &function.results}) {
    for (int local : *list) locals[static_cast<std::size_t>(local)] = true;
  }
  begin_host(made, made->getArg(1), locals);
  give_away(function.results);
  unsigned argument = 2;
  for (int parameter : function.parameters) {
    std::vector<llvm::Value*> parts;
    for (std::size_t i = 0; i < parts_of(parameter).size(); ++i)
      parts.push_back(made->getArg(argument++));
    write_parts(parameter, parts);
    if (std::find(owners_.begin(), owners_.end(), parameter) != owners_.end())
      emit_retain(parameter);
  }
  emit_host_body([&] {
    llvm::Value* place = b.CreateIntrinsic(llvm::Intrinsic::addressofreturnaddress, {b.getPtrTy()},
                                           llvm::ArrayRef<llvm::Value*>());
    fail_if(b.CreateICmpULT(b.CreatePtrToInt(place, b.getInt64Ty()), limit_), function.too_deep);
    emit_list(function.body);
  });
  return_results(function);
}

void Emitter::emit_call(const Stmt& s) {
  std::vector<llvm::Value*> arguments = {words_, limit_};
  for (int e : s.exprs) {
    const kernel::Value value = emit(e).at;
    arguments.push_back(value.re);
    if (value.im != nullptr) arguments.push_back(value.im);
  }
  llvm::Value* made = b.CreateCall(function_of(s.index), arguments);
  auto* stop = block("callee_failed");
  auto* on = block("called");
  b.CreateCondBr(b.CreateExtractValue(made, 0), stop, on, weights(false));
  b.SetInsertPoint(stop);
  b.CreateStore(b.getTrue(), failed_);
  b.CreateBr(exit_);
  b.SetInsertPoint(on);
  unsigned at = 1;
  for (int local : s.locals) {
    std::vector<llvm::Value*> parts;
    for (std::size_t i = 0; i < parts_of(local).size(); ++i)
      parts.push_back(b.CreateExtractValue(made, at++));
    write_parts(local, parts);
  }
}

// --- failures ---

// Out of the way of what is usual.
llvm::Function* Emitter::reporter() {
  if (llvm::Function* made = module_.getFunction("report")) return made;
  llvm::Type* word = b.getInt64Ty();
  auto* type =
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), word, word, word, word}, false);
  auto* made = llvm::Function::Create(type, llvm::Function::InternalLinkage, "report", module_);
  made->addFnAttr(llvm::Attribute::NoInline);
  made->addFnAttr(llvm::Attribute::Cold);
  made->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::IRBuilder<> at(llvm::BasicBlock::Create(b.getContext(), "entry", made));
  auto* taken = llvm::BasicBlock::Create(b.getContext(), "taken", made);
  auto* done = llvm::BasicBlock::Create(b.getContext(), "done", made);
  auto place = [&](int i) {
    return at.CreateConstInBoundsGEP1_64(word, made->getArg(0), static_cast<unsigned>(i));
  };
  auto* pair =
      at.CreateAtomicCmpXchg(place(Report::taken), i64(0), i64(1), llvm::Align(8),
                             llvm::AtomicOrdering::Monotonic, llvm::AtomicOrdering::Monotonic);
  at.CreateCondBr(at.CreateExtractValue(pair, 1), taken, done);
  at.SetInsertPoint(taken);
  const int places[] = {Report::site, Report::index, Report::extent, Report::axis};
  for (unsigned i = 0; i < 4; ++i) at.CreateStore(made->getArg(i + 1), place(places[i]));
  at.CreateBr(done);
  at.SetInsertPoint(done);
  at.CreateRetVoid();
  return made;
}

// `failed` null: for certain.
void Emitter::fail_if(llvm::Value* failed, int text, llvm::Value* index, llvm::Value* extent,
                      int axis) {
  llvm::BasicBlock* on = nullptr;
  if (failed != nullptr) {
    auto* stop = block("fails");
    on = block("holds");
    b.CreateCondBr(failed, stop, on, weights(false));
    b.SetInsertPoint(stop);
  }
  llvm::Value* none = i64(0);
  fail(text, index == nullptr ? none : index, extent == nullptr ? none : extent, i64(axis));
  if (on != nullptr) b.SetInsertPoint(on);
}

void Emitter::fail(int text, llvm::Value* index, llvm::Value* extent, llvm::Value* axis) {
  b.CreateCall(reporter(), {report_, i64(text), index, extent, axis});
  b.CreateStore(b.getTrue(), failed_);
  b.CreateBr(exit_);
}

// A number as a word that is said of a failure: an integer, or the bits of a float.
llvm::Value* Emitter::word_of(int expr) {
  const Dtype dtype = p_.expr(expr).dtype;
  const Dtype wide = is_floating(dtype) ? Dtype::float64 : Dtype::int64;
  const kernel::Value value = scalars_.cast(emit(expr).at, dtype, wide, 1);
  return wide == Dtype::int64 ? value.re : b.CreateBitCast(value.re, b.getInt64Ty());
}

// What fails goes on in the second list, which forgets it, or ends up where it would have gone.
bool Emitter::emit_attempt(const Stmt& s) {
  llvm::BasicBlock* outside = exit_;
  auto* caught = block("caught");
  auto* done = block("attempted");
  exit_ = caught;
  emit_list(s.lists[0]);
  exit_ = outside;
  bool reached = go_on(done);
  b.SetInsertPoint(caught);
  if (s.axis == 0) {
    b.CreateStore(b.getFalse(), failed_);
    b.CreateStore(i64(0), b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), report_, Report::taken));
  }
  emit_list(s.lists[1]);
  reached |= go_on(s.axis == 0 ? done : exit_) && s.axis == 0;
  if (!reached) {
    done->eraseFromParent();
    return false;
  }
  b.SetInsertPoint(done);
  return true;
}

// --- arrays ---

llvm::CallInst* Emitter::call_service(int number, llvm::Type* result,
                                      llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::Value* table = b.CreateIntToPtr(word(Arguments::grid), b.getPtrTy());
  llvm::Value* place =
      b.CreateConstInBoundsGEP1_64(b.getPtrTy(), table, static_cast<unsigned>(number));
  auto* function = b.CreateLoad(b.getPtrTy(), place);
  function->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(b.getContext(), {}));
  std::vector<llvm::Type*> types;
  for (llvm::Value* argument : arguments) types.push_back(argument->getType());
  auto* call = b.CreateCall(llvm::FunctionType::get(result, types, false), function, arguments);
  call->addFnAttr(llvm::Attribute::NoUnwind);
  return call;
}

llvm::Value* Emitter::emit_numbers(int generator) {
  return call_service(find_numbers, b.getInt64Ty(), {i64(generator)});
}

Emitter::Val Emitter::address_of(int array) {
  if (lanes_ > 1 && p_.array(p_.root_of(array)).kind == ArrayKind::local)
    throw value_error(
        "a thread's own array cannot be given to a function that calls itself in a kernel with "
        "warp operations on a CPU");
  llvm::Value* base = base_of(array);
  if (grid_) base = b.CreateAddrSpaceCast(base, b.getPtrTy());
  const int size = element_of(array).in_bytes ? 1 : itemsize(p_.array(array).dtype);
  Val at = uniform(nullptr);
  if (auto* lanes = llvm::dyn_cast<llvm::FixedVectorType>(base->getType())) {
    llvm::Type* type = llvm::FixedVectorType::get(b.getInt64Ty(), lanes->getNumElements());
    at = {{b.CreatePtrToInt(base, type), nullptr}, {Level::varying, 0}};
  } else {
    at.at.re = b.CreatePtrToInt(base, b.getInt64Ty());
  }
  return plus(at, times(offset_of(array), uniform(i64(size))));
}

void Emitter::emit_retain(int owner) {
  llvm::Value* kept = read_local(owner).at.re;
  auto* there = block("retain");
  auto* done = block("retained");
  b.CreateCondBr(b.CreateICmpNE(kept, i64(0)), there, done);
  b.SetInsertPoint(there);
  llvm::Value* place = b.CreateIntToPtr(kept, b.getPtrTy());
  llvm::Value* count = b.CreateLoad(b.getInt64Ty(), place);
  b.CreateStore(b.CreateAdd(count, i64(1)), place);
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

void Emitter::emit_release(int owner) {
  llvm::Value* kept = read_local(owner).at.re;
  auto* there = block("release");
  auto* last = block("last");
  auto* done = block("released");
  b.CreateCondBr(b.CreateICmpNE(kept, i64(0)), there, done);
  b.SetInsertPoint(there);
  llvm::Value* place = b.CreateIntToPtr(kept, b.getPtrTy());
  llvm::Value* count = b.CreateSub(b.CreateLoad(b.getInt64Ty(), place), i64(1));
  b.CreateStore(count, place);
  b.CreateCondBr(b.CreateICmpEQ(count, i64(0)), last, done);
  b.SetInsertPoint(last);
  call_service(release_memory, b.getVoidTy(), {kept});
  b.CreateBr(done);
  b.SetInsertPoint(done);
  write_parts(owner, {i64(0)});
}

void Emitter::emit_allocate(const Stmt& s) {
  const Array& a = p_.array(s.index);
  std::vector<llvm::Value*> extents;
  llvm::Value* negative = b.getFalse();
  for (int e : s.exprs) {
    extents.push_back(emit(e).at.re);
    negative = b.CreateOr(negative, b.CreateICmpSLT(extents.back(), i64(0)));
  }
  fail_if(negative, s.texts[0]);
  // In elements; sizes that no memory has end as one that the allocator refuses.
  llvm::Value* size = i64(1);
  llvm::Value* too_large = b.getFalse();
  std::vector<llvm::Value*> strides(extents.size());
  for (std::size_t d = extents.size(); d-- > 0;) {
    strides[d] = size;
    llvm::Value* pair =
        b.CreateBinaryIntrinsic(llvm::Intrinsic::smul_with_overflow, size, extents[d]);
    size = b.CreateExtractValue(pair, 0);
    too_large = b.CreateOr(too_large, b.CreateExtractValue(pair, 1));
  }
  constexpr std::int64_t most = std::int64_t{1} << 56;
  too_large = b.CreateOr(too_large, b.CreateICmpUGT(size, i64(most)));
  llvm::Value* bytes = b.CreateMul(size, i64(itemsize(a.dtype)));
  emit_release(a.owner);
  for (int extent : a.shape)
    write_parts(extent, {i64(0)});  // if there is no memory, and who calls goes on
  llvm::Value* kept = call_service(allocate_memory, b.getInt64Ty(),
                                   {b.CreateSelect(too_large, i64(-1), bytes), i64(s.axis)});
  fail_if(b.CreateICmpEQ(kept, i64(0)), s.texts[1]);
  write_parts(a.owner, {kept});
  write_parts(a.address, {b.CreateAdd(kept, i64(owner_header))});
  for (std::size_t d = 0; d < extents.size(); ++d) {
    write_parts(a.shape[d], {extents[d]});
    write_parts(a.strides[d], {strides[d]});
  }
}

// --- elements ---

// Negative indices count from the end; what is out of range ends the program.
// Indices that are numbers and locals: nothing is asked twice of those that are computed.
bool Emitter::is_updated(const Expr& load) const {
  if (storing_ == nullptr || load.index != storing_->index) return false;
  for (std::size_t d = 0; d < load.args.size(); ++d) {
    const Expr& a = p_.exprs[static_cast<std::size_t>(load.args[d])];
    const Expr& other = p_.exprs[static_cast<std::size_t>(storing_->exprs[d + 1])];
    if (a.kind != other.kind || a.dtype != other.dtype) return false;
    const bool same = a.kind == ExprKind::constant
                          ? a.bits[0] == other.bits[0]
                          : a.kind == ExprKind::local && a.index == other.index;
    if (!same) return false;
  }
  return true;
}

// One question for all indices of an access, and no branch for those that count from the end: much
// less to compile than a question each.
void Emitter::check_together(const Access& access, std::vector<llvm::Value*>& indices) {
  std::vector<llvm::Value*> extents, beyond;
  for (std::size_t d = 0; d < access.indices.size(); ++d) {
    llvm::Value* index = access.indices[d].at.re;
    llvm::Value* extent = extent_of(access.array, static_cast<int>(d)).at.re;
    llvm::Value* below = b.CreateICmpSLT(index, i64(0));
    indices.push_back(b.CreateSelect(below, b.CreateAdd(index, extent), index));
    extents.push_back(extent);
    beyond.push_back(b.CreateICmpUGE(indices.back(), extent));
  }
  if (beyond.empty()) return;
  auto* stop = block("fails");
  auto* on = block("holds");
  b.CreateCondBr(b.CreateOr(beyond), stop, on, weights(false));
  b.SetInsertPoint(stop);
  std::size_t d = beyond.size() - 1;
  llvm::Value* index = access.indices[d].at.re;
  llvm::Value* extent = extents[d];
  llvm::Value* axis = i64(static_cast<std::int64_t>(d));
  while (d-- > 0) {
    index = b.CreateSelect(beyond[d], access.indices[d].at.re, index);
    extent = b.CreateSelect(beyond[d], extents[d], extent);
    axis = b.CreateSelect(beyond[d], i64(static_cast<std::int64_t>(d)), axis);
  }
  fail(access.line, index, extent, axis);
  b.SetInsertPoint(on);
}

Emitter::Place Emitter::host_place(const Access& access) {
  const bool proven = proven_.count(access.site) > 0;
  Place place;
  std::vector<llvm::Value*> indices;
  if (rare_ && !proven) check_together(access, indices);
  for (std::size_t d = indices.size(); d < access.indices.size(); ++d) {
    llvm::Value* index = access.indices[d].at.re;
    if (!proven) {
      const int axis = static_cast<int>(d);
      llvm::Value* extent = extent_of(access.array, axis).at.re;
      // What is counted from the end is rare, and looked at where the index is not within: so it
      // is not on the way from an index to its element.
      llvm::BasicBlock* before = b.GetInsertBlock();
      auto* beyond = block("beyond");
      auto* within = block("within");
      b.CreateCondBr(b.CreateICmpUGE(index, extent), beyond, within, weights(false));
      b.SetInsertPoint(beyond);
      llvm::Value* counted = b.CreateAdd(index, extent);
      fail_if(b.CreateICmpUGE(counted, extent), access.line, index, extent, axis);
      llvm::BasicBlock* after = b.GetInsertBlock();
      b.CreateBr(within);
      b.SetInsertPoint(within);
      llvm::PHINode* found = b.CreatePHI(b.getInt64Ty(), 2);
      found->addIncoming(index, before);
      found->addIncoming(counted, after);
      index = found;
    }
    indices.push_back(index);
  }
  place.base = base_of(access.array);
  place.offset = offset_of(access.array);
  for (std::size_t d = 0; d < indices.size(); ++d) {
    llvm::Value* stride = stride_of(access.array, static_cast<int>(d)).at.re;
    place.offset.at.re = b.CreateAdd(
        place.offset.at.re, b.CreateMul(indices[d], stride, "", false, true), "", false, true);
  }
  return place;
}

}  // namespace heddle::simt
