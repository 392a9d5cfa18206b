#include "backend/cpu/jit_debugger.h"

#include <cstring>

#include <llvm/BinaryFormat/ELF.h>

namespace heddle::cpu {

std::string placed_object(std::string_view object, const SectionAddresses& sections) {
  using Header = llvm::ELF::Elf64_Ehdr;
  using Section = llvm::ELF::Elf64_Shdr;
  std::string file(object);
  Header header;
  std::memcpy(&header, file.data(), sizeof header);
  const auto section = [&](std::size_t i) {
    Section made;
    std::memcpy(&made, &file[header.e_shoff + i * header.e_shentsize], sizeof made);
    return made;
  };
  const Section names = section(header.e_shstrndx);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Section changed = section(i);
    const auto found = sections.find(&file[names.sh_offset + changed.sh_name]);
    if (found == sections.end()) continue;
    changed.sh_addr = found->second;
    std::memcpy(&file[header.e_shoff + i * header.e_shentsize], &changed, sizeof changed);
  }
  return file;
}

}  // namespace heddle::cpu
