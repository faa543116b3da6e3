mod files;
mod gaps;
mod relocation;
mod windows;
