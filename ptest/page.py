"""Runs the blocks of docs/python.md as one program, in a folder of its own, without the blocks that are quoted from files."""

import os
import pathlib
import re
import sys
import tempfile
import traceback

from mpi4py import MPI

comm = MPI.COMM_WORLD
text = pathlib.Path("docs/python.md").read_text()
blocks = re.findall(r"(<!-- .*? -->\n)?```python\n(.*?)```", text, re.DOTALL)
program = "\n".join(block for mark, block in blocks if not mark)
os.chdir(comm.bcast(tempfile.mkdtemp() if comm.rank == 0 else None))
try:
    exec(compile(program, "docs/python.md", "exec"), {})
except BaseException:
    traceback.print_exc()
    comm.Abort(1)
comm.Barrier()
if comm.rank == 0:
    for name in os.listdir():
        os.unlink(name)
    os.rmdir(os.getcwd())
    print(f"docs/python.md: {comm.size} ranks, {sum(not mark for mark, _ in blocks)} blocks run")
sys.exit()
