//! Tells cargo that the migrations are part of the crate, for they are compiled in.

fn main() {
    println!("cargo::rerun-if-changed=migrations");
}
