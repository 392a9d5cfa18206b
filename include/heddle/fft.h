/// @file
/// Discrete Fourier transforms. Deferred, as element-wise functions are; each is a step of its own.
///
///     fft::fft(a)                                     // along the last axis
///     fft::rfft(a, {.points = 1024, .axis = 0})       // cropped or padded with zeros to 1024
///     points fft::fftn(a, {.axes = {0, 1}, .norm = fft::Norm::ortho})
#pragma once

#include <cstdint>
#include <optional>

#include <heddle/array.h>
#include <heddle/reductions.h>

namespace heddle::fft {

/// Which direction is scaled by the number of points: the inverse one, both by its root, the
/// forward one.
enum class Norm : std::uint8_t { backward, ortho, forward };

/// Options of transforms along one axis.
struct Options {
  std::optional<std::int64_t> points = std::nullopt;  ///< by default as many as there are
  std::int64_t axis = -1;
  Norm norm = Norm::backward;
};

/// Options of transforms along several.
struct OptionsN {
  Axes axes = {};                             ///< by default all
  std::optional<Dims> points = std::nullopt;  ///< for each of the axes
  Norm norm = Norm::backward;
};

/// Results are complex64 for float32 and what is smaller, else complex128; real ones likewise.
HEDDLE_API array fft(const array& a, const Options& options = {});
HEDDLE_API array ifft(const array& a, const Options& options = {});
/// Of real numbers: the first half of the spectrum; and back, by default to an even number of
/// points.
HEDDLE_API array rfft(const array& a, const Options& options = {});
HEDDLE_API array irfft(const array& a, const Options& options = {});
/// Along several axes; of real numbers the last one has half of the spectrum.
HEDDLE_API array fftn(const array& a, const OptionsN& options = {});
HEDDLE_API array ifftn(const array& a, const OptionsN& options = {});
HEDDLE_API array rfftn(const array& a, const OptionsN& options = {});
HEDDLE_API array irfftn(const array& a, const OptionsN& options = {});

/// Along the last two axes, unless others are named.
HEDDLE_API array fft2(const array& a, const OptionsN& options = {});
HEDDLE_API array ifft2(const array& a, const OptionsN& options = {});
HEDDLE_API array rfft2(const array& a, const OptionsN& options = {});
HEDDLE_API array irfft2(const array& a, const OptionsN& options = {});
/// Of a signal with Hermitian symmetry, given by its first half: real numbers; and back.
HEDDLE_API array hfft(const array& a, const Options& options = {});
HEDDLE_API array ihfft(const array& a, const Options& options = {});

/// The frequencies of the elements of a transform of n samples, which are d apart; of real samples.
HEDDLE_API array fftfreq(std::int64_t n, double d = 1);
HEDDLE_API array rfftfreq(std::int64_t n, double d = 1);
/// The zero frequency moved to the middle, along all axes or those named; and back.
HEDDLE_API array fftshift(const array& a, const Axes& axes = {});
HEDDLE_API array ifftshift(const array& a, const Axes& axes = {});

}  // namespace heddle::fft
