//! The rulebooks are part of the program; when one of them changes, so does the program.

fn main() {
    println!("cargo::rerun-if-changed=../../rulebooks");
}
