// What planning asks about single nodes and their operands, whatever becomes of them.
#pragma once

#include "graph/node.h"

namespace heddle::graph {

// Sums of so few elements, where there are so many of them, are each done by one lane, in order.
inline constexpr std::int64_t short_sum = 8, many_rows = 64;

// The node that makes what the operand reads, if it is one of the collected ones.
const Node* made_by(const Operand& operand);
// The iteration space of a node: its shape, or its operand's for reductions.
const Dims& iteration_shape(const Node& node);
// Whether the operand is read element for element in C order from offset 0.
bool reads_densely(const Operand& operand, const Dims& space);
// Whether it is the same element, or number, for the whole space.
bool is_single(const Operand& operand);
// Whether a number may stand where it reads a value of one number.
bool takes_numbers(const Node& node);
// What the elements of a value take.
std::size_t bytes_of(const Value& value);
// A plain assignment to a slice.
bool is_plain_update(const Node& node);
// Whether an update that cannot be in place had better write to fresh memory, and copy the few
// elements around, than to a temporary first: it changes most of the elements.
bool changes_most(const Node& update);
// Whether the node reads the operand at places that are not those of its own elements, so that it
// has to be memory: what a gather reads from, and what an update writes into.
bool reads_anywhere(const Node& node, int operand);
// Whether the node makes a kernel that computes it walk over rows, instead of all elements as one.
bool needs_rows(const Node& node, const Dims& space);

}  // namespace heddle::graph
