"""Calls about descriptors by an empty path. Begins again by the command in its arguments, which inherits some
that only name files; without arguments it tells what it can do with them."""
import ctypes
import os
import sys

AT_EMPTY_PATH, SYS_STATX = 0x1000, 332
library = ctypes.CDLL(None, use_errno=True)


def told(result):
    return result if result >= 0 else os.strerror(ctypes.get_errno())


def link(descriptor):
    text = ctypes.create_string_buffer(99)
    length = library.readlinkat(descriptor, b"", text, 99)
    return text.value == str(os.getpid()).encode() or (told(length), text.value)


def kind(descriptor, path):
    found = ctypes.create_string_buffer(256)
    result = library.syscall(SYS_STATX, descriptor, path, AT_EMPTY_PATH, 0xFFF, found)
    return told(result), oct(int.from_bytes(found[28:30], "little"))


NAMES = {20: "l", 21: "/proc/self", 22: "f", 23: "a", 24: "/proc/self/cwd"}
if len(sys.argv) > 1:
    for number, name in NAMES.items():
        os.dup2(os.open(name, os.O_PATH | os.O_NOFOLLOW), number)
    os.execvp(sys.argv[1], sys.argv[1:])
for number in [*NAMES, 25, -100]:
    print(number, kind(number, b""), kind(number, None), *(() if number == 24 else (link(number),)))
directory = os.open("a", os.O_PATH | os.O_DIRECTORY)
print(os.stat("b", dir_fd=directory).st_nlink, kind(directory, b""), link(directory))
file = os.open("f", os.O_PATH)
print(kind(file, b""), link(file), os.path.basename(os.readlink(f"/proc/self/fd/{file}")))
