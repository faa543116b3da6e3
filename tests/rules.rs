//! `shunpike run --deny` and `--learn`: what a program touches, taken as rules, is refused to it; by each
//! mechanism.
#![forbid(unsafe_code)]

mod harness;

use std::fs;
use std::path::Path;
use std::process::Command;

use harness::launch::{self, End};
use harness::tracer::{self, Tracer};
use harness::{tools, tracer::shunpike};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// Names that mean something in TOML, in a rule, or to a terminal.
const NAMES: [&str; 9] = [
    "plain",
    "quo\"te",
    "back\\slash",
    "new\nline",
    "esc\u{1b}[1m",
    "e\u{301}\u{200d}",
    "of=EPERM",
    "openat:etc",
    "\u{7f}, ]",
];

/// Reads each file, and says by which number whether it could.
const READS: &str =
    "n=0; for f in odd/*; do n=$((n+1)); (exec < \"$f\") 2>/dev/null && echo $n; done; echo over";

fn main() {
    let trials = Tracer::MECHANISMS.into_iter().flat_map(|tracer| {
        [
            trial("learned", tracer, what_is_learned_is_refused),
            trial("told", tracer, refusals_are_told),
            trial("links", tracer, rules_follow_links),
            trial("explained", tracer, what_is_explained_asks_for_the_same),
        ]
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn trial(name: &str, tracer: Tracer, check: fn(&str, &Path) -> Result<(), Failed>) -> Trial {
    let folder = format!("rules/{name}-{}", tracer.name());
    Trial::ignorable_test(format!("{name} {}", tracer.name()), move || {
        let missing = (tracer == Tracer::Agent).then(tracer::no_agent).flatten();
        if let Some(reason) = missing {
            return Ok(Completion::ignored_with(reason));
        }
        let folder = tools::empty_scratch(&folder);
        let mechanism = format!("--mechanism={}", tracer.name());
        check(&mechanism, &folder).map(|()| Completion::Completed)
    })
}

fn run(mechanism: &str, options: &[&str], script: &str, folder: &Path) -> Result<String, Failed> {
    let mut command = Command::new(shunpike());
    command.args(["run", mechanism]).args(options).args(["sh", "-c", script]);
    let outcome = launch::run(command, folder, "")?;
    match outcome.end {
        End::Exited(0) => Ok(outcome.stdout),
        _ => Err(format!("{outcome:?}").into()),
    }
}

fn what_is_learned_is_refused(mechanism: &str, folder: &Path) -> Result<(), Failed> {
    fs::create_dir(folder.join("odd"))?;
    for name in NAMES {
        fs::write(folder.join("odd").join(name), "")?;
    }
    let all: String =
        (1..=NAMES.len()).map(|n| format!("{n}\n")).chain(["over\n".into()]).collect();
    let read = run(mechanism, &["--learn", "--report=learned"], READS, folder)?;
    let learned = fs::read_to_string(folder.join("learned"))?;
    let (rules, rest): (Vec<&str>, Vec<&str>) =
        learned.lines().partition(|line| line.contains("/odd/"));
    if read != all || rules.len() != NAMES.len() || rest.first() != Some(&"deny = [") {
        return Err(format!("{read:?}\n{learned}").into());
    }
    fs::write(folder.join("rules.toml"), format!("deny = [\n{}\n]\n", rules.join("\n")))?;
    let read = run(mechanism, &["--config=rules.toml", "--report=refused"], READS, folder)?;
    let refused = fs::read_to_string(folder.join("refused"))?;
    if read == "over\n" && refused.matches("refused: 1 x openat of ").count() == NAMES.len() {
        return Ok(());
    }
    Err(format!("{read:?}\n{refused}").into())
}

fn refusals_are_told(mechanism: &str, folder: &Path) -> Result<(), Failed> {
    fs::write(folder.join("file"), "in it\n")?;
    std::os::unix::fs::symlink("file", folder.join("link"))?;
    let folder = &fs::canonicalize(folder)?;
    let rules = format!("--deny=openat:{}/file=ENOENT", folder.display());
    let options = [rules.as_str(), "--deny=@write:/nowhere", "--report=refused"];
    let script =
        "for f in file link ./link; do (exec < $f) 2>/dev/null || echo none; done; ls -d file";
    let said = run(mechanism, &options, script, folder)?;
    let refused = fs::read_to_string(folder.join("refused"))?;
    let path = folder.join("file");
    let path = path.display();
    let expected = format!("refused: 3 x openat of {path}, by openat:{path}=ENOENT\n");
    if said != "none\nnone\nnone\nfile\n" || refused != expected {
        return Err(format!("{said:?}\n{refused}expected:\n{expected}").into());
    }
    Ok(())
}

/// A rule's path is followed as a call's is: by links, and by another name of the root.
fn rules_follow_links(mechanism: &str, folder: &Path) -> Result<(), Failed> {
    let folder = &fs::canonicalize(folder)?;
    fs::create_dir(folder.join("real"))?;
    fs::write(folder.join("real/file"), "in it\n")?;
    std::os::unix::fs::symlink("real", folder.join("way"))?;
    std::os::unix::fs::symlink("real/file", folder.join("link"))?;
    let script = "for f in way/file real/file link; do (exec < $f) 2>/dev/null || echo none; done";
    let here = folder.display();
    for path in [format!("{here}/way/file"), format!("{here}/link"), format!("/unreal{here}/real")]
    {
        let rule = format!("--deny={path}=ENOENT");
        let options = ["--unreal", rule.as_str(), "--report=/dev/null"];
        let said = run(mechanism, &options, script, folder)?;
        if said != "none\nnone\nnone\n" {
            return Err(format!("{path}: {said:?}").into());
        }
    }
    Ok(())
}

/// What `--explain` prints is a file for `--config`, also in another directory.
fn what_is_explained_asks_for_the_same(mechanism: &str, folder: &Path) -> Result<(), Failed> {
    fs::create_dir_all(folder.join("there:ro"))?;
    let options = [
        "--explain",
        "--hostname=new\nline",
        "--unreal",
        "--map=/e\u{301}/\u{1b}=there:ro:rw",
        "--cwd=there:ro",
        "--deny=@write:/usr=EROFS",
        "--report=report",
        "--answer=sync=0",
    ];
    let explained = run(mechanism, &options, "", folder)?;
    fs::write(folder.join("explained.toml"), &explained)?;
    let again =
        run(mechanism, &["--config=../explained.toml", "--explain"], "", &folder.join("there:ro"))?;
    fs::write(folder.join("there:ro/file"), "in it\n")?;
    let script = "hostname; pwd; cat '/unreal/e\u{301}/\u{1b}/file'";
    let seen = run(mechanism, &["--config=explained.toml"], script, folder)?;
    let place = format!("{}/there:ro", fs::canonicalize(folder)?.display());
    let expected = format!("new\nline\n{place}\nin it\n");
    let is_reported_here = folder.join("report").exists();
    if explained != again || seen != expected || !is_reported_here {
        return Err(format!("{explained}\n{again}\n{seen:?}").into());
    }
    Ok(())
}
