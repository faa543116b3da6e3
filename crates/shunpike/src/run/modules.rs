//! The modules that the options ask for.

use std::fs::File;
use std::rc::Rc;

use anyhow::{Context, bail};
use contract::{Enforcement, Module, Refusals};
use engine::Emulation;
use kernel::memory_file;
use modules::answer::Constants;
use modules::deny::{self, Deny, Learn};
use modules::map::{MapModule, Running};
use modules::paths::{HostTree, Map};
use modules::sysemu::Sysemu;
use modules::uts::{Names, Uts};

use super::program::Beginning;
use super::report::Report;
use super::ways::Ways;
use crate::cli::{FileOptions, RunOptions};

/// Modules, and what belongs to them.
pub(super) struct Modules {
    /// The modules, the one nearest to the program first.
    pub all: Vec<Box<dyn Module>>,
    /// Which files the program sees.
    pub map: Rc<Map>,
    /// What processes run, where files are at other paths.
    pub running: Option<Running>,
    /// What is shown on the ways to places.
    pub ways: Ways,
    /// What is told at the end.
    pub report: Report,
    /// What the program must not do, whatever it tries.
    pub enforcement: Option<Enforcement>,
}

/// The modules; with one that switches this emulation, where it is what intercepts calls.
///
/// # Errors
/// One cannot do what it was asked for.
pub(super) fn of(options: &RunOptions, emulation: Option<&Emulation>) -> anyhow::Result<Modules> {
    let mut all: Vec<Box<dyn Module>> = Vec::new();
    if let Some(emulation) = emulation {
        let file = memory_file::create(c"sysemu").context("sysemu")?;
        all.push(Box::new(Sysemu::new(emulation.switch(), file).context("sysemu")?));
    }
    if !options.answers.is_empty() {
        let mut constants = Constants::default();
        for (calls, reply, what) in &options.answers {
            constants.add(*calls, *reply, what);
        }
        all.push(Box::new(constants));
    }
    if options.names != Names::default() {
        let uts = Uts::new(options.names.clone()).context("uts")?;
        // A file that is handed over is none that the enforcement has decided about.
        let make = || memory_file::create(c"name");
        let uts = if options.files.enforce { uts } else { uts.with_files(make) };
        all.push(Box::new(uts));
    }
    let files = &options.files;
    let mut map = Map::new(files.places.clone(), &HostTree::NOBODY)?;
    let ways = Ways::make(&mut map)?;
    let map = Rc::new(map);
    let mut report = Report::default();
    if let Some(path) = files.report.as_ref().filter(|_| !options.explain) {
        // What is told at the end is not to be lost.
        let file = File::create(path)
            .with_context(|| format!("--report: cannot write '{}'", path.display()))?;
        report.file = Some((path.clone(), file));
    }
    // These see paths as the program gives them: before they are changed.
    if files.learn {
        let learn = Learn::new(Rc::clone(&map));
        report.learned = Some(learn.learned());
        all.push(Box::new(learn));
    }
    if !files.denials.is_empty() {
        let deny = Deny::new(files.denials.clone(), Rc::clone(&map));
        report.refused = Some(deny.refused());
        let deny = if files.enforce { deny.beside_enforcement() } else { deny };
        all.push(Box::new(deny));
    }
    let enforcement = enforcement(files, &map, report.refused.as_ref())?;
    let mut running = None;
    if !files.places.is_empty() {
        let beginning = Beginning::new(&map, files.working.as_deref())?;
        let module = MapModule::new(Rc::clone(&map), beginning.name().clone());
        running = Some(module.running());
        all.push(Box::new(module));
    }
    Ok(Modules { all, map, running, ways, report, enforcement })
}

/// What is denied, where it is to be kept whatever the program tries.
fn enforcement(
    files: &FileOptions,
    map: &Map,
    refused: Option<&Refusals>,
) -> anyhow::Result<Option<Enforcement>> {
    if !files.enforce {
        return Ok(None);
    }
    let Some(refused) = refused else {
        bail!("--enforce has nothing to keep: say by --deny what the program must not do")
    };
    let enforced = deny::enforcement(&files.denials, map, refused.clone());
    enforced.map(Some).map_err(|why| anyhow::anyhow!("--enforce: {why}"))
}
