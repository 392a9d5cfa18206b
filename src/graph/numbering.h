// Numbers for values that nobody holds on to. A recorder that held what it numbers would make
// memory of every temporary; a number ends with its value instead.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <heddle/export.h>

namespace heddle {

class Value;

class HEDDLE_API Numbering {
 public:
  Numbering();
  ~Numbering();
  Numbering(const Numbering&) = delete;
  Numbering& operator=(const Numbering&) = delete;

  // By whoever holds the value.
  void set(Value& value, std::int32_t number);
  // -1 for a value that has none.
  std::int32_t find(const Value& value) const;
  // Those whose values have gone since this was asked last.
  std::vector<std::int32_t> take_ended();

  // A value goes that somebody has numbered (Value::numbered).
  static void forget(const Value& value);

 private:
  std::unordered_map<const Value*, std::int32_t> numbers_;
  std::vector<std::int32_t> ended_;
};

}  // namespace heddle
