# within.py - runs a command in little memory and, with --file, on a disk that takes little, and prints how it ended.
#   within.py [--file=BYTES] [--memory=BYTES] -- COMMAND
# Prints all that the command said and "exit code N", or the signal, or that more than 2 GB were used. The time limit
# is there for hangs only. A program with AddressSanitizer reserves more addresses than there are: they are not limited.
import os
import resource
import signal
import subprocess
import sys

at = sys.argv.index("--")
options = dict(word.lstrip("-").split("=") for word in sys.argv[1:at])
memory = int(float(options.get("memory", 4e9)))  # of addresses: more than what is used
file = options.get("file")


def limit():
    if "FACET_SANITIZE" not in os.environ:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if file:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(file), int(file)))


# A pipe as standard error: files are limited.
try:
    done = subprocess.run(sys.argv[at + 1:], preexec_fn=limit, capture_output=True, text=True, timeout=900)
    how = f"exit code {done.returncode}" if done.returncode >= 0 else f"signal {-done.returncode}"
    used = 0 if "FACET_SANITIZE" in os.environ else 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(done.stdout + done.stderr + (how if used < 2e9 else f"{used / 1e9:.2f} GB were used"))
    errors = done.stderr.count("error:")
    if errors > 1:
        print(f"{errors} messages")
except subprocess.TimeoutExpired:
    print("it hangs")
