#include "backend/cpu/kernel_output.h"

#include <cstdio>
#include <cstring>
#include <string>

namespace heddle::cpu {
namespace {

class Arguments {
 public:
  explicit Arguments(const char* at) : begin_(at) {}

  template <class T>
  T next() {
    offset_ = (offset_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value;
    std::memcpy(static_cast<void*>(&value), begin_ + offset_, sizeof value);
    offset_ += sizeof value;
    ++count;
    return value;
  }
  int count = 0;

 private:
  const char* begin_;
  std::size_t offset_ = 0;
};

template <class T>
void put(std::string& text, const std::string& how, T value) {
  char small[128];
  const int size = std::snprintf(small, sizeof small, how.c_str(), value);  // NOLINT
  if (size < 0) return;
  if (static_cast<std::size_t>(size) < sizeof small) {
    text.append(small, static_cast<std::size_t>(size));
    return;
  }
  std::string large(static_cast<std::size_t>(size) + 1, '\0');
  std::snprintf(large.data(), large.size(), how.c_str(), value);  // NOLINT
  large.pop_back();
  text += large;
}

// One conversion, which begins at the sign; where it ends.
const char* convert(const char* at, Arguments& arguments, std::string& text) {
  std::string how = "%";
  const char* end = at + 1;
  bool wide = false;
  for (; *end != '\0'; ++end) {
    if (*end == '*') {  // a number of the arguments
      how += std::to_string(arguments.next<std::int32_t>());
    } else if (std::strchr("-+ #0123456789.", *end) != nullptr) {
      how += *end;
    } else if (std::strchr("hlLqjzt", *end) != nullptr) {
      wide |= std::strchr("lLqjzt", *end) != nullptr;
    } else {
      break;
    }
  }
  const char kind = *end;
  if (kind == '\0') return end;
  if (kind == '%') {
    text += '%';
  } else if (std::strchr("diouxX", kind) != nullptr) {
    how += wide ? "ll" : "";
    how += kind;
    if (wide) {
      put(text, how, arguments.next<long long>());
    } else {
      put(text, how, arguments.next<std::int32_t>());
    }
  } else if (std::strchr("fFeEgGaA", kind) != nullptr) {
    put(text, how + kind, arguments.next<double>());
  } else if (kind == 'c') {
    put(text, how + kind, arguments.next<std::int32_t>());
  } else if (kind == 's') {
    put(text, how + kind, arguments.next<const char*>());
  } else if (kind == 'p') {
    put(text, how + kind, arguments.next<const void*>());
  } else {
    text += how + kind;
  }
  return end + 1;
}

}  // namespace

std::int32_t print_arguments(const char* format, const char* given) {
  Arguments arguments(given);
  std::string text;
  for (const char* at = format; *at != '\0';) {
    if (*at == '%') {
      at = convert(at, arguments, text);
    } else {
      text += *at++;
    }
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return arguments.count;
}

}  // namespace heddle::cpu
