#include "known.h"

#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

namespace heddle::clang_plugin {
namespace {

llvm::StringRef called_name(const llvm::Value& value) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&value);
  const llvm::Function* called = call ? call->getCalledFunction() : nullptr;
  return called ? called->getName() : llvm::StringRef();
}

}  // namespace

std::optional<Site> site_of(const llvm::Instruction& instruction) {
  const llvm::StringRef name = called_name(instruction);
  if (!name.starts_with("__heddle_")) return std::nullopt;
  return llvm::StringSwitch<std::optional<Site>>(name)
      .Case("__heddle_block_barrier", Site::block_barrier)
      .Case("__heddle_block_count", Site::block_count)
      .Case("__heddle_block_and", Site::block_and)
      .Case("__heddle_block_or", Site::block_or)
      .Case("__heddle_grid_barrier", Site::grid_barrier)
      .Case("__heddle_warp_barrier", Site::warp_barrier)
      .Case("__heddle_shuffle", Site::shuffle)
      .Case("__heddle_shuffle_wide", Site::shuffle_wide)
      .Case("__heddle_ballot", Site::ballot)
      .Case("__heddle_match", Site::match)
      .Case("__heddle_reduce", Site::reduce)
      .Case("__heddle_active", Site::active)
      .Default(std::nullopt);
}

bool is_of_a_warp(Site site) { return site >= Site::warp_barrier; }
bool is_of_a_block(Site site) { return site >= Site::block_barrier && site <= Site::grid_barrier; }

std::optional<Place> place_of(const llvm::Value& value) {
  const llvm::StringRef name = called_name(value);
  if (!name.starts_with("__heddle_")) return std::nullopt;
  return llvm::StringSwitch<std::optional<Place>>(name)
      .Case("__heddle_thread_x", Place::thread_x)
      .Case("__heddle_thread_y", Place::thread_y)
      .Case("__heddle_thread_z", Place::thread_z)
      .Case("__heddle_block_x", Place::block_x)
      .Case("__heddle_block_y", Place::block_y)
      .Case("__heddle_block_z", Place::block_z)
      .Case("__heddle_block_size_x", Place::block_size_x)
      .Case("__heddle_block_size_y", Place::block_size_y)
      .Case("__heddle_block_size_z", Place::block_size_z)
      .Case("__heddle_grid_size_x", Place::grid_size_x)
      .Case("__heddle_grid_size_y", Place::grid_size_y)
      .Case("__heddle_grid_size_z", Place::grid_size_z)
      .Case("__heddle_lane", Place::lane)
      .Case("__heddle_dynamic_bytes", Place::dynamic_bytes)
      .Default(std::nullopt);
}

bool is_uniform(Place place) { return place >= Place::block_x && place != Place::lane; }

bool is_base(const llvm::Value& value) {
  const llvm::StringRef name = called_name(value);
  return name == shared_name || name == dynamic_name || name == variables_name;
}

bool is_call_of(const llvm::Value& value, llvm::StringRef name) {
  return called_name(value) == name;
}

}  // namespace heddle::clang_plugin
