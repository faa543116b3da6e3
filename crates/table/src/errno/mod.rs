//! Error numbers: their names and what `strerror(3)` says of them.

mod list;

/// The name of an error: `ENOENT`. Takes the positive number.
pub fn name(error: u32) -> Option<&'static str> {
    find(error).map(|(_, name, _)| *name)
}

/// What the error means, in the words of `strerror(3)`; of the kernel's own restart errors, what
/// the kernel will do.
pub fn message(error: u32) -> Option<&'static str> {
    find(error).map(|(_, _, message)| *message)
}

/// Whether the kernel makes a call again, or tells of an interrupted one, in place of this error: nobody else sees
/// it.
pub fn is_restart(error: u32) -> bool {
    matches!(error, 512..=514 | 516)
}

/// The number of an error, by its name.
pub fn by_name(name: &str) -> Option<u32> {
    list::ERRORS.iter().find(|(_, known, _)| *known == name).map(|(value, ..)| *value)
}

fn find(error: u32) -> Option<&'static (u32, &'static str, &'static str)> {
    let at = list::ERRORS.binary_search_by_key(&error, |(value, ..)| *value).ok()?;
    Some(&list::ERRORS[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_names_and_messages() {
        assert_eq!((name(2), message(2)), (Some("ENOENT"), Some("No such file or directory")));
        assert_eq!(name(11), Some("EAGAIN"));
        assert_eq!(name(512), Some("ERESTARTSYS"));
        assert_eq!(by_name("ERESTART_RESTARTBLOCK"), Some(516));
        assert!(is_restart(512) && !is_restart(515) && !is_restart(524));
        assert!(name(0).is_none() && name(41).is_none() && message(4096).is_none());
    }

    #[test]
    fn the_list_is_sorted() {
        assert!(list::ERRORS.is_sorted_by(|a, b| a.0 < b.0));
    }
}
