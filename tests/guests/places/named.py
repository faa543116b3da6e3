"""Descriptors that only name files (O_PATH): of what there is, and what can be done by them."""
import os


def told(what, *args, **more):
    try:
        return what(*args, **more)
    except OSError as error:
        return error.strerror


os.symlink("f", "to-f")
os.symlink("none", "to-none")
os.mkfifo("pipe")
os.mkdir("closed")
os.chmod("closed", 0o311)
os.chmod("a/f", 0o200)
PATHS = ["f", "to-f", "to-none", "pipe", "closed", "a", "a/f", "/dev/null", "f/", "a/", "none", "", "l/f"]
PATHS += ["/proc/self/cwd", "/proc/self/fd/0"]
MORE = {"": 0, "nofollow": os.O_NOFOLLOW, "directory": os.O_DIRECTORY, "create": os.O_CREAT | os.O_EXCL}
for path in PATHS:
    for name, more in MORE.items():
        fd = told(os.open, path, os.O_PATH | more, 0o600)
        print(path, name, fd)
        if not isinstance(fd, int):
            continue
        print(oct(os.fstat(fd).st_mode), told(os.readlink, "", dir_fd=fd), told(os.read, fd, 1))
        print(told(os.stat, f"/proc/self/fd/{fd}") == os.fstat(fd), told(os.fchmod, fd, 0o600))
        print(os.get_inheritable(fd), os.listdir(f"/proc/self/fd/{fd}") if path == "a" else "")
        os.close(fd)
fd = os.open("a", os.O_PATH)
print(told(os.open, "b/f", os.O_PATH | os.O_CLOEXEC, dir_fd=fd), told(os.open, "b", os.O_PATH | 0o2, dir_fd=fd))
