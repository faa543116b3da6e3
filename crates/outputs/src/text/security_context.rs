//! Security contexts → text: ` [passwd_file_t]`.

use record::{SecurityContext, Tid};

use super::color::{Role, paint};
use super::value::Look;

impl Look<'_> {
    /// Appends that of a file, and what it should be where it is another.
    pub(super) fn file_context(&self, out: &mut Vec<u8>, context: Option<&SecurityContext>) {
        let Some(SecurityContext { actual, expected }) = context else { return };
        let actual = self.shown(actual);
        let expected = expected.as_ref().map(|expected| self.shown(expected));
        out.push(b' ');
        match expected.filter(|expected| *expected != actual) {
            Some(expected) => self.context(out, &[actual, b"!!", expected].concat()),
            None => self.context(out, actual),
        }
    }

    /// Appends that of a process, where it is to be shown and can be told.
    pub(super) fn process_context(&self, out: &mut Vec<u8>, process: Tid) {
        let contexts = self.style.contexts.as_ref();
        if let Some(context) = contexts.and_then(|contexts| (contexts.of_process)(process)) {
            out.push(b' ');
            self.context(out, self.shown(&context));
        }
    }

    /// As much of a context as is shown: its type, the third of its parts, or all.
    pub(super) fn shown<'c>(&self, context: &'c [u8]) -> &'c [u8] {
        let in_full = self.style.contexts.as_ref().is_some_and(|contexts| contexts.in_full);
        let kind = context.split(|byte| *byte == b':').nth(2);
        kind.filter(|_| !in_full).unwrap_or(context)
    }

    /// Appends what is shown of a context, in brackets.
    pub(super) fn context(&self, out: &mut Vec<u8>, shown: &[u8]) {
        paint(out, self.style.color, Role::Aside, |out| {
            out.push(b'[');
            self.escaped(out, shown);
            out.push(b']');
        });
    }
}
