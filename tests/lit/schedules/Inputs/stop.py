"""Runs a command and presses Ctrl-C once a file is there; prints what it said and its exit code.

    stop.py FILE COMMAND...
"""
import os
import signal
import subprocess
import sys
import time

signal.signal(signal.SIGINT, signal.default_int_handler)  # a suite in the background ignores it, and so would its children
child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                         start_new_session=True)  # Ctrl-C goes to facetc too, not to the test
for _ in range(6000):  # ten minutes: a busy machine may take long
    if os.path.exists(sys.argv[1]) or child.poll() is not None:
        break
    time.sleep(0.1)
os.killpg(child.pid, signal.SIGINT)
print(child.communicate(timeout=900)[0], end="")
print("exit", child.returncode)
