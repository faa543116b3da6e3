//! `shunpike doctor`: what this kernel and this user can do, what each crossing costs here, and
//! which mechanism would be chosen.

mod abilities;
mod choices;
mod costs;
mod pages;

use std::fmt::Write as _;
use std::io::{self, Write as _};

use kernel::probe::Host;

use crate::status::Status;

/// Prints the findings. The exit status tells whether programs can be traced at all.
///
/// # Errors
/// The findings cannot be printed.
pub fn run() -> anyhow::Result<Status> {
    let host = Host::probe();
    match io::stdout().lock().write_all(findings(&host).as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => return Err(error.into()),
        _ => {}
    }
    Ok(if host.seize.is_ok() { Status::SUCCESS } else { Status::FAILURE })
}

fn findings(host: &Host) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "shunpike {}, Linux {}, {} processor{}\n",
        env!("CARGO_PKG_VERSION"),
        host.release,
        host.cpus,
        if host.cpus == 1 { "" } else { "s" },
    );
    text.push_str("What can be done here\n");
    for ability in abilities::of(host) {
        let _ = write!(text, "{ability}");
    }
    text.push_str("\nWhat it costs here (medians; on one processor unless it says otherwise)\n");
    text.push_str(&costs::table(host));
    text.push_str("\nHow written pages are known, by how many there are for each page table\n");
    text.push_str(&pages::table(host));
    text.push_str("\nWhich mechanism is chosen\n");
    text.push_str(&choices::table(host));
    text
}

#[cfg(test)]
mod tests;
