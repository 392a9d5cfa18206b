// Functions of kernels that call themselves: each is for one thread. What a launch and a thread
// have is given along; a call that is nested too deeply, or that fails, ends the thread.
#include <algorithm>

#include "simt/emitter.h"

namespace heddle::simt {

namespace {
// As Python has it; less where the stack would not do. A GPU's is what the backend asks for.
constexpr std::int64_t most_calls = 1000;
constexpr std::int64_t stack_of_cpu = 1 << 20;
}  // namespace

// What every function is given. On a grid threads know where they are.
std::vector<llvm::Value**> Emitter::launch_facts() {
  std::vector<llvm::Value**> facts = {&report_, &dynamic_};
  if (grid_) return facts;
  facts.push_back(&block_number_);
  for (int d = 0; d < 3; ++d) {
    facts.push_back(&grid_size_[d]);
    facts.push_back(&block_size_[d]);
    facts.push_back(&block_index_[d]);
  }
  return facts;
}

// Takes these facts, the thread's number on a CPU, the depth, and its parameters; gives whether it
// failed, and its results.
llvm::Function* Emitter::thread_function_of(int number) {
  const std::string name = "function" + std::to_string(number);
  if (llvm::Function* made = module_.getFunction(name)) return made;
  const Function& function = p_.functions[static_cast<std::size_t>(number)];
  auto add_parts = [&](const std::vector<int>& locals, std::vector<llvm::Type*>& types) {
    for (int local : locals) {
      for (llvm::Type* part : parts_of(local)) types.push_back(part);
    }
  };
  std::vector<llvm::Type*> results = {b.getInt1Ty()};
  add_parts(function.results, results);
  std::vector<llvm::Type*> types(launch_facts().size() + (grid_ ? 0 : 3) + 1, b.getInt64Ty());
  types[0] = b.getPtrTy();
  add_parts(function.parameters, types);
  auto* type =
      llvm::FunctionType::get(llvm::StructType::get(b.getContext(), results), types, false);
  return llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module_);
}

// How deep calls may go: nobody knows what a compiler puts on the stack, so twice of all there is.
std::int64_t Emitter::most_depth(int number) const {
  const Function& function = p_.functions[static_cast<std::size_t>(number)];
  std::vector<bool> locals(p_.locals.size());
  touched(function.body, locals);
  std::int64_t bytes = 96;
  for (std::size_t i = 0; i < locals.size(); ++i) {
    if (locals[i]) bytes += std::max(8, itemsize(p_.locals[i].dtype));
  }
  bytes *= 2;
  for (const Array& a : p_.arrays) {
    if (a.kind != ArrayKind::local) continue;
    std::int64_t size = itemsize(a.dtype);
    for (auto extent : a.extents) size *= extent;
    bytes += size;
  }
  return std::clamp((grid_ ? stack_of_grid : stack_of_cpu) / bytes, std::int64_t{1}, most_calls);
}

void Emitter::emit_thread_functions() {
  for (std::size_t i = 0; i < p_.functions.size(); ++i) {
    Emitter inner(p_, Chunks{}, target_, module_);
    inner.uniformity_.reset();  // there is one thread
    inner.emit_thread_function(static_cast<int>(i));
  }
}

void Emitter::emit_thread_function(int number) {
  const Function& function = p_.functions[static_cast<std::size_t>(number)];
  function_ = thread_function_of(number);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  // As a loop, what never ends would never end: on the stack it is an error.
  function_->addFnAttr("disable-tail-calls", "true");
  function_->addFnAttr(llvm::Attribute::NoInline);
  if (!grid_) set_target();
  entry_ = block("entry");
  b.SetInsertPoint(entry_);
  unsigned argument = 0;
  if (grid_) {
    read_geometry();
  } else {
    nothing_ = b.CreateAlloca(llvm::ArrayType::get(b.getInt64Ty(), 2));
    b.CreateStore(llvm::Constant::getNullValue(llvm::ArrayType::get(b.getInt64Ty(), 2)), nothing_);
  }
  for (llvm::Value** fact : launch_facts()) *fact = function_->getArg(argument++);
  if (!grid_) {
    for (Val& index : thread_index_) index = uniform(function_->getArg(argument++));
  }
  depth_ = function_->getArg(argument++);
  bases_.resize(p_.arrays.size());
  make_locals();
  failed_ = slot(b.getInt1Ty(), "failed");
  b.CreateStore(b.getFalse(), failed_);
  auto* start = block("start");
  b.CreateBr(start);
  b.SetInsertPoint(start);
  exit_ = block("exit");
  for (int parameter : function.parameters) {
    std::vector<llvm::Value*> parts;
    for (std::size_t i = 0; i < parts_of(parameter).size(); ++i)
      parts.push_back(function_->getArg(argument++));
    write_parts(parameter, parts);
  }
  llvm::Value* deep = b.CreateICmpSGE(depth_, i64(most_depth(number)));
  report(function.too_deep, deep, nullptr, nullptr, 0);
  auto* on = block("on");
  auto* stop = block("too_deep");
  b.CreateCondBr(deep, stop, on, weights(false));
  b.SetInsertPoint(stop);
  b.CreateStore(b.getTrue(), failed_);
  b.CreateBr(exit_);
  b.SetInsertPoint(on);
  Frame frame;
  frame.end = exit_;
  frames_.push_back(frame);
  emit_list(function.body);
  go_on(exit_);
  frames_.pop_back();
  b.SetInsertPoint(exit_);
  return_results(function);
}

// Lanes call one after the other. Where a block waits for its threads, and where lanes are many,
// one that fails goes on with zeros: what it does is not looked at, as the launch raises.
void Emitter::emit_call_of_threads(int stmt) {
  const Stmt& s = p_.stmt(stmt);
  std::vector<llvm::Value*> given;
  for (llvm::Value** fact : launch_facts()) {
    if (*fact == nullptr) *fact = i64(0);
    const bool elsewhere = (*fact)->getType()->isPointerTy() && (*fact)->getType() != b.getPtrTy();
    given.push_back(elsewhere ? b.CreateAddrSpaceCast(*fact, b.getPtrTy()) : *fact);
  }
  std::vector<kernel::Value> values;
  std::vector<kernel::Value> threads;
  for (int e : s.exprs) values.push_back(widened(emit(e), p_.expr(e).dtype));
  if (!grid_) {
    for (const Val& index : thread_index_) threads.push_back(widened(index, Dtype::int64));
  }
  // A slot for each part of the results, with all lanes.
  std::vector<llvm::Value*> slots;
  for (int local : s.locals) {
    for (llvm::Type* part : parts_of(local)) {
      llvm::Type* type =
          lanes_ == 1 ? part : llvm::FixedVectorType::get(part, static_cast<unsigned>(lanes_));
      slots.push_back(slot(type, "result"));
      b.CreateStore(llvm::Constant::getNullValue(type), slots.back());
    }
  }
  auto one = [&](const kernel::Value& value, llvm::Value* lane) {
    return lanes_ == 1 ? value : lane_of(value, lane);
  };
  llvm::Value* failed = nullptr;
  for_lanes(mask_, [&](llvm::Value* lane) {
    std::vector<llvm::Value*> arguments = given;
    for (const kernel::Value& index : threads) arguments.push_back(one(index, lane).re);
    arguments.push_back(depth_ == nullptr ? i64(0) : b.CreateAdd(depth_, i64(1)));
    for (const kernel::Value& value : values) {
      const kernel::Value own = one(value, lane);
      arguments.push_back(own.re);
      if (own.im != nullptr) arguments.push_back(own.im);
    }
    llvm::Value* made = b.CreateCall(thread_function_of(s.index), arguments);
    failed = b.CreateExtractValue(made, 0);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      llvm::Value* part = b.CreateExtractValue(made, static_cast<unsigned>(i + 1));
      if (lanes_ > 1) {
        llvm::Type* type =
            llvm::FixedVectorType::get(part->getType(), static_cast<unsigned>(lanes_));
        part = b.CreateInsertElement(b.CreateLoad(type, slots[i]), part, lane);
      }
      b.CreateStore(part, slots[i]);
    }
  });
  if (lanes_ == 1 && (grid_ || failed_ != nullptr || !p_.has_barrier)) {
    auto* stop = block("callee_failed");
    auto* on = block("called");
    b.CreateCondBr(failed, stop, on, weights(false));
    b.SetInsertPoint(stop);
    if (failed_ != nullptr) b.CreateStore(b.getTrue(), failed_);
    leave(frames_.front());
    b.SetInsertPoint(on);
  }
  const bool blends = uniformity_ && uniformity_->blends(stmt);
  const Spread spread{lanes_ == 1 ? Level::chunk : Level::varying, 0};
  std::size_t at = 0;
  for (int local : s.locals) {
    std::vector<llvm::Value*> parts;
    for (llvm::Type* part : parts_of(local)) {
      llvm::Type* type =
          lanes_ == 1 ? part : llvm::FixedVectorType::get(part, static_cast<unsigned>(lanes_));
      parts.push_back(b.CreateLoad(type, slots[at++]));
    }
    write_local(local, {{parts[0], parts.size() > 1 ? parts[1] : nullptr}, spread},
                blends ? mask_ : nullptr);
  }
}

}  // namespace heddle::simt
