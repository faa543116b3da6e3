//! Which way to know of written pages is the cheapest here, and when.

use engine::memory::policy::BreakEvens;
use kernel::probe::Host;
use kernel::probe::pages::page_costs;

/// A line for each way, with the number of pages where it begins or ends to be the cheapest.
pub(super) fn table(host: &Host) -> String {
    let costs = match host.written_pages {
        Ok(()) => page_costs(),
        Err(_) => return "  nobody tells here which pages are written\n".to_owned(),
    };
    let BreakEvens { emulate, writable, copy_all } = match costs {
        Ok(costs) => BreakEvens::of(&costs),
        Err(error) => return format!("  it cannot be measured: {error}\n"),
    };
    format!(
        "  {:<50} {:>11}\n  {:<50} {:>11}\n  {:<50} {:>11}\n  {:<50} {:>11}\n",
        "each write is told (emulate)",
        format!("below {emulate:.2}"),
        "looked for, and protected one by one (writable)",
        format!("below {writable:.1}"),
        "looked for and protected in one walk (batched)",
        "above",
        "all are copied, without a look",
        format!("from {copy_all:.0}"),
    )
}
