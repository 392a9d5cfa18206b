// Products of vectors and matrices in a type: what heddle/products.h and Python's generalized
// ufuncs have in common.
#pragma once

#include <optional>

#include <heddle/array.h>

namespace heddle {

// Products that broadcast all but a few axes at the end.
enum class Product : std::uint8_t { matmul, vecdot, matvec, vecmat };

struct ProductInfo {
  const char* name;
  const char* signature;  // the axes at the end, as NumPy writes them
  const char* doc;
  int axes[2];  // of each operand at least
};
HEDDLE_API const ProductInfo& info(Product product);

// Computed in `dtype`, or in NumPy's common type. Throws value_error, with the product's name,
// where shapes do not fit.
HEDDLE_API array multiply(Product product, const array& a, const array& b,
                          std::optional<Dtype> dtype = std::nullopt);

// (..., m, k) times (..., k, n), leading axes broadcast: by BLAS where it has the type and m or n
// is more than 1, else as a sum of products.
HEDDLE_API array matrix_product(const array& a, const array& b, Dtype dtype);

}  // namespace heddle
