//! Names of functions as their programming languages have them.

use std::sync::Arc;

use cpp_demangle::DemangleOptions;

/// A longer name stays as it is, in bytes: short ones may stand for very long ones.
const LONGEST: usize = 4096;

/// What a symbol's name stands for in Rust or C++; itself if it is of neither.
pub fn demangle(name: &str) -> Arc<str> {
    if name.len() > LONGEST {
        return name.into();
    }
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        return format!("{rust:#}").into();
    }
    // Versions of a function that the compiler has made: `_ZN1f3fooEv.cold`.
    let cpp = name.starts_with("_Z").then(|| cpp_demangle::Symbol::new(name).ok()).flatten();
    cpp.and_then(|cpp| cpp.demangle_with_options(&DemangleOptions::new()).ok())
        .map_or_else(|| name.into(), Into::into)
}

#[cfg(test)]
mod tests {
    use super::demangle;

    #[test]
    fn names_of_three_languages() {
        for (symbol, name) in [
            ("main", "main"),
            ("_Z", "_Z"),
            ("_ZN2ns1A3recEi", "ns::A::rec(int)"),
            ("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt"),
            ("_RNvC6_123foo3bar", "123foo::bar"),
        ] {
            assert_eq!(&*demangle(symbol), name);
        }
    }
}
