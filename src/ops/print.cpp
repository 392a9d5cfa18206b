// Printing as NumPy prints: to_string and operator<< of arrays.
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ostream>

#include <fmt/format.h>

#include <heddle/array.h>
#include <heddle/indexing.h>

namespace heddle {

namespace {

// NumPy's defaults.
constexpr int precision = 8;
constexpr std::size_t line_width = 75;
constexpr std::int64_t summary_threshold = 1000;
constexpr std::int64_t edge_items = 3;

enum class Notation : std::uint8_t { positional, scientific };

// The shortest text that reads back as the same number of the type.
template <class T>
std::string shortest(T value, Notation notation) {
  char text[512];
  auto format =
      notation == Notation::positional ? std::chars_format::fixed : std::chars_format::scientific;
  auto end = std::to_chars(text, text + sizeof text, value, format).ptr;
  return std::string(text, end);
}

template <class Half>
std::string shortest_half(Half value, Notation notation) {
  auto number = static_cast<double>(static_cast<float>(value));
  for (int digits = 0;; ++digits) {
    auto text = fmt::format("{:.{}e}", number, digits);
    bool same = Half(std::strtof(text.c_str(), nullptr)).bits == value.bits;
    if (same || digits == precision) return shortest(std::strtod(text.c_str(), nullptr), notation);
  }
}
std::string shortest(float16 value, Notation notation) { return shortest_half(value, notation); }
std::string shortest(bfloat16 value, Notation notation) { return shortest_half(value, notation); }

double as_double(double value) { return value; }
double as_double(float value) { return value; }
double as_double(float16 value) { return static_cast<float>(value); }
double as_double(bfloat16 value) { return static_cast<float>(value); }

struct NumberText {
  std::string whole, fraction, exponent;  // "-1", "25", "+10"
};

template <class T>
NumberText split(T value, Notation notation) {
  std::string text = shortest(value, notation);
  NumberText number;
  if (auto e = text.find('e'); e != std::string::npos) {
    number.exponent = text.substr(e + 1);
    text.resize(e);
  }
  auto point = text.find('.');
  if (point != std::string::npos && text.size() - point - 1 > precision) {
    text = notation == Notation::positional ? fmt::format("{:.{}f}", as_double(value), precision)
                                            : fmt::format("{:.{}e}", as_double(value), precision);
    if (auto e = text.find('e'); e != std::string::npos) {
      number.exponent = text.substr(e + 1);
      text.resize(e);
    }
    text.erase(text.find_last_not_of('0') + 1);
    point = text.find('.');
  }
  number.whole = text.substr(0, point);
  if (point != std::string::npos) number.fraction = text.substr(point + 1);
  return number;
}

// All of them with the same number of places before and after the point.
template <class T>
std::vector<std::string> format_floats(const std::vector<T>& values, bool always_sign = false) {
  double largest = 0, smallest = HUGE_VAL;
  for (T value : values) {
    double magnitude = std::abs(as_double(value));
    if (!std::isfinite(magnitude) || magnitude == 0) continue;
    largest = std::max(largest, magnitude);
    smallest = std::min(smallest, magnitude);
  }
  double cutoff = std::pow(10.0, std::min(8, sizeof(T) == 8 ? 15 : sizeof(T) == 4 ? 6 : 3));
  bool scientific =
      largest > 0 && (largest >= cutoff || smallest < 1e-4 || largest / smallest > 1000);
  auto notation = scientific ? Notation::scientific : Notation::positional;

  std::vector<NumberText> numbers;
  std::size_t left = 0, right = 0, exponents = 0;
  bool any = false;
  for (T value : values) {
    numbers.emplace_back();
    if (!std::isfinite(as_double(value))) continue;
    NumberText& number = numbers.back() = split(value, notation);
    if (always_sign && number.whole[0] != '-') number.whole.insert(0, "+");
    any = true;
    left = std::max(left, number.whole.size());
    right = std::max(right, number.fraction.size());
    exponents = std::max(exponents, number.exponent.size());
  }
  std::size_t after = scientific ? right + exponents + 1 : right;
  std::vector<std::string> special(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    double value = as_double(values[i]);
    if (std::isfinite(value)) continue;
    special[i] = std::isnan(value) ? (always_sign ? "+nan" : "nan")
                                   : (value < 0     ? "-inf"
                                      : always_sign ? "+inf"
                                                    : "inf");
    if (special[i].size() > left + after + 1) left = special[i].size() - after - 1;
  }
  if (!any) after = 0;

  std::vector<std::string> texts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!special[i].empty()) {
      texts.push_back(fmt::format("{:>{}}", special[i], left + after + 1));
    } else if (scientific) {
      texts.push_back(fmt::format("{:>{}}.{:0<{}}e{}", numbers[i].whole, left, numbers[i].fraction,
                                  right, numbers[i].exponent));
    } else {
      texts.push_back(
          fmt::format("{:>{}}.{:<{}}", numbers[i].whole, left, numbers[i].fraction, right));
    }
  }
  return texts;
}

template <class T>
std::vector<std::string> format_all(const array& a) {
  std::vector<std::string> texts;
  if constexpr (std::same_as<T, bool>) {
    for (bool value : a.to_vector<bool>()) texts.emplace_back(value ? "True" : "False");
  } else if constexpr (std::integral<T>) {
    for (T value : a.to_vector<T>()) texts.push_back(fmt::format("{}", value));
  } else if constexpr (std::same_as<T, std::complex<float>> ||
                       std::same_as<T, std::complex<double>>) {
    std::vector<typename T::value_type> re, im;
    for (T value : a.to_vector<T>()) {
      re.push_back(value.real());
      im.push_back(value.imag());
    }
    texts = format_floats(re);
    auto imaginary = format_floats(im, true);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      imaginary[i].insert(imaginary[i].find_last_not_of(' ') + 1, "j");
      texts[i] += imaginary[i];
    }
  } else {
    texts = format_floats(a.to_vector<T>());
  }
  std::size_t width = 0;
  for (const auto& text : texts) width = std::max(width, text.size());
  for (auto& text : texts) text.insert(0, width - text.size(), ' ');
  return texts;
}

std::string trimmed(const std::string& text) {
  auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

// Rows, wrapped, with the brackets of all dimensions.
class Printer {
 public:
  Printer(std::vector<std::string> texts, Dims shape, Dims cut)
      : texts_(std::move(texts)), shape_(std::move(shape)), cut_(std::move(cut)) {}

  std::string print(std::int64_t axis, const std::string& indent, std::size_t width) {
    if (axis == shape_.size()) return texts_[next_++];
    return axis + 1 == shape_.size() ? row(axis, indent, width) : block(axis, indent, width);
  }

 private:
  std::string row(std::int64_t axis, const std::string& indent, std::size_t width) {
    std::string done, line = indent;
    auto extend = [&](const std::string& word) {
      if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
        done += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        line = indent;
      }
      line += word;
    };
    for (std::int64_t i = 0; i < shape_[axis]; ++i) {
      if (i > 0) line += " ";
      if (cut_[axis] && i == edge_items) {
        extend("...");
        line += " ";
      }
      extend(texts_[next_++]);
    }
    done += line;
    return "[" + done.substr(indent.size()) + "]";
  }

  std::string block(std::int64_t axis, const std::string& indent, std::size_t width) {
    std::string between(static_cast<std::size_t>(shape_.size() - axis - 1), '\n');
    between += indent;
    const std::string deeper = indent + " ";
    std::string done;
    for (std::int64_t i = 0; i < shape_[axis]; ++i) {
      if (i > 0) done += between;
      if (cut_[axis] && i == edge_items) done.append("...").append(between);
      done += print(axis + 1, deeper, width - 1);
    }
    return "[" + done + "]";
  }

  std::vector<std::string> texts_;
  Dims shape_;
  Dims cut_;  // 1: the middle along this axis is left out
  std::size_t next_ = 0;
};

}  // namespace

std::string to_string(const array& a) {
  auto format = [](const array& part) {
    return dispatch(part.dtype(), [&]<class T>(T) { return format_all<T>(part); });
  };
  if (a.ndim() == 0) {
    std::string text = trimmed(format(a)[0]);
    if (is_floating(a.dtype()) && text.back() == '.') text += '0';
    return text;
  }
  if (a.size() == 0) return "[]";
  array shown = a;
  Dims cut(a.ndim(), 0);
  if (a.size() > summary_threshold) {
    for (std::int64_t d = 0; d < a.ndim(); ++d) {
      auto extent = a.shape()[d];
      if (extent <= 2 * edge_items) continue;
      cut[d] = 1;
      array corners{std::int64_t{0}, std::int64_t{1}, std::int64_t{2},
                    extent - 3,      extent - 2,      extent - 1};
      shown = take(shown, corners, d);
    }
  }
  return Printer(format(shown), shown.shape(), cut).print(0, " ", line_width);
}

std::ostream& operator<<(std::ostream& out, const array& a) { return out << to_string(a); }

}  // namespace heddle
