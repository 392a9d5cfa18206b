// Heat flows through a plate: views, writes in place, a reduction, and what all of it became.
// Built against the installed package: find_package(heddle), one header, one target.
#include <iostream>

#include <heddle/heddle.h>

using namespace heddle;

namespace {

// One explicit step. The right side is one expression over five views of the plate; the old
// temperatures are read before any is written, and nothing but the plate itself is touched.
void step(array& plate, double rate) {
  const Slice inner{1, -1}, before{{}, -2}, after{2, {}};
  plate(inner, inner) += rate * (plate(before, inner) + plate(after, inner) + plate(inner, before) +
                                 plate(inner, after) - 4 * plate(inner, inner));
}

}  // namespace

int main() {
  std::cout << "heddle " << version() << " on " << default_device_name() << "\n\n";

  array plate = zeros({65, 65}, Dtype::float32);
  plate(0) = 100;                  // a hot edge
  plate(Slice{20, 30}, -1) += 50;  // and a warm spot on another
  const array source = plate > 0;  // these stay as they are

  for (int i = 0; i < 500; ++i) step(plate, 0.2);

  std::cout << "mean temperature " << mean(plate).item<float>() << '\n';
  std::cout << "along the middle\n" << plate(Slice{{}, {}, 8}, 32) << "\n\n";

  // Where it is warm: a mask reads and writes.
  const array warm = (plate > 25) & ~source;
  std::cout << count_nonzero(warm).item<int>() << " cells above 25, on average "
            << mean(plate(warm)).item<float>() << '\n';
  plate(warm) = 25;
  std::cout << "now the warmest is " << max(where(source, 0, plate)).item<float>() << "\n\n";

  // Deferred until somebody looks, and then one kernel.
  const array a = linspace(0, 1, 1'000'000, true, Dtype::float32).eval();
  array y = sin(a) * 2 + sqrt(abs(a));
  array total = sum(y);
  y = array();  // nobody needs the elements
  std::cout << explain(total);
  std::cout << "sum " << total.item<float>() << '\n';

  // Random numbers: the streams of NumPy's Philox, on every device.
  random::Generator rng(7);
  std::cout << "noise of spread " << stddev(rng.normal(0, 0.5, {{1'000'000}})).item<double>()
            << "\n\n";

  // Errors are exceptions, with the messages that Python users see.
  try {
    plate + zeros({3});
  } catch (const value_error& e) {
    std::cout << "error: " << e.what() << '\n';
  }
  return 0;
}
