// A program: what one thread of a kernel does that somebody has written, as typed statements. Front
// ends write one as words, which are its name in every cache; this reads and checks them.
//
// Locals are scalars. Arrays are parameters, shared memory of a block, memory of a thread, or views
// of these: an offset, extents and strides in locals. A function that is called is a scope, which a
// return leaves. Casts are explicit, as in the kernel IR.
//
// Functions that call themselves are functions of the program. What they are given of arrays is
// held: address, extents and strides in locals.
//
// A host program is what one thread does by itself, on a CPU: it has no geometry, gives results,
// may allocate arrays and loop on all cores. Its arrays are held where a name can become another
// array. An index out of range ends it.
//
// Records are bytes: an array of them is one of uint8 with one more axis, and a field of theirs is
// an array of its own, which has the other axes and whose strides are in bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <heddle/dtype.h>
#include <heddle/export.h>
#include <heddle/op_table.h>

namespace heddle::simt {

enum class ArrayKind : std::uint8_t { parameter, shared, dynamic, local, view, held, field };

struct Array {
  ArrayKind kind = ArrayKind::parameter;
  Dtype dtype = Dtype::float32;
  int root = -1;         // view, field: the array whose memory it is; else itself
  int of = -1;           // view: the array it counts from; field: the records
  bool unit = false;     // parameter, view: the last axis is dense
  bool written = false;  // parameter: some statement may write it
  // shared, local. dynamic: the bytes of a record, where it has two axes; as many as the launch
  // gives field: of the axes that the field has itself
  std::vector<std::int64_t> extents;
  int offset = -1;                  // view: locals, in elements
  std::vector<int> shape, strides;  // view, held: locals
  int address = -1;                 // held: a local
  int owner = -1;  // held: the local that keeps its memory; 0 in it where others do
  int ndim = 0;
  std::int64_t at = 0;  // field: bytes from the record's first
  int alignment = 0;    // field, view of one: of its elements, whose offsets are in bytes

  // The locals that say where its elements are.
  void for_places(const auto& found) const {
    if (offset >= 0) found(offset);
    if (address >= 0) found(address);
    for (int local : shape) found(local);
    for (int local : strides) found(local);
  }
};

enum class ExprKind : std::uint8_t {
  constant,  // bits
  local,     // index
  op,        // op of args, computed in `compute`
  geometry,  // index: a Geometry, axis: 0 to 2
  load,      // index: an array; args: an index for each axis
  extent,    // index: an array, axis
  stride,    // the same, in elements
  atomic,    // index: an array, axis: an Atomic; args: `values` of them, then indices
  warp,      // axis: a Warp
  bits,      // axis: a Bits
  address,   // index: an array; of its first element
};

enum class Geometry : std::uint8_t {
  thread,
  block,
  block_size,
  grid_size,
  lane,
  clock,
  dynamic_bytes,
  numbers  // host programs: where this thread's random numbers are, of the generator `axis`
};
enum class Atomic : std::uint8_t {
  add,
  sub,
  max,
  min,
  nanmax,
  nanmin,
  bit_and,
  bit_or,
  bit_xor,
  inc,
  dec,
  exchange,
  compare_and_swap
};
enum class Warp : std::uint8_t {
  shuffle,       // mask, value, lane, width
  shuffle_up,    // mask, value, distance, width
  shuffle_down,  // mask, value, distance, width
  shuffle_xor,   // mask, value, bits, width
  all,           // mask, condition
  any,           // mask, condition
  equal,         // mask, condition
  ballot,        // mask, condition
  match_any,     // mask, value
  match_all,     // mask, value
  active         //
};
enum class Bits : std::uint8_t { population, leading_zeros, first_set, reverse, fused };

struct Expr {
  ExprKind kind = ExprKind::constant;
  Dtype dtype = Dtype::int64;  // of the result
  int line = 0;  // of the source. In a checked program accesses have the text that says where here
  int index = -1;
  int axis = 0;
  int values = 0;
  Op op = Op::cast;
  Dtype compute = Dtype::int64;
  std::uint64_t bits[2] = {0, 0};
  std::vector<int> args;  // positions in Program::exprs
};

enum class StmtKind : std::uint8_t {
  assign,      // index: a local, exprs[0]
  store,       // index: an array, exprs: value, indices
  branch,      // exprs[0], lists: then, else
  loop,        // exprs[0]: goes on while it holds; lists: before the condition, body, step
  leave_loop,  // break
  next_turn,   // continue
  scope,       // lists[0]
  leave,       // index: how many scopes out, 0 is the innermost
  barrier,     // index: a Barrier; axis: the local for the result, exprs[0] its condition
  evaluate,    // exprs[0], for what it does
  fence,       // index: 0 warp, exprs[0] a mask of its threads; 1 block, 2 device
  print,       // pieces: a text (exprs -1) or a value
  fail,        // index: a text, exprs: up to three numbers, of host programs; the thread ends
  // Of host programs, but for the last.
  range,     // index: the counter; exprs: start, stop, step; lists[0]. axis 1: on all cores, and
             // `locals` are added up, or what `reductions` says
  allocate,  // index: a held array, exprs: extents; axis 1: zeros. `texts`: what is said where a
             // size is negative, and where there is no memory
  retain,    // index: the local of an owner
  release,   // index: the same; it keeps nothing afterwards
  call,      // index: a function, exprs: arguments, locals: results
  attempt    // lists: what may fail, what runs then. axis 1: it has failed all the same, after that
};
enum class Barrier : std::uint8_t { plain, count, all, any, grid };
// What is looked for while a program runs: indices out of range; accesses of two threads to one
// element as well that nothing puts in order, and barriers that not all threads reach (on a CPU).
enum class Checks : std::uint8_t { none, indices, races };

struct Stmt {
  StmtKind kind = StmtKind::assign;
  int line = 0;
  int index = -1;
  int axis = -1;
  std::vector<int> exprs;
  std::vector<int> texts;               // print: before each of the values, and the last one
  std::vector<int> locals;              // range, call
  std::vector<Op> reductions;           // range: of each local
  std::vector<std::vector<int>> lists;  // positions in Program::stmts
};

struct Local {
  Dtype dtype = Dtype::int64;
  // Counts the turns of a loop: set before it, and read by nobody who has left it.
  bool counter = false;
};

// What a launch gives: an array, or a number that a local begins with.
struct Parameter {
  int array = -1;
  int local = -1;
};

// What a program calls, where it cannot be a scope: it calls itself. Locals are its own.
struct Function {
  std::vector<int> parameters, results;  // locals
  std::vector<int> body;
  int too_deep = 0;  // a text
};

// How products and sums may be changed.
enum class Rounding : std::uint8_t { exact, contracted, fast };

struct HEDDLE_API Program {
  std::vector<Parameter> parameters;
  std::vector<Array> arrays;
  std::vector<Local> locals;
  std::vector<Expr> exprs;
  std::vector<Stmt> stmts;
  std::vector<int> body;
  std::vector<std::string> texts;
  std::vector<Function> functions;
  std::vector<int> results;  // of a host program: locals
  std::string name;          // for people
  Checks checks = Checks::none;
  bool host = false;
  int file = -1;           // a text: statements say their lines in it to tools that look at code
  int most_registers = 0;  // of a thread on a grid; 0: as many as there are
  bool optimized = true;
  Rounding rounding = Rounding::contracted;
  bool has_barrier = false, has_warp = false, fails = false, prints = false;
  bool cooperative = false;  // blocks wait for one another: all of them run at the same time

  std::string words;  // canonical: equal exactly where programs are equal

  int root_of(int array) const {
    const Array& a = arrays[static_cast<std::size_t>(array)];
    return a.kind == ArrayKind::view || a.kind == ArrayKind::field ? a.root : array;
  }
  bool checked() const { return checks != Checks::none; }
  // What has the extents and strides of an array: that of the records for a field.
  const Array& layout_of(int i) const {
    const Array& a = array(i);
    return a.kind == ArrayKind::field ? array(a.of) : a;
  }
  const Expr& expr(int i) const { return exprs[static_cast<std::size_t>(i)]; }
  const Stmt& stmt(int i) const { return stmts[static_cast<std::size_t>(i)]; }
  const Array& array(int i) const { return arrays[static_cast<std::size_t>(i)]; }
  // Bytes of shared memory that every block has, dynamic memory apart.
  std::int64_t shared_bytes() const;
};

// Throws value_error where the words are no program.
HEDDLE_API Program read_program(std::span<const std::int64_t> words, std::vector<std::string> texts,
                                std::string name);

// Where the words of a launch's arguments are: geometry first, then for each parameter its pointer,
// extents and strides, or the two words of a number.
struct HEDDLE_API Arguments {
  explicit Arguments(const Program& program);
  static constexpr int grid = 0, block = 3, dynamic = 6, report = 7, first = 8;
  std::vector<int> at;  // per parameter
  int words = first;
};

// No array that a kernel is given is as long as this along any axis: products of indices and sizes
// of elements do not go past the largest integer.
inline constexpr std::int64_t most_extent = std::int64_t{1} << 47;

// What the code of a host program calls. Its address stands in the place of the geometry.
struct HostServices {
  // An owner with memory for so many bytes; 0 where there is none.
  std::int64_t (*allocate)(std::int64_t bytes, std::int64_t zeros);
  void (*release)(std::int64_t owner);
  // In how many pieces so many turns are cut.
  std::int64_t (*pieces)(std::int64_t turns);
  // body(words, context, first turn, last turn, partial results, limit of the stack) for each piece
  void (*parallel)(void* body, const void* words, void* context, std::int64_t turns,
                   std::int64_t pieces, void* partial, std::int64_t partial_words);
  // The address of a generator of this thread (simt::Generator): 0 for NumPy's, 1 for Python's.
  std::int64_t (*numbers)(std::int64_t which);
};
// A generator of random numbers: the words of a Mersenne twister, where the next one is (`place`),
// whether a normal number is left over, and that number. Compiled functions do the rest.
struct Generator {
  static constexpr int words = 624, place = 624, left_over = 625, all_words = 640;
  std::uint32_t state[all_words];
  double number[2];
};
// An owner: how many hold it, then the elements.
constexpr std::int64_t owner_header = 64;

// What a program leaves where it fails: words of memory that the host reads.
struct Report {
  static constexpr int taken = 0, site = 1, thread = 2, block = 5, index = 8, extent = 9, axis = 10;
  // Of programs that look for races: whom they tell what they do (simt/watch.h).
  static constexpr int watch = 11, context = 12;
  static constexpr int words = 16;
};

}  // namespace heddle::simt
