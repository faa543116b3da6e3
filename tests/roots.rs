//! `shunpike run --root`: a small distribution in a directory. Its own apt and dpkg install a package in it and
//! remove it again, as under `chroot(8)`, by each mechanism. Programs that are linked with musl run in one too.
#![forbid(unsafe_code)]

mod harness;

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use harness::launch::{self, End, Outcome};
use harness::place::furnish;
use harness::tools;
use harness::tracer::{self, Tracer, shunpike};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// What apt and dpkg run.
const PROGRAMS: [&str; 14] = [
    "apt-get",
    "cat",
    "diff",
    "dpkg",
    "dpkg-deb",
    "dpkg-query",
    "dpkg-split",
    "find",
    "ldconfig",
    "rm",
    "sh",
    "sort",
    "start-stop-daemon",
    "tar",
];
/// How apt gets files.
const METHODS: &str = "usr/lib/apt/methods";
const FETCHING: [&str; 3] = ["copy", "file", "store"];
/// What they keep, and where. The tables of dpkg are the machine's.
const DIRECTORIES: [&str; 12] = [
    "dev",
    "etc/apt/apt.conf.d",
    "etc/apt/preferences.d",
    "proc",
    "repository",
    "tmp",
    "usr/share",
    "var/cache/apt/archives/partial",
    "var/lib/apt/lists/partial",
    "var/lib/dpkg/info",
    "var/lib/dpkg/updates",
    "var/log/apt",
];
const FILES: [(&str, &str); 4] = [
    ("etc/apt/sources.list", "deb [trusted=yes] file:/repository ./\n"),
    ("etc/group", "root:x:0:\nnogroup:x:65534:\n"),
    ("etc/passwd", "root:x:0:0:root:/:/bin/sh\n_apt:x:42:65534::/nonexistent:/usr/sbin/nologin\n"),
    ("var/lib/dpkg/status", ""),
];
/// Makes a repository with one package.
const PACKAGE: &str = "mkdir -p p/DEBIAN p/opt && cd p/DEBIAN &&
about='Package: greet\nVersion: 1\nArchitecture: all\nMaintainer: a <a@b>\nDescription: x' &&
printf \"$about\\n\" > control && printf '#!/bin/sh\necho greet $1\n' > ../opt/greet &&
printf '#!/bin/sh\necho is $1d > /var/told\n' > postinst && chmod 755 postinst ../opt/greet &&
cd ../.. && dpkg-deb --root-owner-group -Znone -b p greet.deb > /dev/null &&
size=$(stat -c %s greet.deb) sum=$(sha256sum greet.deb | cut -d' ' -f1) &&
printf \"$about\\nFilename: ./greet.deb\\nSize: $size\\nSHA256: $sum\\n\" > Packages && rm -r p";
/// What is done in the root, and what comes out.
const DONE: &str = "cd / && export PATH=/bin && apt-get -qq update > /tmp/said 2>&1 &&
apt-get -qqy install greet >> /tmp/said 2>&1 && /opt/greet you && cat /var/told && dpkg -L greet &&
apt-get -qqy purge greet >> /tmp/said 2>&1 && find / -xdev -path /proc -prune -o -path /dev -prune -o -print | sort ||
cat /tmp/said";
const TOLD: &str = "greet you\nis configured\n/.\n/opt\n/opt/greet\n";
/// The loader that musl's programs name.
const MUSL_LOADER: &str = "/lib/ld-musl-x86_64.so.1";
/// An option of it.
const OPTION: &[u8] = b"argv0\0";

fn main() {
    let trials = Tracer::MECHANISMS.into_iter().flat_map(|tracer| {
        [trial("apt", tracer, obstacle, apt), trial("called", tracer, without_musl, called)]
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn trial(
    name: &str,
    tracer: Tracer,
    obstacle: fn() -> Option<String>,
    check: fn(Tracer) -> Result<(), Failed>,
) -> Trial {
    Trial::ignorable_test(format!("{name} {}", tracer.name()), move || {
        let missing = (tracer == Tracer::Agent).then(tracer::no_agent).flatten();
        match missing.map(str::to_owned).or_else(obstacle) {
            Some(reason) => Ok(Completion::ignored_with(reason)),
            None => check(tracer).map(|()| Completion::Completed),
        }
    })
}

/// Why nothing can be linked with musl here.
fn without_musl() -> Option<String> {
    let is_there = tools::find("musl-gcc").is_some() && Path::new(MUSL_LOADER).is_file();
    (!is_there).then(|| "there is no musl".into())
}

/// Why there cannot be such a root here.
fn obstacle() -> Option<String> {
    let missing = PROGRAMS.iter().chain(&["ldd", "sha256sum"]).find(|tool| program(tool).is_none());
    let is_apts = Path::new("/").join(METHODS).join("file").is_file();
    match missing {
        Some(tool) => Some(format!("there is no {tool}")),
        None if !is_apts => Some("apt keeps its methods elsewhere".into()),
        None if fs::metadata("/proc/self").map_or(1, |own| own.uid()) != 0 => {
            Some("dpkg installs for root alone".into())
        }
        None => None,
    }
}

/// A program, also one that only root has in its PATH.
fn program(name: &str) -> Option<PathBuf> {
    let others = ["/usr/sbin", "/sbin"].map(|folder| Path::new(folder).join(name));
    tools::find(name).or_else(|| others.into_iter().find(|file| file.is_file()))
}

fn apt(tracer: Tracer) -> Result<(), Failed> {
    let folder = tools::empty_scratch(&format!("roots-{}", tracer.name()));
    let (native, shown) = (folder.join("native"), folder.join("shown"));
    grow(&native)?;
    grow(&shown)?;
    let mut run = Command::new(shunpike());
    run.arg("run").arg(format!("--mechanism={}", tracer.name())).arg("--root").arg(&shown);
    run.args(["--map=/dev=/dev", "--map=/proc=/proc", "/bin/sh", "-c", DONE]);
    let got = launch::run(run, &folder, "")?;
    if got.end != End::Exited(0) || !got.stdout.starts_with(TOLD) {
        return Err(format!("{got:?}").into());
    }
    let mut chroot = Command::new(program("chroot").ok_or("there is no chroot")?);
    chroot.arg(&native).args(["/bin/sh", "-c", DONE]);
    let expected = launch::run(chroot, &folder, "")?;
    if !expected.stdout.starts_with(TOLD) {
        eprintln!("not compared with chroot, which does not install it here: {expected:?}");
        return Ok(());
    }
    let Outcome { stdout: files, .. } = expected;
    if files != got.stdout {
        return Err(format!("natively:\n{files}\nunder run:\n{}", got.stdout).into());
    }
    Ok(())
}

/// A program knows by which of its names it was called: the loader tells it. One of musl does, which is the only
/// one of some distributions; an old one shows it the path.
fn called(tracer: Tracer) -> Result<(), Failed> {
    let root = tools::empty_scratch(&format!("roots-called-{}", tracer.name()));
    for folder in ["bin", "lib", "proc"] {
        fs::create_dir(root.join(folder))?;
    }
    let source = tools::tests().join("guests/places/called.c");
    let mut compiler = Command::new("musl-gcc");
    let built = compiler.arg("-o").arg(root.join("bin/one")).arg(source).output()?;
    if !built.status.success() {
        return Err(String::from_utf8_lossy(&built.stderr).into_owned().into());
    }
    symlink("one", root.join("bin/other"))?;
    let mut loader = fs::read(MUSL_LOADER)?;
    symlink("/proc/self/exe", root.join("bin/self"))?;
    let names = |loader: &[u8], path, expected: &str| {
        says_names(tracer, &root, loader, path, &format!("/bin/other\n{expected}\n"))
    };
    for path in ["/bin/other", "/bin/self"] {
        names(&loader, path, "else")?;
    }
    let option = loader.windows(OPTION.len()).position(|window| window == OPTION);
    loader[option.ok_or("it has no such option")?] = b'A';
    // What leads to the program of a process leads the loader to itself.
    let itself = ["/proc/self/exe", "//proc/self/exe", "/bin/../proc/self/exe", "/bin/self"];
    let found = itself.into_iter().map(|path| (path, "/bin/one"));
    found
        .chain([("/bin/other", "/bin/other")])
        .try_for_each(|(path, name)| names(&loader, path, name))
}

fn says_names(
    tracer: Tracer,
    root: &Path,
    loader: &[u8],
    path: &str,
    expected: &str,
) -> Result<(), Failed> {
    let place = root.join(&MUSL_LOADER[1..]);
    fs::write(&place, loader)?;
    fs::set_permissions(place, fs::metadata(MUSL_LOADER)?.permissions())?;
    let mut run = Command::new(shunpike());
    run.arg("run").arg(format!("--mechanism={}", tracer.name())).arg("--root").arg(root);
    run.args(["--map=/proc=/proc", "/bin/other", path]);
    let got = launch::run(run, root, "")?;
    match (got.end, got.stdout.as_str()) {
        (End::Exited(0), stdout) if stdout == expected => Ok(()),
        _ => Err(format!("{got:?}").into()),
    }
}

/// Makes the root.
fn grow(root: &Path) -> Result<(), Failed> {
    let methods = Path::new("/").join(METHODS);
    let programs = PROGRAMS.into_iter().filter_map(program);
    let programs: Vec<PathBuf> = programs.chain(FETCHING.map(|name| methods.join(name))).collect();
    furnish(root, &programs.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
    for directory in DIRECTORIES.into_iter().chain([METHODS]) {
        fs::create_dir_all(root.join(directory))?;
    }
    for name in FETCHING {
        fs::rename(root.join("bin").join(name), root.join(METHODS).join(name))?;
    }
    // dpkg is known by this path.
    symlink("../bin", root.join("usr/bin"))?;
    for (path, text) in FILES {
        fs::write(root.join(path), text)?;
    }
    let mut copy = Command::new("cp");
    copy.args(["-r", "/usr/share/dpkg"]).arg(root.join("usr/share"));
    let mut package = Command::new("sh");
    package.args(["-ec", PACKAGE]).current_dir(root.join("repository"));
    for mut command in [copy, package] {
        let made = command.output()?;
        if !made.status.success() {
            return Err(String::from_utf8_lossy(&made.stderr).into_owned().into());
        }
    }
    Ok(())
}
