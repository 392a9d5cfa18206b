// The functions of the headers (include/heddle_cuda) that the lowering gives their meaning.
#pragma once

#include <optional>

#include <llvm/IR/InstrTypes.h>

#include "backend/cpu/block_frame.h"

namespace heddle::clang_plugin {

using Site = cpu::Site;

// What a call waits for, if it is one of those where threads wait for each other.
std::optional<Site> site_of(const llvm::Instruction& instruction);
bool is_of_a_warp(Site site);
bool is_of_a_block(Site site);

// Numbers that tell a thread where it is.
enum class Place {
  thread_x,
  thread_y,
  thread_z,
  block_x,
  block_y,
  block_z,
  block_size_x,
  block_size_y,
  block_size_z,
  grid_size_x,
  grid_size_y,
  grid_size_z,
  lane,
  dynamic_bytes,
};
constexpr int place_count = static_cast<int>(Place::dynamic_bytes) + 1;
std::optional<Place> place_of(const llvm::Value& value);
// Whether all threads of a block have the same.
bool is_uniform(Place place);

// Where memory of the block, or of the module, begins.
inline constexpr const char* shared_name = "__heddle_shared";
inline constexpr const char* dynamic_name = "__heddle_dynamic";
inline constexpr const char* variables_name = "__heddle_variables";
bool is_base(const llvm::Value& value);

// Stands for what a thread takes from a site when it goes on.
inline constexpr const char* taken_name = "__heddle_taken";
// Fails an assertion: condition, file, line.
inline constexpr const char* fail_name = "__heddle_fail";

// Of kernels with loops that nobody knows the end of.
inline constexpr const char* asks_attribute = "heddle-asks";
// Whether somebody wants all threads to end.
inline constexpr const char* stop_name = "__heddle_stop";

// Of kernels that are checked. An access: what it is, address, bytes, number of its place, bounds;
// gives whether the thread has to end.
inline constexpr const char* access_name = "__heddle_access";
// The beginning and the end of the array that a parameter is, as numbers 2k and 2k + 1.
inline constexpr const char* bound_name = "__heddle_bound";
// The beginning or the end of the memory that an address lies in.
inline constexpr const char* find_name = "__heddle_find";
inline constexpr const char* fence_name = "__heddle_fence";
inline constexpr const char* returned_name = "__heddle_returned";

bool is_call_of(const llvm::Value& value, llvm::StringRef name);

}  // namespace heddle::clang_plugin
