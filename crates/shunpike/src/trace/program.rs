//! What to start: the program's file, its environment and its user.

use std::env;
use std::ffi::{CString, OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use kernel::proc;
use kernel::spawn::{self, Credentials, Program, Role};

use crate::cli::TraceOptions;
use crate::cli::{Daemonize, Launch, User};

/// The program that the options name, found like this; `None` if they only attach.
///
/// # Errors
/// There is no such program or user.
pub(super) fn prepare(
    options: &TraceOptions,
    find: &dyn Fn(&OsStr) -> anyhow::Result<PathBuf>,
) -> anyhow::Result<Option<Program>> {
    let Some(name) = options.command.first() else { return Ok(None) };
    let launch = &options.launch;
    if launch.user.is_some() && !may_change_user() {
        bail!("You must be root to use the -u/--user option: it takes CAP_SETUID and CAP_SETGID");
    }
    let path = find(name)?;
    let mut args: Vec<Vec<u8>> =
        options.command.iter().map(|arg| arg.as_bytes().to_vec()).collect();
    if let Some(argv0) = &launch.argv0 {
        args[0] = argv0.as_bytes().to_vec();
    }
    let program = Program::new(path.into_os_string().into_vec(), args, environment(launch))
        .context("the command, its arguments and its environment hold no NUL")?;
    Ok(Some(match &launch.user {
        Some(user) => program.credentials(credentials(user)?),
        None => program,
    }))
}

/// A command, in our own environment.
///
/// # Errors
/// There is no such program.
pub(crate) fn plain(command: &[OsString]) -> anyhow::Result<Program> {
    let name = command.first().context("no program is named")?;
    let path = find(name)?;
    let args = command.iter().map(|arg| arg.as_bytes().to_vec()).collect();
    Program::new(path.into_os_string().into_vec(), args, environment(&Launch::default()))
        .context("the command, its arguments and its environment hold no NUL")
}

/// Who becomes the guest.
pub(super) fn role(options: &TraceOptions) -> Role {
    match options.launch.daemonize {
        None => Role::Child,
        Some(daemonize) => Role::Caller {
            new_group: daemonize == Daemonize::ProcessGroup,
            new_session: daemonize == Daemonize::Session,
        },
    }
}

/// The file of a command, looked for as `execvp(3)` does.
pub(crate) fn find(name: &OsStr) -> anyhow::Result<PathBuf> {
    if name.is_empty() || name.as_bytes().contains(&b'/') {
        let path = PathBuf::from(name);
        fs::metadata(&path).with_context(|| format!("Can't stat '{}'", path.display()))?;
        return Ok(path);
    }
    in_path(name, |path| fs::metadata(path).ok())
}

/// The first executable of this name in the folders of `PATH`. `look` tells what is at a path.
///
/// # Errors
/// There is none.
pub(crate) fn in_path(
    name: &OsStr,
    look: impl Fn(&Path) -> Option<fs::Metadata>,
) -> anyhow::Result<PathBuf> {
    let mut refused = None;
    for folder in env::split_paths(&env::var_os("PATH").unwrap_or_default()) {
        // An empty name stands for the folder where we are.
        let folder = if folder.as_os_str().is_empty() { env::current_dir()? } else { folder };
        let path = folder.join(name);
        match look(&path) {
            Some(file) if file.is_file() && file.permissions().mode() & 0o111 != 0 => {
                return Ok(path);
            }
            Some(file) if file.is_file() => refused = refused.or(Some(path)),
            _ => {}
        }
    }
    let why = match refused {
        Some(path) => format!("'{}' is not executable", path.display()),
        None => "no folder in PATH has it".to_owned(),
    };
    bail!("Can't stat '{}': No such file or directory; {why}", name.display())
}

fn environment(launch: &Launch) -> Vec<Vec<u8>> {
    let mut variables: Vec<(OsString, OsString)> = env::vars_os().collect();
    for (name, value) in &launch.env {
        let known = variables.iter().position(|(known, _)| known == name);
        match (known, value.clone()) {
            (Some(place), Some(value)) => variables[place].1 = value,
            (None, Some(value)) => variables.push((name.clone(), value)),
            (_, None) => variables.retain(|(known, _)| known != name),
        }
    }
    let joined =
        |(name, value): (OsString, OsString)| [name.into_vec(), value.into_vec()].join(&b'=');
    variables.into_iter().map(joined).collect()
}

/// Whether this process may run a program as somebody else.
fn may_change_user() -> bool {
    const CAP_SETGID: u64 = 1 << 6;
    const CAP_SETUID: u64 = 1 << 7;
    let held = proc::identity(std::process::id() as i32).map(|own| own.rights.capabilities);
    // Where that cannot be read, the kernel will tell.
    held.map_or(true, |held| held & CAP_SETGID != 0 && held & CAP_SETUID != 0)
}

fn credentials(user: &User) -> anyhow::Result<Credentials> {
    match user {
        User::Ids { uid, gid } => Ok(Credentials { uid: *uid, gid: *gid, groups: vec![*gid] }),
        User::Name(name) => CString::new(name.as_str())
            .ok()
            .and_then(|name| spawn::user(&name))
            .with_context(|| format!("Cannot find user '{name}'")),
    }
}
