//! Options about what a program sees, written as a file for `--config`.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt;

use modules::paths::{Access, Place, Plain, Target};
use modules::unreal;
use modules::uts::Names;

use crate::cli::options::{FileOptions, RunOptions};

/// All of them that were given.
pub(crate) fn in_toml(run: &RunOptions) -> String {
    let mut text = String::new();
    let Names { system, host, release, version, machine, domain } = &run.names;
    let names = [
        ("hostname", host),
        ("domainname", domain),
        ("uts-sysname", system),
        ("uts-release", release),
        ("uts-version", version),
        ("uts-machine", machine),
    ];
    names.iter().for_each(|(key, name)| value(&mut text, key, name.as_ref()));
    list(&mut text, "answer", run.answers.iter().map(|(_, _, answer)| answer));
    switch(&mut text, "no-sysemu", run.no_sysemu);
    files(&mut text, &run.files);
    value(&mut text, "trace", run.traced.as_ref());
    text
}

fn files(text: &mut String, files: &FileOptions) {
    let FileOptions { places, working, denials, enforce, learn, report } = files;
    value(text, "root", places.iter().find_map(as_root).map(Plain::as_bytes));
    switch(text, "unreal", places.contains(&unreal::place()));
    list(text, "map", places.iter().filter(|place| as_root(place).is_none()).filter_map(mapped));
    value(text, "cwd", working.as_deref().map(OsStr::as_bytes));
    list(text, "deny", denials.iter().map(ToString::to_string));
    switch(text, "enforce", *enforce);
    switch(text, "learn", *learn);
    value(text, "report", report.as_ref().map(|file| file.as_os_str().as_bytes()));
}

/// The directory of a place that `--root` makes.
fn as_root(place: &Place) -> Option<&Plain> {
    match (&place.target, place.access) {
        (Target::Host(host), Access::Writable) if place.guest == Plain::ROOT => Some(host),
        _ => None,
    }
}

/// What makes a place, behind `--map`.
fn mapped(place: &Place) -> Option<Vec<u8>> {
    let Target::Host(host) = &place.target else { return None };
    let host = host.as_bytes();
    let access: &[u8] = match place.access {
        Access::ReadOnly => b":ro",
        // Else it would be taken for what it ends with.
        Access::Writable if host.ends_with(b":ro") || host.ends_with(b":rw") => b":rw",
        Access::Writable => b"",
    };
    Some([place.guest.as_bytes(), b"=", host, access].concat())
}

fn switch(text: &mut String, key: &str, is_on: bool) {
    if is_on {
        let _ = writeln!(text, "{key} = true");
    }
}

fn value(text: &mut String, key: &str, value: Option<impl AsRef<[u8]>>) {
    let Some(value) = value else { return };
    let _ = match quoted(value.as_ref()) {
        Ok(value) => writeln!(text, "{key} = {value}"),
        Err(comment) => writeln!(text, "# {key} = {comment}"),
    };
}

/// A list, an entry a line; nothing for one without entries.
pub(crate) fn list(
    text: &mut String,
    key: &str,
    values: impl IntoIterator<Item = impl AsRef<[u8]>>,
) {
    let mut values = values.into_iter().peekable();
    if values.peek().is_none() {
        return;
    }
    let _ = writeln!(text, "{key} = [");
    for value in values {
        let _ = match quoted(value.as_ref()) {
            Ok(value) => writeln!(text, "  {value},"),
            Err(comment) => writeln!(text, "  # {comment}"),
        };
    }
    text.push_str("]\n");
}

/// A text in quotes. Such a file is UTF-8 and paths are bytes, so of others it is told in a comment.
fn quoted(bytes: &[u8]) -> Result<String, String> {
    let text = str::from_utf8(bytes)
        .map_err(|_| format!("{:?} is not UTF-8, as TOML has to be", OsStr::from_bytes(bytes)))?;
    let mut quoted = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    Ok(quoted)
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::fs;

    use super::*;
    use crate::cli::flags::{Of, seen_by_program};
    use crate::cli::parse::{Parsed, parse};

    fn parsed(words: &[&str]) -> RunOptions {
        let words = words.iter().map(OsString::from).chain(["--explain".into()]);
        match parse(Of::Run, lexopt::Parser::from_args(words)) {
            Ok(Parsed::Options(options)) => *options.run.expect("it is of run"),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_written_asks_for_the_same() {
        let words = [
            "--hostname=a\"b\\c\u{7f}\n",
            "--domainname=",
            "--uts-sysname=é",
            "--uts-release=9.9",
            "--uts-version=# 1",
            "--uts-machine=true",
            "--answer=getpid,%network=0",
            "--answer=sync=EIO",
            "--no-sysemu",
            "--root=/usr",
            "--unreal",
            "--map=/proc=/proc",
            "--map=/a=/usr:ro",
            "--map=/=/etc:ro",
            "--cwd=/a",
            "--deny=!read:/a=b=ENOENT",
            "--deny=/etc=4095",
            "--deny=@write",
            "--enforce",
            "--learn",
            "--report=/tmp/it",
            "--trace=%file,read",
        ];
        let options = parsed(&words);
        let text = in_toml(&options);
        let file = std::env::temp_dir().join(format!("shunpike-written-{}", std::process::id()));
        fs::write(&file, &text).expect("a file");
        let read = parsed(&[&format!("--config={}", file.display())]);
        fs::remove_file(&file).expect("it is there");
        assert_eq!(in_toml(&read), text);
        let by_place = |mut options: RunOptions| {
            options
                .files
                .places
                .sort_by_key(|place| (place.guest.clone(), as_root(place).is_none()));
            options
        };
        assert_eq!(by_place(read), by_place(options), "{text}");
        for flag in seen_by_program().filter(|flag| !["config", "explain"].contains(&flag.long)) {
            assert!(text.contains(&format!("{} = ", flag.long)), "{}: {text}", flag.long);
        }
    }

    #[test]
    fn a_place_whose_name_ends_like_an_access_keeps_its_own() {
        let place = |host: &str, access| {
            let plain = |path: &str| Plain::of(path.as_bytes()).expect("a plain path");
            Place { guest: plain("/a"), target: Target::Host(plain(host)), access }
        };
        let of = |host, access| mapped(&place(host, access)).expect("it is of the host");
        assert_eq!(of("/x:ro", Access::Writable), b"/a=/x:ro:rw");
        assert_eq!(of("/x:ro", Access::ReadOnly), b"/a=/x:ro:ro");
        assert_eq!(of("/x", Access::Writable), b"/a=/x");
    }

    #[test]
    fn what_is_not_utf_8_is_told_in_a_comment() {
        let mut text = String::new();
        list(&mut text, "map", [&b"/a=/b"[..], b"/a=/\xff\n"]);
        let comment = r##"  # "/a=/\xFF\n" is not UTF-8, as TOML has to be"##;
        assert_eq!(text, format!("map = [\n  \"/a=/b\",\n{comment}\n]\n"));
        list(&mut text, "deny", [b""; 0]);
        assert!(!text.contains("deny"));
    }
}
