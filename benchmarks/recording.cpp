// What recording one operation costs in C++: `ninja -C build heddle_recording`, then
// build/heddle_recording. The least of many short passes, so that what else the machine does hardly
// counts.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>

#include <heddle/heddle.h>

namespace {

using heddle::array;

constexpr int operations = 500, passes = 4000;

// Nanoseconds an operation takes, with the end of what it made.
template <class Record>
double least(Record record) {
  double best = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < passes; ++pass) {
    const auto start = std::chrono::steady_clock::now();
    record();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / operations);
  }
  return best;
}

}  // namespace

int main() {
  const array a = heddle::ones({1000}).eval(), b = heddle::ones({1000}).eval();
  const array view = a(heddle::Slice{1, -1}), other = b(heddle::Slice{2});
  std::printf("a + b             %6.1f ns\n", least([&] {
                for (int i = 0; i < operations; ++i) static_cast<void>(a + b);
              }));
  std::printf("a * 2             %6.1f ns\n", least([&] {
                for (int i = 0; i < operations; ++i) static_cast<void>(a * 2.0);
              }));
  std::printf("sqrt(a)           %6.1f ns\n", least([&] {
                for (int i = 0; i < operations; ++i) static_cast<void>(sqrt(a));
              }));
  std::printf("chain of 20       %6.1f ns\n", least([&] {
                for (int i = 0; i < operations / 20; ++i) {
                  array c = a;
                  for (int k = 0; k < 10; ++k) c = (c + b) * a;
                }
              }));
  std::printf("a[1:-1] + b[2:]   %6.1f ns\n", least([&] {
                for (int i = 0; i < operations; ++i) static_cast<void>(view + other);
              }));
}
