#include "runtime/disk_cache.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr char entry_mark[8] = {'H', 'D', 'L', 'K', 'E', 'R', 'N', '1'};
constexpr const char* entry_suffix = ".kernel";

struct Header {
  char mark[8];
  CacheKey key;
  std::uint64_t size;
  std::uint64_t checksum;
};

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  return hash;
}

std::string environment_folder() {
  if (const char* folder = std::getenv("HEDDLE_CACHE_DIR")) return folder;
  if (const char* base = std::getenv("XDG_CACHE_HOME"); base && *base)
    return std::string(base) + "/heddle";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/heddle";
  return {};
}

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  explicit operator bool() const { return descriptor_ >= 0; }
  int get() const { return descriptor_; }

  bool read(void* to, std::size_t size) const {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
      const ssize_t count = ::read(descriptor_, at, size);
      if (count <= 0) return false;
      at += count;
      size -= static_cast<std::size_t>(count);
    }
    return true;
  }
  bool write(const void* from, std::size_t size) const {
    const auto* at = static_cast<const char*>(from);
    while (size > 0) {
      const ssize_t count = ::write(descriptor_, at, size);
      if (count <= 0) return false;
      at += count;
      size -= static_cast<std::size_t>(count);
    }
    return true;
  }

 private:
  int descriptor_;
};

// Of a link only its own name says that it is one: "link/" and "link/." are where it leads.
std::string own_name(const std::string& folder) {
  std::string name = fs::path(folder).lexically_normal().string();
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  return name;
}

// The folder holds code that will be executed: nobody else may be able to write there.
bool make_private_folder(const std::string& folder) {
  std::error_code error;
  const fs::path parent = fs::path(folder).parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  struct stat status;
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return false;
  return status.st_uid == ::geteuid() && (status.st_mode & 022) == 0;
}

}  // namespace

std::string to_hex(const CacheKey& key) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::uint8_t byte : key) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

DiskCache::DiskCache(const std::string& folder, std::uint64_t limit_bytes)
    : folder_(own_name(folder)), limit_(limit_bytes) {
  if (!folder_.empty() && !make_private_folder(folder_)) folder_.clear();
}

DiskCache& DiskCache::instance() {
  static auto* cache = new DiskCache(environment_folder());
  return *cache;
}

std::string DiskCache::path(const CacheKey& key) const {
  return folder_ + "/" + to_hex(key) + entry_suffix;
}

std::optional<std::string> DiskCache::load(const CacheKey& key) const {
  if (folder_.empty()) return std::nullopt;
  const File file(::open(path(key).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status;
  Header header;
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      !file.read(&header, sizeof header))
    return std::nullopt;
  const auto expected = static_cast<std::uint64_t>(status.st_size) - sizeof header;
  if (std::memcmp(header.mark, entry_mark, sizeof entry_mark) != 0 || header.key != key ||
      header.size != expected)
    return std::nullopt;
  std::string bytes(header.size, '\0');
  if (!file.read(bytes.data(), bytes.size()) || checksum(bytes) != header.checksum)
    return std::nullopt;
  return bytes;
}

void DiskCache::store(const CacheKey& key, std::string_view bytes) {
  if (folder_.empty()) return;
  static std::atomic<unsigned> counter{0};
  const unsigned number = counter++;
  if (key[0] % 32 == 0) evict();  // looking through the folder takes a while
  const std::string temporary =
      folder_ + "/" + std::to_string(::getpid()) + "." + std::to_string(number) + ".tmp";
  {
    const File file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file) return;
    Header header;
    std::memcpy(header.mark, entry_mark, sizeof entry_mark);
    header.key = key;
    header.size = bytes.size();
    header.checksum = checksum(bytes);
    if (!file.write(&header, sizeof header) || !file.write(bytes.data(), bytes.size())) {
      ::unlink(temporary.c_str());
      return;
    }
  }
  if (::rename(temporary.c_str(), path(key).c_str()) != 0) ::unlink(temporary.c_str());
}

void DiskCache::remove(const CacheKey& key) const {
  if (!folder_.empty()) ::unlink(path(key).c_str());
}

// Removes the oldest entries down to three quarters of the limit, and what crashed writers left.
void DiskCache::evict() const {
  struct Entry {
    fs::file_time_type time;
    std::uint64_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const fs::path& path = it->path();
    const auto time = fs::last_write_time(path, ignored);
    if (ignored) continue;
    if (path.extension() == ".tmp" && now - time > std::chrono::hours(1)) fs::remove(path, ignored);
    if (path.extension() != entry_suffix) continue;
    const std::uint64_t size = fs::file_size(path, ignored);
    if (ignored) continue;
    entries.push_back({time, size, path});
    total += size;
  }
  if (total <= limit_) return;
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.time < b.time; });
  for (const Entry& entry : entries) {
    if (total <= limit_ / 4 * 3) break;
    std::error_code ignored;
    if (fs::remove(entry.path, ignored)) total -= entry.size;
  }
}

}  // namespace heddle
