// What is the same for threads that run together: for each local and each expression of a program,
// and where control flow may part them. Lanes of a vector are threads of a block (a chunk of it).
#pragma once

#include <cstdint>
#include <vector>

#include "simt/program.h"

namespace heddle::simt {

// How a block is cut into vectors of threads.
struct Chunks {
  int lanes = 1;
  int axis = 0;       // neighbours along this axis of the block; -1: in the order of all threads
  bool full = false;  // every lane of every chunk is a thread
  bool operator==(const Chunks&) const = default;
};

enum class Level : std::uint8_t {
  block,   // the same for all threads of a block
  chunk,   // for all lanes of a vector
  affine,  // a number and a constant step from lane to lane (int64)
  varying
};

struct Spread {
  Level level = Level::block;
  std::int64_t step = 0;  // affine
  bool operator==(const Spread&) const = default;
};
Spread join(Spread a, Spread b);
// Whether one register holds it for all lanes.
inline bool is_uniform(Spread s) { return s.level <= Level::chunk; }

class Uniformity {
 public:
  Uniformity(const Program& program, const Chunks& chunks);

  Spread of(int expr) const;
  Spread of_local(int local) const { return locals_[static_cast<std::size_t>(local)]; }
  // Of an operation on values spread like this; `factor`: the constant that one of them is.
  static Spread of_op(const Program& program, const Expr& e, const std::vector<Spread>& args);

  // Assignments that lanes which are off may see later: the others keep what they had.
  bool blends(int stmt) const { return blends_[static_cast<std::size_t>(stmt)]; }
  // Loops and scopes: how far threads part in leaving them, conditions of loops among it.
  Level exits(int stmt) const { return exits_[static_cast<std::size_t>(stmt)]; }
  // Statements that the block walks as a whole, because there is a barrier inside, or because they
  // set what the block goes by.
  bool walked(int stmt) const { return walked_[static_cast<std::size_t>(stmt)]; }
  // Locals that live across a seam between such statements and others.
  bool crosses(int local) const { return crosses_[static_cast<std::size_t>(local)]; }

 private:
  struct Region {
    Level level;
    int stmt;
    std::vector<int> lists;  // what a local has to be inside of not to be seen from outside
  };
  struct Access {
    int list, position;
    bool sets;  // by an assignment that stands in the list itself
  };

  void number_lists(const std::vector<int>& list, int parent, int position);
  void access(int local, int list, int position, bool sets);
  void access_expr(int expr, int list, int position);
  bool scoped(int local, const Region& region) const;
  bool inside(int list, int outer) const;

  void visit(const std::vector<int>& list);
  void visit(int stmt);
  void assign(int stmt, int local, Spread spread);
  void part(int frames_kept, Level level);
  Spread clamp(Spread s) const;
  void raise(Level& to, Level by);

  void find_walked();
  bool contains_barrier(int stmt);
  void mark_segments(const std::vector<int>& list, bool in_loop);
  void touch(const std::vector<int>& list, int segment);
  void touch_expr(int expr, int segment);
  void touch_local(int local, int segment);
  bool walk_setters(const std::vector<int>& list);
  bool walk_leavers(const std::vector<int>& list);
  bool leaves_walked(const Stmt& s) const;
  bool first_sets(int local, const std::vector<int>& list, std::size_t from, std::size_t to) const;

  const Program& p_;
  Chunks chunks_;
  std::vector<Spread> locals_;
  std::vector<bool> set_;  // locals that some assignment was seen of
  std::vector<bool> blends_, walked_, crosses_;
  std::vector<Level> exits_;
  std::vector<int> parent_, parent_position_;  // of lists
  std::vector<std::vector<int>> lists_of_;     // of statements: numbers of their lists
  std::vector<std::vector<Access>> accesses_;  // of locals, in order
  std::vector<Region> regions_;                // around the statement that is visited
  std::vector<int> frames_;                    // loops and scopes around it
  int next_list_ = 0;
  bool changed_ = false;
  std::vector<int> segment_of_;  // of locals; -1: none yet, -2: several
  int segments_ = 0;
};

}  // namespace heddle::simt
