#include "kernel/pack.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zdict.h>
// For dictionaries that stay where they are.
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "core/library_folder.h"

namespace heddle::kernel {
namespace {

constexpr char pack_mark[8] = {'H', 'D', 'L', 'P', 'A', 'C', 'K', '3'};

struct Header {
  char mark[8];
  std::uint64_t count;
  std::uint64_t bytes;       // of the whole file
  std::uint64_t dictionary;  // bytes of it, behind the index
};

struct Entry {
  CacheKey key;
  std::uint64_t offset;
  std::uint32_t stored_size;  // compressed
  std::uint32_t size;
};

// Kernels are small and alike: most of each is in others, too. A common dictionary makes them half
// as long as each would be by itself.
constexpr std::size_t dictionary_bytes = 512 << 10;
constexpr int compression_level = 19;

std::string train_dictionary(const std::map<CacheKey, std::string>& objects) {
  std::string samples;
  std::vector<std::size_t> sizes;
  for (const auto& [key, object] : objects) {
    samples += object;
    sizes.push_back(object.size());
  }
  std::string dictionary(dictionary_bytes, '\0');
  const std::size_t bytes =
      ZDICT_trainFromBuffer(dictionary.data(), dictionary.size(), samples.data(), sizes.data(),
                            static_cast<unsigned>(sizes.size()));
  // Few samples make none.
  dictionary.resize(ZDICT_isError(bytes) ? 0 : bytes);
  return dictionary;
}

class Compressor {
 public:
  explicit Compressor(const std::string& dictionary)
      : context_(ZSTD_createCCtx(), ZSTD_freeCCtx),
        dictionary_(ZSTD_createCDict(dictionary.data(), dictionary.size(), compression_level),
                    ZSTD_freeCDict) {}

  std::string operator()(const std::string& object) const {
    std::string stored(ZSTD_compressBound(object.size()), '\0');
    const std::size_t bytes =
        ZSTD_compress_usingCDict(context_.get(), stored.data(), stored.size(), object.data(),
                                 object.size(), dictionary_.get());
    if (ZSTD_isError(bytes))
      throw std::runtime_error(std::string("write_pack: ") + ZSTD_getErrorName(bytes));
    stored.resize(bytes);
    return stored;
  }

 private:
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
  std::unique_ptr<ZSTD_CDict, decltype(&ZSTD_freeCDict)> dictionary_;
};

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
                     header.count <= (bytes_ - sizeof header) / sizeof(Entry) &&
                     header.dictionary <= bytes_ - sizeof header - header.count * sizeof(Entry);
  if (!sound) return;
  dictionary_ = ZSTD_createDDict_byReference(data_ + sizeof header + header.count * sizeof(Entry),
                                             header.dictionary);
  context_ = ZSTD_createDCtx();
  if (dictionary_ && context_) count_ = header.count;
}

Pack::~Pack() {
  ZSTD_freeDCtx(context_);
  ZSTD_freeDDict(dictionary_);
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
  std::string object(entry->size, '\0');
  const std::scoped_lock lock(mutex_);
  const std::size_t bytes =
      ZSTD_decompress_usingDDict(context_, object.data(), object.size(), data_ + entry->offset,
                                 entry->stored_size, dictionary_);
  if (bytes != entry->size) return std::nullopt;  // an error is a number beyond all sizes
  return object;
}

void write_pack_file(const std::string& path, const std::map<CacheKey, std::string>& objects) {
  Header header;
  std::memcpy(header.mark, pack_mark, sizeof pack_mark);
  header.count = objects.size();
  const std::string dictionary = train_dictionary(objects);
  const Compressor compressed(dictionary);
  header.dictionary = dictionary.size();
  const std::uint64_t start = sizeof(Header) + objects.size() * sizeof(Entry) + dictionary.size();
  std::string index, data;
  for (const auto& [key, object] : objects) {
    const std::string stored = compressed(object);
    const Entry entry{key, start + data.size(), static_cast<std::uint32_t>(stored.size()),
                      static_cast<std::uint32_t>(object.size())};
    index.append(reinterpret_cast<const char*>(&entry), sizeof entry);
    data += stored;
  }
  header.bytes = start + data.size();
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
  bytes += index;
  bytes += dictionary;
  bytes += data;
  const std::string temporary = path + ".tmp";
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out || std::rename(temporary.c_str(), path.c_str()) != 0)
    throw std::runtime_error("write_pack: cannot write " + path);
}

}  // namespace heddle::kernel
