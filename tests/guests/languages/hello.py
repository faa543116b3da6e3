"""Imports, threads and a child."""

import json
import subprocess
import sys
import threading

totals = []


def work(number):
    with open("/proc/self/comm") as file:
        assert file.read()
    totals.append(sum(range(number * 1000)))


threads = [threading.Thread(target=work, args=(i,)) for i in range(20)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(json.dumps(sorted(totals)))
sys.stdout.flush()
subprocess.run(["sh", "-c", "echo child; exit 3"], check=False)
sys.exit(5)
