//! Rulebooks on disk, and those that the program brings along.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use quorate_engine::rulebook::{Manifest, Rulebook};

/// The rulebooks folder: `--rulebooks`, else `rulebooks` in this folder or one above it, else none.
pub fn folder() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().map(|dir| dir.join("rulebooks")).find(|dir| dir.join("std").is_dir())
}

/// Reads a rulebook: a folder, or the name of one in the rulebooks folder.
pub fn read(name_or_path: &str) -> Result<Rulebook> {
    let path = Path::new(name_or_path);
    if path.join("rulebook.toml").is_file() {
        return read_folder(path);
    }
    let folder = folder().with_context(|| format!("there is no rulebook at {name_or_path}, and no rulebooks folder here"))?;
    let path = folder.join(name_or_path);
    if !path.join("rulebook.toml").is_file() {
        bail!("there is no rulebook called {name_or_path} in {}", folder.display());
    }
    read_folder(&path)
}

/// The names of all rulebooks in the rulebooks folder, in order.
pub fn names() -> Vec<String> {
    let Some(folder) = folder() else { return Vec::new() };
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.path().join("rulebook.toml").is_file())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn read_folder(path: &Path) -> Result<Rulebook> {
    let path = path.canonicalize().with_context(|| format!("cannot open {}", path.display()))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let manifest = read_text(&path.join("rulebook.toml"))?;
    let manifest: Manifest = toml::from_str(&manifest).with_context(|| format!("{}/rulebook.toml does not read", path.display()))?;
    let shared = path.parent().map(|dir| dir.join("std"));
    let mut library = Vec::new();
    for stem in &manifest.std {
        let own = path.join("std").join(format!("{stem}.star"));
        let file = if own.is_file() { own } else { shared.clone().unwrap_or_default().join(format!("{stem}.star")) };
        library.push((stem.clone(), read_text(&file)?));
    }
    let rules = texts(&path.join("rules"), "md")?;
    if rules.is_empty() {
        bail!("{} has no rules: put them into its folder rules, one file each", path.display());
    }
    let tests = texts(&path.join("tests"), "star")?;
    Ok(Rulebook { name: name.as_str().into(), manifest, library, rules, tests })
}

/// All files of an ending below a folder, by path in order; none where the folder is not there.
pub fn texts(folder: &Path, ending: &str) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    if folder.is_dir() {
        collect(folder, folder, ending, &mut found)?;
    }
    found.sort();
    Ok(found)
}

fn collect(root: &Path, folder: &Path, ending: &str, found: &mut Vec<(String, String)>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, ending, found)?;
        } else if path.extension().is_some_and(|extension| extension == ending) {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            found.push((name, read_text(&path)?));
        }
    }
    Ok(())
}

/// Reads a text file, with its path in the error.
pub fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}
