"""The files that the house rules look at."""

import pathlib
import subprocess


class Tree:
    """A source tree: its root and the files of it that git would commit.

    Paths are relative to the root, with forward slashes, sorted.
    """

    def __init__(self, root, files=None):
        self.root = pathlib.Path(root)
        self._lines = {}
        self.files = sorted(self._list() if files is None else files)

    def _list(self):
        listed = self.git("ls-files", "--cached", "--others", "--exclude-standard")
        return [f for f in listed.splitlines() if (self.root / f).is_file()]

    def git(self, *arguments):
        """What git prints, or "" where it fails (no such revision)."""
        done = subprocess.run(
            ["git", "-C", self.root, "-c", "core.quotepath=off", *arguments],
            capture_output=True,
            text=True,
            errors="replace",
        )
        return done.stdout if done.returncode == 0 else ""

    def base(self):
        """The commit that this work started from: where it left main, or the
        one before the last where it is main; "" without history."""
        head = self.git("rev-parse", "HEAD").strip()
        for main in ("origin/main", "main"):
            fork = self.git("merge-base", "HEAD", main).strip()
            if fork and fork != head:
                return fork
        return self.git("rev-parse", "--verify", "HEAD~1").strip()

    def changed(self):
        """The files that differ from base() or are new."""
        base = self.base() or "HEAD"
        names = self.git("diff", "--name-only", base).splitlines()
        names += self.git("ls-files", "--others", "--exclude-standard").splitlines()
        return sorted(set(names) & set(self.files))

    def under(self, *folders, suffixes=()):
        """Files in one of the folders that end in one of the suffixes."""
        return [
            f
            for f in self.files
            if (not folders or f.startswith(tuple(d + "/" for d in folders)))
            and (not suffixes or f.endswith(tuple(suffixes)))
        ]

    def lines(self, path):
        """The lines of a text file, without their ends."""
        if path not in self._lines:
            self._lines[path] = self.text(path).splitlines()
        return self._lines[path]

    def text(self, path):
        return (self.root / path).read_text(encoding="utf-8", errors="replace")
