// Contractions: one of two operands that is a product of matrices is given to BLAS, after moving
// axes; any other one is a broadcast product and a sum in one kernel.
#include "ops/einsum.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "ops/compose.h"
#include "ops/products.h"
#include "ops/reduction.h"
#include <heddle/errors.h>
#include <heddle/manipulation.h>

namespace heddle::einstein {

// --- subscripts ---

namespace {

bool is_label(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

constexpr std::string_view symbols = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

struct Terms {
  std::vector<std::string> inputs;
  std::optional<std::string> output;
};

Terms split_terms(std::string_view text) {
  std::string plain;
  for (char c : text) {
    if (c != ' ') plain += c;
  }
  const auto arrow = plain.find("->");
  const std::string inputs = plain.substr(0, arrow);
  const std::string rest = arrow == plain.npos ? "" : plain.substr(arrow + 2);
  for (char c : inputs + rest) {
    if (is_label(c) || c == '.' || c == ',') continue;
    throw value_error(
        fmt::format("invalid subscript '{}' in einstein sum subscripts string, "
                    "subscripts must be letters",
                    c));
  }
  if (rest.find(',') != rest.npos) {
    throw value_error("einsum: the output has one term, without ','");
  }
  Terms terms;
  for (std::size_t first = 0;;) {
    const auto last = inputs.find(',', first);
    terms.inputs.push_back(inputs.substr(first, last - first));
    if (last == inputs.npos) break;
    first = last + 1;
  }
  if (arrow != plain.npos) terms.output = rest;
  return terms;
}

void check_dots(const std::string& term, const std::string& where) {
  const auto dots = std::ranges::count(term, '.');
  if (dots == 0 || (dots == 3 && term.find("...") != term.npos)) return;
  throw value_error(
      fmt::format("einstein sum subscripts string contains a '.' that is not part of "
                  "an ellipsis ('...') {}",
                  where));
}

bool has_ellipsis(const std::string& term) { return term.find('.') != term.npos; }

std::string with_ellipsis(std::string term, const std::string& labels) {
  const auto at = term.find("...");
  return at == term.npos ? term : term.replace(at, 3, labels);
}

// Ellipses become labels that nobody uses; they are broadcast from the last axis on.
class Ellipses {
 public:
  explicit Ellipses(const Terms& terms) {
    std::string used = terms.output.value_or("");
    for (const std::string& term : terms.inputs) used += term;
    for (char label : symbols) {
      if (used.find(label) == used.npos) free_ += label;
    }
  }
  // An operand's term, for as many axes as it has.
  std::string spread(const std::string& term, std::int64_t rank, std::size_t operand) {
    const auto named = static_cast<std::int64_t>(term.size()) - (has_ellipsis(term) ? 3 : 0);
    if (named > rank) {
      throw value_error(fmt::format(
          "einstein sum subscripts string contains too many subscripts for operand {}", operand));
    }
    const auto count = static_cast<std::size_t>(rank - named);
    if (count > 0 && !has_ellipsis(term)) {
      throw value_error(
          "operand has more dimensions than subscripts given in einstein sum, but no '...' "
          "ellipsis provided to broadcast the extra dimensions.");
    }
    longest_ = std::max(longest_, count);
    if (longest_ > free_.size()) throw value_error("einsum: too many dimensions");
    return with_ellipsis(term, last(count));
  }
  // The labels of the longest.
  std::string all() const { return last(longest_); }

 private:
  std::string last(std::size_t count) const { return free_.substr(free_.size() - count); }
  std::string free_;
  std::size_t longest_ = 0;
};

// The labels that occur once, in alphabetical order.
std::string single_labels(const std::vector<std::string>& terms) {
  std::string letters;
  for (const std::string& term : terms) letters += term;
  std::string single;
  for (char label : symbols) {
    if (std::ranges::count(letters, label) == 1) single += label;
  }
  return single;
}

void check_output(const Expression& expression) {
  for (char label : expression.output) {
    if (std::ranges::count(expression.output, label) > 1) {
      throw value_error(fmt::format(
          "einstein sum subscripts string includes output subscript '{}' multiple times", label));
    }
    const bool known = std::ranges::any_of(
        expression.terms, [&](const std::string& term) { return term.find(label) != term.npos; });
    if (!known) {
      throw value_error(
          fmt::format("einstein sum subscripts string included output subscript "
                      "'{}' which never appeared in an input",
                      label));
    }
  }
}

void measure(Expression& expression, const std::vector<Dims>& shapes) {
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Sizes own;
    for (std::size_t d = 0; d < expression.terms[i].size(); ++d) {
      const char label = expression.terms[i][d];
      const auto extent = shapes[i][static_cast<std::int64_t>(d)];
      const auto mine = own.try_emplace(label, extent).first->second;
      if (mine != extent) {
        throw value_error(fmt::format(
            "dimensions in single operand for collapsing index '{}' don't match ({} != {})", label,
            mine, extent));
      }
      auto& size = expression.sizes.try_emplace(label, extent).first->second;
      if (size == 1) size = extent;
      if (extent == 1 || extent == size) continue;
      std::string all;
      for (const Dims& shape : shapes) all += " " + to_string(shape);
      throw value_error(
          fmt::format("operands could not be broadcast together: label '{}' has the "
                      "sizes {} and {}, of shapes{}",
                      label, size, extent, all));
    }
  }
}

}  // namespace

Expression parse(std::string_view text, const std::vector<Dims>& shapes, bool sum_ellipses) {
  const Terms terms = split_terms(text);
  if (terms.inputs.size() != shapes.size()) {
    throw value_error(
        fmt::format("{} operands provided to einstein sum function than specified in the "
                    "subscripts string",
                    terms.inputs.size() > shapes.size() ? "more" : "fewer"));
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    check_dots(terms.inputs[i], fmt::format("in operand {}", i));
  }
  if (terms.output) check_dots(*terms.output, "in the output");
  Ellipses ellipses(terms);
  Expression expression;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    expression.terms.push_back(ellipses.spread(terms.inputs[i], shapes[i].size(), i));
  }
  if (!terms.output) {
    expression.output = ellipses.all() + single_labels(terms.inputs);
  } else {
    if (!ellipses.all().empty() && !has_ellipsis(*terms.output) && !sum_ellipses) {
      throw value_error(
          "output has more dimensions than subscripts given in einstein sum, but no '...' ellipsis "
          "provided to broadcast the extra dimensions.");
    }
    expression.output = with_ellipsis(*terms.output, ellipses.all());
  }
  check_output(expression);
  measure(expression, shapes);
  return expression;
}

// --- contractions ---

namespace {

bool has(const std::string& labels, char label) { return labels.find(label) != labels.npos; }

template <class F>
std::string chosen(const std::string& labels, F keep) {
  std::string kept;
  for (char label : labels) {
    if (keep(label)) kept += label;
  }
  return kept;
}

std::string once(const std::string& labels) {
  std::string kept;
  for (char label : labels) {
    if (!has(kept, label)) kept += label;
  }
  return kept;
}

// An array with a label for each axis.
struct Labelled {
  array a;
  std::string term;

  std::int64_t extent(char label) const {
    return a.shape()[static_cast<std::int64_t>(term.find(label))];
  }
  Dims extents(const std::string& labels) const {
    Dims all;
    for (char label : labels) all.push_back(extent(label));
    return all;
  }

  // Axes that share a label become their diagonal.
  void take_diagonals() {
    const std::string single = once(term);
    if (single == term) return;
    Layout layout{extents(single), Dims(static_cast<std::int64_t>(single.size()), 0),
                  a.layout().offset};
    for (std::size_t d = 0; d < term.size(); ++d) {
      layout.strides[static_cast<std::int64_t>(single.find(term[d]))] +=
          a.layout().strides[static_cast<std::int64_t>(d)];
    }
    a = a.view_as(std::move(layout), a.dtype());
    term = single;
  }

  // Without axes that are broadcast along those of other operands.
  void drop_single(const Sizes& sizes) {
    const std::string kept =
        chosen(term, [&](char label) { return extent(label) != 1 || sizes.at(label) == 1; });
    if (kept == term) return;
    a = a.reshape(extents(kept));
    term = kept;
  }

  // Without labels that nobody else needs.
  void sum_others(const std::string& needed, Dtype type) {
    std::uint64_t axes = 0;
    for (std::size_t d = 0; d < term.size(); ++d) {
      if (!has(needed, term[d])) axes |= std::uint64_t{1} << d;
    }
    if (axes == 0) return;
    a = reduce(type == Dtype::bool_ ? Op::logical_or : Op::add, as_type(a, type), axes, false,
               type);
    term = chosen(term, [&](char label) { return has(needed, label); });
  }

  // The axes in the order of the labels.
  void arrange(const std::string& wanted) {
    if (term == wanted) return;
    Dims order;
    for (char label : wanted) order.push_back(static_cast<std::int64_t>(term.find(label)));
    a = a.transpose(order);
    term = wanted;
  }

  // The same with axes of extent one for labels that it has not.
  void spread(const std::string& wanted) {
    arrange(chosen(wanted, [&](char label) { return has(term, label); }));
    if (term == wanted) return;
    Dims shape;
    for (char label : wanted) shape.push_back(has(term, label) ? extent(label) : 1);
    a = a.reshape(shape);
    term = wanted;
  }

  void reshape(const Dims& shape) {
    if (a.shape() != shape) a = a.reshape(shape);
  }
};

Dims joined(Dims first, const Dims& second) {
  for (auto extent : second) first.push_back(extent);
  return first;
}

std::int64_t product(const Dims& extents) { return size_of(extents); }

// The broadcast product of all operands, summed over what the output has not.
array multiplied(std::vector<Labelled> operands, const std::string& output, Dtype type) {
  const bool dot = operands.size() == 2 && output.empty() && operands[0].term.size() == 1 &&
                   operands[1].term.size() == 1;
  if (dot) return multiply(Product::matmul, operands[0].a, operands[1].a, type);
  std::string all;
  for (const Labelled& each : operands) all += each.term;
  const std::string summed = once(chosen(all, [&](char label) { return !has(output, label); }));
  const Op times = type == Dtype::bool_ ? Op::logical_and : Op::multiply;
  std::optional<array> made;
  for (Labelled& each : operands) {
    each.a = as_type(each.a, type);
    each.spread(output + summed);
    made = made ? elementwise(times, {*made, each.a}) : each.a;
  }
  Labelled result{*made, output + summed};
  result.sum_others(output, type);
  return result.a;
}

// Two operands as a product of matrices, if it is one.
std::optional<array> as_matrix_product(Labelled a, Labelled b, const std::string& output,
                                       Dtype type) {
  const std::string both = chosen(a.term, [&](char label) { return has(b.term, label); });
  const std::string batch = chosen(both, [&](char label) { return has(output, label); });
  const std::string inner = chosen(both, [&](char label) { return !has(output, label); });
  const std::string rows = chosen(a.term, [&](char label) { return !has(b.term, label); });
  const std::string columns = chosen(b.term, [&](char label) { return !has(a.term, label); });
  const auto height = product(a.extents(rows)), width = product(b.extents(columns));
  // With one row and column it is a dot product, which needs no axes in any order.
  if (inner.empty() || height * width <= 1) return std::nullopt;
  const Dims stack = a.extents(batch);
  const auto depth = product(a.extents(inner));
  const Dims shape = joined(joined(stack, a.extents(rows)), b.extents(columns));
  a.arrange(batch + rows + inner);
  b.arrange(batch + inner + columns);
  a.reshape(joined(stack, {height, depth}));
  b.reshape(joined(stack, {depth, width}));
  Labelled result{matrix_product(a.a, b.a, type), batch + rows + columns};
  result.reshape(shape);
  result.spread(output);
  return result.a;
}

// One step of the path.
array contracted(std::vector<Labelled> operands, const std::string& output, const Sizes& sizes,
                 Dtype type) {
  for (std::size_t i = 0; i < operands.size(); ++i) {
    std::string needed = output;
    for (std::size_t j = 0; j < operands.size(); ++j) {
      if (j != i) needed += operands[j].term;
    }
    operands[i].take_diagonals();
    operands[i].drop_single(sizes);
    operands[i].sum_others(needed, type);
  }
  if (operands.size() == 2) {
    auto &a = operands[0], &b = operands[1];
    // What is broadcast in one operand is the other's alone.
    a.sum_others(output + b.term, type);
    b.sum_others(output + a.term, type);
    // The result is in C order if its first axis is the left operand's.
    const std::string alone =
        chosen(output, [&](char label) { return has(a.term, label) != has(b.term, label); });
    const bool turned = !alone.empty() && has(b.term, alone[0]);
    if (type != Dtype::bool_) {
      auto made = as_matrix_product(turned ? b : a, turned ? a : b, output, type);
      if (made) return *std::move(made);
    }
  }
  return multiplied(std::move(operands), output, type);
}

// The labels of a result in between, the smallest extents first.
std::string result_of(const std::vector<Labelled>& taken, const std::vector<Labelled>& left,
                      const Expression& expression) {
  std::string all, needed = expression.output;
  for (const Labelled& each : taken) all += each.term;
  for (const Labelled& each : left) needed += each.term;
  std::string made = once(chosen(all, [&](char label) { return has(needed, label); }));
  std::ranges::sort(made, {},
                    [&](char label) { return std::pair(expression.sizes.at(label), label); });
  return made;
}

}  // namespace

array view(const array& a, const Expression& expression) {
  Labelled whole{a, expression.terms[0]};
  whole.take_diagonals();
  whole.arrange(expression.output);
  return whole.a;
}

array contract(const Expression& expression, const Path& path, std::vector<array> operands,
               Dtype dtype) {
  // Sums of half precision are rounded once, at the end.
  const Dtype type = is_half(dtype) ? Dtype::float32 : dtype;
  std::vector<Labelled> left;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    left.push_back({std::move(operands[i]), expression.terms[i]});
  }
  for (std::size_t i = 0; i < path.size(); ++i) {
    Dims positions = path[i];
    std::sort(positions.begin(), positions.end(), std::greater<>());
    std::vector<Labelled> taken;
    for (auto position : positions) {
      if (position < 0 || position >= static_cast<std::int64_t>(left.size())) {
        throw index_error("einsum: a path names operands that are not there");
      }
      taken.push_back(std::move(left[static_cast<std::size_t>(position)]));
      left.erase(left.begin() + position);
    }
    const bool last = i + 1 == path.size();
    const std::string term = last ? expression.output : result_of(taken, left, expression);
    left.push_back({contracted(std::move(taken), term, expression.sizes, type), term});
  }
  if (left.size() != 1) {
    throw error(
        fmt::format("Invalid einsum_path is specified: {} more operands has to be contracted.",
                    left.size() - 1));
  }
  return as_type(left[0].a, dtype);
}

}  // namespace heddle::einstein

namespace heddle {

namespace {

einstein::Expression expression_of(std::string_view subscripts, const std::vector<array>& operands,
                                   bool sum_ellipses) {
  if (operands.empty()) {
    throw value_error(
        "must specify the einstein sum subscripts string and at least one operand, or at least one "
        "operand and its corresponding subscripts list");
  }
  std::vector<Dims> shapes;
  for (const array& a : operands) shapes.push_back(a.shape());
  return einstein::parse(subscripts, shapes, sum_ellipses);
}

}  // namespace

array einsum(std::string_view subscripts, const std::vector<array>& operands,
             std::optional<Dtype> dtype) {
  const auto expression = expression_of(subscripts, operands, false);
  const std::vector<Input> inputs(operands.begin(), operands.end());
  const Dtype type = dtype.value_or(common_type(inputs));
  return einstein::contract(expression, find_path(expression, einstein::Search::greedy), operands,
                            type);
}

std::vector<Dims> einsum_path(std::string_view subscripts, const std::vector<array>& operands,
                              bool optimal) {
  const auto search = optimal ? einstein::Search::optimal : einstein::Search::greedy;
  return find_path(expression_of(subscripts, operands, true), search);
}

}  // namespace heddle
