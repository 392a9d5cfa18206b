"""The text of docs/scipy.md: which of SciPy's and CuPy's names `heddle.scipy` has, and how.

A module says itself what is native (its `__all__`) and what is SciPy's own (`open_module`). What
there is to say beyond that, and why something is not here, is in the tables below. CuPy's names are
in cupy_scipy.txt.
"""

import importlib
import re
from pathlib import Path
from types import ModuleType

import scipy
from coverage_page import listed_by, listing, release, said

import heddle.scipy
from heddle.scipy.signal import _own as signal_own
from heddle.scipy.stats import _distributions as stats_distributions
from heddle.scipy.stats import _own as stats_own

# About each module, before its names.
ABOUT = {
    "ndimage": "Small arguments (weights, footprints, structures, coordinates of regions) are "
    "read by the host; float16 is taken, too.",
    "fft": "Transforms are deferred and have derivatives. "
    "`scipy.fft` calls them for Heddle's arrays. `workers` is checked and kept: "
    "transforms run on the cores that Heddle may use.",
    "linalg": "All take stacks of matrices. On the CPU matrices are factored in double precision, "
    "and results are rounded to the type of the arguments. `lapack` and `blas` have routines by "
    "name; what is not here runs by SciPy on the host.",
    "cluster": "`vq` is native, and `linkage` of `hierarchy`: distances are computed on the "
    "device, the tree of them in compiled loops on the host. What is done with trees is "
    "SciPy's, on the host.",
    "interpolate": "Places are found by searching, and evaluation is of plain array operations: "
    "deferred, fused, with derivatives with respect to values and places. Systems with few "
    "diagonals are solved on the device. Points and knots are looked at when an interpolant is "
    "made. Results are float64 or complex128 where SciPy's are.",
    "spatial": "`distance` has all metrics of `scipy.spatial.distance`, native; rotations of "
    "`transform` are SciPy's code. k-d trees are built by sorting, and asked by a thread "
    "for each place.",
    "signal": "`windows` has all windows of `scipy.signal.windows`.",
    "sparse": "Arrays and matrices of all formats; indices and elements are arrays, where they "
    "were given. `lil` and `dok` are lists and dictionaries on the host. Results with dense "
    "arrays are Heddle's arrays, also of SciPy's own sparse objects: `scipy_matrix @ x`. `get()` "
    "gives SciPy's.",
    "sparse.linalg": "Matrices are dense or sparse, ours or SciPy's own, or operators. Solvers "
    "look at one to three numbers in each step, eigenvalues at one small matrix in each restart.",
    "sparse.csgraph": "Loops over edges run on the host, with several sources on all cores; a "
    "graph on a GPU is copied there, unless its line says otherwise.",
    "stats": "Distributions are objects of Heddle's around SciPy's formulas; their methods take "
    "arrays of any device, and give deferred ones. Moments, `fit` and `rvs` are SciPy's, on the "
    "host. Searches that read a few numbers (the parameter of `boxcox`) do so on the host, too.",
    "special": "See also [special.md](special.md). *SciPy's own* are tables, polynomials as "
    "objects and lists of a few numbers here, which SciPy computes on the host.",
}

# Native names that do something else on a GPU, or differ from SciPy's, with what they do.
_HOST = "on the host for arrays of a GPU: no GPU has LAPACK's routine"
_FEW = "on the host: of a few numbers"
_COPIED = "arrays are copied to the host and back"
linalg_on_host = ["hessenberg", "schur", "rsf2csf", "qz", "ordqz", "ldl", "solve_sylvester"]
linalg_on_host += ["solve_continuous_lyapunov", "solve_lyapunov", "solve_discrete_lyapunov"]
linalg_on_host += ["sqrtm", "logm", "funm", "signm", "fractional_matrix_power", "matrix_balance"]
linalg_on_host += ["solve_continuous_are", "solve_discrete_are"]
NOTES: dict[str, str] = {
    **{f"linalg.{name}": _HOST for name in linalg_on_host},
    "linalg.qr": "with pivoting " + _HOST,
    "linalg.cossin": _COPIED,
    "linalg.qr_delete qr_insert qr_update": "form the product, and factor it again",
    "linalg.eig": "with b or left vectors " + _HOST,
    "linalg.eigvals": "with b " + _HOST,
    **{f"signal.{name}": _FEW for name in signal_own.ON_HOST},
    **{f"signal.{name}": _COPIED for name in signal_own.COPIED},
    **{
        f"signal.{name}": "SciPy's class, which holds NumPy's arrays" for name in signal_own.CLASSES
    },
    "signal.ShortTimeFFT": "SciPy's class with windows of NumPy's; signals are transformed where "
    "they are",
    "stats.ks_2samp": _COPIED,
    "stats.mannwhitneyu": "with method='exact', the usual one of few numbers, " + _COPIED,
    "interpolate.generate_knots make_smoothing_spline splprep make_splprep bisplrep "
    "SmoothBivariateSpline LSQBivariateSpline": "found by SciPy on the host; evaluation is native",
    "interpolate.splrep make_splrep UnivariateSpline RectBivariateSpline": "with a smoothing "
    "factor, knots are chosen by SciPy on the host; evaluation is native",
    "interpolate.sproot": _FEW,
    "interpolate.LinearNDInterpolator griddata": "triangles are made by Qhull on the host",
    "interpolate.approximate_taylor_polynomial lagrange pade": _FEW,
    "interpolate.CloughTocher2DInterpolator": "triangles are made by Qhull, and gradients "
    "estimated by SciPy, on the host; evaluation is native",
    "interpolate.AAA FloaterHormannInterpolator Rbf "
    "LSQSphereBivariateSpline RectSphereBivariateSpline SmoothSphereBivariateSpline": "computed by "
    "SciPy's class on the host, from and to Heddle's arrays",
    "interpolate.interp2d": "SciPy's, which raises",
    "spatial.ConvexHull Delaunay HalfspaceIntersection Voronoi SphericalVoronoi": "made by Qhull "
    "on the host; `Delaunay.find_simplex` runs on the device",
    "spatial.convex_hull_plot_2d delaunay_plot_2d voronoi_plot_2d Rectangle": "on the host",
    "spatial.transform": "SciPy's own `Rotation`, `RigidTransform` and `Slerp` (SciPy 1.17), "
    "computing where the arrays are; `RotationSpline` on the host",
    "ndimage.generic_filter generic_filter1d geometric_transform": "calls the function on the "
    "host, with NumPy's arrays or indices",
    "ndimage.watershed_ift distance_transform_cdt": "computed on the host",
    "ndimage.find_objects minimum_position maximum_position extrema center_of_mass": "slices and "
    "tuples of places are Python's",
    "ndimage.labeled_comprehension histogram": "calls the function for each region",
    "sparse.linalg.SuperLU factorized inv spilu splu spsolve": "by SciPy's SuperLU on the host, "
    "needs SciPy",
    "sparse.linalg.expm": "of a sparse matrix with systems solved on the host, needs SciPy",
    "sparse.linalg.eigs eigsh": "with a sparse matrix and sigma or M systems are solved by `splu`",
    "sparse.linalg.spsolve_triangular": "on a GPU level after level, on the host where there are "
    "more than 4096 levels or a unit diagonal",
    "sparse.linalg.funm_multiply_krylov": "calls the function for small matrices on the host",
    "sparse.csgraph.connected_components": "strong components on the host",
    "sparse.csgraph.bellman_ford floyd_warshall laplacian csgraph_from_dense csgraph_to_dense": ""
    "on every device",
    "sparse.csgraph.csgraph_masked_from_dense csgraph_to_masked csgraph_from_masked": "masked "
    "arrays are NumPy's",
    "special.mathieu_cem mathieu_sem mathieu_modcem1 mathieu_modcem2 mathieu_modsem1 "
    "mathieu_modsem2 pbdv pbvv obl_cv obl_ang1 obl_ang1_cv obl_rad1 obl_rad1_cv obl_rad2 "
    "obl_rad2_cv pro_cv pro_ang1 pro_ang1_cv pro_rad1 pro_rad1_cv pro_rad2 pro_rad2_cv": "not on "
    "GPUs",
}

# Names that are not here, with the reason.
NOT_HERE = {
    "*.test": "runs SciPy's tests",
}

# SciPy's tests by array API backends: passed, and what SciPy's code or the tests refuse.
BACKENDS = {
    "cluster": (89, 91, 0, 8),
    "fft": (1574, 0, 10, 1612),
    "integrate": (572, 0, 0, 266),
    "interpolate": (49, 177, 0, 97),
    "linalg": (19, 0, 0, 0),
    "ndimage": (4574, 0, 13, 742),
    "optimize, differentiate": (683, 0, 0, 6),
    "signal": (12730, 0, 4, 379),
    "spatial": (370, 0, 0, 1),
    "special": (1877, 0, 1, 26),
    "stats": (1659, 68, 0, 172),
}
_passed, _failed = (sum(row[i] for row in BACKENDS.values()) for i in (0, 2))
TESTS_OF_BACKENDS = [
    "SciPy 1.17's own tests of array API backends (`SCIPY_ARRAY_API`), with Heddle as one more",
    "and its arrays on the shadow device, where nothing becomes an array of NumPy's unasked (19",
    "November 2026; all files, without those that SciPy calls very slow; NumPy's assertions and",
    "`numpy.asarray` in the tests themselves read arrays explicitly).",
    "Functions of `scipy.ndimage` and `scipy.signal` are ours there, as CuPy's arrays find CuPy's,",
    "and `scipy.fft` asks ours; all others are SciPy's generic code.",
    "",
    "| | passed | refused: SciPy's code wants NumPy's memory | failed | left out by SciPy |",
    "|---|---:|---:|---:|---:|",
    *(f"| `{name}` | " + " | ".join(map(str, row)) + " |" for name, row in BACKENDS.items()),
    "",
    f"Of those that are not refused {_passed / (_passed + _failed):.2%} pass. What is refused is",
    "compiled code of SciPy's: hierarchies, k-means, splines and grids, which `heddle.scipy` has,",
    "and a few statistics of ranks. What fails: `workers` of transforms are taken, structures of",
    "`distance_transform_cdt` and truth values that SciPy reads as bytes, float16 where SciPy",
    "refuses it, `lfilter` of integers alone, and a device that a test names.",
]

STATES = {"native": "native", "own": "SciPy's own", "missing": "not here"}


def cupys_names() -> dict[str, list[str]]:
    lines = (Path(__file__).parent / "cupy_scipy.txt").read_text().splitlines()[1:]
    return {module: names.split() for module, _, names in (line.partition(": ") for line in lines)}


def modules() -> list[str]:
    """The modules that are listed, and those in them that have tables of their own."""
    inside = {"sparse": ["sparse.csgraph", "sparse.linalg"]}
    return [each for name in heddle.scipy.__all__ for each in (name, *inside.get(name, []))]


def scipys_names(module: str) -> list[str]:
    """The public names of a module of SciPy's, without modules and what is deprecated with them."""
    theirs = importlib.import_module(f"scipy.{module}")
    return [n for n in theirs.__all__ if not isinstance(getattr(theirs, n), ModuleType)]


def states(module: str) -> dict[str, str]:
    """Each name of a module, SciPy's or CuPy's, with its state."""
    ours = importlib.import_module(f"heddle.scipy.{module}")
    generic = getattr(getattr(ours, "__getattr__", None), "generic_names", ())
    names = {*scipys_names(module), *cupys_names().get(module, []), *ours.__all__, *generic}

    def state(name: str) -> str:
        return "native" if name in ours.__all__ else "own" if name in generic else "missing"

    return {name: state(name) for name in sorted(names, key=lambda n: (n.lower(), n))}


def distributions() -> list[str]:
    """Which methods of distributions take arrays, and which do not."""
    missing: dict[str, list[str]] = {}
    total = there = 0
    for name in sorted(stats_own.distributions()):
        inner = getattr(importlib.import_module("scipy.stats"), name)
        methods = stats_distributions.methods_of(inner)
        lost = [m for m in methods if not stats_distributions.has_formula(inner, m)]
        total, there = total + len(methods), there + len(methods) - len(lost)
        if lost:
            missing.setdefault(", ".join(f"`{m}`" for m in lost), []).append(name)
    return [
        f"{there} of {total} methods of distributions are formulas, which arrays take. Those "
        "that are not, because SciPy finds them by searches, sums or integrals, or in compiled "
        "code, take numbers and NumPy's arrays, which SciPy computes with on the host:",
        "",
        "| distributions | methods that are not here |",
        "|---|---|",
        *(f"| {listing(names)} | {methods} |" for methods, names in missing.items()),
        "",
    ]


def section(module: str, found: dict[str, str]) -> list[str]:
    lines = [f"## {module}", ""]
    if module in ABOUT:
        lines += [ABOUT[module], ""]
    for state, heading in STATES.items():
        notes: dict[str, list[str]] = {}
        for name in (n for n, s in found.items() if s == state):
            note = said(NOT_HERE if state == "missing" else NOTES, module, name)
            notes.setdefault(note or "", []).append(name)
        if notes:
            lines += [f"| {heading} | |", "|---|---|"]
            lines += [f"| {listing(names)} | {note} |" for note, names in notes.items()]
            lines.append("")
    if module == "stats":
        lines += distributions()
    return lines


def page() -> str:
    cupys = cupys_names()
    summary = [
        "| | native | SciPy's own | not here | of CuPy's names |",
        "|---|---:|---:|---:|---:|",
    ]
    sections = []
    for module in modules():
        found = states(module)
        counts = [sum(s == state for s in found.values()) for state in STATES]
        of_cupys = cupys.get(module, [])
        here = sum(found[name] != "missing" for name in of_cupys)
        cells = " | ".join(map(str, counts))
        anchor = module.replace(".", "")
        summary.append(f"| [`{module}`](#{anchor}) | {cells} | {here} of {len(of_cupys)} |")
        sections += section(module, found)
    return "\n".join(
        [
            "# SciPy's modules",
            "",
            "Made by `scripts/generate.py`: the public names of SciPy's modules, and of CuPy's for",
            "them, in `heddle.scipy`; `heddle.cupyx.scipy` is the same under CuPy's name. Listed",
            f"is SciPy {release(scipy.__version__)}.",
            "",
            "*Native* names compute with arrays, kernels and libraries of Heddle's, and need no",
            "SciPy. *SciPy's own* are SciPy's functions (`pip install heddle[scipy]`), called with",
            "its array API mode on: they compute with Heddle's functions, where the arrays are.",
            "Unless a note says so, nothing is copied to the host.",
            "",
            *TESTS_OF_BACKENDS,
            "",
            "The same files with names of `scipy` replaced by those of `heddle.scipy` (18",
            "November 2026; seeded samples, the shadow device). Passed, of those that ran; in",
            "parentheses how",
            "many more are left out, because they want types that arrays do not hold (long",
            "doubles, text, dates, objects, other byte orders), `numpy.matrix`, NumPy's scalars or",
            "an argument that is overwritten, because the test itself or SciPy's private code,",
            "which it calls, wants NumPy's memory or names of SciPy's private attributes, or",
            "because they are about mocks of backends and SciPy's own sparse objects: cluster 177",
            "of 177 (29), csgraph 237 of 237 (53), fft and fftpack 731 of 735 (65), interpolate",
            "908 of 917 (63), linalg 870 of 885 (76), ndimage 991 of 997 (2), signal 2446 of 2452",
            "(44), sparse 504 of 521 (99), sparse.linalg 396 of 407 (56), spatial 738 of 745 (48),",
            "special 518 of 533 (26): 98.9 %, and 93 % of all that ran, 24 of them after what",
            "failed first was mended. What is left out was told by the texts of errors and by",
            "where they were raised, not test by test; with nothing left out but types that arrays",
            "do not hold and refusals in SciPy's own code it is 97.0 %. Of stats, most of which is",
            "not here, 561 of 622 (161). These stay: `special.errstate`, nodes of trees, `workers`",
            "and integers that are taken where SciPy's are not, bytes of truth values that are",
            "neither 0 nor 1 (`white_tophat`) and structures of `distance_transform_cdt` that",
            "SciPy reads as bytes, one `lower` for a stack of `cho_factor`, Toeplitz systems that",
            "Levinson's recursion does not solve, last bits of float32 matrix functions in stacks,",
            "elements of arrays that mpmath does not take, `signature=` of polynomials of whole",
            "orders, texts of errors, two that took over a minute.",
            "",
            "All of these files on the CPU (19 November 2026; without `stats` and comparisons",
            "with mpmath, told apart in the same way): cluster 205 of 207 (4), csgraph 1076 of",
            "1077 (240), fft and fftpack 6267 of 6281 (83), interpolate 1261 of 1446 (30), linalg",
            "3016 of 3062 (302), ndimage 5325 of 5351 (11), signal 13807 of 13832 (131), sparse",
            "7808 of 7836 (285), sparse.linalg 3812 of 3824 (804), spatial 1713 of 1728 (17),",
            "special 7086 of 7124 (212): 51,376 of 51,768, which is 99.2 %, before what they",
            "found was mended. Of interpolate 156 ask SciPy's Sobol points for numbers of our",
            "generator, which SciPy refuses.",
            "",
            "CuPy's tests of `cupyx.scipy`, in samples on the same device: 959 of 1033 of sparse,",
            "111 of 118 of special, 156 of 202 of stats, 56 of 68 of spatial, 312 of 385 of",
            "ndimage; and on 18 November 1073 of 1160 of signal, 467 of 491 of interpolate, 308 of",
            "367 of fft, 781 of 917 of linalg and special, before what these found was mended.",
            "What fails is what CuPy has beyond SciPy or otherwise, and is not here (sparse rows",
            "and columns that are stretched in comparisons and extrema, `generic_filter` with",
            "kernels of CUDA C++, tuples as structures of morphology, `block_params` of",
            "`distance_transform_edt`, states of `lfilter` and `sosfilt` that are past samples,",
            "`solve_triangular` with stacks of vectors, current plans of cuFFT and `plan` in",
            "`fftpack`, names of its private modules), what CuPy does not do (DCT and DST of types",
            "1 and 4), and `filtfilt` by Gustafsson's method with complex coefficients, of which",
            "SciPy drops the imaginary parts; tests of `entropy` that SciPy 1.17 fails, too,",
            "float16, lists of neighbours where NumPy has arrays, and results that are views in",
            "another order than C's (`upfirdn` along the first axis, parts of convolutions).",
            "",
            "Errors and warnings that SciPy has classes of are of these, too, where a program has",
            "imported SciPy: `except scipy.sparse.linalg.ArpackNoConvergence` catches ours.",
            "",
            "With 10,000 elements on two cores (AMD EPYC of family 26, 19 November 2026, beside",
            "other work, SciPy 1.17 in turns in one process, best times) 124 of the 134 rows that",
            "`benchmarks/scipy_modules.py` had were ahead of SciPy's, 2.1x in geometric mean of",
            "all. Behind were `csr @ vector` 0.81x, `solve_triangular` 0.84x,",
            "`breadth_first_order` 0.88x, `dctn` and `lu_factor` 0.92x, `eigsh`, `bicgstab`, `csr",
            "+ csr` and `coo` to `csr` 0.97x or more; most are calls of 6 to 120 microseconds, of",
            "which recording and launching take 6 to 15. Of 544 calls of nearly as many",
            "functions, most of which had no row (20 November, times of both cores, which were",
            "shared with other work), 186 were behind, 1.6x in geometric mean of all; those that",
            "are called often and were at a third of SciPy's speed or less have rows now and are",
            "at 0.65x to 1.6x. What is left at less than half: `eigh_tridiagonal`,",
            "`CubicSpline.roots`, `zoom_fft`, `upfirdn`, `binom.ppf`, `maximum_flow`,",
            "`min_weight_full_bipartite_matching`, `find_objects`, and rotations one by one. All",
            "rows of 17 November, on another machine:",
            "[benchmarks/results](../benchmarks/results/2026-11-17-amd-zen-4-2-cores-scipy-1e4.md).",
            "",
            *summary,
            "",
            *sections,
        ]
    )


def is_current(text: str) -> bool:
    """Whether the page is up to date; it is not judged under another release of SciPy."""
    if listed_by(text, "SciPy") == release(scipy.__version__):
        return text == page()
    return re.search(r"^# SciPy's modules$", text, flags=re.M) is not None
