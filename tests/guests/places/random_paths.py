# Asks the kernel about many paths, which look random and are the same in each run: what they lead to, and
# what is there. Run as `random_paths.py grow TOP SEED`, it makes the tree in which `ask` asks.
import os
import random
import sys

NAMES = ["a", "b", "c", "m", "in", "..", "..", ".", "l1", "l2", "no", "f", "p"]
DIRECTORIES = ["a", "b", "c", "m", "m/in", "a/b", "b/a", "a/b/c", "h", "h/a", "h/b", "h/in", "h2", "h2/a", "h2/b"]


def path(dice, beginning):
    for _ in range(dice.randrange(7)):
        beginning += ("//" if dice.randrange(9) == 0 else "/") + dice.choice(NAMES)
    return beginning + ("/" if dice.randrange(6) == 0 else "")


def grow(top, dice):
    for name in DIRECTORIES:
        os.makedirs(f"{top}/{name}", exist_ok=True)
    for name in ["f", "a/c", "h/c", "h2/c", "c/b", "h/f", "h2/f"]:
        with open(f"{top}/{name}", "w") as file:
            file.write(name)
    for directory in ["", "a", "b", "a/b", "h", "h/a", "h2", "h2/a"]:
        for link in ["l1", "l2"]:
            text = path(dice, dice.choice([top, "..", "m", f"{top}/m"]))
            os.symlink(text, f"{top}/{directory}/{link}")


def told(ask):
    try:
        found = ask()
    except OSError as error:
        return f"errno {error.errno}"
    return f"{found.st_dev}:{found.st_ino}" if isinstance(found, os.stat_result) else str(found)


def opened(path, flags, directory=None):
    fd = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=directory)
    try:
        return os.fstat(fd)
    finally:
        os.close(fd)


def begin(top, directory):
    os.chdir(top)
    if os.path.isdir(directory):
        os.chdir(directory)


def ask(top, dice):
    for _ in range(150):
        name = path(dice, dice.choice([top, f"{top}/m", f"{top}/m/in", f"{top}/p", ".", "m", "..", "a", "l1"]))
        begin(top, dice.choice(["a", "m", "m/a", "a/b", "m/in", "m/in/a", "p/a", "a/p"]))
        directory = os.open(dice.choice([top, f"{top}/m", f"{top}/m/in", f"{top}/a"]), os.O_RDONLY)
        asks = {
            "stat": lambda: os.stat(name),
            "lstat": lambda: os.lstat(name),
            "stat at": lambda: os.stat(name, dir_fd=directory),
            "lstat at": lambda: os.stat(name, dir_fd=directory, follow_symlinks=False),
            "open": lambda: opened(name, os.O_RDONLY),
            "open at": lambda: opened(name, os.O_RDONLY, directory),
            "open no link": lambda: opened(name, os.O_RDONLY | os.O_NOFOLLOW, directory),
            "open path": lambda: opened(name, os.O_PATH | os.O_NOFOLLOW),
            "open directory": lambda: opened(name, os.O_RDONLY | os.O_DIRECTORY),
            "access": lambda: os.access(name, os.W_OK),
            "readlink": lambda: os.readlink(name),
            "readlink at": lambda: os.readlink(name, dir_fd=directory),
            "link": lambda: os.link(name, f"{top}/f"),
            "remove": lambda: os.rmdir(f"{name}/none"),
            "rename": lambda: os.rename(f"{name}/none", f"{top}/no/no"),
        }
        for what, question in asks.items():
            print(what, name, told(question))
        os.close(directory)


what, top, seed = sys.argv[1:]
(grow if what == "grow" else ask)(top, random.Random(seed + what))
