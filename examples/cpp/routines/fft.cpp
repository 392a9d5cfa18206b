// Fourier transforms, and the frequencies that go with them.
#include <heddle/fft.h>

#include <iostream>
#include <numbers>

#include <heddle/creation.h>
#include <heddle/ufuncs.h>

using namespace heddle;

int main() {
  const array t = arange(8) / 8.0;
  const array spectrum = abs(fft::rfft(sin(2 * std::numbers::pi * 2 * t)));
  std::cout << "the strongest frequency is "
            << fft::rfftfreq(8, 1 / 8.0)(argmax(spectrum)).get().item<double>() << '\n';
  std::cout << fft::fftfreq(4) << '\n' << fft::fftshift(fft::fftfreq(4)) << '\n';
  const array back = fft::irfft2(fft::rfft2(ones({4, 4})));
  std::cout << "there and back: " << sum(back).item<double>() << '\n';
  return 0;
}

// Prints:
//   the strongest frequency is 2
//   [ 0.    0.25 -0.5  -0.25]
//   [-0.5  -0.25  0.    0.25]
//   there and back: 16
