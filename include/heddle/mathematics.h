/// @file
/// Mathematical functions beyond the element-wise ones of ufuncs.h and the reductions: differences
/// and integrals, interpolation and convolution, rounding, windows, bits.
///
///     array slope = gradient(height, {0.5})[0];
///     array smooth = convolve(signal, hanning(9) / 4, Overlap::same);
///     array y = interp(x, knots, values);
#pragma once

#include <numbers>
#include <optional>
#include <vector>

#include <heddle/array.h>
#include <heddle/reductions.h>

namespace heddle {

// --- differences and integrals ---

/// The n-th differences of neighbours along an axis; of bool whether they differ.
HEDDLE_API array diff(const array& a, std::int64_t n = 1, std::int64_t axis = -1);
/// The same with elements, or 0-d arrays for one each, before and behind the array.
HEDDLE_API array diff(const array& a, std::int64_t n, std::int64_t axis,
                      const std::optional<array>& prepend, const std::optional<array>& append);
/// Differences of neighbours in the flattened array, with ends put around them.
HEDDLE_API array ediff1d(const array& a, const std::optional<array>& to_end = std::nullopt,
                         const std::optional<array>& to_begin = std::nullopt);

/// The distance of samples along an axis: one number, or the coordinates of all.
class Distance {
 public:
  template <class T>
    requires(std::integral<T> || std::floating_point<T>)
  Distance(T step) : step_(static_cast<double>(step)) {}
  Distance(array coordinates) : coordinates_(std::move(coordinates)) {}
  double step() const { return step_; }
  const std::optional<array>& coordinates() const { return coordinates_; }

 private:
  double step_ = 1;
  std::optional<array> coordinates_;
};
/// For each axis the slopes along it, of second order inside and of `edge_order`, 1 or 2, at the
/// ends. Distances are for each axis, or one for all; 1 by default.
HEDDLE_API std::vector<array> gradient(const array& f, const std::vector<Distance>& distances = {},
                                       const Axes& axis = {}, int edge_order = 1);
/// The integral along an axis by the trapezoidal rule; samples are dx apart, or at x.
HEDDLE_API array trapezoid(const array& y, double dx = 1, std::int64_t axis = -1);
HEDDLE_API array trapezoid(const array& y, const array& x, std::int64_t axis = -1);
/// Without jumps of more than `discont`, by default half a period, along an axis.
HEDDLE_API array unwrap(const array& p, std::optional<Scalar> discont = std::nullopt,
                        std::int64_t axis = -1, Scalar period = 2 * std::numbers::pi);
/// The cross product of vectors of three components along the axes; of two, the third one of it.
HEDDLE_API array cross(const array& a, const array& b, std::int64_t axis_of_a = -1,
                       std::int64_t axis_of_b = -1, std::int64_t axis_of_result = -1);

// --- sequences ---

/// Which overlaps of two sequences count: full ones; as many as the longer one has elements; all.
enum class Overlap : std::uint8_t { valid, same, full };
/// Sums of products of one sequence with the other one turned round. Long floating-point sequences
/// go through their spectra, in double precision.
HEDDLE_API array convolve(const array& a, const array& v, Overlap overlap = Overlap::full);
/// The sums of a[n + k] times the conjugate of v[n].
HEDDLE_API array correlate(const array& a, const array& v, Overlap overlap = Overlap::valid);

/// What interpolation gives beyond its points.
struct InterpolationOptions {
  std::optional<array> left = std::nullopt;     ///< before the first point; by default its value
  std::optional<array> right = std::nullopt;    ///< beyond the last one
  std::optional<double> period = std::nullopt;  ///< points repeat
};
/// Linear interpolation at x between the points (xp, fp), of which xp ascends.
HEDDLE_API array interp(const array& x, const array& xp, const array& fp,
                        const InterpolationOptions& how = {});

// --- rounding, parts and replacements ---

/// To so many decimals, halves to even; also of integers, where decimals are negative.
HEDDLE_API array round(const array& a, std::int64_t decimals = 0);
inline array around(const array& a, std::int64_t decimals = 0) { return round(a, decimals); }
/// To whole numbers towards zero.
HEDDLE_API array fix(const array& a);
/// nans, and infinities of both signs, replaced: by zero and the largest numbers of the type.
HEDDLE_API array nan_to_num(const array& a, const array& nan = array(Scalar(0.0)),
                            const std::optional<array>& posinf = std::nullopt,
                            const std::optional<array>& neginf = std::nullopt);
/// The angle of complex numbers in radians, or in degrees.
HEDDLE_API array angle(const array& z, bool degrees = false);
/// The real part where all imaginary ones are below `tolerance` (times the precision of the type,
/// if it is more than 1), else the array.
HEDDLE_API array real_if_close(const array& a, double tolerance = 100);
/// sin(pi x) / (pi x), and 1 at zero.
HEDDLE_API array sinc(const array& x);
/// The modified Bessel function of the first kind and order zero.
HEDDLE_API array i0(const array& x);

// --- windows of so many points ---

HEDDLE_API array bartlett(double points);  ///< a triangle, zero at both ends
HEDDLE_API array blackman(double points);  ///< the first three terms of cosines
HEDDLE_API array hamming(double points);   ///< a raised cosine that does not reach zero
HEDDLE_API array hanning(double points);   ///< a raised cosine, zero at both ends
/// A larger beta makes a wider main lobe, and lowers the others.
HEDDLE_API array kaiser(double points, double beta);

// --- bits ---

/// Truth values packed into the bits of uint8 along an axis, the highest bit first unless `little`.
HEDDLE_API array packbits(const array& a, std::optional<std::int64_t> axis = std::nullopt,
                          bool little = false);
/// The bits of uint8 as zeros and ones; `count` of them, or all but so many if it is negative.
HEDDLE_API array unpackbits(const array& a, std::optional<std::int64_t> axis = std::nullopt,
                            std::optional<std::int64_t> count = std::nullopt, bool little = false);

}  // namespace heddle
