"""What tests give, for those who read types: the objects themselves are of SciPy's classes."""

from __future__ import annotations

from typing import NamedTuple

from heddle._core import ndarray


class ModeResult(NamedTuple):
    mode: ndarray
    count: ndarray  # type: ignore[assignment]  # as SciPy's, which hides a tuple's


class RanksumsResult(NamedTuple):
    statistic: ndarray
    pvalue: ndarray


class Chi2ContingencyResult(NamedTuple):
    statistic: ndarray
    pvalue: ndarray
    dof: int
    expected_freq: ndarray


class _Line(NamedTuple):
    slope: ndarray
    intercept: ndarray
    rvalue: ndarray
    pvalue: ndarray
    stderr: ndarray


class LinregressResult(_Line):
    intercept_stderr: ndarray
