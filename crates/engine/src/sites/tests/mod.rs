mod elf_file;
mod files;
mod functions;
mod gaps;
mod relocation;
mod windows;
