#!/usr/bin/env python3
"""Replays a recorded editing session in Loro and Yrs, and prints the times as a Markdown table.

README.md says how to read the table. `--help` lists the options.
"""

import argparse
import datetime
import gc
import gzip
import importlib.metadata
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time
import venv

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("trace", type=pathlib.Path, help="a session of editing-traces, as .json or .json.gz")
    options.add_argument(
        "--environment", type=pathlib.Path, default=CACHE / "unsaved-outside", metavar="FOLDER",
        help="where the packages are installed (default: %(default)s)")
    options.add_argument("--bench", type=pathlib.Path, help="a release build of bench, which replays the session too")
    options.add_argument("--runs", type=int, default=3, help="how often each replay is timed (default: %(default)s)")
    options.add_argument("--limit", type=int, help="replay only so many steps, to try this script; excludes --bench")
    arguments = options.parse_args()
    if arguments.bench and arguments.limit:
        options.error("bench replays the whole session, so --limit excludes --bench")
    enter(arguments.environment.resolve())

    session = Session(arguments.trace, arguments.limit)
    began, used = time.perf_counter(), time.process_time()
    rows = []
    for peer in Loro, Yrs:
        plain, _ = best(peer, session, False, arguments.runs)
        recorded, undone = best(peer, session, True, arguments.runs)
        rows.append((peer.title(), plain, recorded, recorded - plain, undone))
    rows.append(("empty Python methods", best(Empty, session, False, arguments.runs)[0]))
    share = (time.process_time() - used) / (time.perf_counter() - began)
    if arguments.bench:
        rows.append(("UndoHistory", *bench(arguments.bench, session)))

    print(f"`{arguments.trace.name}`: {session.steps:,} steps; the final text has {len(session.after):,} characters.\n")
    print("| | without undo | with undo | difference | undoing the last step |\n|---|---:|---:|---:|---:|")
    for title, *times in rows:
        cells = [f"{seconds:.3f} s" for seconds in times[:3]] + [f"{1e6 * seconds:,.2f} µs" for seconds in times[3:]]
        print(f"| {title} | {' | '.join(cells + [''] * (4 - len(cells)))} |")
    print(f"\n{machine()}, Python {platform.python_version()}, {datetime.date.today()}, best of {arguments.runs}. "
          f"The replays had a core for {share:.0%} of their time.")


def enter(environment):
    """Installs the packages into a virtual environment, and continues there."""
    if pathlib.Path(sys.prefix).resolve() == environment:
        return
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(environment, with_pip=True)
    requirements = pathlib.Path(__file__).with_name("requirements.txt")
    # Only wheels are installed, because building the packages from source needs a Rust compiler.
    subprocess.run(
        [python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--only-binary", ":all:",
         "--requirement", requirements], check=True)
    sys.exit(subprocess.run([python, *sys.argv]).returncode)


class Session:
    """A trace. Its positions are in Unicode scalars, and `in_bytes` has the same patches in bytes of UTF-8."""

    def __init__(self, path, limit):
        data = path.read_bytes()
        trace = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
        self.json = trace
        self.start = self.after = trace["startContent"]
        self.in_scalars = []
        self.in_bytes = []
        for transaction in trace["txns"][:limit]:
            patches = [tuple(patch) for patch in transaction["patches"] if patch[1] or patch[2]]
            if not patches:
                continue
            self.before = self.after
            self.in_scalars.append(patches)
            self.in_bytes.append([self.apply(*patch) for patch in patches])
        self.steps = len(self.in_scalars)
        if not limit and self.after != trace["endContent"]:
            sys.exit(f"{path}: the edits don't lead to the end content")

    def apply(self, position, deleted, inserted):
        """Edits the text, and returns the patch in bytes."""
        head, tail = self.after[:position], self.after[position + deleted:]
        removed = self.after[position:position + deleted]
        self.after = head + inserted + tail
        return len(head.encode()), len(removed.encode()), inserted


class Loro:
    """Each transaction is a commit, and each commit is a step of the undo manager."""

    @staticmethod
    def title():
        return f"Loro {importlib.metadata.version('loro')}"

    def __init__(self, session, with_undo):
        import loro

        self.transactions = session.in_scalars
        self.document = loro.LoroDoc()
        self.text = self.document.get_text("text")
        self.text.insert(0, session.start)
        self.document.commit()
        if with_undo:
            self.manager = loro.UndoManager(self.document)
            self.manager.set_merge_interval(0)
            self.manager.set_max_undo_steps(session.steps + 1)

    def replay(self):
        insert, delete, commit = self.text.insert, self.text.delete, self.document.commit
        for patches in self.transactions:
            for position, deleted, inserted in patches:
                if deleted:
                    delete(position, deleted)
                if inserted:
                    insert(position, inserted)
            commit()

    def undo(self):
        self.manager.undo()

    def steps(self):
        return self.manager.undo_count()

    def content(self):
        return self.text.to_string()


class Yrs:
    """Each transaction is a transaction of Yrs. The undo manager has no limit of steps."""

    @staticmethod
    def title():
        return f"Yrs (pycrdt {importlib.metadata.version('pycrdt')})"

    def __init__(self, session, with_undo):
        import pycrdt

        self.transactions = session.in_bytes
        self.document = pycrdt.Doc()
        self.document["text"] = self.text = pycrdt.Text(session.start)
        if with_undo:
            self.manager = pycrdt.UndoManager(scopes=[self.text], capture_timeout_millis=0)

    def replay(self):
        text, transaction = self.text, self.document.transaction
        for patches in self.transactions:
            with transaction():
                for position, deleted, inserted in patches:
                    if deleted:
                        del text[position:position + deleted]
                    if inserted:
                        text.insert(position, inserted)

    def undo(self):
        self.manager.undo()

    def steps(self):
        return len(self.manager.undo_stack)

    def content(self):
        return str(self.text)


class Empty(Loro):
    """The loop of Loro with methods that do nothing, which shows what the calls from Python take."""

    def __init__(self, session, with_undo):
        self.transactions = session.in_scalars
        self.text = self.document = self
        self.result = session.after

    def insert(self, position, inserted):
        pass

    def delete(self, position, deleted):
        pass

    def commit(self):
        pass

    def content(self):
        return self.result


def best(peer, session, with_undo, runs):
    """The best times of replaying the session and of undoing its last step, each in a new document.

    The time of the processor is measured, because a replay has one thread and waits for nothing.
    """
    times = []
    for _ in range(runs):
        document = peer(session, with_undo)
        gc.collect()
        gc.disable()
        start = time.process_time()
        document.replay()
        replayed = time.process_time()
        check(document.content() == session.after, "the text after the last step is wrong")
        undoing = time.process_time()
        if with_undo:
            document.undo()
        undone = time.process_time()
        gc.enable()
        if with_undo:
            check(document.content() == session.before, "the text after undoing the last step is wrong")
            check(document.steps() == session.steps - 1, "the undo manager has merged steps, or dropped some")
        times.append((replayed - start, undone - undoing))
    return [min(column) for column in zip(*times)]


def check(holds, problem):
    if not holds:
        sys.exit(problem)


def bench(program, session):
    """The figures of `bench trace`: medians for a `String`, and for a history with a step for each transaction."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "trace.json")
        path.write_text(json.dumps(session.json))
        report = subprocess.run([program, "trace", path], check=True, stdout=subprocess.PIPE, text=True).stdout

    def nanoseconds(pattern):
        found = re.search(pattern, report, re.MULTILINE)
        check(found, f"bench printed something else:\n{report}")
        return float(found[1].replace(",", ""))

    edits = sum(len(transaction["patches"]) for transaction in session.json["txns"])
    plain, recorded = (
        nanoseconds(rf"^{title} +[\d.,]+ +([\d.,]+)") * edits / 1e9 for title in ("unrecorded", "a step a transaction"))
    return plain, recorded, recorded - plain, nanoseconds(r"undoing one of the last steps takes ([\d.,]+) ns") / 1e9


def machine():
    """The processor, named as `bench` names it, and the number of cores."""
    try:
        pairs = re.findall(r"^([\w ]+?)\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE)
        facts = dict(reversed(pairs))
        name = f"{facts['model name']} (family {facts['cpu family']}, model {facts['model']})"
    except (OSError, KeyError):
        name = platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores, {platform.system()}"


if __name__ == "__main__":
    main()
