//! The modules that the options ask for.

use anyhow::Context;
use contract::Module;
use modules::uts::{Names, Uts};

use crate::cli::RunOptions;

/// The modules, the one nearest to the program first.
///
/// # Errors
/// One cannot do what it was asked for.
pub(super) fn all(options: &RunOptions) -> anyhow::Result<Vec<Box<dyn Module>>> {
    let mut modules: Vec<Box<dyn Module>> = Vec::new();
    if options.names != Names::default() {
        modules.push(Box::new(Uts::new(options.names.clone()).context("uts")?));
    }
    Ok(modules)
}
