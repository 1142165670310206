"""What all tests share: a cache folder of their own, and patient property tests."""

from __future__ import annotations

import os
import shutil
import tempfile

# Before numpy and torch are imported: the workers of pytest-xdist share the cores already.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from hypothesis import HealthCheck, settings

# Machines that run tests are slow and shared; how long an example takes says nothing about the code.
settings.register_profile("f2teval", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=60)
settings.load_profile("f2teval")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the workers of pytest-xdist inherit it
        os.environ["F2TEVAL_HOME"] = tempfile.mkdtemp(prefix="f2teval-tests-")


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ["F2TEVAL_HOME"], ignore_errors=True)
