//! What a call has read or written → JSON.

use record::dump::Part;

use super::syntax::{array, field, number, object, text};

/// Appends an array of buffers, each with its bytes.
pub(super) fn dump(out: &mut Vec<u8>, parts: &[Part<'_>]) {
    let (mut message, mut buffer) = (None, None);
    let pieces = parts.iter().filter_map(|part| match *part {
        Part::Message { index, .. } => {
            message = Some(index);
            None
        }
        Part::Buffer { index, .. } => {
            buffer = Some(index);
            None
        }
        Part::Data { bytes, len, .. } => Some((message, buffer, bytes, len)),
    });
    array(out, pieces, |out, (message, buffer, bytes, len)| {
        object(out, |out| {
            message.into_iter().for_each(|index| number(out, "message", index));
            buffer.into_iter().for_each(|index| number(out, "buffer", index));
            field(out, "bytes", |out| text(out, bytes, (bytes.len() as u64) < len));
        });
    });
}
