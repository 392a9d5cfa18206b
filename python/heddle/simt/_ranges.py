"""The functions of ``cupyx.jit.thrust``, in the language of kernels.

A range is an array, where it begins and where it ends; an iterator an array and a place. They are
taken along where kernels call them (`cupyx/_thrust.py`), and give places.
"""

# Types are inferred, and nothing here runs in Python.
# ruff: noqa: ANN001, ANN202
# mypy: ignore-errors


def adjacent_difference(a, first, last, out, to):
    before = a[first] if first < last else a[0]
    for i in range(first, last):
        one = a[i]
        out[to + i - first] = one - before if i > first else one
        before = one
    return to + last - first


def lower_bound(a, first, last, value):
    low = first
    count = last - first
    while count > 0:
        half = count // 2
        if a[low + half] < value:
            low = low + half + 1
            count = count - half - 1
        else:
            count = half
    return low


def lower_bound_1(a, first, last, values, begin, end, out, to):
    for i in range(begin, end):
        out[to + i - begin] = lower_bound(a, first, last, values[i]) - first
    return to + end - begin


def upper_bound(a, first, last, value):
    low = first
    count = last - first
    while count > 0:
        half = count // 2
        if not (value < a[low + half]):
            low = low + half + 1
            count = count - half - 1
        else:
            count = half
    return low


def upper_bound_1(a, first, last, values, begin, end, out, to):
    for i in range(begin, end):
        out[to + i - begin] = upper_bound(a, first, last, values[i]) - first
    return to + end - begin


def binary_search(a, first, last, value):
    place = lower_bound(a, first, last, value)
    found = False
    if place < last:
        found = not (value < a[place])
    return found


def binary_search_1(a, first, last, values, begin, end, out, to):
    for i in range(begin, end):
        out[to + i - begin] = binary_search(a, first, last, values[i])
    return to + end - begin


def equal_range(a, first, last, value):
    return lower_bound(a, first, last, value), upper_bound(a, first, last, value)


def copy(a, first, last, out, to):
    for i in range(first, last):
        out[to + i - first] = a[i]
    return to + last - first


def count(a, first, last, value):
    found = 0
    for i in range(first, last):
        if a[i] == value:
            found += 1
    return found


def equal(a, first, last, b, at):
    same = True
    for i in range(first, last):
        if a[i] != b[at + i - first]:
            same = False
            break
    return same


def mismatch(a, first, last, b, at):
    place = first
    while place < last and a[place] == b[at + place - first]:
        place += 1
    return place, at + place - first


def find(a, first, last, value):
    place = first
    while place < last and a[place] != value:
        place += 1
    return place


def fill(a, first, last, value):
    for i in range(first, last):
        a[i] = value


def replace(a, first, last, old, new):
    for i in range(first, last):
        if a[i] == old:
            a[i] = new


def replace_copy(a, first, last, out, to, old, new):
    for i in range(first, last):
        one = a[i]
        out[to + i - first] = one
        if one == old:
            out[to + i - first] = new
    return to + last - first


def remove(a, first, last, value):
    return remove_copy(a, first, last, a, first, value)


def remove_copy(a, first, last, out, to, value):
    place = to
    for i in range(first, last):
        one = a[i]
        if one != value:
            out[place] = one
            place += 1
    return place


def reverse(a, first, last):
    for i in range((last - first) // 2):
        one = a[first + i]
        a[first + i] = a[last - 1 - i]
        a[last - 1 - i] = one


def reverse_copy(a, first, last, out, to):
    for i in range(first, last):
        out[to + last - 1 - i] = a[i]
    return to + last - first


def gather(places, first, last, a, at, out, to):
    for i in range(first, last):
        out[to + i - first] = a[at + places[i]]
    return to + last - first


def scatter(a, first, last, places, at, out, to):
    for i in range(first, last):
        out[to + places[at + i - first]] = a[i]


def sequence(a, first, last):
    sequence_2(a, first, last, 0, 1)


def sequence_1(a, first, last, start):
    sequence_2(a, first, last, start, 1)


def sequence_2(a, first, last, start, step):
    for i in range(first, last):
        a[i] = start + (i - first) * step


def swap_ranges(a, first, last, b, at):
    for i in range(first, last):
        one = a[i]
        a[i] = b[at + i - first]
        b[at + i - first] = one
    return at + last - first


def reduce(a, first, last):
    total = a[first : first + 1].sum() if first < last else a[:0].sum()
    for i in range(first + 1, last):
        total += a[i]
    return total


def reduce_1(a, first, last, start):
    total = start
    for i in range(first, last):
        total += a[i]
    return total


def inner_product(a, first, last, b, at, start):
    total = start
    for i in range(first, last):
        total += a[i] * b[at + i - first]
    return total


def inclusive_scan(a, first, last, out, to):
    if first < last:
        total = a[first]
        out[to] = total
        for i in range(first + 1, last):
            total += a[i]
            out[to + i - first] = total
    return to + last - first


def exclusive_scan(a, first, last, out, to):
    return exclusive_scan_1(a, first, last, out, to, 0)


def exclusive_scan_1(a, first, last, out, to, start):
    total = start
    for i in range(first, last):
        one = a[i]
        out[to + i - first] = total
        total += one
    return to + last - first


def inclusive_scan_by_key(keys, first, last, a, at, out, to):
    total = a[at] if first < last else a[0]
    for i in range(first, last):
        one = a[at + i - first]
        if i > first and keys[i] == keys[i - 1]:
            total += one
        else:
            total = one
        out[to + i - first] = total
    return to + last - first


def exclusive_scan_by_key(keys, first, last, a, at, out, to):
    return exclusive_scan_by_key_1(keys, first, last, a, at, out, to, 0)


def exclusive_scan_by_key_1(keys, first, last, a, at, out, to, start):
    total = start
    for i in range(first, last):
        one = a[at + i - first]
        if i > first and keys[i] != keys[i - 1]:
            total = start
        out[to + i - first] = total
        total += one
    return to + last - first


def reduce_by_key(keys, first, last, a, at, keys_out, keys_to, out, to):
    made = 0
    for i in range(first, last):
        one = a[at + i - first]
        if i > first and keys[i] == keys[i - 1]:
            out[to + made - 1] += one
        else:
            keys_out[keys_to + made] = keys[i]
            out[to + made] = one
            made += 1
    return keys_to + made, to + made


def is_sorted_until(a, first, last):
    place = first
    if first < last:
        place = first + 1
        while place < last and not (a[place] < a[place - 1]):
            place += 1
    return place


def is_sorted(a, first, last):
    return is_sorted_until(a, first, last) == last


def unique(a, first, last):
    place = first
    for i in range(first, last):
        one = a[i]
        if place == first or a[place - 1] != one:
            a[place] = one
            place += 1
    return place


def unique_by_key(keys, first, last, a, at):
    made = 0
    for i in range(first, last):
        one = keys[i]
        if made == 0 or keys[first + made - 1] != one:
            keys[first + made] = one
            a[at + made] = a[at + i - first]
            made += 1
    return first + made, at + made


def sink(a, first, top, size):
    place = top
    one = a[first + place]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and a[first + child] < a[first + child + 1]:
            child += 1
        if not (one < a[first + child]):
            break
        a[first + place] = a[first + child]
        place = child
    a[first + place] = one


def sort(a, first, last):
    size = last - first
    for i in range(size // 2):
        sink(a, first, size // 2 - 1 - i, size)
    for i in range(1, size):
        end = size - i
        one = a[first]
        a[first] = a[first + end]
        a[first + end] = one
        sink(a, first, 0, end)


def stable_sort(a, first, last):
    for i in range(first + 1, last):
        one = a[i]
        place = upper_bound(a, first, i, one)
        k = i
        while k > place:
            a[k] = a[k - 1]
            k -= 1
        a[place] = one


def stable_sort_by_key(keys, first, last, a, at):
    for i in range(first + 1, last):
        key = keys[i]
        one = a[at + i - first]
        place = upper_bound(keys, first, i, key)
        k = i
        while k > place:
            keys[k] = keys[k - 1]
            a[at + k - first] = a[at + k - 1 - first]
            k -= 1
        keys[place] = key
        a[at + place - first] = one


def sort_by_key(keys, first, last, a, at):
    stable_sort_by_key(keys, first, last, a, at)


def set_difference(a, first, last, b, begin, end, out, to):
    made = 0
    i = first
    k = begin
    while i < last:
        if k >= end or a[i] < b[k]:
            out[to + made] = a[i]
            made += 1
            i += 1
        elif b[k] < a[i]:
            k += 1
        else:
            i += 1
            k += 1
    return to + made


def set_difference_by_key(
    a, first, last, b, begin, end, x, x_at, y, y_at, out, to, values, values_to
):
    made = 0
    i = first
    k = begin
    while i < last:
        if k >= end or a[i] < b[k]:
            out[to + made] = a[i]
            values[values_to + made] = x[x_at + i - first]
            made += 1
            i += 1
        elif b[k] < a[i]:
            k += 1
        else:
            i += 1
            k += 1
    return to + made, values_to + made


def set_intersection(a, first, last, b, begin, end, out, to):
    made = 0
    i = first
    k = begin
    while i < last and k < end:
        if a[i] < b[k]:
            i += 1
        elif b[k] < a[i]:
            k += 1
        else:
            out[to + made] = a[i]
            made += 1
            i += 1
            k += 1
    return to + made


def set_intersection_by_key(a, first, last, b, begin, end, x, x_at, out, to, values, values_to):
    made = 0
    i = first
    k = begin
    while i < last and k < end:
        if a[i] < b[k]:
            i += 1
        elif b[k] < a[i]:
            k += 1
        else:
            out[to + made] = a[i]
            values[values_to + made] = x[x_at + i - first]
            made += 1
            i += 1
            k += 1
    return to + made, values_to + made


def _of_either(a, first, last, b, begin, end, out, to, with_common):
    made = 0
    i = first
    k = begin
    while i < last or k < end:
        if k >= end or (i < last and a[i] < b[k]):
            out[to + made] = a[i]
            made += 1
            i += 1
        elif i >= last or b[k] < a[i]:
            out[to + made] = b[k]
            made += 1
            k += 1
        else:
            if with_common:
                out[to + made] = a[i]
                made += 1
            i += 1
            k += 1
    return to + made


def _of_either_by_key(
    a, first, last, b, begin, end, x, x_at, y, y_at, out, to, values, values_to, with_common
):
    made = 0
    i = first
    k = begin
    while i < last or k < end:
        if k >= end or (i < last and a[i] < b[k]):
            out[to + made] = a[i]
            values[values_to + made] = x[x_at + i - first]
            made += 1
            i += 1
        elif i >= last or b[k] < a[i]:
            out[to + made] = b[k]
            values[values_to + made] = y[y_at + k - begin]
            made += 1
            k += 1
        else:
            if with_common:
                out[to + made] = a[i]
                values[values_to + made] = x[x_at + i - first]
                made += 1
            i += 1
            k += 1
    return to + made, values_to + made


def set_symmetric_difference(a, first, last, b, begin, end, out, to):
    return _of_either(a, first, last, b, begin, end, out, to, False)


def set_symmetric_difference_by_key(
    a, first, last, b, begin, end, x, x_at, y, y_at, out, to, values, values_to
):
    return _of_either_by_key(
        a, first, last, b, begin, end, x, x_at, y, y_at, out, to, values, values_to, False
    )


def set_union(a, first, last, b, begin, end, out, to):
    return _of_either(a, first, last, b, begin, end, out, to, True)


def set_union_by_key(a, first, last, b, begin, end, x, x_at, y, y_at, out, to, values, values_to):
    return _of_either_by_key(
        a, first, last, b, begin, end, x, x_at, y, y_at, out, to, values, values_to, True
    )
