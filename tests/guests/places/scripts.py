# Programs and scripts of all kinds, each told with what it says. Its working directory is the place, $X
# its path.
import ctypes
import errno
import os

X = os.environ["X"]
EXECVEAT = 322
AT_EMPTY_PATH = 0x1000


def write(name, text):
    fd = os.open(name, os.O_WRONLY | os.O_CREAT, 0o755)
    os.write(fd, text if isinstance(text, bytes) else text.encode())
    os.close(fd)


def execveat(fd, path, argv):
    strings = (ctypes.c_char_p * (len(argv) + 1))(*[text.encode() for text in argv], None)
    none = (ctypes.c_char_p * 1)(None)
    ctypes.CDLL(None, use_errno=True).syscall(EXECVEAT, fd, path.encode(), strings, none, AT_EMPTY_PATH)
    raise OSError(ctypes.get_errno(), "")


def tell(name, run):
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(theirs, 1)
        os.dup2(theirs, 2)
        try:
            run()
        except OSError as error:
            os.write(1, errno.errorcode[error.errno].encode())
            os._exit(99)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        said = pipe.read()
    print(name, said, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


write("show", "#!/bin/sh\necho 0=$0 n=$# \"$@\"\nreadlink /proc/self/exe | sed s,.*/,,\ntr '\\0' ' ' < /proc/$$/cmdline\n")
write("nest1", f"#!{X}/show  one two \n")
for depth in range(2, 7):
    write(f"nest{depth}", f"#!{X}/nest{depth - 1} {depth}\n")
write("relative", "#!./show a\n")
write("up", "#!a/../show\n")
write("bare", "#!show\n")
write("cut", "#!./show " + "l" * 300 + "\n")
write("too long", "#!" + "/" * 300 + f"{X}/show\n")
write("nothing", "#!\n")
write("blanks", f"#!   \t{X}/show\t  a b\t \n")
write("missing", f"#!{X}/none\n")
write("directory", f"#!{X}/a\n")
write("no end", f"#!{X}/show")
write("itself", f"#!{X}/itself\n")
write("garbage", "garbage")
write("empty", "")
with open("/bin/echo", "rb") as file:
    write("binary", file.read())
os.symlink(X + "/binary", "binary link")
os.symlink("show", "script link")

names = ["show", "relative", "up", "bare", "cut", "too long", "nothing", "blanks", "missing", "directory", "no end"]
names += ["itself", "garbage", "empty", "binary", "binary link", "script link", "a", "f", "none"]
for name in names + [f"nest{depth}" for depth in range(1, 7)]:
    tell(f"absolute {name}", lambda: os.execv(f"{X}/{name}", [name, "A", "B"]))
    tell(f"relative {name}", lambda: os.execv(f"./{name}", ["zero", "A"]))
tell("from another directory", lambda: (os.chdir("a"), os.execv("../relative", ["zero"])))
tell("by the working directory", lambda: os.execv("/proc/self/cwd/nest1", ["zero", "A"]))

directory = os.open("a", os.O_PATH)
kept = os.open("a", os.O_PATH)
os.set_inheritable(kept, True)
tell("at", lambda: execveat(kept, "../nest1", ["zero", "A"]))
for name in ["binary", "show", "nest2"]:
    fd = os.open(name, os.O_RDONLY)
    tell(f"by descriptor {name}", lambda: execveat(fd, "", ["zero", "A"]))
    tell(f"by link {name}", lambda: os.execv(f"/proc/self/fd/{fd}", ["zero", "A"]))
    tell(f"at closed {name}", lambda: execveat(directory, f"../{name}", ["zero", "A"]))
    os.set_inheritable(fd, True)
    tell(f"by kept descriptor {name}", lambda: execveat(fd, "", ["zero", "A"]))
memory = os.memfd_create("program", 0)
os.write(memory, b"#!/bin/sh\necho $0\n")
tell("memory", lambda: execveat(memory, "", ["zero"]))
