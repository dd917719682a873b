# without_example.py FACET - prints the commands of facet whose help has no example, or one of another command.
import re
import subprocess
import sys


def help_of(*command):
    return subprocess.run([sys.argv[1], *command, "--help"], capture_output=True, text=True, check=True).stdout


commands = re.findall(r"^  ([a-z]+) ", help_of().split("Subcommands:")[1], re.M)
assert len(commands) > 10
for command in commands:
    if not re.search(rf"^Examples:\n( +facet {command} .*\n?)+", help_of(command), re.M):
        print(command)
