# What paths lead to where the view of them is narrower or another one: how a path is to be resolved, another
# root, mounts, names of sockets. Its working directory is the place, $X its path.
import ctypes
import errno
import os
import signal
import socket
import struct
import sys

X = os.environ["X"]
AT_FDCWD = -100
OPENAT2 = 437
NO_MAGICLINKS, NO_SYMLINKS, BENEATH, IN_ROOT = 2, 4, 8, 16
CLONE_NEWNS, MS_BIND, MS_REC, MS_PRIVATE, MNT_DETACH = 0x20000, 0x1000, 0x4000, 0x40000, 2
libc = ctypes.CDLL(None, use_errno=True)


def tell(name, call):
    try:
        out = call()
    except OSError as error:
        out = errno.errorcode[error.errno]
    print(name, out, flush=True)


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "")
    return result


def in_child(call):
    """What a child prints: it may change its root and its mounts."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(theirs, 1)
        sys.stdout = os.fdopen(1, "w")
        tell("child", call)
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


os.symlink(X + "/a", "absolute")
os.symlink("a", "relative")
directory = os.open("a", os.O_PATH)


def openat2(start, path, resolve):
    how = struct.pack("QQQ", os.O_RDONLY, 0, resolve)
    fd = checked(libc.syscall(OPENAT2, start, path.encode(), how, len(how)))
    name = os.readlink(f"/proc/self/fd/{fd}")
    os.close(fd)
    return name if name.startswith(X) else "outside"


for resolve in [0, NO_MAGICLINKS, NO_SYMLINKS, BENEATH, IN_ROOT]:
    for start, path in [
        (AT_FDCWD, X + "/a/f"),
        (AT_FDCWD, "a/f"),
        (AT_FDCWD, X + "/absolute/f"),
        (AT_FDCWD, "absolute/f"),
        (AT_FDCWD, "relative/f"),
        (AT_FDCWD, X + "/relative"),
        (AT_FDCWD, "a/../a/f"),
        (AT_FDCWD, "/etc/passwd"),
        (AT_FDCWD, "/proc/self/cwd/a/f"),
        (AT_FDCWD, "/proc/self/root/etc/passwd"),
        (directory, "f"),
        (directory, "/f"),
        (directory, "../a/f"),
        (directory, "../f"),
    ]:
        tell(f"openat2 {resolve} {path}", lambda: openat2(start, path, resolve))


def other_root():
    os.chroot(X + "/a")
    tell("getcwd", os.getcwd)
    tell("link", lambda: os.readlink("/proc/self/cwd"))
    tell("above", lambda: sorted(os.listdir("."))[0])
    os.chdir("/")
    tell("getcwd", os.getcwd)
    tell("list", lambda: sorted(os.listdir("/")))
    tell("up", lambda: os.stat("../../f").st_size)
    os.chdir("b")
    os.chroot(".")
    tell("again", lambda: os.listdir("/"))


tell("root", lambda: in_child(other_root))


def waiting(prepare):
    """A child that has done this, and waits for a signal; the caller ends it."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        prepare()
        os.write(theirs, b"1")
        signal.pause()
    os.read(ours, 1)
    return child


def others_directories():
    child = waiting(lambda: os.chdir(X + "/a/b"))
    for name in ["cwd", "root", f"task/{child}/cwd"]:
        tell(f"other's {name.replace(str(child), 'N')}", lambda: os.readlink(f"/proc/{child}/{name}"))
    tell("list", lambda: os.listdir(f"/proc/{child}/cwd"))
    tell("up", lambda: sorted(os.listdir(f"/proc/{child}/cwd/.."))[0])
    tell("below", lambda: open(f"/proc/{child}/root{X}/a/f").read())
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


others_directories()


def mounts():
    checked(libc.unshare(CLONE_NEWNS))
    checked(libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None))
    at = (X + "/c").encode()
    for source, target in [((X + "/a").encode(), at), (b"a", at), (b"a/b", b"c")]:
        checked(libc.mount(source, target, None, MS_BIND, None))
        tell("bound", lambda: sorted(os.listdir("c")))
        checked(libc.umount2(at, MNT_DETACH))
    checked(libc.mount(b"tmpfs", at, b"tmpfs", 0, None))
    tell("new", lambda: os.listdir("c"))


tell("mounts", lambda: in_child(mounts))

DATAGRAMS = socket.SOCK_DGRAM
socket.setdefaulttimeout(60)
first, second = (socket.socket(socket.AF_UNIX, DATAGRAMS) for _ in range(2))
tell("bind", lambda: (first.bind(X + "/first"), second.bind("second")))
tell("sendto", lambda: first.sendto(b"1", X + "/second"))
tell("recvfrom", lambda: second.recvfrom(10))
tell("sendto", lambda: second.sendto(b"2", "first"))
tell("recvfrom", lambda: first.recvfrom(10))
tell("sendmsg", lambda: first.sendmsg([b"3", b"4"], [], 0, X + "/second"))
answered = second.recvfrom(10)
tell("recvfrom", lambda: answered)
tell("answer", lambda: second.sendmsg([b"5"], [], 0, answered[1]))
tell("recvfrom", lambda: first.recvfrom(10))
tell("sendto", lambda: second.sendto(b"6", "first"))
tell("recvmsg", lambda: first.recvmsg(10))


class Piece(ctypes.Structure):
    _fields_ = [("at", ctypes.c_char_p), ("len", ctypes.c_size_t)]


class Message(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("name_len", ctypes.c_uint),
                ("pieces", ctypes.POINTER(Piece)), ("count", ctypes.c_size_t),
                ("beside", ctypes.c_void_p), ("beside_len", ctypes.c_size_t),
                ("flags", ctypes.c_size_t), ("len", ctypes.c_uint)]


def several(names):
    """Messages with these addresses."""
    messages = (Message * len(names))()
    for nth, (message, name) in enumerate(zip(messages, names)):
        message.pieces = (Piece * 2)(Piece(b"a" * 9, nth + 1), Piece(b"b" * 9, 2))
        message.count = 2
        if name is not None:
            message.name, message.name_len = name, len(name)
    return messages


def send_all(names):
    """Sends such messages, however many a call sends; how much of each was sent."""
    messages, sent = several(names), 0
    while sent < len(names):
        left = ctypes.byref(messages, sent * ctypes.sizeof(Message))
        sent += checked(libc.sendmmsg(second.fileno(), left, len(names) - sent, 0))
    return [message.len for message in messages]


def address(path):
    return b"\x01\0" + path.encode() + b"\0"


def received(count):
    """So many messages at once: who has sent them, and how long they are."""
    messages = several([b"\0" * 110] * count)
    rooms = [ctypes.create_string_buffer(110) for _ in range(count)]
    for message, room in zip(messages, rooms):
        message.name = ctypes.cast(room, ctypes.c_char_p)
    got = checked(libc.recvmmsg(first.fileno(), messages, count, 0, None))
    names = [room.raw[:message.name_len] for message, room in zip(messages, rooms)]
    return got, names, [message.len for message in messages]


tell("sendmmsg", lambda: send_all([address("first"), address(X + "/first"), address("first")]))
tell("recvmmsg", lambda: received(3))
tell("sendmsg to nobody", lambda: first.sendmsg([b"6"], [], 0, X + "/none"))
tell("sendmsg without a name", lambda: first.sendmsg([b"7"]))
with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
    server.bind(X + "/server")
    server.listen(1)
    client.bind(X + "/client")
    client.connect("server")
    tell("accept", lambda: server.accept()[1])
    tell("peer", client.getpeername)
for name, removed in ("gone", True), ("kept (deleted)", False):
    os.mkdir(name)
    os.chdir(name)
    if removed:
        os.rmdir(X + "/" + name)
    tell("getcwd", os.getcwd)
    tell("its link", lambda: os.readlink("/proc/self/cwd"))
    tell("its link by number", lambda: os.readlink(f"/proc/{os.getpid()}/cwd"))
    os.chdir(X)
