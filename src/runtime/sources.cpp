#include "runtime/sources.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "runtime/disk_cache.h"
#include "runtime/statistics.h"
#include "simt/program_key.h"

namespace heddle {
namespace {

// On disk: the names, what was said, the code, each after its length.
void append(std::string& text, std::string_view part) {
  const std::uint64_t size = part.size();
  text.append(reinterpret_cast<const char*>(&size), sizeof size);
  text.append(part);
}

std::string pack(const CompiledSource& made) {
  std::string bytes;
  for (const std::string& name : made.names) append(bytes, name);
  append(bytes, made.log);
  append(bytes, made.code);
  return bytes;
}

std::optional<CompiledSource> unpack(std::string_view bytes, std::size_t names) {
  std::vector<std::string> parts;
  while (!bytes.empty()) {
    std::uint64_t size = 0;
    if (bytes.size() < sizeof size) return std::nullopt;
    std::copy_n(bytes.begin(), sizeof size, reinterpret_cast<char*>(&size));
    bytes.remove_prefix(sizeof size);
    if (bytes.size() < size) return std::nullopt;
    parts.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  if (parts.size() != names + 2) return std::nullopt;
  CompiledSource made;
  made.done = true;
  made.code = std::move(parts.back());
  parts.pop_back();
  made.log = std::move(parts.back());
  parts.pop_back();
  made.names = std::move(parts);
  return made;
}

CacheKey key_of(const std::string& compiler, const SourceText& source) {
  std::string text;
  append(text, compiler);
  append(text, source.text);
  append(text, source.file);
  for (const std::string& option : source.options) append(text, option);
  append(text, "names");
  for (const std::string& name : source.names) append(text, name);
  for (const auto& [name, header] : source.headers) {
    append(text, name);
    append(text, header);
  }
  return simt::text_key(text);
}

using Find = Sources* (*)(Device & device);
std::vector<Find>& kinds() {
  static auto* all = new std::vector<Find>;
  return *all;
}

}  // namespace

CompiledSource compile_remembered(const std::string& compiler, const SourceText& source,
                                  const std::function<CompiledSource()>& compile) {
  const CacheKey key = key_of(compiler, source);
  DiskCache& cache = DiskCache::instance();
  if (const auto bytes = cache.load(key)) {
    if (auto made = unpack(*bytes, source.names.size())) {
      count(Counter::disk_hits);
      return std::move(*made);
    }
  }
  count(Counter::compiled);
  CompiledSource made = compile();
  if (made.done) cache.store(key, pack(made));
  return made;
}

SourcesKind::SourcesKind(Find find) { kinds().push_back(find); }

Sources* sources_of(Device& device) {
  for (Find find : kinds()) {
    if (Sources* found = find(device)) return found;
  }
  return nullptr;
}

}  // namespace heddle
