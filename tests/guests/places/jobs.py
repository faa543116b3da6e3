"""Job control: types for a shell at a terminal of its own, and tells what it says. Its arguments are the shell's
command. It types nothing before what it waits for has been said: by the shell, or by the job itself, since the shell changes
the terminal's mode for it."""
import os
import pty
import re
import select
import signal
import sys
import time

# Behind this nothing more is waited for.
LIMIT = 200
ENVIRONMENT = {"PATH": os.environ["PATH"], "HOME": "/", "PS1": "prompt> ", "LC_ALL": "C", "TERM": "dumb"}
# What it says is not what is typed: $0 is "sh".
JOB = "sh -c 'echo be$0gun; read x < pipe; echo has $0 $x; read y; echo reads $0 $y; read z'"
# A shell tells of a job at its next prompt only, so it looks itself.
UNTIL_STOPPED = "while [ \"$(jobs -r)\" ]; do :; done; echo sto$((1))pped"

try:
    os.mkfifo("pipe")
except FileExistsError:
    pass
child, terminal = pty.fork()
if child == 0:
    # What is ignored where the test was started, in the background for one, the shell could not change.
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    os.execvpe(sys.argv[1], sys.argv[1:], ENVIRONMENT)
said = ""
end = time.monotonic() + LIMIT


def expect(*patterns):
    """Waits until all of this has been said since the last time, in whatever order. Returns the first."""
    global said
    while not all(re.search(pattern, said) for pattern in patterns):
        if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
            sys.exit(f"{patterns} are not said, but {said!r}")
        said += os.read(terminal, 4096).decode()
    found = re.search(patterns[0], said).group().strip()
    said = said[max(re.search(pattern, said).end() for pattern in patterns):]
    return found


def press(keys, *patterns):
    os.write(terminal, keys.encode())
    print(repr(keys), expect(*patterns))


PROMPT = "prompt> "
expect(PROMPT)
press(JOB + "\n", r"beshgun\r")
press("\x1a", r"\[1\]\+  Stopped", PROMPT)
press("echo st$?atus\n", r"st\d+atus", PROMPT)
press("jobs\n", r"\[1\]\+  Stopped", PROMPT)
press("bg\n", r"\[1\]\+ sh -c", PROMPT)
press("echo go > pipe\n", r"has sh go\r", PROMPT)
press(UNTIL_STOPPED + "\n", r"sto1pped\r", PROMPT)
press("fg\n", r"sh -c .*\r")
press("a line\n", r"reads sh a line\r")
press("\x03", PROMPT)
press("echo st$?atus; jobs\n", r"st\d+atus", PROMPT)
press("sh -c 'echo be$0gun; read x < pipe' | cat\n", r"beshgun\r")
press("\x1a", r"Stopped", PROMPT)
press("kill -KILL %1; while jobs %1 > jobs 2>&1; do :; done; echo no$((1))ne\n", r"no1ne\r", PROMPT)
press("sh -c 'echo be$0gun; exec cat'\n", r"beshgun\r")
press("a line\n", r"a line\r\na line\r")
press("\x04", PROMPT)
press("(kill -STOP $BASHPID; echo b$((1))ack)\n", r"Stopped", PROMPT)
press("fg\n", r"b1ack\r", PROMPT)
press("sh -c 'echo be$0gun; kill -INT 0; read x < pipe'\n", r"beshgun\r", PROMPT)
press("stty -a | grep -o -- -tostop; tty | cut -c1-9\n", r"-tostop\r", r"/dev/pts/", PROMPT)
os.write(terminal, b"exit 7\n")
print("end", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
