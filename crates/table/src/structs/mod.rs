//! (filled by the table's authors)
