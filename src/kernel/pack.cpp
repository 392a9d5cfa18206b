#include "kernel/pack.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include <fcntl.h>
#include <llvm/Support/Compression.h>
#include <llvm/Support/Error.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/library_folder.h"

namespace heddle::kernel {
namespace {

constexpr char pack_mark[8] = {'H', 'D', 'L', 'P', 'A', 'C', 'K', '2'};

struct Header {
  char mark[8];
  std::uint64_t count;
  std::uint64_t bytes;  // of the whole file
};

struct Entry {
  CacheKey key;
  std::uint64_t offset;
  std::uint32_t stored_size;  // compressed
  std::uint32_t size;
};

llvm::ArrayRef<std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

}  // namespace

Pack::Pack(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat status;
  if (::fstat(file, &status) == 0 && static_cast<std::size_t>(status.st_size) >= sizeof(Header)) {
    bytes_ = static_cast<std::size_t>(status.st_size);
    void* mapped = ::mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped != MAP_FAILED) data_ = static_cast<const char*>(mapped);
  }
  ::close(file);
  if (!data_) return;
  Header header;
  std::memcpy(&header, data_, sizeof header);
  const bool sound = std::memcmp(header.mark, pack_mark, sizeof pack_mark) == 0 &&
                     header.bytes == bytes_ &&
                     header.count <= (bytes_ - sizeof header) / sizeof(Entry);
  if (sound) count_ = header.count;
}

Pack::~Pack() {
  if (data_) ::munmap(const_cast<char*>(data_), bytes_);
}

const Pack& Pack::instance() {
  static const auto* pack = new Pack(library_folder() + "/heddle.pack");
  return *pack;
}

std::optional<std::string> Pack::find(const CacheKey& key) const {
  if (count_ == 0) return std::nullopt;
  const auto* first = reinterpret_cast<const Entry*>(data_ + sizeof(Header));
  const auto* last = first + count_;
  const auto* entry = std::lower_bound(first, last, key,
                                       [](const Entry& e, const CacheKey& k) { return e.key < k; });
  if (entry == last || entry->key != key) return std::nullopt;
  if (entry->offset > bytes_ || entry->stored_size > bytes_ - entry->offset) return std::nullopt;
  const std::string_view stored(data_ + entry->offset, entry->stored_size);
  llvm::SmallVector<std::uint8_t, 0> object;
  if (auto error = llvm::compression::zlib::decompress(bytes_of(stored), object, entry->size)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return std::string(object.begin(), object.end());
}

void write_pack_file(const std::string& path, const std::map<CacheKey, std::string>& objects) {
  Header header;
  std::memcpy(header.mark, pack_mark, sizeof pack_mark);
  header.count = objects.size();
  const std::uint64_t start = sizeof(Header) + objects.size() * sizeof(Entry);
  std::string index, data;
  llvm::SmallVector<std::uint8_t, 0> stored;
  for (const auto& [key, object] : objects) {
    stored.clear();
    llvm::compression::zlib::compress(bytes_of(object), stored,
                                      llvm::compression::zlib::BestSizeCompression);
    const Entry entry{key, start + data.size(), static_cast<std::uint32_t>(stored.size()),
                      static_cast<std::uint32_t>(object.size())};
    index.append(reinterpret_cast<const char*>(&entry), sizeof entry);
    data.append(stored.begin(), stored.end());
  }
  header.bytes = start + data.size();
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes += index;
  bytes += data;
  const std::string temporary = path + ".tmp";
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out || std::rename(temporary.c_str(), path.c_str()) != 0)
    throw std::runtime_error("write_pack: cannot write " + path);
}

}  // namespace heddle::kernel
