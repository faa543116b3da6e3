//! Programs in a place of `shunpike run`, against the same programs natively in the directory that the
//! place shows: the same output and the same exit status, by each mechanism.
#![forbid(unsafe_code)]

mod harness;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::compile::{self, Variant};
use harness::launch::{self, End, Outcome};
use harness::place::{furnish, grow, told};
use harness::{tools, tracer};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// The mechanisms of `--mechanism=`.
const MECHANISMS: [&str; 4] = ["ptrace", "sysemu", "seccomp", "agent"];

/// How the program sees the directory: options, in which `{}` is its path, and the program's name for it.
const VIEWS: [(&str, &[&str], &str); 4] = [
    ("map", &["--map=/place={}"], "/place"),
    ("deep", &["--map=/place/in/a/place={}", "--map=/place=/usr"], "/place/in/a/place"),
    ("unreal", &["--unreal"], "/unreal{}"),
    // The root of the host at a path that is no other name of the guest's root.
    ("root", &["--map=/place=/"], "/place{}"),
];

/// What is run there: a name, the tools that it needs, and a command of a shell. `$X` is the directory, and
/// `$T` the folder with guests of these tests.
const PROGRAMS: &[(&str, &[&str], &str)] = &[
    ("calls", &["python3"], "/usr/bin/python3 $T/calls.py"),
    ("deep", &["python3"], "/usr/bin/python3 $T/deep.py"),
    ("scripts", &["python3"], "/usr/bin/python3 $T/scripts.py"),
    ("views", &["python3"], "/usr/bin/python3 $T/views.py"),
    ("interrupted", &["python3"], "/usr/bin/python3 $T/interrupted.py"),
    (
        "shell",
        &[],
        "pwd; cd $X/a/b && pwd; cd ..; pwd; cat ../f; cd ../c/..; pwd -P; ls -a . $X/a; exit 7",
    ),
    (
        "walk",
        &["find"],
        "find $X | sort; find . -name f; ls -lR $X | grep -c ' f$'; du -a . | wc -l",
    ),
    (
        "copy",
        &["tar"],
        "cp -r a copy && mv copy $X/moved && tar cf t.tar -C $X moved && rm -r moved && tar xvf t.tar && cat moved/b/f",
    ),
    (
        "script",
        &[],
        "printf '#!/bin/sh\\necho $0 $1\\n' > s; chmod +x s; ./s 1; $X/s 2; PATH=$X:$PATH; s 3; exec $X/s 4",
    ),
    (
        "git",
        &["git"],
        "git init -q r && cd r && echo 1 > f && git add f && git -c user.name=a -c user.email=a@b commit -qm m && git clone -q $X/r $X/r2 && cd ../r2 && git status --short && git log --format=%s && git -C $X/r2 ls-files",
    ),
    (
        "build",
        &["gcc", "make"],
        "echo 'int main(void) { return 5; }' > m.c; printf 'm: m.c\\n\\tgcc -o $@ $<\\n' > Makefile; make -s -C $X && $X/m",
    ),
    (
        "package",
        &["dpkg-deb"],
        "mkdir -p p/DEBIAN p/usr; printf 'Package: x\\nVersion: 1\\nArchitecture: all\\nMaintainer: a <a@b>\\nDescription: x\\n' > p/DEBIAN/control; echo in > p/usr/f; dpkg-deb --build --root-owner-group p x.deb && dpkg-deb -x $X/x.deb out && cat out/usr/f && dpkg-deb -f x.deb Package",
    ),
    (
        "sqlite",
        &["sqlite3"],
        "sqlite3 $X/db 'create table t(a); insert into t values (4);' && sqlite3 db 'select a from t'; ls",
    ),
    (
        "node",
        &["node"],
        "node -e 'const fs=require(\"fs\"); fs.writeFileSync(process.env.X+\"/j\",\"j\"); console.log(process.cwd(), fs.readdirSync(\".\"), fs.realpathSync(\"a/../l\"))'",
    ),
];

/// A check with a mechanism.
type Check = fn(&str) -> Result<(), Failed>;

/// What needs python3.
const BY_PYTHON: [(&str, Check); 4] = [
    ("names", names),
    ("read-only", read_only),
    ("too deep", too_deep),
    ("removed directory", removed_directory),
];

fn main() {
    let mut trials = Vec::new();
    for (view, options, name) in VIEWS {
        for (program, needs, command) in PROGRAMS {
            for mechanism in MECHANISMS {
                let test = format!("{program} {view} {mechanism}");
                let folder = test.replace(' ', "-");
                trials.push(Trial::ignorable_test(test, move || {
                    if let Some(reason) = missing(needs, mechanism) {
                        return Ok(Completion::ignored_with(reason));
                    }
                    compare(&folder, options, name, command, mechanism)
                        .map(|()| Completion::Completed)
                }));
            }
        }
    }
    for mechanism in MECHANISMS {
        trials.push(Trial::test(format!("root {mechanism}"), move || root(mechanism)));
        for (name, check) in BY_PYTHON {
            trials.push(Trial::ignorable_test(format!("{name} {mechanism}"), move || {
                if let Some(reason) = missing(&["python3"], mechanism) {
                    return Ok(Completion::ignored_with(reason));
                }
                check(mechanism).map(|()| Completion::Completed)
            }));
        }
        trials.push(Trial::ignorable_test(format!("statfs i386 {mechanism}"), move || {
            let missing = Variant::I386.missing().or_else(|| missing(&[], mechanism));
            if let Some(reason) = missing {
                return Ok(Completion::ignored_with(reason));
            }
            statfs_of_32_bits(mechanism).map(|()| Completion::Completed)
        }));
        trials.push(Trial::ignorable_test(format!("random {mechanism}"), move || {
            if let Some(reason) = missing(&["python3", "unshare"], mechanism) {
                return Ok(Completion::ignored_with(reason));
            }
            random(mechanism)
        }));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn missing(needs: &[&str], mechanism: &str) -> Option<String> {
    let tool = needs.iter().find(|tool| tools::find(tool).is_none());
    let tool = tool.map(|tool| format!("there is no {tool}"));
    tool.or_else(|| (mechanism == "agent").then(tracer::no_agent).flatten().map(String::from))
}

fn compare(
    folder: &str,
    options: &[&str],
    name: &str,
    command: &str,
    mechanism: &str,
) -> Result<(), Failed> {
    let natively = grow(&format!("places-{folder}-natively"));
    let shown = grow(&format!("places-{folder}-shown"));
    let path = shown.to_str().expect("a plain name");
    let inside = name.replace("{}", path);
    let mut native = Command::new("sh");
    let expected = outcome(native.args(["-c", command]), &natively, &natively)?;

    let mut run = Command::new(tracer::shunpike());
    run.arg("run").arg(format!("--mechanism={mechanism}"));
    run.args(options.iter().map(|option| option.replace("{}", path)));
    run.arg(format!("--cwd={inside}")).args(["sh", "-c", command]);
    let got = outcome(&mut run, &shown, Path::new(&inside))?;
    let expected = told(&expected, &[natively.to_str().expect("a plain name")]);
    // Where the program knows no other name it is to be told no other.
    let shown = if inside.contains(path) { vec![&*inside, path] } else { vec![&*inside] };
    let got = told(&got, &shown);
    if expected != got {
        return Err(format!("natively:\n{expected}\nunder run:\n{got}").into());
    }
    Ok(())
}

fn outcome(command: &mut Command, folder: &Path, inside: &Path) -> Result<Outcome, Failed> {
    let mut command = std::mem::replace(command, Command::new("true"));
    // `launch::run` gives all commands the same environment.
    command = {
        let mut with = Command::new("env");
        with.arg(format!("X={}", inside.display()));
        with.arg(format!("T={}", tools::tests().join("guests/places").display()));
        with.arg(command.get_program()).args(command.get_args());
        with
    };
    launch::run(command, folder, "").map_err(Failed::from)
}

/// A root with its own loader and libraries.
fn root(mechanism: &str) -> Result<(), Failed> {
    if let Some(reason) = missing(&["ldd"], mechanism) {
        eprintln!("skipped: {reason}");
        return Ok(());
    }
    let root = grow(&format!("places-root-{mechanism}"));
    let programs: Option<Vec<PathBuf>> =
        ["sh", "ls", "cat", "readlink"].into_iter().map(tools::find).collect();
    let programs = programs.ok_or("a tool is missing")?;
    furnish(&root, &programs.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    fs::write(root.join("s"), "#!/bin/sh\necho script $0 $*\n")?;
    let mut permissions = fs::metadata(root.join("s"))?.permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    fs::set_permissions(root.join("s"), permissions)?;
    std::os::unix::fs::symlink("/a/f", root.join("absolute"))?;
    let mut run = Command::new(tracer::shunpike());
    run.arg("run")
        .arg(format!("--mechanism={mechanism}"))
        .arg(format!("--root={}", root.display()));
    run.args(["--map=/proc=/proc", "/bin/sh", "-c"]);
    run.arg("pwd; cat /absolute; cd a; cat ../../../f; /s 1 2; readlink /proc/self/exe; cat /etc/passwd; exit 3");
    let got = launch::run(run, &root, "")?;
    let expected = "Exited(3)\n/\na/f\nf\nscript /s 1 2\n/bin/readlink\n\n";
    let text = told(&got, &[]);
    if !text.starts_with(expected) || !got.stderr.contains("/etc/passwd: No such file") {
        return Err(format!("expected:\n{expected}\ngot:\n{text}").into());
    }
    Ok(())
}

/// By another name, or by a descriptor, nothing of a read-only place is changed either.
fn read_only(mechanism: &str) -> Result<(), Failed> {
    const SCRIPT: &str = "
import ctypes, errno, fcntl, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def told(what, *args, **more):
    try: what(*args, **more)
    except OSError as error: return errno.errorcode[error.errno]
for _ in range(40): os.stat('/place/a')
print(told(os.link, '/place/f', 'f2'), told(os.link, '/place/f', '/place/f2'), told(os.link, 'f', 'f3'))
print(told(os.link, '/place/none', 'f4'), told(os.link, '/place/f', 'c'), told(os.link, '/place/f', 'none/f'))
fd, other = os.open('/place/f', 0), os.open('f', 0)
def linked(fd, path, flags):
    if libc.linkat(fd, path.encode(), -100, b'f5', flags) < 0: return errno.errorcode[ctypes.get_errno()]
print(linked(fd, '', 0x1000), linked(-100, f'/proc/self/fd/{fd}', 0x400), linked(fd, '', 0))
for of in fd, other: print(told(os.utime, of), told(os.fchmod, of, 0o600))
print(told(os.utime, '/place/f'), told(os.utime, 'f'), sorted(os.listdir('.')))
link = f'/proc/self/fd/{fd}'
print(told(os.open, link, os.O_WRONLY), told(os.chmod, link, 0o600), os.access(link, os.W_OK), told(os.open, link, 0))
print(told(os.truncate, f'/dev/fd/{fd}', 0), told(os.chmod, '/proc/thread-self/fd/%d' % os.open('/place/f', os.O_PATH), 0))
print(told(os.open, '/place', os.O_TMPFILE | os.O_RDWR), told(os.open, '/place/a', os.O_TMPFILE | os.O_RDWR))
print([os.statvfs(of).f_flag & os.ST_RDONLY for of in ('/place/a', fd, '.', other)])
# FS_IOC_SETFLAGS and FS_IOC_FSSETXATTR, as chattr has them.
print([told(fcntl.ioctl, fd, request, bytes(28)) for request in (0x40086602, 0x401c5820)])
print(told(fcntl.ioctl, other, 0x40086602, bytes(8)) == 'EROFS', told(os.close, os.dup(fd)))
# By the host's name it can be changed, and so by what was opened by that.
written = os.open(sys.argv[1] + '/f', os.O_WRONLY)
print(told(os.fchmod, written, 0o600), told(os.open, f'/dev/fd/{written}', os.O_WRONLY), os.fstatvfs(written).f_flag & 1)
";
    let folder = grow(&format!("read-only-{mechanism}"));
    let shown = grow(&format!("read-only-{mechanism}-shown"));
    let expected = "EXDEV EROFS None\nENOENT EEXIST ENOENT\nEXDEV EXDEV ENOENT\nEROFS EROFS\nNone None\nEROFS None ['a', 'c', 'f', 'f3', 'l']\n\
                    EROFS EROFS False None\nEROFS EROFS\nEROFS EROFS\n[1, 1, 0, 0]\n['EROFS', 'EROFS']\nFalse None\nNone None 0\n";
    says_in_read_only(mechanism, SCRIPT, &folder, &shown, expected)
}

/// The kernel follows no link for a guest where nobody can ask by the host's name what it leads to, and what is
/// read-only is so there too.
fn too_deep(mechanism: &str) -> Result<(), Failed> {
    const SCRIPT: &str = "
import errno, os, sys
def told(what, *args):
    try: what(*args)
    except OSError as error: return errno.errorcode[error.errno]
def opened(path, flags):
    return told(lambda: os.close(os.open(path, flags)))
def down(levels):
    for _ in range(levels): os.chdir(n)
n = 'n' * 250
for _ in range(40): os.stat('/place/a')
os.chdir(sys.argv[1])
for _ in range(14):
    os.mkdir(n)
    os.chdir(n)
for level in range(3): os.mkdir('/'.join([n] * (level + 1)))
deep = '/'.join([n] * 3) + '/'
os.symlink('/place/f', deep + 'l')
print(opened(deep + 'f', os.O_CREAT | os.O_WRONLY), opened(deep + 'f', os.O_RDONLY))
print(opened(deep + 'l', os.O_WRONLY), opened(deep + 'l', os.O_RDONLY), opened(deep + '../' + n + '/l', os.O_RDONLY))
print(os.readlink(deep + 'l'), told(os.rename, deep + 'l', deep + 'l2'), told(os.chdir, deep + 'l2'))
os.chdir('/place')
down(14)
print(opened(deep + 'f', os.O_WRONLY), opened(deep + 'f', os.O_RDONLY), told(os.unlink, deep + 'f'))
# From here on the kernel tells no path.
down(3)
print(opened('f', os.O_WRONLY), opened('f', os.O_RDONLY), told(os.unlink, 'f'), opened('l2', os.O_RDONLY))
fd = os.open('f', os.O_RDONLY)
link = f'/proc/self/fd/{fd}'
print(told(os.link, 'f', sys.argv[1] + '/linked'), told(os.fchmod, fd, 0o600), told(os.chmod, link, 0o600), told(os.utime, fd))
print(opened(link, os.O_WRONLY), opened(link, os.O_RDONLY), told(os.truncate, link, 0))
";
    let folder = grow(&format!("deep-{mechanism}"));
    let expected = "None None\nENAMETOOLONG ENAMETOOLONG ENAMETOOLONG\n/place/f None ENAMETOOLONG\n\
                    EROFS None EROFS\nENAMETOOLONG None ENAMETOOLONG ENAMETOOLONG\n\
                    ENAMETOOLONG ENAMETOOLONG ENAMETOOLONG ENAMETOOLONG\nENAMETOOLONG None ENAMETOOLONG\n";
    says_in_read_only(mechanism, SCRIPT, &folder, &folder, expected)
}

/// A program begins in a directory that was removed as it does natively.
fn removed_directory(mechanism: &str) -> Result<(), Failed> {
    const SCRIPT: &str = "
import os
def told(what, *args):
    try: return what(*args)
    except OSError as error: return error.strerror
print(told(os.getcwd), told(os.listdir), told(os.mkdir, 'new'), told(os.stat, 'none'), os.listdir('/usr') != [])
os.chdir('..')
print(os.listdir())
";
    const REMOVED: &str = "mkdir gone && cd gone && rmdir ../gone && exec \"$@\"";
    let python = ["/usr/bin/python3", "-c", SCRIPT];
    let ran = |run: &[&str]| {
        let folder = tools::empty_scratch(&format!("removed-{mechanism}-{}", run.len()));
        let mut command = Command::new("sh");
        command.args(["-c", REMOVED, "sh"]).args(run).args(python);
        launch::run(command, &folder, "")
    };
    let by = format!("--mechanism={mechanism}");
    let run = tracer::shunpike();
    let run = run.to_str().ok_or("no text")?;
    let (natively, got) = (ran(&[])?, ran(&[run, "run", &by, "--unreal", "--map=/place=/usr"])?);
    if natively.end != End::Exited(0) || told(&natively, &[]) != told(&got, &[]) {
        return Err(format!("natively:\n{natively:?}\ngot:\n{got:?}").into());
    }
    let moved = ran(&[run, "run", &by, "--unreal", "--cwd=/usr"])?;
    match moved.stdout.starts_with("/usr [") {
        true => Ok(()),
        false => Err(format!("{moved:?}").into()),
    }
}

/// Runs a script in a folder, with the host's name of what it finds at /place, where that is read-only, as its
/// argument. It is to say what is expected.
fn says_in_read_only(
    mechanism: &str,
    script: &str,
    folder: &Path,
    shown: &Path,
    expected: &str,
) -> Result<(), Failed> {
    let mut run = Command::new(tracer::shunpike());
    run.arg("run").arg(format!("--mechanism={mechanism}"));
    run.arg(format!("--map=/place={}:ro", shown.display()));
    run.args(["/usr/bin/python3", "-c", script]).arg(shown);
    let got = launch::run(run, folder, "")?;
    if got.stdout != expected {
        return Err(format!("expected:\n{expected}\ngot:\n{got:?}").into());
    }
    Ok(())
}

/// 32-bit programs have structs of their own to be told in that a place is read-only.
fn statfs_of_32_bits(mechanism: &str) -> Result<(), Failed> {
    let source = tools::tests().join("guests/places/statfs_i386.c");
    let program = compile::c(&source, Variant::I386)?;
    let folder = tools::empty_scratch(&format!("statfs-{mechanism}"));
    let mut run = Command::new(tracer::shunpike());
    run.arg("run").arg(format!("--mechanism={mechanism}")).arg("--map=/place=/proc:ro");
    run.arg(program);
    let got = launch::run(run, &folder, "")?;
    if got.end != End::Exited(0b1111) {
        return Err(format!("{got:?}").into());
    }
    Ok(())
}

/// What is open has the name by which it was opened last, of the two that `--unreal` gives it.
fn names(mechanism: &str) -> Result<(), Failed> {
    const SCRIPT: &str = "
import os, sys
X = sys.argv[1]
def opened(path):
    return os.open(path, os.O_RDONLY)
def name(fd):
    return os.readlink('/proc/self/fd/%d' % fd)
early = opened('/dev/null')
for _ in range(200):
    os.close(opened('/unreal' + X + '/a'))
    os.close(opened(X + '/a/f'))
second, first = opened('/unreal' + X + '/a/b'), opened(X + '/c')
print(name(second), name(first))
for fd in second, first:
    os.fchdir(fd)
    print(os.getcwd())
print(name(opened(X + '/a/b/f')), name(opened('/unreal' + X + '/l/f')), name(opened(X + '/a/b/f')))
print(name(opened('/unreal/unreal' + X + '/c')), name(opened('/unreal' + X + '/a/../c')))
# Not by that of the root, of which nobody has opened it.
os.chdir('/unreal')
print(name(early), os.getcwd())
";
    let folder = grow(&format!("names-{mechanism}"));
    let mut run = Command::new(tracer::shunpike());
    run.arg("run").arg(format!("--mechanism={mechanism}")).arg("--unreal");
    run.args(["/usr/bin/python3", "-c", SCRIPT]).arg(&folder);
    let got = launch::run(run, &folder, "")?;
    let expected = "/unreal$X/a/b $X/c\n/unreal$X/a/b\n$X/c\n\
                    $X/a/b/f /unreal$X/a/b/f $X/a/b/f\n/unreal/unreal$X/c /unreal$X/c\n/dev/null /unreal\n";
    let text = told(&got, &[folder.to_str().ok_or("a plain name")?]);
    if text != format!("Exited(0)\n{expected}\n") {
        return Err(format!("expected:\n{expected}\ngot:\n{text}").into());
    }
    Ok(())
}

/// Random paths in a random tree with three places, against the same in a mount namespace, where they
/// are bind mounts.
fn random(mechanism: &str) -> Result<Completion, Failed> {
    const PLACES: [(&str, &str); 3] = [("m", "h"), ("m/in", "h2"), ("c/b", "f")];
    if !Command::new("unshare").args(["-m", "true"]).output()?.status.success() {
        return Ok(Completion::ignored_with("this user cannot make a mount namespace"));
    }
    let script = tools::tests().join("guests/places/random_paths.py");
    for seed in ["1", "2", "3"] {
        let top = fs::canonicalize(tools::empty_scratch(&format!("places-random-{mechanism}")))?;
        let inside = |name: &str| format!("{}/{name}", top.display());
        let python = |what: &str| {
            let mut command = Command::new("/usr/bin/python3");
            command.arg(&script).arg(what).arg(&top).arg(seed);
            command
        };
        launch::run(python("grow"), &top, "")?;
        let ask = python("ask");
        // Where there is nothing the directories are made for as long.
        let native = |places: &[(&str, &str)], made: bool| {
            let mut script = String::new();
            for (guest, host) in places {
                let (guest, host) = (inside(guest), inside(host));
                let made = if made { format!("mkdir {guest}; ") } else { String::new() };
                script += &format!("{made}mount --bind {host} {guest}; ");
            }
            script += "\"$@\"; ";
            for guest in places.iter().rev().map(|(guest, _)| inside(guest)).filter(|_| made) {
                script += &format!("umount {guest}; rmdir {guest}; ");
            }
            let mut native = Command::new("unshare");
            native.args(["-m", "--propagation", "private", "sh", "-ec", &script, "sh"]);
            native.arg(ask.get_program()).args(ask.get_args());
            native
        };
        let run = |places: &[(&str, &str)]| {
            let mut run = Command::new(tracer::shunpike());
            run.arg("run").arg(format!("--mechanism={mechanism}"));
            for (guest, host) in places {
                run.arg(format!("--map={}={}", inside(guest), inside(host)));
            }
            run.arg(ask.get_program()).args(ask.get_args());
            run
        };
        same(native(&PLACES, false), run(&PLACES), &top)?;
        const ABSENT: [(&str, &str); 2] = [("p", "h"), ("a/p", "h2")];
        same(native(&ABSENT, true), run(&ABSENT), &top)?;
    }
    Ok(Completion::Completed)
}

/// Whether two commands say the same, line by line.
fn same(one: Command, other: Command, folder: &Path) -> Result<(), Failed> {
    let [expected, got] = [one, other].map(|command| launch::run(command, folder, ""));
    let (expected, got) = (told(&expected?, &[]), told(&got?, &[]));
    let mut lines = expected.lines().zip(got.lines());
    if let Some((expected, got)) = lines.find(|(expected, got)| expected != got) {
        return Err(format!("expected {expected}\ngot      {got}").into());
    }
    if expected.lines().count() < 1000 || expected != got {
        return Err(format!("expected:\n{expected}\ngot:\n{got}").into());
    }
    Ok(())
}
