// Programs of simt, written down as the words that simt::read_program reads.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "kernel/ir.h"
#include "simt/program.h"

namespace heddle::transform::program_words {

using Words = std::vector<std::int64_t>;

inline void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

// Expressions and statements as the words that simt::read_program reads.
inline Words local(int number) { return {static_cast<int>(simt::ExprKind::local), 0, number}; }
inline Words constant(Dtype dtype, kernel::ScalarBits bits) {
  return {static_cast<int>(simt::ExprKind::constant), 0, static_cast<int>(dtype),
          static_cast<std::int64_t>(bits.word[0]), static_cast<std::int64_t>(bits.word[1])};
}
inline Words integer(std::int64_t value) {
  return constant(Dtype::int64, {{static_cast<std::uint64_t>(value), 0}});
}
inline Words operation(Op op, Dtype compute, Dtype dtype, std::initializer_list<Words> args) {
  Words made = {static_cast<int>(simt::ExprKind::op), 0, static_cast<int>(op),
                static_cast<int>(compute), static_cast<int>(dtype)};
  for (const Words& arg : args) append(made, arg);
  return made;
}
inline Words sum(const Words& a, const Words& b) {
  return operation(Op::add, Dtype::int64, Dtype::int64, {a, b});
}
inline Words product(const Words& a, std::int64_t factor) {
  if (factor == 1) return a;
  return operation(Op::multiply, Dtype::int64, Dtype::int64, {a, integer(factor)});
}
inline Words load(int array, const Words& index) {
  Words made = {static_cast<int>(simt::ExprKind::load), 0, array};
  append(made, index);
  return made;
}

struct Statements {
  std::int64_t count = 0;
  Words words;

  void add(const Words& statement) {
    ++count;
    append(words, statement);
  }
  void assign(int to, const Words& value) {
    add({static_cast<int>(simt::StmtKind::assign), 0, to});
    append(words, value);
  }
  void store(int array, const Words& value, const Words& index) {
    add({static_cast<int>(simt::StmtKind::store), 0, array});
    append(words, value);
    append(words, index);
  }
  Words list() const {
    Words made = {count};
    append(made, words);
    return made;
  }
};

}  // namespace heddle::transform::program_words
