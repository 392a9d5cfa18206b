// Source lines in the code, for profilers and debuggers: no more than which line an instruction is
// of.
#include <llvm/BinaryFormat/Dwarf.h>

#include "simt/emitter.h"

namespace heddle::simt {

void Emitter::begin_lines() {
  if (p_.file < 0) return;
  const std::string& path = p_.texts[static_cast<std::size_t>(p_.file)];
  const auto slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash);
  lines_ = std::make_unique<llvm::DIBuilder>(module_);
  llvm::DIFile* file = lines_->createFile(name, folder);
  lines_->createCompileUnit(
      llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_Python), file, "heddle", p_.optimized, "", 0,
      "", grid_ ? llvm::DICompileUnit::DebugDirectivesOnly : llvm::DICompileUnit::LineTablesOnly);
  llvm::DISubroutineType* type = lines_->createSubroutineType(lines_->getOrCreateTypeArray({}));
  llvm::DISubprogram* made = lines_->createFunction(
      file, p_.name, function_->getName(), file, 1, type, 1, llvm::DINode::FlagZero,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  function_->setSubprogram(made);
  module_.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  at_line(1);
}

void Emitter::at_line(int line) {
  if (!lines_ || line <= 0) return;
  b.SetCurrentDebugLocation(llvm::DILocation::get(b.getContext(), static_cast<unsigned>(line), 0,
                                                  function_->getSubprogram()));
}

void Emitter::end_lines() {
  if (lines_) lines_->finalize();
}

}  // namespace heddle::simt
