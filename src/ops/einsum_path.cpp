// In which order einsum contracts its operands: two at a time, so that the work is small. Operands
// are sets of labels here.
#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>

#include "core/per_thread.h"
#include "ops/einsum.h"

namespace heddle::einstein {

namespace {

using Labels = std::set<char>;

double size_of(const Labels& labels, const Sizes& sizes) {
  double size = 1;
  for (char label : labels) size *= static_cast<double>(sizes.at(label));
  return size;
}

Labels joined(const Labels& a, const Labels& b) {
  Labels all = a;
  all.insert(b.begin(), b.end());
  return all;
}

bool meet(const Labels& a, const Labels& b) {
  return std::ranges::any_of(a, [&](char label) { return b.contains(label); });
}

// Multiplications and additions of a contraction over these labels.
double work_of(const Labels& labels, std::size_t operands, bool summed, const Sizes& sizes) {
  const auto products = std::max<std::size_t>(1, operands - 1);
  return size_of(labels, sizes) * static_cast<double>(products + (summed ? 1 : 0));
}

struct Step {
  Labels involved, result;
  bool sums() const { return involved.size() != result.size(); }
};

// Of the pair at two positions, when others are left.
Step step_of(std::size_t i, std::size_t j, const std::vector<Labels>& operands,
             const Labels& output) {
  Step step{joined(operands[i], operands[j]), {}};
  Labels needed = output;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (k != i && k != j) needed.insert(operands[k].begin(), operands[k].end());
  }
  for (char label : step.involved) {
    if (needed.contains(label)) step.result.insert(label);
  }
  return step;
}

Dims all_of(std::size_t count) {
  Dims positions;
  for (std::size_t i = 0; i < count; ++i) positions.push_back(static_cast<std::int64_t>(i));
  return positions;
}

std::vector<Labels> without(const std::vector<Labels>& operands, std::size_t i, std::size_t j) {
  std::vector<Labels> left;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (k != i && k != j) left.push_back(operands[k]);
  }
  return left;
}

struct Bounds {
  const Labels& output;
  const Sizes& sizes;
  double limit;
};

// A pair that may be next: what it frees, and what it takes.
struct Candidate {
  double freed, work;
  std::size_t names[2];
  bool operator<(const Candidate& other) const {
    return freed != other.freed ? freed > other.freed : work < other.work;
  }
};

// At each step the pair whose result takes the least memory, compared with its operands.
class Greedy {
 public:
  Greedy(const std::vector<Labels>& operands, const Bounds& search)
      : search_(search), named_(operands) {
    Labels everything;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      everything = joined(everything, operands[i]);
      live_.push_back(i);
    }
    const bool sums =
        std::ranges::any_of(everything, [&](char label) { return !search.output.contains(label); });
    most_ = work_of(everything, operands.size(), sums, search.sizes);
  }

  Path find() {
    Path path;
    std::vector<std::pair<std::size_t, std::size_t>> fresh = pairs();
    for (auto count = live_.size(); count > 1; --count) {
      consider(fresh, false);
      if (known_.empty()) consider(pairs(), true);  // outer products, if nothing else is left
      if (known_.empty()) {
        path.push_back(all_of(live_.size()));
        break;
      }
      const Candidate best = *std::min_element(known_.begin(), known_.end());
      const auto i = place_of(best.names[0]), j = place_of(best.names[1]);
      named_.push_back(step_of(i, j, current(), search_.output).result);
      path.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)});
      spent_ += best.work;
      auto uses = [&](std::size_t name) { return name == best.names[0] || name == best.names[1]; };
      std::erase_if(live_, uses);
      std::erase_if(known_,
                    [&](const Candidate& c) { return uses(c.names[0]) || uses(c.names[1]); });
      fresh.clear();
      for (auto name : live_) fresh.emplace_back(name, named_.size() - 1);
      live_.push_back(named_.size() - 1);
    }
    return path;
  }

 private:
  std::vector<std::pair<std::size_t, std::size_t>> pairs() const {
    std::vector<std::pair<std::size_t, std::size_t>> all;
    for (std::size_t i = 0; i < live_.size(); ++i) {
      for (auto j = i + 1; j < live_.size(); ++j) all.emplace_back(live_[i], live_[j]);
    }
    return all;
  }
  std::size_t place_of(std::size_t name) const {
    return static_cast<std::size_t>(std::ranges::find(live_, name) - live_.begin());
  }
  std::vector<Labels> current() const {
    std::vector<Labels> all;
    for (auto name : live_) all.push_back(named_[name]);
    return all;
  }
  void consider(const std::vector<std::pair<std::size_t, std::size_t>>& fresh, bool apart) {
    const auto operands = current();
    for (const auto& [first, second] : fresh) {
      const Labels &a = named_[first], &b = named_[second];
      if (!apart && !meet(a, b)) continue;
      const Step step = step_of(place_of(first), place_of(second), operands, search_.output);
      const double size = size_of(step.result, search_.sizes);
      const double work = work_of(step.involved, 2, step.sums(), search_.sizes);
      if (size > search_.limit || spent_ + work > most_) continue;
      const double freed = size_of(a, search_.sizes) + size_of(b, search_.sizes) - size;
      known_.push_back({freed, work, {first, second}});
    }
  }

  const Bounds& search_;
  std::vector<Labels> named_;      // operands, and results as they come
  std::vector<std::size_t> live_;  // the names of those that are still there
  std::vector<Candidate> known_;
  double most_ = 0, spent_ = 0;
};

// The path of least work, by trying all of them.
Path optimal(const std::vector<Labels>& operands, const Bounds& search) {
  struct Found {
    double spent;
    Path path;
    std::vector<Labels> left;
  };
  auto best = [](const std::vector<Found>& all) {
    return *std::min_element(all.begin(), all.end(),
                             [](const Found& a, const Found& b) { return a.spent < b.spent; });
  };
  std::vector<Found> found{{0, {}, operands}};
  for (auto left = operands.size(); left > 1; --left) {
    std::vector<Found> further;
    for (const Found& each : found) {
      for (std::size_t i = 0; i < left; ++i) {
        for (auto j = i + 1; j < left; ++j) {
          const Step step = step_of(i, j, each.left, search.output);
          if (size_of(step.result, search.sizes) > search.limit) continue;
          Found next{each.spent + work_of(step.involved, 2, step.sums(), search.sizes), each.path,
                     without(each.left, i, j)};
          next.path.push_back({static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)});
          next.left.push_back(step.result);
          further.push_back(std::move(next));
        }
      }
    }
    if (further.empty()) {  // nothing fits: the rest at once
      Path path = best(found).path;
      path.push_back(all_of(left));
      return path;
    }
    found = std::move(further);
  }
  return best(found).path;
}

Path searched_path(const Expression& expression, Search search, std::optional<double> limit) {
  const auto count = expression.terms.size();
  const Labels output(expression.output.begin(), expression.output.end());
  std::vector<Labels> operands;
  Labels everything;
  double largest = size_of(output, expression.sizes);
  for (const std::string& term : expression.terms) {
    operands.emplace_back(term.begin(), term.end());
    everything = joined(everything, operands.back());
    double size = 1;  // with an axis for each label, those of diagonals included
    for (char label : term) size *= static_cast<double>(expression.sizes.at(label));
    largest = std::max(largest, size);
  }
  if (everything == output) return {all_of(count)};
  const Bounds how{output, expression.sizes, limit.value_or(largest)};
  return search == Search::greedy ? Greedy(operands, how).find() : optimal(operands, how);
}

// What a search depends on.
std::string key_of(const Expression& expression, Search search, std::optional<double> limit) {
  std::string key(1, static_cast<char>(search));
  auto add = [&key](const auto& number) {
    key.append(reinterpret_cast<const char*>(&number), sizeof number);
  };
  add(limit.value_or(-1));
  for (const auto& [label, extent] : expression.sizes) {
    key += label;
    add(extent);
  }
  for (const std::string& term : expression.terms) key += term + ',';
  return key + expression.output;
}

}  // namespace

Path find_path(const Expression& expression, Search search, std::optional<double> limit) {
  const auto count = expression.terms.size();
  if (search == Search::all_at_once || count <= 2) return {all_of(count)};
  // Programs contract the same again and again, and searching takes longer than small products.
  struct Known {
    std::unordered_map<std::string, Path> paths;
  };
  auto& known = PerThread<Known>::own().paths;
  constexpr std::size_t most = 256;
  if (known.size() >= most) known.clear();
  std::string key = key_of(expression, search, limit);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known.emplace(std::move(key), searched_path(expression, search, limit)).first->second;
}

}  // namespace heddle::einstein
