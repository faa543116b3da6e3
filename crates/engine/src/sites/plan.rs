//! From the address of a `syscall` in a file to the window that can be patched.

use super::Text;
use super::decline::Decline;
use super::sweep::sweep;
use super::window::{Window, candidates};

impl Text {
    /// Chooses the window of the site at an offset in the file. The window's addresses are offsets
    /// as well.
    pub fn plan_offset(&self, site: u64) -> Result<Window, Decline> {
        let vaddr = self.vaddr(site).ok_or(Decline::NoFunction)?;
        Ok(self.plan(vaddr)?.moved(site.wrapping_sub(vaddr)))
    }

    /// Chooses the window of the site at an address of the file.
    pub fn plan(&self, site: u64) -> Result<Window, Decline> {
        let function = self.function(site)?.ok_or(Decline::NoFunction)?;
        let code = self.read_code(function.clone())?;
        let sweep = sweep(&code, function.start, site)?;
        let board = self.board_before(function.start)?;
        for window in candidates(&code, function.start, site, &sweep, board)? {
            let alone = window.single() && window.board.is_none();
            if alone || !self.is_reached(&window, &function)? {
                return Ok(window);
            }
        }
        Err(Decline::BranchInto)
    }
}
