// Clang asks the extensions that LLVM was configured with for their passes. Debian's has Polly,
// which is left out: no pass of Clang's own is run here.
#include <llvm/Config/llvm-config.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Plugins/PassPlugin.h>

llvm::PassPluginLibraryInfo getPollyPluginInfo();

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "", "", [](llvm::PassBuilder&) {}, nullptr};
}
