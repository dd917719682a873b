# in_group.py - runs a command in a control group whose parent may have so many MB (version 1 or 2).
#   in_group.py MB COMMAND ...
# Ends with 77 and the reason where this machine does not let groups be made; else as the command does.
import os
import subprocess
import sys
import tempfile


def own_group():
    """The folder of this process's group of memory, and the name of its limit."""
    groups = [line.rstrip("\n").split(":", 2) for line in open("/proc/self/cgroup")]
    for line in open("/proc/self/mountinfo"):
        before, _, after = line.partition(" - ")
        root, at = before.split()[3:5]
        kind, _, options = after.split()
        for _, controllers, path in groups:
            if "memory" in controllers.split(",") if kind == "cgroup" and "memory" in options.split(",") else \
                    kind == "cgroup2" and not controllers:
                folder = os.path.join(at, path.removeprefix(root).lstrip("/"))
                folder = folder if os.path.isdir(folder) else at
                if kind == "cgroup" or "memory" in open(os.path.join(folder, "cgroup.controllers")).read().split():
                    return folder, "memory.limit_in_bytes" if kind == "cgroup" else "memory.max"
    raise OSError("no control groups of memory are mounted")


def write(folder, name, value):
    with open(os.path.join(folder, name), "w") as file:
        file.write(str(value))


def nested(megabytes):
    """A new group with this limit, and one in it that has none of its own."""
    folder, limit = own_group()
    if limit == "memory.max" and "memory" not in open(os.path.join(folder, "cgroup.subtree_control")).read().split():
        write(folder, "cgroup.subtree_control", "+memory")  # refused where processes are in the group itself
    outer = tempfile.mkdtemp(prefix="facet-", dir=folder)
    inner = os.path.join(outer, "inner")
    try:
        write(outer, limit, megabytes * 1000000)
        if limit != "memory.max" and open(os.path.join(outer, "memory.use_hierarchy")).read().strip() == "0":
            write(outer, "memory.use_hierarchy", 1)
        os.mkdir(inner)
    except OSError:
        os.rmdir(outer)
        raise
    return outer, inner


try:
    outer, inner = nested(int(sys.argv[1]))
except OSError as refused:
    print(f"in_group.py: {refused}", file=sys.stderr)
    sys.exit(77)
try:
    done = subprocess.run(sys.argv[2:], preexec_fn=lambda: write(inner, "cgroup.procs", 0))
    code = done.returncode if done.returncode >= 0 else 128 - done.returncode
except (OSError, subprocess.SubprocessError) as refused:
    print(f"in_group.py: {refused}", file=sys.stderr)
    code = 77
finally:
    os.rmdir(inner)
    os.rmdir(outer)
sys.exit(code)
