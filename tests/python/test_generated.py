"""Files that are made by scripts/generate.py are up to date."""

import subprocess
import sys
from pathlib import Path

import pytest

root = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(
    not (root / "scripts" / "generate.py").exists(), reason="not in a source checkout"
)
def test_generated_files_are_up_to_date():
    command = [sys.executable, str(root / "scripts" / "generate.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
