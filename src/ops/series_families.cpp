#include "ops/series_families.h"

#include <numbers>

#include <fmt/format.h>

#include <heddle/errors.h>

namespace heddle::polynomial {

namespace {

constexpr double root_of_pi = 1.7724538509055160273;

constexpr FamilyFacts table[] = {
    {"poly", -1, 1, 1, 0},          {"cheb", -1, 1, std::numbers::pi, 2},
    {"leg", -1, 1, 2, 2},           {"lag", 0, 1, 1, 1},
    {"herm", -1, 1, root_of_pi, 0}, {"herme", -1, 1, std::numbers::sqrt2 * root_of_pi, 0},
};

}  // namespace

const FamilyFacts& facts(Family family) { return table[static_cast<std::size_t>(family)]; }

Family family_of(std::string_view prefix) {
  for (const FamilyFacts& each : table) {
    if (each.prefix == prefix) return static_cast<Family>(&each - table);
  }
  throw value_error(fmt::format("there is no family of polynomials '{}'", prefix));
}

Recurrence recurrence(Family family, std::int64_t degree) {
  const auto n = static_cast<double>(degree);
  switch (family) {
    case Family::power:
      return {1, 1, 0, 0};
    case Family::chebyshev:
      return {1, degree == 0 ? 1.0 : 2.0, 0, 1};
    case Family::legendre:
      return {n + 1, 2 * n + 1, 0, n};
    case Family::laguerre:
      return {n + 1, -1, 2 * n + 1, n};
    case Family::hermite:
      return {1, 2, 0, 2 * n};
    case Family::hermite_e:
      return {1, 1, 0, n};
  }
  return {1, 1, 0, 0};
}

Terms times_x(Family family, std::int64_t n) {
  const Recurrence r = recurrence(family, n);
  return {r.p / r.q, -r.r / r.q, r.s / r.q};
}

Terms integral_of(Family family, std::int64_t degree) {
  const auto n = static_cast<double>(degree);
  switch (family) {
    case Family::power:
    case Family::hermite_e:
      return {1 / (n + 1), 0, 0};
    case Family::chebyshev:
      return {(degree == 0 ? 1 : 0.5) / (n + 1), 0, degree > 1 ? -1 / (2 * (n - 1)) : 0};
    case Family::legendre:
      return {1 / (2 * n + 1), 0, degree > 1 ? -1 / (2 * n + 1) : 0};
    case Family::laguerre:
      return {-1, 1, 0};
    case Family::hermite:
      return {1 / (2 * (n + 1)), 0, 0};
  }
  return {0, 0, 0};
}

double before(Family family, std::int64_t j) {
  switch (family) {
    case Family::power:
    case Family::hermite_e:
      return static_cast<double>(j);
    case Family::chebyshev:
    case Family::hermite:
      return 2 * static_cast<double>(j);
    case Family::legendre:
      return 1;
    case Family::laguerre:
      return -1;
  }
  return 1;
}

double after(Family family, std::int64_t i) {
  if (family == Family::chebyshev) return i == 0 ? 0.5 : 1;
  if (family == Family::legendre) return 2 * static_cast<double>(i) + 1;
  return 1;
}

}  // namespace heddle::polynomial
