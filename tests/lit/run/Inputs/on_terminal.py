# on_terminal.py COMMAND ... - runs a command whose standard error is a terminal, and prints what came there.
import os
import subprocess
import sys

mine, its = os.openpty()
done = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=its)
os.close(its)
text = b""
try:
    while part := os.read(mine, 4096):
        text += part
except OSError:  # the terminal's other side is closed
    pass
print(text.decode().replace("\r", "\n").replace("\x1b", "ESC"))
sys.exit(done.wait())
