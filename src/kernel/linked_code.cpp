#include "kernel/linked_code.h"

#include <stdexcept>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/IPO/Internalize.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SROA.h>

#include "kernel/grid_machine.h"
#include "kernel/linked_bitcode.h"
#include "kernel/llvm_codegen.h"

namespace heddle::kernel {
namespace {

constexpr const char* prefix = "heddle_special_";
constexpr const char* grid_prefix = "heddle_grid_";
// Longer functions stay functions: a kernel may have several loops that call them.
constexpr unsigned short_function = 400;  // instructions

bool calls(const llvm::Module& module, llvm::StringRef start) {
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() && function.getName().starts_with(start)) return true;
  }
  return false;
}

void link(llvm::Module& module) {
  const std::string_view code = linked_bitcode();
  const llvm::MemoryBufferRef buffer(llvm::StringRef(code.data(), code.size()), "special");
  auto parsed = llvm::getLazyBitcodeModule(buffer, module.getContext());
  if (!parsed)
    throw std::runtime_error("kernel compiler: special functions: " +
                             llvm::toString(parsed.takeError()));
  (*parsed)->setTargetTriple(module.getTargetTriple());
  (*parsed)->setDataLayout(module.getDataLayout());
  auto hide = [&](llvm::Module& whole, const llvm::StringSet<>& names) {
    llvm::internalizeModule(whole, [&](const llvm::GlobalValue& value) {
      return !value.hasName() || !names.contains(value.getName());
    });
  };
  if (llvm::Linker::linkModules(module, std::move(*parsed), llvm::Linker::LinkOnlyNeeded, hide))
    throw std::runtime_error("kernel compiler: special functions do not link");
}

// What a grid has no C library for is its math library's, or code of ours; what it computes by
// instructions that are not exact is a call.
bool use_math_of_grid(llvm::Module& module, const GridDialect& dialect) {
  bool ours = false;
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.isDeclaration() || function.use_empty()) continue;
    std::string name;
    if (function.isIntrinsic()) {
      switch (function.getIntrinsicID()) {
        case llvm::Intrinsic::acos:
        case llvm::Intrinsic::asin:
        case llvm::Intrinsic::atan:
        case llvm::Intrinsic::atan2:
        case llvm::Intrinsic::cos:
        case llvm::Intrinsic::cosh:
        case llvm::Intrinsic::exp:
        case llvm::Intrinsic::exp2:
        case llvm::Intrinsic::exp10:
        case llvm::Intrinsic::log:
        case llvm::Intrinsic::log10:
        case llvm::Intrinsic::log2:
        case llvm::Intrinsic::pow:
        case llvm::Intrinsic::sin:
        case llvm::Intrinsic::sinh:
        case llvm::Intrinsic::tan:
        case llvm::Intrinsic::tanh:
          name = llvm::Intrinsic::getBaseName(function.getIntrinsicID()).drop_front(5).str();
          break;
        case llvm::Intrinsic::ldexp:
          name = "ldexp";
          break;
        default:
          continue;
      }
    } else {
      name = function.getName().str();
    }
    static constexpr llvm::StringRef own[] = {"cabs",     "carg",  "catan",   "ccos", "ccosh",
                                              "cexp",     "clog",  "cpow",    "csin", "csinh",
                                              "__muldc3", "csqrt", "__divdc3"};
    static constexpr llvm::StringRef library[] = {"acosh",  "asinh", "atanh",     "cbrt",  "expm1",
                                                  "fmod",   "frexp", "hypot",     "ilogb", "ldexp",
                                                  "lgamma", "log1p", "nextafter", "tgamma"};
    const bool of_own = llvm::is_contained(own, name);
    if (!function.isIntrinsic() && !of_own && !llvm::is_contained(library, name)) continue;
    ours |= of_own;
    const std::string replacement = of_own ? grid_prefix + name : dialect.math(name, false);
    auto callee = module.getOrInsertFunction(replacement, function.getFunctionType());
    if (auto* made = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
      made->setDoesNotThrow();
      made->setWillReturn();
    }
    function.replaceAllUsesWith(callee.getCallee());
    if (!function.isIntrinsic()) function.eraseFromParent();
  }
  return ours;
}

// Of modf: the whole part, and what is left, with the number's sign.
void split_number(llvm::IntrinsicInst& call) {
  llvm::IRBuilder<> b(&call);
  llvm::Value* x = call.getArgOperand(0);
  llvm::Value* whole = b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, x);
  llvm::Value* rest = b.CreateSelect(
      b.CreateFCmpOEQ(x, whole), llvm::ConstantFP::get(x->getType(), 0), b.CreateFSub(x, whole));
  llvm::Value* pair = llvm::PoisonValue::get(call.getType());
  pair = b.CreateInsertValue(pair, b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, rest, x), 0);
  call.replaceAllUsesWith(b.CreateInsertValue(pair, whole, 1));
  call.eraseFromParent();
}

// What the machine of a grid has no instruction for.
void use_instructions_of_grid(llvm::Module& module, const GridDialect& dialect) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
      if (call && call->getIntrinsicID() == llvm::Intrinsic::modf) {
        split_number(*call);
        continue;
      }
      if (i.getOpcode() != llvm::Instruction::FRem || !i.getType()->isDoubleTy()) continue;
      auto* type = i.getType();
      auto callee = module.getOrInsertFunction(dialect.math("fmod", false), type, type, type);
      llvm::IRBuilder<> b(&i);
      i.replaceAllUsesWith(b.CreateCall(callee, {i.getOperand(0), i.getOperand(1)}));
      i.eraseFromParent();
    }
  }
}

llvm::StringSet<> declared(const llvm::Module& module) {
  llvm::StringSet<> names;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) names.insert(function.getName());
  }
  return names;
}

// On a machine without a C library nothing may be called but what was before, and its math library.
void expect_complete(const llvm::Module& module, const GridDialect& dialect,
                     const llvm::StringSet<>& before) {
  const std::string library = dialect.math("", false);
  for (const llvm::Function& function : module) {
    if (!function.isDeclaration() || function.isIntrinsic() || function.use_empty()) continue;
    const llvm::StringRef name = function.getName();
    if (name.starts_with(library) || before.contains(name)) continue;
    throw std::runtime_error("kernel compiler: a special function calls " + name.str() +
                             ", which this device does not have");
  }
}

// Long functions call the device's math library: inlined, each would be there dozens of times.
void keep_calls(llvm::Function& function, llvm::StringRef library) {
  for (llvm::Instruction& i : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->getName().starts_with(library)) call->setIsNoInline();
  }
}

void prepare(llvm::Function& function) {
  for (const char* attribute : {"target-cpu", "target-features", "tune-cpu", "frame-pointer",
                                "min-legal-vector-width", "stack-protector-buffer-size"}) {
    function.removeFnAttr(attribute);
  }
  function.removeFnAttr(llvm::Attribute::UWTable);
  if (!function.getName().starts_with(prefix)) return;
  if (function.getInstructionCount() <= short_function) {
    function.addFnAttr(llvm::Attribute::AlwaysInline);
  } else {
    function.addFnAttr(llvm::Attribute::NoInline);
  }
}

}  // namespace

std::string linked_name(Op op, bool complex) {
  const OpInfo& row = info(op);
  return std::string(prefix) + (row.function ? row.function : row.name) + (complex ? "_D" : "_d");
}

void link_code(llvm::Module& module, const Target& target) {
  if (!calls(module, prefix)) return;
  const llvm::StringSet<> before = declared(module);
  link(module);
  if (target.model == Model::grid) {
    if (use_math_of_grid(module, *target.dialect)) {
      link(module);
      use_math_of_grid(module, *target.dialect);
    }
    use_instructions_of_grid(module, *target.dialect);
    expect_complete(module, *target.dialect, before);
    for (llvm::Function& function : module) {
      if (function.getInstructionCount() > short_function)
        keep_calls(function, target.dialect->math("", false));
    }
  }
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) prepare(function);
  }
  llvm::ModulePassManager passes;
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(llvm::EarlyCSEPass()));
  passes.addPass(llvm::AlwaysInlinerPass());
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(
      llvm::createModuleToFunctionPassAdaptor(llvm::SROAPass(llvm::SROAOptions::ModifyCFG)));
  run_passes(std::move(passes), module, target_machine(target));
}

}  // namespace heddle::kernel
