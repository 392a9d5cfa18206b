// Code for NVIDIA GPUs, without one: PTX of a broad sample of kernels (every row of the op table on
// every type, every form of reduction) passes LLVM's verifier, and the assembler of CUDA where one
// is installed.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

#include <unistd.h>

#include "backend/cuda/assembler.h"
#include "backend/cuda/ptx.h"
#include "backend/cuda/search.h"
#include "kernel_harness.h"
#include "op_types.h"
#include <heddle/errors.h>

namespace heddle::test {
namespace {

std::string find_ptxas() {
  std::error_code ignored;
  for (const std::string& folder : cuda::toolkit_folders()) {
    const std::string path = folder + "/bin/ptxas";
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return {};
}

// Kernels to compile, all for one architecture and a sample for others.
class Assembly {
 public:
  void add(const Kernel& kernel, const GridVariant& variant, const std::string& what) {
    verify(kernel);
    entries_.push_back({kernel, variant, what});
  }

  void check() {
    check(90, 1);
    check(80, 7);
    check(100, 7);
  }

 private:
  struct Entry {
    Kernel kernel;
    GridVariant variant;
    std::string what;
  };

  void check(int capability, std::size_t step) {
    const auto folder = std::filesystem::temp_directory_path() /
                        fmt::format("heddle_ptx_{}_{}", ::getpid(), capability);
    std::filesystem::create_directories(folder);
    const auto target = cuda::make_target(capability);
    for (std::size_t i = 0; i < entries_.size(); i += step) {
      const Entry& entry = entries_[i];
      std::string ptx;
      ASSERT_NO_THROW(cuda::verify_grid(entry.kernel, entry.variant, target)) << entry.what;
      ASSERT_NO_THROW(ptx = cuda::generate_ptx(entry.kernel, entry.variant, target)) << entry.what;
      EXPECT_EQ(ptx.find(".extern .func"), std::string::npos) << entry.what << " calls\n" << ptx;
      std::ofstream(folder / fmt::format("{}.ptx", i)) << ptx;
    }
    assemble(folder, capability);
    std::filesystem::remove_all(folder);
  }

  void assemble(const std::filesystem::path& folder, int capability) {
    static const std::string ptxas = find_ptxas();
    if (ptxas.empty()) return;
    const std::string command = fmt::format(
        "cd {} && ls *.ptx | xargs -P $(nproc) -I{{}} sh -c '{} -arch=sm_{} {{}} -o {{}}.cubin || "
        "echo {{}} >> failed' 2> log",
        folder.string(), ptxas, capability);
    EXPECT_EQ(std::system(command.c_str()), 0);  // NOLINT(bugprone-command-processor)
    std::ifstream failed(folder / "failed");
    for (std::string file; failed >> file;) {
      ADD_FAILURE() << entries_[std::stoul(file)].what << " on sm_" << capability << '\n'
                    << std::ifstream(folder / "log").rdbuf();
    }
  }

  std::vector<Entry> entries_;
};

Kernel elementwise(Op op, Dtype dtype, Dtype result) {
  KernelBuilder k(1);
  std::vector<int> args;
  for (int i = 0; i < info(op).inputs; ++i) {
    args.push_back(k.load(k.slot(operand_type_of(op, i, dtype), "x")));
  }
  args.resize(max_args, -1);
  const int value = k.op(op, result, args[0], args[1], args[2], args[3], args[4]);
  k.store(k.slot(result, "x", Stride::unit, true), value);
  return k.k;
}

TEST(GridPtx, EveryRowOfTheOpTable) {
  if (cuda::find_libdevice().empty()) GTEST_SKIP() << "there is no libdevice";
  Assembly assembly;
  for (int row = 0; row < table_ops; ++row) {
    const Op op = static_cast<Op>(row);
    if (info(op).cost == Cost::routine) continue;  // SpecialFunctions
    for (int t = 0; t < dtype_count; ++t) {
      const Dtype dtype = static_cast<Dtype>(t);
      if (!computes_in(info(op).types, dtype)) continue;
      if (info(op).linked && is_complex(dtype)) continue;
      const Kernel kernel = elementwise(op, dtype, result_type(op, dtype));
      assembly.add(kernel, {.vectors = t % 2 == 0},
                   fmt::format("{} {}", info(op).name, name(dtype)));
    }
  }
  assembly.check();
}

// Some of those that are linked in, one of each kind of code; all of them if the environment says
// so.
TEST(GridPtx, SpecialFunctions) {
  if (cuda::find_libdevice().empty()) GTEST_SKIP() << "there is no libdevice";
  const bool all = std::getenv("HEDDLE_TEST_ALL") != nullptr;
  const std::set<Op> some = {Op::agm, Op::exp1, Op::expn, Op::eval_chebyt_order, Op::stdtridf};
  Assembly assembly;
  std::string without;
  for (int row = 0; row < table_ops; ++row) {
    const Op op = static_cast<Op>(row);
    if (!info(op).linked || info(op).output > 1 || (!all && !some.contains(op))) continue;
    for (Dtype dtype : {Dtype::float32, Dtype::float64, Dtype::complex128}) {
      if (!computes_in(info(op).types, dtype)) continue;
      if (dtype == Dtype::float32 && op != Op::agm) continue;
      const Kernel kernel = elementwise(op, dtype, result_type(op, dtype));
      const std::string label = fmt::format("{} {}", info(op).name, name(dtype));
      try {
        cuda::verify_grid(kernel, {.vectors = false}, cuda::make_target(90));
        assembly.add(kernel, {.vectors = false}, label);
      } catch (const std::runtime_error& error) {
        without += fmt::format("{}: {}\n", label, error.what());
      }
    }
  }
  assembly.check();
  if (all) {
    std::cout << "not on GPUs:\n" << without;
  } else {
    EXPECT_EQ(without, "");
  }
}

// The driver does not know how much stack functions need that call themselves: the code says it.
TEST(GridPtx, CodeThatRecursesSaysHowMuchStackItNeeds) {
  if (cuda::find_libdevice().empty()) GTEST_SKIP() << "there is no libdevice";
  auto declares = [](Op op) {
    const Kernel kernel = elementwise(op, Dtype::float64, Dtype::float64);
    const auto ptx = cuda::generate_ptx(kernel, {.vectors = false}, cuda::make_target(90));
    return ptx.find(".visible .global .align 1 .b8 heddle_stack[8]") != std::string::npos;
  };
  EXPECT_TRUE(declares(Op::betaincinv));
  EXPECT_FALSE(declares(Op::exp1));
  EXPECT_FALSE(declares(Op::add));
}

TEST(GridPtx, MaskedStores) {
  Assembly assembly;
  for (int t = 0; t < dtype_count; ++t) {
    const Dtype dtype = static_cast<Dtype>(t);
    KernelBuilder k(1);
    const int value = k.load(k.slot(dtype, "x"));
    const int mask = k.load(k.slot(Dtype::bool_, "x"));
    k.store(k.slot(dtype, "x", Stride::unit, true), value, -1, mask);
    for (const bool vectors : {false, true})
      assembly.add(k.k, {.vectors = vectors}, fmt::format("masked {}", name(dtype)));
  }
  assembly.check();
}

// A value reduced over the last axis, and what was reduced subtracted from it in a second phase.
Kernel reduction(Op combine, Dtype dtype, Lanes lanes, int kept = 1, int reduced = 1,
                 bool second_phase = false) {
  KernelBuilder k(kept, reduced, second_phase ? 2 : 1, lanes);
  const std::string all(kept + reduced, 'x'),
      row = std::string(kept, 'x') + std::string(reduced, '.');
  const int source = k.slot(dtype, all);
  const int total = k.body().reduce(combine, k.load(source));
  if (second_phase) {
    const int again = k.body(1).load(source);
    k.store(k.slot(dtype, all, Stride::unit, true), k.op(Op::add, again, total));
  }
  k.row().store(k.slot(dtype, row, Stride::unit, true), total);
  return k.k;
}

Kernel extreme(Dtype dtype, Lanes lanes) {
  KernelBuilder k(1, 1, 1, lanes);
  k.body();
  const int value = k.load(k.slot(dtype, "xx"));
  const int found = k.extreme(Op::argmax, value, k.index(1));
  k.row().store(k.slot(Dtype::int64, "x.", Stride::unit, true), found);
  return k.k;
}

std::vector<GridVariant> variants(Lanes lanes) {
  if (lanes == Lanes::kept)
    return {{.team = Team::none},
            {.vectors = true, .team = Team::column},
            {.vectors = true, .team = Team::column, .split = true}};
  return {{.team = Team::none},
          {.vectors = true, .team = Team::warp},
          {.vectors = true, .team = Team::block},
          {.vectors = true, .team = Team::block, .split = true}};
}

// Also of GPUs that are newer than this code, which take code of older ones.
TEST(GridPtx, EveryGpu) {
  const Kernel kernel = elementwise(Op::add, Dtype::float32, Dtype::float32);
  for (const int capability : {70, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121, 130}) {
    const auto target = cuda::make_target(capability);
    const std::string ptx = cuda::generate_ptx(kernel, {.vectors = true}, target);
    EXPECT_NE(ptx.find(".target " + target.cpu), std::string::npos) << capability;
  }
}

// The assembler that compiles kernels where it is installed.
TEST(GridPtx, MachineCodeByLibrary) {
  const Kernel kernel = elementwise(Op::add, Dtype::float32, Dtype::float32);
  const auto target = cuda::make_target(90);
  const std::string ptx = cuda::generate_ptx(kernel, {.vectors = true}, target);
  const auto cubin = cuda::assemble_by_library(ptx, 90);
  if (!cubin) GTEST_SKIP() << "there is no nvJitLink";
  EXPECT_EQ(cubin->substr(0, 4), "\177ELF");
  EXPECT_NE(cubin->find(".text.run"), std::string::npos);
  EXPECT_FALSE(cuda::assemble_by_library(ptx, 42)) << "no such GPU";
  EXPECT_THROW(cuda::assemble_by_library(ptx + "nonsense", 90), device_error);
}

// Words that threads make by blocks, and alone at positions from memory.
TEST(GridPtx, RandomWords) {
  Assembly assembly;
  for (const Dtype dtype : {Dtype::uint64, Dtype::uint32}) {
    for (const bool by_position : {false, true}) {
      KernelBuilder k(1);
      const int position = by_position ? k.load(k.slot(Dtype::int64, "x")) : k.index(0);
      k.store(k.slot(dtype, "x", Stride::unit, true), k.random(dtype, position));
      for (const bool vectors : {false, true})
        assembly.add(k.k, {.vectors = vectors},
                     fmt::format("{} {} {}", name(dtype), by_position, vectors));
    }
  }
  assembly.check();
}

TEST(GridPtx, EveryFormOfReduction) {
  Assembly assembly;
  for (const Lanes lanes : {Lanes::kept, Lanes::reduced}) {
    for (const GridVariant& variant : variants(lanes)) {
      const std::string form =
          fmt::format("{} {}", lanes == Lanes::kept ? "kept" : "reduced", serialize(variant));
      for (int t = 0; t < dtype_count; ++t) {
        const Dtype dtype = static_cast<Dtype>(t);
        assembly.add(extreme(dtype, lanes), variant,
                     fmt::format("argmax {} {}", name(dtype), form));
        for (const Op op : {Op::add, Op::multiply, Op::maximum, Op::logical_or}) {
          if (result_type(op, dtype) != dtype) continue;
          assembly.add(reduction(op, dtype, lanes), variant,
                       fmt::format("{} {} {}", info(op).name, name(dtype), form));
        }
      }
      for (const bool wide : {false, true}) {
        GridVariant other = variant;
        other.wide = wide;
        other.indirect = wide;
        assembly.add(reduction(Op::add, Dtype::float32, lanes, 3, 2, true), other,
                     "phases " + form);
      }
    }
  }
  assembly.check();
}

TEST(GridPtx, RowsInRegisters) {
  Assembly assembly;
  for (const Dtype dtype : {Dtype::float16, Dtype::float32, Dtype::float64, Dtype::int32}) {
    const Kernel kernel = reduction(Op::add, dtype, Lanes::reduced, 2, 1, true);
    EXPECT_TRUE(can_keep_rows(kernel));
    for (const int steps : {1, 4, 8}) {
      for (const bool vectors : {false, true})
        assembly.add(kernel,
                     {.vectors = vectors,
                      .team = Team::block,
                      .kept_steps = static_cast<std::uint8_t>(steps)},
                     fmt::format("{} {} {}", name(dtype), steps, vectors));
    }
  }
  assembly.check();
}

TEST(GridPtx, RunningResults) {
  Assembly assembly;
  for (int t = 0; t < dtype_count; ++t) {
    const Dtype dtype = static_cast<Dtype>(t);
    KernelBuilder k(2, 2, 1, Lanes::kept);
    k.body();
    const int value = k.load(k.slot(dtype, "xxxx", Stride::any));
    const int running = k.scan(Op::maximum, value);
    k.store(k.slot(dtype, "xxxx", Stride::any, true), k.op(Op::add, running, value));
    assembly.add(k.k, {.team = Team::none}, fmt::format("scan {}", name(dtype)));
    if (!scans_in_blocks(k.k)) continue;
    for (const bool split : {false, true})
      assembly.add(k.k, {.team = Team::block, .split = split, .scans = 4},
                   fmt::format("scan in blocks {} {}", name(dtype), split));
  }
  assembly.check();
}

TEST(GridPtx, RunningResultsOfRunningResultsAreNotMadeInBlocks) {
  KernelBuilder k(1, 1, 1, Lanes::kept);
  k.body();
  const int value = k.load(k.slot(Dtype::float32, ".x", Stride::zero));
  const int peaks = k.op(Op::add, k.scan(Op::maximum, value), value);
  k.store(k.slot(Dtype::float32, ".x", Stride::zero, true), k.scan(Op::add, peaks));
  EXPECT_FALSE(scans_in_blocks(k.k));
  Assembly assembly;
  assembly.add(k.k, {.team = Team::none}, "scan of a scan");
  assembly.check();
}

// Two running results of one source, dense along the last axis.
Kernel running_results(Dtype dtype) {
  KernelBuilder k(1, 1, 1, Lanes::kept);
  k.body();
  const int value = k.load(k.slot(dtype, ".x", Stride::zero));
  k.store(k.slot(dtype, ".x", Stride::zero, true), k.scan(Op::add, value));
  const Op other = is_complex(dtype) ? Op::add : Op::maximum;
  k.store(k.slot(dtype, ".x", Stride::zero, true), k.scan(other, value));
  return k.k;
}

TEST(GridPtx, RunningResultsInGroups) {
  Assembly assembly;
  for (int t = 0; t < dtype_count; ++t) {
    const Dtype dtype = static_cast<Dtype>(t);
    const Kernel kernel = running_results(dtype);
    EXPECT_TRUE(scans_in_blocks(kernel));
    for (std::size_t s = 0; s < 3; ++s) EXPECT_TRUE(scans_in_groups(kernel, s));
    EXPECT_EQ(scan_group(kernel, 7), 16 / std::max(4, itemsize(dtype)));
    for (const bool split : {false, true})
      assembly.add(kernel, {.team = Team::block, .split = split, .scans = 4, .dense_slots = 7},
                   fmt::format("groups {} {}", name(dtype), split));
  }
  assembly.add(running_results(Dtype::float32),
               {.team = Team::block, .split = true, .scans = 16, .dense_slots = 7}, "many");
  assembly.check();
}

// where mask: out[how many are true before] = value
TEST(GridPtx, Selections) {
  Assembly assembly;
  for (const Dtype dtype : {Dtype::uint8, Dtype::uint32, Dtype::int64, Dtype::complex128}) {
    KernelBuilder k(1, 1, 1, Lanes::kept);
    k.body();
    const int mask = k.load(k.slot(Dtype::bool_, ".x", Stride::zero));
    const int count = k.scan(Op::add, k.op(Op::cast, Dtype::int32, mask));
    const int place = k.op(Op::cast, Dtype::int64, count);
    const int value = k.load(k.slot(dtype, ".x", Stride::zero));
    k.store(k.slot(dtype, "..", Stride::zero, true), value, place, mask);
    EXPECT_TRUE(scans_in_blocks(k.k));
    for (const bool split : {false, true})
      assembly.add(k.k, {.team = Team::block, .split = split, .scans = 4, .dense_slots = 3},
                   fmt::format("select {} {}", name(dtype), split));
  }
  assembly.check();
}

// One more than there are on every level, as the code has it.
TEST(GridPtx, NodesOfTiles) {
  EXPECT_EQ(scan_nodes(1), 1 + 1 + scan_levels);
  EXPECT_EQ(scan_nodes(32), 32 + 1 + 1 + scan_levels);
  EXPECT_EQ(scan_nodes(33 * 32), 33 * 32 + 33 + 1 + 1 + scan_levels);
}

// target[index] = value, and target[index] += value.
TEST(GridPtx, WritesAtComputedPlaces) {
  Assembly assembly;
  for (int t = 0; t < dtype_count; ++t) {
    const Dtype dtype = static_cast<Dtype>(t);
    for (const bool adds : {false, true}) {
      KernelBuilder k(2);
      k.k.sequential = adds;
      const int place = k.load(k.slot(Dtype::int64, "xx"));
      int value = k.load(k.slot(dtype, "xx"));
      const int target = k.slot(dtype, "..", Stride::zero, true);
      // Floating-point additions round: their order shows, that of maxima does not.
      const Op combine = is_floating(dtype) ? Op::maximum : Op::add;
      if (adds) value = k.op(combine, k.load(target, place), value);
      k.store(target, value, place);
      const Scatter scatter = scatter_of(k.k);
      const Scatter any = is_complex(dtype) ? Scatter::none : Scatter::atomic;
      EXPECT_EQ(scatter, adds ? any : Scatter::last);
      if (scatter == Scatter::none) continue;
      for (const bool wide : {false, true})
        assembly.add(k.k, {.scatter = scatter, .wide = wide},
                     fmt::format("scatter {} {} {}", name(dtype), adds, wide));
    }
  }
  assembly.check();
}

TEST(GridPtx, EveryWalk) {
  Assembly assembly;
  for (const Dtype dtype : {Dtype::bool_, Dtype::float16, Dtype::float32, Dtype::complex128}) {
    for (const bool wide : {false, true}) {
      KernelBuilder k(3);
      const int transposed = k.load(k.slot(dtype, "xxx", Stride::any));
      const int dense = k.load(k.slot(dtype, "xxx"));
      k.store(k.slot(dtype, "xxx", Stride::unit, true), k.op(Op::add, transposed, dense));
      const std::string what = fmt::format("{} {}", name(dtype), wide);
      assembly.add(k.k, {.wide = wide}, "chunks " + what);
      assembly.add(k.k, {.walk = Walk::rows, .wide = wide}, "rows " + what);
      assembly.add(k.k, {.walk = Walk::rows, .places = 4, .wide = wide}, "places " + what);
      assembly.add(
          k.k, {.walk = Walk::tiles, .across = 1, .tiled_slots = 1, .mirrored = true, .wide = wide},
          "mirrored tiles " + what);
      assembly.add(k.k, {.walk = Walk::tiles, .across = 1, .tiled_slots = 1, .wide = wide},
                   "tiles " + what);
      assembly.add(k.k, {.in_order = true}, "in order " + what);
    }
  }
  assembly.check();
}

}  // namespace
}  // namespace heddle::test
