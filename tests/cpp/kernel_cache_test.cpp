#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

#include "backend/cpu/code_pages.h"
#include "backend/cpu/jit.h"
#include "kernel/pack.h"
#include "kernel_harness.h"
#include "runtime/disk_cache.h"

namespace heddle::test {
namespace {

namespace fs = std::filesystem;

class KernelCache : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/heddle_test_XXXXXX";
    folder = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder); }

  static CacheKey key(std::uint8_t n) {
    CacheKey k{};
    k[0] = n;
    return k;
  }
  fs::path entry(std::uint8_t n) const { return folder / "cache" / (to_hex(key(n)) + ".kernel"); }

  fs::path folder;
};

TEST_F(KernelCache, KeepsBytesByKey) {
  DiskCache cache((folder / "cache").string());
  EXPECT_FALSE(cache.load(key(1)));
  cache.store(key(1), "some bytes");
  EXPECT_EQ(cache.load(key(1)), "some bytes");
  EXPECT_FALSE(cache.load(key(2)));
  cache.store(key(1), "others");
  EXPECT_EQ(cache.load(key(1)), "others");
  struct stat status;
  ASSERT_EQ(::stat((folder / "cache").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700u);
}

TEST_F(KernelCache, DamagedEntriesAreNotThere) {
  DiskCache cache((folder / "cache").string());
  cache.store(key(1), "some bytes");
  fs::copy_file(entry(1), entry(2));  // another key's file
  EXPECT_FALSE(cache.load(key(2)));
  const auto size = fs::file_size(entry(1));
  for (std::uintmax_t n = 0; n < size; ++n) {
    cache.store(key(1), "some bytes");
    fs::resize_file(entry(1), n);
    EXPECT_FALSE(cache.load(key(1)));
    cache.store(key(1), "some bytes");
    std::fstream file(entry(1), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(n));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(n));
    file.put(byte);
    file.close();
    EXPECT_FALSE(cache.load(key(1)));
  }
}

TEST_F(KernelCache, SurvivesAFolderItCannotUse) {
  std::ofstream(folder / "file") << "x";
  for (const char* name : {"file", "file/below"}) {
    DiskCache cache((folder / name).string());
    cache.store(key(1), "bytes");
    EXPECT_FALSE(cache.load(key(1)));
  }
  fs::create_directory(folder / "open");
  fs::permissions(folder / "open", fs::perms::all);
  DiskCache open((folder / "open").string());  // others could put code there
  open.store(key(1), "bytes");
  EXPECT_TRUE(fs::is_empty(folder / "open"));
  // A link leads where somebody else may put code, however it is spelt.
  fs::create_directory(folder / "private");
  fs::permissions(folder / "private", fs::perms::owner_all);
  fs::create_directory_symlink(folder / "private", folder / "link");
  for (const char* name : {"link", "link/", "link//", "link/.", "link/./"}) {
    DiskCache link(folder.string() + "/" + name);
    link.store(key(1), "bytes");
    EXPECT_TRUE(fs::is_empty(folder / "private")) << name;
  }
  DiskCache plain(folder.string() + "/private/");
  plain.store(key(1), "bytes");
  EXPECT_TRUE(plain.load(key(1)));
  DiskCache none("");
  none.store(key(1), "bytes");
  EXPECT_FALSE(none.load(key(1)));
}

TEST_F(KernelCache, StaysWithinItsLimit) {
  DiskCache cache((folder / "cache").string(), 100'000);
  const std::string bytes(1000, 'x');
  for (int n = 0; n < 256; ++n) cache.store(key(static_cast<std::uint8_t>(n)), bytes);
  std::uintmax_t total = 0;
  for (const auto& file : fs::directory_iterator(folder / "cache")) total += file.file_size();
  EXPECT_LE(total, 100'000u + 64 * 1100);
  EXPECT_TRUE(cache.load(key(255)));
}

constexpr char i_am_code = '\xc3';

Kernel add_kernel(Dtype dtype) {
  KernelBuilder b(1);
  const int x = b.load(b.slot(dtype, "x")), y = b.load(b.slot(dtype, "x"));
  b.store(b.slot(dtype, "x", Stride::unit, true), b.op(Op::add, x, y));
  return b.k;
}

TEST_F(KernelCache, PackRoundTrip) {
  const auto path = (folder / "heddle.pack").string();
  kernel::write_pack_file(
      path,
      cpu::prebuild({add_kernel(Dtype::float32), add_kernel(Dtype::float64)}, host_targets()));
  {
    const kernel::Pack pack(path);
    EXPECT_EQ(pack.size(), 2 * host_targets().size());
    EXPECT_FALSE(pack.find(key(1)));
  }
  std::map<CacheKey, std::string> objects;
  for (int n = 0; n < 20; ++n)
    objects[key(static_cast<std::uint8_t>(n * 7))] = std::string(n, 'a' + n);
  kernel::write_pack_file(path, objects);
  const kernel::Pack pack(path);
  for (const auto& [k, object] : objects) EXPECT_EQ(pack.find(k), object);
  EXPECT_FALSE(pack.find(key(1)));
  fs::resize_file(path, 100);
  EXPECT_EQ(kernel::Pack(path).size(), 0u);
  EXPECT_EQ(kernel::Pack((folder / "missing").string()).size(), 0u);
}

TEST_F(KernelCache, DamagedObjectsAreRefused) {
  const std::string names[] = {"refused_run"};
  EXPECT_THROW(cpu::load_object("not an object", names), std::runtime_error);
  const std::string object =
      cpu::generate_object(add_kernel(Dtype::int16), cpu::host_target(), "refused_");
  EXPECT_THROW(cpu::load_object(object.substr(0, object.size() / 2), names), std::runtime_error);
  const std::string others[] = {"refused_part"};
  EXPECT_THROW(cpu::load_object(object, others), std::runtime_error);
  EXPECT_NE(cpu::load_object(object, names).addresses[0], nullptr);
}

TEST_F(KernelCache, CodeGoesWithItsLastHolder) {
  const std::string names[] = {"twice_run"};
  const std::string object =
      cpu::generate_object(add_kernel(Dtype::int16), cpu::host_target(), "twice_");
  const void* first = nullptr;
  {
    const auto one = cpu::load_object(object, names);
    const auto two = cpu::load_object(object, names);  // the same names are no matter
    EXPECT_NE(one.addresses[0], two.addresses[0]);
    first = one.addresses[0];
  }
  // Its pages are used again.
  EXPECT_EQ(cpu::load_object(object, names).addresses[0], first);
}

TEST(CodePages, AreUsedAgainInOneMapping) {
  cpu::CodePages pages;
  std::vector<char*> all;
  for (int i = 0; i < 20; ++i) all.push_back(pages.allocate(5000));
  for (char* one : all) {
    std::memset(one, i_am_code, 5000);
    EXPECT_TRUE(pages.protect(one));
    EXPECT_EQ(one[4999], i_am_code);
  }
  EXPECT_EQ(all[1] - all[0], static_cast<std::ptrdiff_t>(pages.rounded(5000)));
  for (char* one : all) pages.release(one);
  char* large = pages.allocate(20 * pages.rounded(5000));
  EXPECT_EQ(large, all[0]);
  std::memset(large, i_am_code, 5000);
  pages.release(large);
}

TEST(KernelCompiler, SafeFromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      for (Dtype dtype : {Dtype::uint8, Dtype::uint16, Dtype::uint32, Dtype::uint64}) {
        cpu::Origin origin;
        ASSERT_NE(cpu::compile(add_kernel(dtype), &origin).run, nullptr);
        ASSERT_NE(cpu::compile(add_kernel(dtype), &origin).run, nullptr);
        ASSERT_EQ(origin, cpu::Origin::memory_hit);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace heddle::test
