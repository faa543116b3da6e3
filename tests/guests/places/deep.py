"""Directories that lie deeper than a path can be long. Its working directory is $X."""
import errno
import os

X = os.environ["X"]


def tell(name, call):
    try:
        out = call()
    except OSError as error:
        out = errno.errorcode[error.errno]
    print(name, out)


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def read(path):
    with open(path) as file:
        return file.read()


for name in ["n" * 200] * 22:
    tell("mkdir", lambda: os.mkdir(name))
    os.chdir(name)
tell("write", lambda: write("f", "deep"))
tell("read", lambda: read("./f"))
tell("unlink", lambda: os.unlink("f"))
for name in ["n" * 200] * 22:
    os.chdir("..")
    tell("rmdir", lambda: os.rmdir(name))
tell("getcwd", os.getcwd)
tell("slashes", lambda: os.stat(X + "/" * (4090 - len(X)) + "d").st_size > 0)
