# without_example.py FACET - prints the commands of facet whose help has no example, one of another command, or one with
# an option, or an algorithm after '@', that the help does not speak of.
import re
import subprocess
import sys


def help_of(*command):
    return subprocess.run([sys.argv[1], *command, "--help"], capture_output=True, text=True, check=True).stdout


commands = re.findall(r"^  ([a-z]+) ", help_of().split("Subcommands:")[1], re.M)
assert len(commands) > 10
for command in commands:
    known, _, examples = help_of(command).partition("Examples:\n")
    known += "".join(help_of(command, own) for own in re.findall(rf"facet {command} ([a-z]+) ", examples) if f"  {own} " in known)
    used = re.findall(r"(?<= )--?[a-z]+|@", examples)
    if not re.match(rf"( +facet {command} .*\n?)+", examples) or any(word not in known for word in used):
        print(command)
