"""The device that the tests run on: ``--device cpu`` (the default), ``cuda`` or ``shadow``.

The shadow device computes as the CPU does, with memory that the host does not see: what may be
copied, and when, is tested with it where there is no GPU.

``--recorder`` replays every test: see recorder.py. ``--waiting`` has everything wait that can:
tests are small, and what is done at the call for few elements never waits. Files that are about
what is pending are marked so.
"""

import os

import pytest


def pytest_addoption(parser):
    parser.addoption("--device", default="cpu", choices=["cpu", "cuda", "shadow"])
    parser.addoption("--recorder", action="store_true", help="record and replay every test")
    parser.addoption("--waiting", action="store_true", help="nothing is done at the call")


def pytest_configure(config):
    config.addinivalue_line("markers", "host_memory: needs arrays in memory that the host sees")
    config.addinivalue_line("markers", "cores: is about work that keeps the CPU's cores busy")
    config.addinivalue_line("markers", "forks: uses arrays in a forked child, which CUDA forbids")
    config.addinivalue_line("markers", "unrecorded(reason): is about what --recorder changes")
    config.addinivalue_line("markers", "waiting(yes): whether few elements wait as many do")
    config.addinivalue_line("markers", "written_outside: others write to memory that is shared")
    device = config.getoption("--device")
    # In the environment, so that processes that tests start have it too.
    os.environ["HEDDLE_DEVICE"] = device
    os.environ["HEDDLE_SHADOW_DEVICE"] = "1"
    # JAX would take three quarters of a GPU at its first use, and leave other processes none.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import heddle

    if device == "cuda" and not heddle.cuda.is_available():
        reason = heddle._core.cuda.why_unavailable()
        raise pytest.UsageError(f"--device cuda: no GPU can be used: {reason}")
    if config.getoption("--recorder"):
        from recorder import Recorder

        config.pluginmanager.register(Recorder())


def pytest_collection_modifyitems(config, items):
    if config.getoption("--device") == "cpu":
        return
    reasons = {"host_memory": "needs arrays in memory that the host sees"}
    if config.getoption("--device") == "cuda":
        reasons["cores"] = "a GPU works beside the interpreter"
        reasons["forks"] = "CUDA cannot be used in a forked child"
    for item in items:
        for name, reason in reasons.items():
            if item.get_closest_marker(name):
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(autouse=True)
def device_afterwards():
    """Tests of GPUs make one of them the thread's device; those after them have their own."""
    import heddle

    before = heddle.default_device()
    yield
    if heddle.default_device() != before:
        heddle._core.set_scoped_device(before)


@pytest.fixture(autouse=True)
def waits(request):
    """Whether few elements wait as many do."""
    from support import waiting

    marked = request.node.get_closest_marker("waiting")
    waits = marked.args[0] if marked and marked.args else marked is not None
    with waiting(waits or (not marked and request.config.getoption("--waiting"))):
        yield
