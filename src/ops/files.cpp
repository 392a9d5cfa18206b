#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "ops/creation.h"
#include "runtime/device.h"
#include <heddle/errors.h>
#include <heddle/io.h>

// NumPy's format: "\x93NUMPY", two bytes of version, the length of the header (two bytes, four
// since version 2), the header, a dictionary as Python writes it, and the elements.

namespace heddle {

namespace {

using std::filesystem::path;

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view magic = "\x93NUMPY";

[[noreturn]] void throw_failed(const char* what, const path& file) {
  throw std::filesystem::filesystem_error(what, file,
                                          std::error_code(errno, std::generic_category()));
}

// Letters that the format has for kinds of elements.
char letter(Kind kind) {
  switch (kind) {
    case Kind::boolean:
      return 'b';
    case Kind::signed_integer:
      return 'i';
    case Kind::unsigned_integer:
      return 'u';
    case Kind::floating:
      return 'f';
    case Kind::complex:
      return 'c';
  }
  return '?';
}

std::string description_of(Dtype dtype) {
  if (dtype == Dtype::bfloat16) throw type_error("save: NumPy's format has no bfloat16");
  const int width = itemsize(dtype);
  return fmt::format("{}{}{}", width == 1 ? '|' : '<', letter(kind(dtype)), width);
}

Dtype dtype_named(std::string_view description) {
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<Dtype>(i);
    if (dtype != Dtype::bfloat16 && description.size() > 1 &&
        description.substr(1) == description_of(dtype).substr(1)) {
      return dtype;
    }
  }
  throw type_error(fmt::format("load: elements of type {} are not numbers", description));
}

void write_elements(std::ofstream& out, const array& a) {
  std::vector<char> bytes(static_cast<std::size_t>(a.size()) *
                          static_cast<std::size_t>(itemsize(a.dtype())));
  a.copy_to_host(bytes.data(), a.dtype());
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::ofstream opened_to_write(const char* what, const path& file) {
  std::ofstream out(file, std::ios::binary);
  if (!out) throw_failed(what, file);
  return out;
}

void finish(std::ofstream& out, const char* what, const path& file) {
  out.close();
  if (!out) throw_failed(what, file);
}

std::ifstream opened_to_read(const char* what, const path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw_failed(what, file);
  return in;
}

// What a header says. Python's dictionaries are written in one way by NumPy, and with other blanks
// by others.
class FileHeader {
 public:
  FileHeader(std::string text, const path& file) : text_(std::move(text)), file_(file) {}

  std::string_view quoted(std::string_view key) const {
    std::string_view rest = after(key);
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"')) {
      throw type_error("load: elements that are records are not numbers");
    }
    const auto end = rest.find(rest[0], 1);
    if (end == rest.npos) refuse();
    return rest.substr(1, end - 1);
  }

  bool truth(std::string_view key) const { return after(key).starts_with("True"); }

  Dims numbers(std::string_view key) const {
    std::string_view rest = after(key);
    const auto end = rest.find(')');
    if (rest.empty() || rest[0] != '(' || end == rest.npos) refuse();
    rest = rest.substr(1, end - 1);
    Dims found;
    while (!(rest = skip(rest)).empty()) {
      std::int64_t number = 0;
      const auto [next, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
      if (error != std::errc() || number < 0) refuse();
      found.push_back(number);
      rest = skip(rest.substr(static_cast<std::size_t>(next - rest.data())));
      if (rest.starts_with(',')) rest.remove_prefix(1);
    }
    return found;
  }

 private:
  static std::string_view skip(std::string_view text) {
    return text.substr(std::min(text.find_first_not_of(" \t\n"), text.size()));
  }
  std::string_view after(std::string_view key) const {
    for (char quote : {'\'', '"'}) {
      const auto at = text_.find(fmt::format("{0}{1}{0}", quote, key));
      if (at == text_.npos) continue;
      std::string_view rest = skip(std::string_view(text_).substr(at + key.size() + 2));
      if (!rest.starts_with(':')) refuse();
      return skip(rest.substr(1));
    }
    refuse();
  }
  [[noreturn]] void refuse() const {
    throw value_error(fmt::format("load: the header of {} cannot be read", file_.string()));
  }

  std::string text_;
  const path& file_;
};

FileHeader header_of(std::ifstream& in, const path& file) {
  char begin[8];
  in.read(begin, sizeof begin);
  if (!in || std::string_view(begin, magic.size()) != magic) {
    throw value_error(fmt::format("load: {} is no file of NumPy's format", file.string()));
  }
  std::uint32_t length = 0;
  in.read(reinterpret_cast<char*>(&length), begin[6] == 1 ? 2 : 4);
  std::string text;
  if (in && length < (1u << 20)) {
    text.resize(length);
    in.read(text.data(), length);
  }
  if (!in || text.empty()) {
    throw value_error(fmt::format("load: the header of {} cannot be read", file.string()));
  }
  return {std::move(text), file};
}

// Elements of the other byte order; a complex number is two.
void turn_round(std::span<char> bytes, Dtype dtype) {
  const auto width = static_cast<std::size_t>(itemsize(real_type(dtype)));
  for (std::size_t at = 0; at < bytes.size(); at += width) {
    std::ranges::reverse(bytes.subspan(at, width));
  }
}

}  // namespace

void save(const path& file, const array& a) {
  path named = file;
  if (named.extension() != ".npy") named += ".npy";
  std::string shape;
  for (std::int64_t extent : a.shape()) shape += fmt::format("{}, ", extent);
  if (a.ndim() != 1 && !shape.empty()) shape.resize(shape.size() - 2);
  if (a.ndim() == 1) shape.pop_back();
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   description_of(a.dtype()), shape);
  // Elements begin at a multiple of 64 bytes, as NumPy's do.
  const std::size_t before = magic.size() + 4;
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());

  std::ofstream out = opened_to_write("save", named);
  out << magic << '\x01' << '\0';
  out.write(reinterpret_cast<const char*>(&length), 2);
  out << header;
  write_elements(out, a);
  finish(out, "save", named);
}

array load(const path& file) {
  std::ifstream in = opened_to_read("load", file);
  const FileHeader header = header_of(in, file);
  const std::string_view description = header.quoted("descr");
  const Dtype dtype = dtype_named(description);
  Dims shape = header.numbers("shape");
  const bool transposed = header.truth("fortran_order");
  if (transposed) std::reverse(shape.begin(), shape.end());

  std::vector<char> bytes(static_cast<std::size_t>(size_of(shape)) *
                          static_cast<std::size_t>(itemsize(dtype)));
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (in.gcount() != static_cast<std::streamsize>(bytes.size())) {
    throw value_error(fmt::format("load: {} ends before its elements do", file.string()));
  }
  if (description[0] == '>') turn_round(bytes, dtype);
  array made = from_host(bytes.data(), contiguous_layout(shape), dtype, default_device());
  return transposed ? made.T() : made;
}

void tofile(const path& file, const array& a) {
  std::ofstream out = opened_to_write("tofile", file);
  write_elements(out, a);
  finish(out, "tofile", file);
}

array fromfile(const path& file, Dtype dtype, std::optional<std::int64_t> count,
               std::int64_t offset) {
  if (offset < 0) throw value_error("fromfile: the offset is negative");
  std::ifstream in = opened_to_read("fromfile", file);
  const auto all = static_cast<std::int64_t>(std::filesystem::file_size(file));
  const std::int64_t width = itemsize(dtype);
  std::int64_t there = std::max<std::int64_t>(all - offset, 0) / width;
  if (count && *count >= 0) there = std::min(there, *count);
  std::vector<char> bytes(static_cast<std::size_t>(there * width));
  in.seekg(offset);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!in) throw_failed("fromfile", file);
  return from_host(bytes.data(), contiguous_layout({there}), dtype, default_device());
}

}  // namespace heddle
