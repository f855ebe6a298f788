//! Writes every sample page with its assets to a folder, to be looked at in a browser:
//! `cargo run -p quorate-server --example gallery -- OUTDIR`.
//!
//! Pages name their styles by absolute addresses, so serve the folder (`python3 -m http.server -d OUTDIR`) or open it with
//! a browser that is told its root.

use std::{env, error::Error, fmt::Write as _, fs, path::PathBuf};

use quorate_server::{assets, pages};

fn main() -> Result<(), Box<dyn Error>> {
    let out = PathBuf::from(env::args().nth(1).ok_or("name a folder to write to")?);
    let folder = out.join("assets").join(&*assets::VERSION);
    fs::create_dir_all(&folder)?;
    for (name, bytes) in assets::plain() {
        fs::write(folder.join(name), bytes)?;
    }
    let mut index = String::from("<!doctype html><meta charset=utf-8><title>Gallery</title><ul>");
    for sample in pages::every_sample()? {
        let file = format!("{}.html", sample.name.replace(", ", "--").replace(' ', "-"));
        write!(index, "<li><a href=\"{file}\">{}</a>", sample.name)?;
        fs::write(out.join(&file), sample.html)?;
    }
    fs::write(out.join("index.html"), index)?;
    Ok(())
}
