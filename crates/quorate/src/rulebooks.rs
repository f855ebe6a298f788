//! Rulebooks on disk, and those that the program brings along.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use include_dir::{Dir, include_dir};
use quorate_engine::rulebook::{Manifest, Rulebook};

/// The rulebooks that the program brings along, for where there is no rulebooks folder.
static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../rulebooks");

/// The rulebooks folder: `rulebooks` in this folder or one above it, else none.
pub(crate) fn folder() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors()
        .map(|dir| dir.join("rulebooks"))
        .find(|dir| dir.join("std").is_dir())
}

/// Reads a rulebook: a folder, or the name of one in the rulebooks folder, or of one that the program brings along.
pub(crate) fn read(name_or_path: &str) -> Result<Rulebook> {
    let path = Path::new(name_or_path);
    if path.join("rulebook.toml").is_file() {
        return read_folder(path);
    }
    let Some(folder) = folder() else {
        return read_built_in(name_or_path);
    };
    let path = folder.join(name_or_path);
    if !path.join("rulebook.toml").is_file() {
        bail!(
            "there is no rulebook called {name_or_path} in {}",
            folder.display()
        );
    }
    read_folder(&path)
}

/// The script of a rulebook's demo, if it has one.
pub(crate) fn demo(name: &str) -> Result<Option<String>> {
    let Some(folder) = folder() else {
        let file = BUILT_IN.get_file(Path::new(name).join("demo.star"));
        return Ok(file
            .and_then(include_dir::File::contents_utf8)
            .map(str::to_owned));
    };
    let path = folder.join(name).join("demo.star");
    path.is_file().then(|| read_text(&path)).transpose()
}

/// Helper files by their stems, each as its path in a rulebook's folder and its text.
pub(crate) fn library(stems: &[String]) -> Result<Vec<(String, String)>> {
    let text = |stem: &str| {
        let path = Path::new("std").join(format!("{stem}.star"));
        match folder() {
            Some(folder) => read_text(&folder.join(&path)),
            None => BUILT_IN
                .get_file(&path)
                .and_then(include_dir::File::contents_utf8)
                .map(str::to_owned)
                .with_context(|| format!("there is no {}", path.display())),
        }
    };
    let stems = stems.iter();
    stems
        .map(|stem| Ok((format!("std/{stem}.star"), text(stem)?)))
        .collect()
}

/// The names of all rulebooks, in order: of the rulebooks folder, or of those that the program brings along.
pub(crate) fn names() -> Vec<String> {
    let mut names: Vec<String> = if let Some(folder) = folder() {
        let Ok(entries) = fs::read_dir(folder) else {
            return Vec::new();
        };
        let books = entries
            .flatten()
            .filter(|entry| entry.path().join("rulebook.toml").is_file());
        books
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    } else {
        let books = BUILT_IN
            .dirs()
            .filter(|dir| dir.get_file(dir.path().join("rulebook.toml")).is_some());
        books
            .map(|dir| dir.path().to_string_lossy().into_owned())
            .collect()
    };
    names.sort();
    names
}

fn read_folder(path: &Path) -> Result<Rulebook> {
    let path = path
        .canonicalize()
        .with_context(|| format!("cannot open {}", path.display()))?;
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let shared = path.parent().map(|dir| dir.join("std")).unwrap_or_default();
    let library = |stem: &str| {
        let own = path.join("std").join(format!("{stem}.star"));
        read_text(&if own.is_file() {
            own
        } else {
            shared.join(format!("{stem}.star"))
        })
    };
    let parts = RulebookTexts {
        manifest: read_text(&path.join("rulebook.toml"))?,
        rules: texts(&path.join("rules"), "md")?,
        tests: texts(&path.join("tests"), "star")?,
    };
    parts
        .rulebook(&name, &library)
        .with_context(|| format!("the rulebook in {} does not read", path.display()))
}

fn read_built_in(name: &str) -> Result<Rulebook> {
    let text = |path: PathBuf| {
        let file = BUILT_IN
            .get_file(&path)
            .and_then(include_dir::File::contents_utf8)
            .map(str::to_owned);
        file.with_context(|| format!("there is no {}", path.display()))
    };
    let root = Path::new(name);
    let Ok(manifest) = text(root.join("rulebook.toml")) else {
        bail!(
            "there is no rulebook at {name}, no rulebooks folder here, and none built in but {}",
            names().join(", ")
        );
    };
    let below = |inner: &str, ending: &str| {
        let mut found = Vec::new();
        if let Some(dir) = BUILT_IN.get_dir(root.join(inner)) {
            collect_built_in(dir, dir.path(), ending, &mut found);
        }
        found.sort();
        found
    };
    let parts = RulebookTexts {
        manifest,
        rules: below("rules", "md"),
        tests: below("tests", "star"),
    };
    let library = |stem: &str| {
        let file = format!("{stem}.star");
        text(root.join("std").join(&file)).or_else(|_| text(Path::new("std").join(&file)))
    };
    parts.rulebook(name, &library)
}

fn collect_built_in(dir: &Dir<'_>, root: &Path, ending: &str, found: &mut Vec<(String, String)>) {
    for inner in dir.dirs() {
        collect_built_in(inner, root, ending, found);
    }
    let wanted = |path: &Path| {
        path.extension()
            .is_some_and(|extension| extension == ending)
    };
    for file in dir.files().filter(|file| wanted(file.path())) {
        let name = file
            .path()
            .strip_prefix(root)
            .unwrap_or(file.path())
            .to_string_lossy()
            .replace('\\', "/");
        if let Some(text) = file.contents_utf8() {
            found.push((name, text.to_owned()));
        }
    }
}

/// The texts of a rulebook, wherever they came from.
struct RulebookTexts {
    manifest: String,
    rules: Vec<(String, String)>,
    tests: Vec<(String, String)>,
}

impl RulebookTexts {
    fn rulebook(
        self,
        name: &str,
        library_text: &dyn Fn(&str) -> Result<String>,
    ) -> Result<Rulebook> {
        let manifest: Manifest =
            toml::from_str(&self.manifest).context("rulebook.toml does not read")?;
        if self.rules.is_empty() {
            bail!("it has no rules: put them into its folder rules, one file each");
        }
        let library = manifest
            .std
            .iter()
            .map(|stem| Ok((stem.clone(), library_text(stem)?)));
        let library = library.collect::<Result<Vec<_>>>()?;
        Ok(Rulebook {
            name: name.into(),
            manifest,
            library,
            rules: self.rules,
            tests: self.tests,
        })
    }
}

/// All files of an ending below a folder, by path in order; none where the folder is not there.
pub(crate) fn texts(folder: &Path, ending: &str) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    if folder.is_dir() {
        collect(folder, folder, ending, &mut found)?;
    }
    found.sort();
    Ok(found)
}

fn collect(
    root: &Path,
    folder: &Path,
    ending: &str,
    found: &mut Vec<(String, String)>,
) -> Result<()> {
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, ending, found)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == ending)
        {
            let name = path
                .strip_prefix(root)
                .unwrap_or(&path)
                .to_string_lossy()
                .replace('\\', "/");
            found.push((name, read_text(&path)?));
        }
    }
    Ok(())
}

/// Reads a text file, with its path in the error.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
}

/// The rulebooks that games are founded of: all but those that are not finished.
pub(crate) fn playable() -> Result<Vec<Rulebook>> {
    let mut found = Vec::new();
    for name in names() {
        let book = read(&name)?;
        if !book.manifest.draft {
            found.push(book);
        }
    }
    Ok(found)
}
