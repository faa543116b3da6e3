//! Room for halves of calls, to be used again.

/// How many buffers are kept, and how much memory each may take, in bytes.
const BUFFERS_KEPT: usize = 64;
const BUFFER_KEPT: usize = 1 << 20;

/// Room for halves, to be used again: fresh memory would cost more than what is copied there.
#[derive(Debug, Default)]
pub struct Buffers(Vec<Vec<u8>>);

impl Buffers {
    /// One of them, or a new one.
    pub fn take(&mut self) -> Vec<u8> {
        self.0.pop().unwrap_or_default()
    }

    /// Keeps one that is used no more, unless it is too large.
    pub fn give_back(&mut self, mut buffer: Vec<u8>) {
        if (1..=BUFFER_KEPT).contains(&buffer.capacity()) && self.0.len() < BUFFERS_KEPT {
            buffer.clear();
            self.0.push(buffer);
        }
    }
}
