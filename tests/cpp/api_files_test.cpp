// Files: what NumPy writes is read, and what is written is what NumPy writes, byte for byte.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include <heddle/heddle.h>

namespace heddle {
namespace {

class ApiFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(::testing::TempDir()) / test->name();
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name), std::ios::binary) << text;
  }
  std::string read(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path folder_;
};

// A file as NumPy writes it: the header is filled up to 64 bytes.
std::string numpys(std::string header, const std::string& elements) {
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\0\x76\0", 10) + header + "\n" + elements;
}

TEST_F(ApiFiles, AreNumPysOwn) {
  save(file("numbers.npy"), array{std::int16_t{1}, std::int16_t{-2}});
  EXPECT_EQ(read("numbers.npy"), numpys("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }",
                                        std::string("\x01\0\xfe\xff", 4)));
  save(file("truths"), array{{true, false}, {false, true}});  // given the ending
  EXPECT_EQ(read("truths.npy"),
            numpys("{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2), }",
                   std::string("\x01\0\0\x01", 4)));
  save(file("one.npy"), array(Scalar(1), Dtype::uint8));
  EXPECT_EQ(read("one.npy"),
            numpys("{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "\x01"));
}

TEST_F(ApiFiles, ComeBack) {
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    if (dtype == Dtype::bfloat16) continue;
    const array a = arange(6).reshape({2, 3}).astype(dtype).T();
    save(file("a.npy"), a);
    const array back = load(file("a.npy"));
    EXPECT_EQ(back.dtype(), dtype);
    EXPECT_EQ(back.shape(), (Dims{3, 2}));
    EXPECT_TRUE(array_equal(back, a)) << name(dtype);
  }
  EXPECT_THROW(save(file("b.npy"), zeros({2}, Dtype::bfloat16)), type_error);
  save(file("none.npy"), zeros({0, 4}));
  EXPECT_EQ(load(file("none.npy")).shape(), (Dims{0, 4}));
}

TEST_F(ApiFiles, OfOtherOrders) {
  write("big.npy", numpys("{'descr': '>i4', 'fortran_order': True, 'shape': (2, 2), }",
                          std::string("\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\x01\0", 16)));
  const array a = load(file("big.npy"));
  EXPECT_EQ(a.dtype(), Dtype::int32);
  EXPECT_EQ(a.to_vector<int>(), (std::vector<int>{1, 3, 2, 256}));
  const std::string number("\x3f\x80\0\0\x40\0\0\0", 8);
  write("complex.npy", numpys("{'descr': '>c8', 'fortran_order': False, 'shape': (1,), }", number));
  EXPECT_EQ(load(file("complex.npy")).item<std::complex<float>>(), std::complex<float>(1, 2));
}

TEST_F(ApiFiles, RefuseWhatIsNoArray) {
  EXPECT_THROW(load(file("absent.npy")), std::filesystem::filesystem_error);
  EXPECT_THROW(save(file("no/folder.npy"), arange(2)), std::filesystem::filesystem_error);
  write("other.npy", "PK, say");
  EXPECT_THROW(load(file("other.npy")), value_error);
  write("text.npy", numpys("{'descr': '<U1', 'fortran_order': False, 'shape': (), }", "abcd"));
  EXPECT_THROW(load(file("text.npy")), type_error);
  write("records.npy",
        numpys("{'descr': [('x', '<i4')], 'fortran_order': False, 'shape': (), }", "abcd"));
  EXPECT_THROW(load(file("records.npy")), type_error);
  write("short.npy", numpys("{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }", "abcd"));
  EXPECT_THROW(load(file("short.npy")), value_error);
}

TEST_F(ApiFiles, AsBareBytes) {
  tofile(file("bytes"), arange(4).astype(Dtype::int16).reshape({2, 2}).T());
  EXPECT_EQ(read("bytes"), std::string("\0\0\x02\0\x01\0\x03\0", 8));
  auto numbers = [&](std::optional<std::int64_t> count, std::int64_t offset) {
    return fromfile(file("bytes"), Dtype::int16, count, offset).to_vector<std::int16_t>();
  };
  EXPECT_EQ(numbers(std::nullopt, 0), (std::vector<std::int16_t>{0, 2, 1, 3}));
  EXPECT_EQ(numbers(2, 2), (std::vector<std::int16_t>{2, 1}));
  EXPECT_EQ(numbers(9, 4), (std::vector<std::int16_t>{1, 3}));
  EXPECT_EQ(numbers(-1, 3).size(), 2u);
  EXPECT_EQ(numbers(std::nullopt, 100).size(), 0u);
  EXPECT_THROW(fromfile(file("bytes"), Dtype::int16, 1, -2), value_error);
}

}  // namespace
}  // namespace heddle
