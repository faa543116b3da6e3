//! The functions of executable files, by their names.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;

use crate::demangle::demangle;
use crate::elf::{Elf, Names, Symbol, SymbolKind, SymbolTable};

/// What a file has by a name.
#[derive(PartialEq, Eq, Debug)]
pub enum Called {
    Nothing,
    /// A function, and where it is in the file.
    One(Function),
    /// Several functions: how each is written with its parameters.
    Several(Vec<String>),
}

/// A function of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Function {
    /// Where it is in the file.
    pub offset: u64,
    /// What it returns is the function that goes by its name (`STT_GNU_IFUNC`).
    pub chooses: bool,
}

/// What of a file is called so. The name may be that of the symbol, or what this stands for in Rust or
/// C++, with or without its parameters.
pub fn called(file: File, name: &str) -> Called {
    let Ok(elf) = Elf::open(file) else { return Called::Nothing };
    let tables: Vec<_> = elf.symbol_tables().filter_map(|table| functions(&table).ok()).collect();
    let symbols = || {
        tables.iter().flat_map(|(functions, names)| {
            functions.iter().filter_map(|symbol| Some((names.at(symbol.name)?, symbol)))
        })
    };
    let of_name = || symbols().filter(|(symbol, _)| *symbol == name.as_bytes());
    let exact = of_name().find(|(_, symbol)| !symbol.is_former).or_else(|| of_name().next());
    let symbol = match exact {
        Some((_, symbol)) => *symbol,
        None => {
            let written = symbols().filter_map(|(name_of_it, symbol)| {
                let written = demangle(std::str::from_utf8(name_of_it).ok()?);
                is_called(&written, name).then_some((symbol.vaddr, (written, symbol)))
            });
            let found: BTreeMap<_, _> = written.collect();
            let Some((_, (_, symbol))) = found.first_key_value() else { return Called::Nothing };
            if found.len() > 1 {
                return Called::Several(found.values().map(|(name, _)| name.to_string()).collect());
            }
            **symbol
        }
    };
    let Some(part) = elf.code_at(symbol.vaddr) else { return Called::Nothing };
    let offset = part.offset + (symbol.vaddr - part.vaddr);
    Called::One(Function { offset, chooses: symbol.kind == SymbolKind::Chooser })
}

/// The functions of a symbol table, and the names of all its symbols.
fn functions(table: &SymbolTable) -> io::Result<(Vec<Symbol>, Names)> {
    let kinds = [SymbolKind::Function, SymbolKind::Chooser];
    let functions = table.symbols()?.filter(|symbol| kinds.contains(&symbol.kind));
    Ok((functions.collect(), table.names()?))
}

/// Whether a function that is written so is called this. A part of it that the compiler has put elsewhere is not
/// where it begins.
fn is_called(written: &str, name: &str) -> bool {
    let is_part = || [".cold", ".part."].iter().any(|part| written.contains(part));
    let rest = written.strip_prefix(name);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['(', '['])) && !is_part()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_go_by_several_names() {
        let is = |symbol: &str, name: &str| is_called(&demangle(symbol), name);
        for name in ["ns::A::rec(int)", "ns::A::rec"] {
            assert!(is("_ZN2ns1A3recEi", name), "{name}");
        }
        for name in ["ns::A::re", "A::rec", "ns::A::rec(long)", "rec"] {
            assert!(!is("_ZN2ns1A3recEi", name), "{name}");
        }
        assert!(is("_ZL6helperi.constprop.0", "helper"));
        assert!(!is("_ZL6helperi.cold", "helper"));
        assert!(is("_RNvC6_123foo3bar", "123foo::bar"));
    }
}
