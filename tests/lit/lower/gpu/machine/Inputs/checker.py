"""Writes a stand-in of compute-sanitizer: checker.py SCRIPT ARGUMENTS CODE keeps what it is given, runs the program, ends with CODE."""
import sys
from pathlib import Path

script, arguments, code = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
script.write_text(f"""#!/bin/sh
echo "$*" >> {arguments}
echo "========= COMPUTE-SANITIZER"
shift 6
"$@" || exit 1
echo "========= ERROR SUMMARY: {1 if code else 0} error{'' if code else 's'}"
exit {code}
""")
script.chmod(0o755)
