# Calls with paths while signals come: each finds what it would without them, also one that waits.
import os
import signal
import threading
import time

place = os.environ["X"]
count = 0


def handler(*_):
    global count
    count += 1
    os.stat(f"{place}/a/f")


signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
expected = os.stat(f"{place}/a/b/f").st_ino
wrong = 0
while count < 60:
    wrong += os.stat(f"{place}/a/b/../b/f").st_ino != expected
    wrong += os.path.exists(f"{place}/a/none")
    descriptor = os.open(f"{place}/a/b/f", os.O_RDONLY)
    wrong += os.fstat(descriptor).st_ino != expected
    os.close(descriptor)
print("wrong:", wrong)

# The open of a pipe waits until somebody writes to it, and begins anew after each signal.
os.mkfifo(f"{place}/pipe")
before = count


def write():
    while count < before + 10:
        time.sleep(0.001)
    with open(f"{place}/pipe", "w") as file:
        file.write("written")


threading.Thread(target=write).start()
with open(f"{place}/pipe") as file:
    print(file.read())
signal.setitimer(signal.ITIMER_REAL, 0)
print(sorted(os.listdir(place)))
