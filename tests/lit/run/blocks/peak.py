# peak.py - runs a command and compares the most memory it had with a limit in MB.
#   peak.py LIMIT COMMAND..
import os
import resource
import subprocess
import sys

limit = float(sys.argv[1])
done = subprocess.run(sys.argv[2:], timeout=900)
if done.returncode != 0:
    sys.exit(done.returncode)
# A sanitizer has memory of its own.
peak = 0 if "FACET_SANITIZE" in os.environ else resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e6
print(f"memory: {'within' if peak <= limit else 'beyond'} {limit:g} MB ({peak:.0f} MB)")
