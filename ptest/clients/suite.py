"""Runs another package's own tests on this rank, with reblock or without, and writes the outcome of each test.

    mpirun -n 2 python suite.py mpi4py_fft with OUTPUT FOLDER_OR_FILE [ARGUMENTS OF PYTEST]

OUTPUT.RANK gets a line when a test starts, a line with the outcome of each test, and a last line with the number of moves that
reblock has made. tests/clients compares the lines of both runs."""

import importlib
import sys

import pytest
from mpi4py import MPI


class Outcomes:
    """A plugin of pytest that writes the outcome of each test."""

    def __init__(self, file):
        self.file = file

    def write(self, outcome, test):
        # pylops-mpi adds the rank to the names of its tests.
        self.file.write(f"{outcome} {test.partition('[Rank')[0]}\n")
        self.file.flush()

    def pytest_collectreport(self, report):
        if report.failed:
            self.write("failed", report.nodeid)

    def pytest_runtest_logstart(self, nodeid, location):
        self.write("started", nodeid)

    def pytest_runtest_logreport(self, report):
        # A test whose preparation fails is not called.
        if report.when == "call" or report.outcome != "passed":
            self.write(report.outcome, report.nodeid)


def main(package, way, output, *arguments):
    client = importlib.import_module(f"reblock.contrib.{package}") if way == "with" else None
    if client:
        client.install()
    with open(f"{output}.{MPI.COMM_WORLD.rank}", "w") as file:
        status = pytest.main(["-q", "-p", "no:cacheprovider", "--continue-on-collection-errors", *arguments], plugins=[Outcomes(file)])
        file.write(f"finished {status:d}, moves {client.moves() if client else 0}\n")


main(*sys.argv[1:])
