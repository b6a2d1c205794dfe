"""Runs the commands of a page, in the order in which they stand there.

    run_readme.py PAGE MODEL.gguf FOLDER PAGODA

In ```console blocks, lines after "$ " are run in FOLDER, beside MODEL.gguf under
its own name, and have to print what the page says, but for times. Lines of
other blocks that begin with "pagoda" are run from the root of the source and
have to succeed. `pagoda-opt` lies beside the program PAGODA.
"""

import os
import pathlib
import re
import subprocess
import sys

page, model, folder, pagoda = (pathlib.Path(name).resolve() for name in sys.argv[1:])
folder.mkdir(parents=True)
(folder / model.name).symlink_to(model)
environment = {
    **os.environ,
    "PATH": f"{pagoda.parent}:{os.environ['PATH']}",
    "XDG_CACHE_HOME": str(folder / "cache"),
}


def run(command, where):
    done = subprocess.run(command, shell=True, cwd=where, env=environment,
                          stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"'{command}' of {page.name} fails with {done.returncode}")
    return done.stdout


def without_times(text):
    return re.sub(r"\d+\.\d+ s\b", "N s", text).strip()


commands = 0
for kind, block in re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(),
                              re.MULTILINE | re.DOTALL):
    if kind == "console":
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            found = run(command, folder)
            if without_times(found) != without_times(expected):
                sys.exit(f"'{command}' prints\n{found}\n{page.name} says\n{expected}")
            commands += 1
    else:
        # Continued lines are one command.
        for line in block.replace("\\\n", " ").splitlines():
            if re.match(r"pagoda(-opt)? ", line):
                run(line, page.parent)
                commands += 1
print(f"{commands} commands ran")
if commands < 5:
    sys.exit("that is fewer than there should be")
