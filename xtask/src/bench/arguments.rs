//! The arguments of `cargo xtask bench`.

use anyhow::{Context, Result, bail};

use super::options::{Options, matches};
use super::{answered, live, memory, rows, tracer, worlds};

/// What these ask for; `None` when that is help.
pub fn parse(args: &[&str]) -> Result<Option<Options>> {
    let mut options = Options::default();
    let mut args = args.iter();
    while let Some(&arg) = args.next() {
        let (name, value) = match arg.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (arg, None),
        };
        let mut value = || {
            let value = value.or_else(|| args.next().copied());
            value.with_context(|| format!("{name} takes a value"))
        };
        match name {
            "--help" => return Ok(None),
            "--quick" => options.quick = true,
            "--runs" => {
                let runs = value()?.parse().ok().filter(|&runs| runs > 0);
                options.runs = Some(runs.context("--runs takes a number above 0")?);
            }
            "--json" => options.json = Some(value()?.into()),
            "--peers" => options.peers = Some(peers(value()?)?),
            _ if name.starts_with('-') => bail!("no such option: {name}\n{}", usage()),
            _ => options.rows.push(row(arg)?),
        }
    }
    Ok(Some(options))
}

fn row_names() -> impl Iterator<Item = &'static str> {
    rows::ALL
        .iter()
        .map(|row| row.name)
        .chain([live::NAME, answered::NAME])
        .chain(worlds::names())
        .chain(memory::names())
}

fn peer_names() -> impl Iterator<Item = &'static str> {
    tracer::PEERS.into_iter().chain(worlds::peers())
}

fn row(arg: &str) -> Result<String> {
    if !row_names().any(|name| matches(arg, name)) {
        bail!("no such row: {arg}\n{}", usage());
    }
    Ok(arg.to_owned())
}

fn peers(list: &str) -> Result<Vec<String>> {
    let names: Vec<String> = match list {
        "none" => Vec::new(),
        list => list.split(',').map(str::to_owned).collect(),
    };
    match names.iter().find(|name| !peer_names().any(|peer| peer == name.as_str())) {
        Some(name) => bail!("no such peer: {name}\n{}", usage()),
        None => Ok(names),
    }
}

/// How it is called.
pub fn usage() -> String {
    format!(
        "\
usage: cargo xtask bench [ROW…] [OPTION…]
  --quick        small counts and few rounds: to see that everything works
  --runs N       exactly N rounds for each row, however long they take
  --peers LIST   these peers only, separated by commas, of {}; or none
  --json FILE    write the results as JSON too
rows: {}",
        peer_names().collect::<Vec<_>>().join(", "),
        row_names().collect::<Vec<_>>().join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_selected_by_its_name_or_family() {
        let options = parse(&["churn", "dd"]).unwrap().unwrap();
        let selected: Vec<_> = row_names().filter(|name| options.selects(name)).collect();
        assert_eq!(selected, ["dd", "churn-5", "churn-50", "churn-600"]);
        assert!(Options::default().selects("find"));
    }

    #[test]
    fn values_come_with_or_behind_their_option() {
        let options = parse(&["--runs", "3", "--peers=none", "--json=a=b"]).unwrap();
        let expected = Options {
            runs: Some(3),
            peers: Some(Vec::new()),
            json: Some("a=b".into()),
            ..Options::default()
        };
        assert_eq!(options, Some(expected));
    }

    #[test]
    fn what_is_not_known_is_named() {
        for (args, named) in [
            (&["--fast"][..], "--fast"),
            (&["chur"], "chur"),
            (&["--peers", "strace,gdb"], "gdb"),
            (&["--runs", "0"], "--runs"),
            (&["--json"], "--json"),
        ] {
            let error = parse(args).unwrap_err().to_string();
            assert!(error.contains(named), "{args:?}: {error}");
        }
    }
}
