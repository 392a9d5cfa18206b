// Pages for machine code, from large blocks of them: neighbours in a block have the same
// protection, so that the system counts a block as one mapping whatever it holds. It has room for
// some ten thousands of mappings, and kernels may be as many.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace heddle::cpu {

// Safe from any thread. Blocks stay; their pages are used again.
class CodePages {
 public:
  CodePages();
  // Pages that can be written, null where the system has none.
  char* allocate(std::size_t bytes);
  // From now on they can be read and executed, and not written. False if the system refuses.
  bool protect(char* pages);
  void release(char* pages);
  // Up to the next page.
  std::size_t rounded(std::size_t bytes) const { return (bytes + page_ - 1) / page_ * page_; }

 private:
  void put_back(char* pages, std::size_t bytes);

  std::size_t page_;
  std::mutex mutex_;
  std::map<char*, std::size_t> free_, used_;  // bytes by address
};

}  // namespace heddle::cpu
