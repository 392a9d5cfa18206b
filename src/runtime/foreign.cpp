#include "runtime/foreign.h"

#include <algorithm>
#include <cstring>

namespace heddle {

PackedArguments::PackedArguments(std::span<const ForeignArgument> arguments,
                                 std::span<void* const> addresses) {
  std::vector<std::size_t> begins;
  std::size_t blocks = 0;
  for (const ForeignArgument& argument : arguments) {
    begins.push_back(blocks);
    blocks += (argument.size() + sizeof(Block) - 1) / sizeof(Block);
  }
  memory_.resize(blocks + 1);
  std::size_t next = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ForeignArgument& argument = arguments[i];
    char* at = memory_[begins[i]].bytes;
    pointers_.push_back(at);
    if (argument.array) {
      const auto address = reinterpret_cast<std::uintptr_t>(addresses[next++]);
      std::memcpy(at, &address, sizeof address);
      at += sizeof address;
    }
    if (!argument.bytes.empty()) std::memcpy(at, argument.bytes.data(), argument.bytes.size());
  }
}

void write_key(std::span<const ForeignArgument> arguments, std::vector<std::uint64_t>& key) {
  for (const ForeignArgument& argument : arguments) {
    key.push_back(argument.bytes.size() << 1 | std::uint64_t{argument.array});
    for (std::size_t i = 0; i < argument.bytes.size(); i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, &argument.bytes[i], std::min<std::size_t>(8, argument.bytes.size() - i));
      key.push_back(word);
    }
  }
}

}  // namespace heddle
