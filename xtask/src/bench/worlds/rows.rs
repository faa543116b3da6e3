//! The programs that run in other worlds.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::super::guests::Guests;
use super::super::options::Options;
use super::super::rows::Guest;

/// A row of the table.
#[derive(Debug)]
pub struct Row {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What it is, for readers.
    pub about: &'static str,
    /// The program; its words may have [`PREFIX`], [`PLACE`] and [`COUNT`] in them.
    words: &'static [&'static str],
    /// What is counted, in the quick form a tenth of it.
    count: u64,
    /// What it needs, at the place.
    needs: Needs,
}

/// What a program needs that is not installed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Needs {
    Nothing,
    /// `big`, a file of 60 MB.
    Big,
    /// `project`, and for the larger build `modules`.
    Projects,
    /// `db`, an empty directory, and `inserts.sql`.
    Sqlite,
    /// `mariadb`, a directory of data, and `suite.sql`.
    Mariadb,
}

/// Stands for what is before the host's paths in a world.
const PREFIX: &str = "{}";
/// Stands for the directory of what programs need, as the world shows it.
const PLACE: &str = "{place}";
/// Stands for the row's count.
const COUNT: &str = "{count}";

/// Bytes of the file that is copied.
const BIG: usize = 60_000_000;

/// All rows.
pub const ALL: &[Row] = &[
    row("worlds-start", "start of /bin/true", &["/bin/true"], 0, Needs::Nothing),
    row("worlds-getppid", "getppid loop", &["{place}/getppid", COUNT], 1_000_000, Needs::Nothing),
    row(
        "worlds-dd",
        "dd bs=1",
        &["dd", "if=/dev/zero", "of=/dev/null", "bs=1", "count={count}"],
        400_000,
        Needs::Nothing,
    ),
    row(
        "worlds-cp-4k",
        "cp of 60 MB, blocks of 4 KiB",
        &["dd", "if={place}/big", "of={place}/copy", "bs=4k"],
        0,
        Needs::Big,
    ),
    row(
        "worlds-cp-128k",
        "cp of 60 MB, blocks of 128 KiB",
        &["dd", "if={place}/big", "of={place}/copy", "bs=128k"],
        0,
        Needs::Big,
    ),
    row("worlds-find", "find /usr -type f", &["find", "{}/usr", "-type", "f"], 0, Needs::Nothing),
    row("worlds-ls", "ls -lR /usr/lib", &["ls", "-lR", "{}/usr/lib"], 0, Needs::Nothing),
    row(
        "worlds-make",
        "make -j2, 21 files",
        &["make", "--silent", "--always-make", "-j2", "-C", "{place}/project"],
        0,
        Needs::Projects,
    ),
    row(
        "worlds-build",
        "make -j2 -O2, 10 files of 1,750 lines",
        &["make", "--silent", "--always-make", "-j2", "-C", "{place}/modules", "FILES={count}"],
        10,
        Needs::Projects,
    ),
    row(
        "worlds-sqlite",
        "sqlite3, 2,000 autocommit inserts",
        &["sqlite3", "{place}/db/test.db", ".read {place}/inserts.sql"],
        2_000,
        Needs::Sqlite,
    ),
    row(
        "worlds-mariadb",
        "mariadbd, 5,000 inserts, queries, an index",
        &["sh", "-c", MARIADB],
        0,
        Needs::Mariadb,
    ),
    row(
        "worlds-fork",
        "300 × fork and exec of /bin/true",
        &["sh", "-c", "i=0; while [ $i -lt {count} ]; do /bin/true; i=$((i+1)); done"],
        300,
        Needs::Nothing,
    ),
];

/// Runs the suite in a server without a network that ends behind it.
const MARIADB: &str = "mariadbd --no-defaults --bootstrap --user=$(id -un) --silent-startup \
                       --datadir={place}/mariadb < {place}/suite.sql";

const fn row(
    name: &'static str,
    about: &'static str,
    words: &'static [&'static str],
    count: u64,
    needs: Needs,
) -> Row {
    Row { name, about, words, count, needs }
}

impl Row {
    /// The program, for a world with this before the host's paths.
    pub fn guest(&self, prefix: &str, options: &Options, place: &Path) -> Guest {
        let place = format!("{prefix}{}", place.display());
        let count = self.count(options).to_string();
        let fill = |word: &&str| {
            word.replace(PLACE, &place).replace(COUNT, &count).replace(PREFIX, prefix)
        };
        let mut words = self.words.iter().map(fill);
        let program = words.next().unwrap_or_default().into();
        Guest { program, args: words.collect(), directory: None }
    }

    fn count(&self, options: &Options) -> u64 {
        if options.quick { self.count / 10 } else { self.count }
    }

    /// Makes what the program needs, at the place. Fails with the reason.
    pub fn prepare(&self, guests: &Guests, options: &Options, place: &Path) -> Result<(), String> {
        match self.needs {
            Needs::Nothing => Ok(()),
            Needs::Big => fs::write(place.join("big"), vec![b'x'; BIG]).map_err(said),
            Needs::Projects => {
                guests.project.as_ref().and(guests.modules.as_ref()).map(drop).map_err(Clone::clone)
            }
            Needs::Sqlite => {
                let rows = self.count(options);
                let insert = |n| format!("insert into t values ({n}, 'text of row {n}');\n");
                let table = "drop table if exists t; create table t (a, b);\n".to_owned();
                let text: String = [table].into_iter().chain((0..rows).map(insert)).collect();
                fs::create_dir_all(place.join("db")).map_err(said)?;
                fs::write(place.join("inserts.sql"), text).map_err(said)
            }
            Needs::Mariadb => mariadb(place),
        }
    }
}

/// A directory of data, and what is to be done with it.
fn mariadb(place: &Path) -> Result<(), String> {
    let data = place.join("mariadb");
    if !data.join("mysql").exists() {
        let user = Command::new("id").arg("-un").output().map_err(said)?.stdout;
        let user = String::from_utf8_lossy(&user);
        let made = Command::new("mariadb-install-db")
            .args(["--no-defaults", "--auth-root-authentication-method=normal"])
            .args([format!("--user={}", user.trim()), format!("--datadir={}", data.display())])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map_err(|error| format!("cannot run mariadb-install-db: {error}"))?;
        if !made.success() {
            return Err("mariadb-install-db fails".to_owned());
        }
    }
    let mut text = "create database if not exists bench;\nuse bench;\ndrop table if exists t;\n\
                    create table t (a int primary key, b varchar(64), c int);\n"
        .to_owned();
    for n in 0..5_000 {
        text.push_str(&format!("insert into t values ({n}, 'text of row {n}', {});\n", n % 97));
    }
    text.push_str("create index on_c on t (c);\n");
    for n in 0..200 {
        text.push_str(&format!("select count(*) from t where c = {};\n", n % 97));
        text.push_str(&format!("update t set b = 'other' where a = {n};\n"));
    }
    fs::write(place.join("suite.sql"), text).map_err(said)
}

fn said(error: std::io::Error) -> String {
    error.to_string()
}
