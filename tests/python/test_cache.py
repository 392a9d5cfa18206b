"""The disk cache: kernels are found again by other processes, and nothing wrong with the folder or
its files ever shows."""

import os
import shutil
import stat
import subprocess
import sys

import numpy
import pytest

pytestmark = pytest.mark.unrecorded("is about which kernels there are")

# Kernels that no pack holds, and what they have to give.
PROGRAM = """
import json, sys
import numpy
import heddle

numbers = numpy.linspace(0.5, 2, 1000)
x = heddle.asarray(numbers)
got = heddle.sqrt(heddle.arctan(x * 3 + 1) ** 2 + heddle.log1p(x)) - heddle.cbrt(x)
expected = numpy.sqrt(numpy.arctan(numbers * 3 + 1) ** 2 + numpy.log1p(numbers))
expected -= numpy.cbrt(numbers)
assert numpy.allclose(got.get(), expected, rtol=1e-13), "wrong"
total = (heddle.arctan(x) * heddle.exp2(x) - 3).sum(axis=0)
assert numpy.isclose(float(total), (numpy.arctan(numbers) * numpy.exp2(numbers) - 3).sum())
print(json.dumps(heddle.stats()))
"""


def start(folder, program=PROGRAM, **kwargs):
    environment = {**os.environ, "HEDDLE_CACHE_DIR": str(folder)}
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **kwargs,
    )


def finish(process):
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    assert not error, error
    return eval(out)


def stats(folder, **kwargs):
    return finish(start(folder, **kwargs))


@pytest.fixture(scope="module")
def full_cache(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cache") / "kernels"
    cold = stats(folder)
    assert cold["compiled"] >= 2 and cold["disk_hits"] == 0
    return folder


@pytest.fixture
def cache(full_cache, tmp_path):
    return shutil.copytree(full_cache, tmp_path / "kernels")


def entries(folder):
    found = sorted(folder.glob("*.kernel"))
    assert found
    return found


def test_second_process_compiles_nothing(cache):
    warm = stats(cache)
    assert warm["compiled"] == 0 and warm["disk_hits"] >= 2
    assert stat.S_IMODE(os.stat(cache).st_mode) == 0o700
    assert not list(cache.glob("*.tmp"))
    for entry in entries(cache):
        assert stat.S_IMODE(os.stat(entry).st_mode) == 0o600


def test_makes_the_folders_above(tmp_path):
    stats(tmp_path / "a" / "b" / "c")
    assert stat.S_IMODE(os.stat(tmp_path / "a" / "b" / "c").st_mode) == 0o700
    assert entries(tmp_path / "a" / "b" / "c")


def flip_bits(path):
    data = bytearray(path.read_bytes())
    for i in numpy.random.default_rng(0).integers(0, len(data), 5):
        data[i] ^= 1 << (int(i) % 8)
    path.write_bytes(data)


def flip_code(path):
    data = bytearray(path.read_bytes())
    data[-200] ^= 1
    path.write_bytes(data)


DAMAGE = {
    "empty": lambda path: path.write_bytes(b""),
    "one byte": lambda path: path.write_bytes(b"H"),
    "header only": lambda path: path.write_bytes(path.read_bytes()[:56]),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "one byte short": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"x"),
    "text": lambda path: path.write_text("something else entirely\n" * 100),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "noise": lambda path: path.write_bytes(os.urandom(path.stat().st_size)),
    "flipped bits": flip_bits,
    "flipped code": flip_code,
    "folder": lambda path: (path.unlink(), path.mkdir()),
    "pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "link to itself": lambda path: (path.unlink(), path.symlink_to(path)),
    "link away": lambda path: (path.unlink(), path.symlink_to("/etc/passwd")),
    "unreadable": lambda path: path.chmod(0),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_entries(cache, damage):
    for entry in entries(cache):
        DAMAGE[damage](entry)
    made = stats(cache)
    if damage != "unreadable":  # for the superuser nothing is
        assert made["disk_hits"] == 0 and made["compiled"] >= 2
    if damage != "folder":
        again = stats(cache)
        assert again["compiled"] == 0 and again["disk_hits"] >= 2


def test_entries_of_other_kernels(cache):
    """Each holds another one's code: the key inside does not fit."""
    paths = entries(cache)
    contents = [path.read_bytes() for path in paths]
    for path, content in zip(paths, contents[1:] + contents[:1], strict=True):
        path.write_bytes(content)
    assert stats(cache)["disk_hits"] == 0


def test_foreign_files_stay(cache):
    (cache / "notes.txt").write_text("mine")
    (cache / "folder").mkdir()
    (cache / ".kernel").write_text("hidden")
    assert stats(cache)["compiled"] == 0
    assert (cache / "notes.txt").read_text() == "mine"


def test_folder_that_cannot_be(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    for folder in (tmp_path / "file", tmp_path / "file" / "below", "/proc/nothing/here", "\0"[:0]):
        assert stats(folder)["compiled"] >= 2
    assert (tmp_path / "file").read_text() == "not a folder"
    long_name = tmp_path / ("x" * 300)
    assert stats(long_name)["compiled"] >= 2


def test_empty_name_disables(tmp_path):
    made = stats("", cwd=tmp_path)
    assert made["compiled"] >= 2 and made["disk_hits"] == 0
    assert not list(tmp_path.iterdir())


def test_folder_that_others_can_write_to(tmp_path):
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    assert stats(tmp_path / "open")["compiled"] >= 2
    assert not list((tmp_path / "open").iterdir())
    (tmp_path / "link").symlink_to(tmp_path / "open")
    assert stats(tmp_path / "link")["compiled"] >= 2
    assert not list((tmp_path / "open").iterdir())
    (tmp_path / "kept").mkdir(mode=0o700)
    (tmp_path / "link to kept").symlink_to(tmp_path / "kept")
    for end in ("", "/", "//", "/."):  # which make the system follow links
        assert stats(str(tmp_path / "link to kept") + end)["compiled"] >= 2
        assert not list((tmp_path / "kept").iterdir())


def test_read_only_folder(cache, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("nothing is read-only for the superuser")
    cache.chmod(0o500)
    assert stats(cache)["compiled"] == 0
    (tmp_path / "empty").mkdir(mode=0o500)
    assert stats(tmp_path / "empty")["compiled"] >= 2


LIMIT = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))\n"


@pytest.mark.parametrize("size", [0, 20, 100, 1000])
def test_full_disk(tmp_path, size):
    """No file may grow beyond a few bytes: every write of an entry fails, or fails half-way."""
    folder = tmp_path / "kernels"
    assert stats(folder, program=LIMIT.format(size) + PROGRAM)["compiled"] >= 2
    assert not list(folder.iterdir())  # no halves are left
    assert stats(folder)["compiled"] >= 2
    assert stats(folder)["compiled"] == 0


def test_really_full_disk(tmp_path):
    folder = tmp_path / "mount"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=8k,mode=0700", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("no right to mount")
    try:
        assert stats(folder)["compiled"] >= 2
        assert stats(folder / "below")["compiled"] >= 2
        assert not list(folder.glob("**/*.tmp"))
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_many_processes_at_once(tmp_path):
    program = """
import heddle, numpy, sys
seed = int(sys.argv[1]) if len(sys.argv) > 1 else 0
x = heddle.asarray(numpy.linspace(0.5, 1, 1000))
n = numpy.linspace(0.5, 1, 1000)
functions = ["sin", "cos", "exp", "log1p", "sqrt", "cbrt", "arctan", "tanh"]
for i in functions:
    for j in functions:
        got = getattr(heddle, i)(x * 3) + getattr(heddle, j)(x + 2) * 5
        expected = getattr(numpy, i)(n * 3) + getattr(numpy, j)(n + 2) * 5
        assert numpy.allclose(got.get(), expected)
print(heddle.stats())
"""
    folder = tmp_path / "kernels"
    made = [finish(p) for p in [start(folder, program) for _ in range(8)]]
    assert all(m["compiled"] + m["disk_hits"] + m["pack_hits"] >= 64 for m in made)
    assert not list(folder.glob("*.tmp"))
    after = finish(start(folder, program))
    assert after["compiled"] == 0 and after["disk_hits"] > 32
