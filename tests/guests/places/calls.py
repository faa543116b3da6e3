# Calls with paths, each told with what came out. Its working directory is the place, $X its path.
import errno, fcntl, os, socket, stat, struct, sys

X = os.environ["X"]

def tell(name, call):
    try:
        out = call()
    except OSError as error:
        out = errno.errorcode[error.errno]
    if isinstance(out, os.stat_result):
        out = (stat.filemode(out.st_mode), out.st_size)
    print(name, out)

def write(path, text, flags=0, **at):
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o644, **at)
    os.write(fd, text.encode())
    os.close(fd)

def read(path, **at):
    fd = os.open(path, os.O_RDONLY, **at)
    text = os.read(fd, 1000)
    os.close(fd)
    return text

def nameless(flags, name):
    fd = os.open(X + "/d", os.O_TMPFILE | os.O_RDWR | flags, 0o640)
    # With a directory for it to begin in, it is linkat that is called, and follows.
    os.link(f"/proc/self/fd/{fd}", X + name, src_dir_fd=fd)
    return os.stat(X + name)

tell("getcwd", os.getcwd)
tell("mkdir", lambda: os.mkdir(X + "/d"))
tell("mkdir there", lambda: os.mkdir(X + "/d/"))
tell("mkdir below nothing", lambda: os.mkdir(X + "/no/d"))
tell("write", lambda: write(X + "/d/f", "text"))
tell("read", lambda: read("d/../d//f"))
tell("read through a file", lambda: read(X + "/d/f/../f"))
tell("read below nothing", lambda: read("no/../d/f"))
tell("exclusive", lambda: write("d/f", "", os.O_EXCL))
tell("as a directory", lambda: write("d/f/", ""))
tell("exclusive directory", lambda: write("d/", "", os.O_EXCL))
tell("exclusive dots", lambda: write("d/./", "", os.O_EXCL))
tell("exclusive up", lambda: write("d/../", "", os.O_EXCL))
tell("exclusive root", lambda: write("/", "", os.O_EXCL))
tell("dots", lambda: write("d/./", ""))
tell("new directory", lambda: write("d/new/", ""))
tell("symlink", lambda: os.symlink(X + "/d/f", "absolute"))
tell("symlink up", lambda: os.symlink("../" * 40 + X + "/d/f", X + "/d/up"))
tell("symlink loop", lambda: os.symlink("loop", X + "/loop"))
tell("symlink missing", lambda: os.symlink(X + "/d/later", "later"))
tell("read absolute", lambda: read(X + "/absolute"))
tell("read relative absolute", lambda: read("absolute"))
tell("read up", lambda: read("d/up"))
tell("read loop", lambda: read(X + "/loop"))
tell("no follow", lambda: os.open(X + "/absolute", os.O_RDONLY | os.O_NOFOLLOW))
tell("create through a link", lambda: write("later", "later"))
tell("read it", lambda: read("d/later"))
tell("readlink", lambda: os.readlink(X + "/absolute"))
tell("readlink of none", lambda: os.readlink(X + "/d/f"))
tell("stat", lambda: os.stat("absolute"))
tell("lstat", lambda: os.lstat(X + "/loop"))
tell("stat slash", lambda: os.stat(X + "/d/f/"))
tell("lstat slash", lambda: os.lstat("absolute/"))
tell("long name", lambda: os.stat(X + "/" + "n" * 256))
tell("long path", lambda: os.stat(X + "/." * 2100))
tell("access", lambda: os.access(X + "/d/f", os.R_OK | os.W_OK))
tell("access none", lambda: os.access("d/none", os.F_OK))
tell("chmod", lambda: os.chmod(X + "/d/f", 0o600))
tell("chmod link", lambda: os.chmod("absolute", 0o640))
tell("chown", lambda: os.chown(X + "/d/f", -1, -1))
tell("lchown", lambda: os.lchown("absolute", -1, -1))
tell("utime", lambda: os.utime(X + "/d/f", (1, 2)))
tell("truncate", lambda: os.truncate(X + "/absolute", 2))
tell("link", lambda: os.link(X + "/d/f", "hard"))
tell("link of a link", lambda: os.link("absolute", X + "/d/hard link", follow_symlinks=False))
tell("rename", lambda: os.rename("hard", X + "/d/harder"))
tell("rename over", lambda: os.replace(X + "/d/harder", X + "/d/f"))
tell("fifo", lambda: os.mkfifo(X + "/fifo"))
tell("nameless", lambda: nameless(0, "/nameless"))
tell("nameless for ever", lambda: nameless(os.O_EXCL, "/never"))
tell("setxattr", lambda: os.setxattr(X + "/d/f", "user.a", b"1"))
tell("listxattr", lambda: [name for name in os.listxattr("absolute") if name == "user.a"])
tell("getxattr none", lambda: os.getxattr(X + "/d/f", "user.none"))
tell("statvfs", lambda: os.statvfs(X + "/absolute").f_namemax)
tell("rmdir full", lambda: os.rmdir(X + "/d"))
tell("unlink directory", lambda: os.unlink("d"))

d = os.open(X + "/d", os.O_RDONLY)
tell("at open", lambda: read("f", dir_fd=d))
tell("at up", lambda: read("../absolute", dir_fd=d))
tell("at stat", lambda: os.stat("up", dir_fd=d))
tell("at lstat", lambda: os.stat("up", dir_fd=d, follow_symlinks=False).st_mode)
tell("at mkdir", lambda: os.mkdir("e", dir_fd=d))
tell("at rename", lambda: os.rename("e", "../e", src_dir_fd=d, dst_dir_fd=d))
tell("at unlink", lambda: os.unlink("../fifo", dir_fd=d))
tell("at rmdir", lambda: os.rmdir("../e", dir_fd=d))
tell("at absolute", lambda: read(X + "/d/f", dir_fd=-5))
tell("at closed", lambda: read("f", dir_fd=99))
tell("list", lambda: sorted(os.listdir(d)))
tell("link of descriptor", lambda: os.readlink("/proc/self/fd/%d" % d))
tell("by descriptor's link", lambda: read("/proc/self/fd/%d/f" % d))
tell("up from descriptor's link", lambda: read("/proc/self/fd/%d/../absolute" % d))

tell("chdir", lambda: os.chdir("d"))
tell("getcwd", os.getcwd)
tell("cwd link", lambda: os.readlink("/proc/self/cwd"))
tell("by cwd link", lambda: read("/proc/self/cwd/../d/f"))
tell("up", lambda: os.stat("../absolute"))
tell("chdir up", lambda: os.chdir(".."))
tell("getcwd", os.getcwd)
tell("chdir none", lambda: os.chdir("none"))
tell("fchdir", lambda: os.fchdir(d))
tell("getcwd", os.getcwd)
tell("removed", lambda: (os.mkdir("gone"), os.chdir("gone"), os.rmdir(X + "/d/gone"))[0])
tell("getcwd", os.getcwd)
tell("in removed", lambda: os.stat("../f"))
tell("chdir back", lambda: os.chdir(X))

# A slash behind a name that is made or removed leads through no link.
os.symlink(X + "/d", "way")
os.symlink("nowhere", "dangling")
for path in ["way/", X + "/way/", "dangling/", X + "/dangling//", X + "/d/f/", "way/.", "way/..", X + "/way/../", X + "/way/../way/..", X + "/d/harder/"]:
    tell("rmdir " + path, lambda: os.rmdir(path))
    tell("unlink", lambda: os.unlink(path))
    tell("mkdir", lambda: os.mkdir(path))
    tell("remove", lambda: os.path.isdir(X + "/d/harder") and os.rmdir("d/harder"))
    tell("mkfifo", lambda: os.mkfifo(path))
    tell("symlink", lambda: os.symlink("x", path))
    tell("link", lambda: os.link(X + "/d/f", path))
    tell("rename from", lambda: os.rename(path, "other"))
    tell("rename to", lambda: os.rename("absolute", path))
    tell("lstat", lambda: os.lstat(path))
    tell("bind", lambda: socket.socket(socket.AF_UNIX).bind(path))

# Directories that were opened by names from others.
outer = os.open("d", os.O_RDONLY)
os.mkdir("d/in")
inner = os.open("in", os.O_RDONLY, dir_fd=outer)
for fd in [outer, inner, os.open(".", os.O_RDONLY, dir_fd=inner)]:
    tell("link", lambda: os.readlink("/proc/self/fd/%d" % fd))
    os.fchdir(fd)
    tell("getcwd", os.getcwd)
tell("up", lambda: os.chdir(".."))
tell("getcwd", os.getcwd)
os.chdir(X)

server = socket.socket(socket.AF_UNIX)
tell("bind", lambda: server.bind(X + "/d/socket"))
tell("bind there", lambda: socket.socket(socket.AF_UNIX).bind("d/socket"))
server.listen()
client = socket.socket(socket.AF_UNIX)
tell("connect", lambda: client.connect("d/socket"))
tell("name", server.getsockname)
tell("peer", client.getpeername)
tell("socket", lambda: stat.S_ISSOCK(os.stat(X + "/d/socket").st_mode))

sys.stdout.flush()
write("script", "#!/bin/sh\necho $0 $*\n")
os.chmod("script", 0o755)
for path in [X + "/script", "./script", X + "/none"]:
    child = os.fork()
    if child == 0:
        try:
            os.execv(path, ["name", "argument"])
        except OSError as error:
            os._exit(error.errno)
    tell("exec", lambda: os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    sys.stdout.flush()
