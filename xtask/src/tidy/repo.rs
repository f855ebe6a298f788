//! The repository as the checks see it: texts, paths, crates and the libraries under them.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, PackageId};

use super::rust::Source;

/// What a check may look at. The checks' own tests build small ones from strings.
#[derive(Default)]
pub(crate) struct Repo {
    /// The text of each file that is not ignored, by its path from the root.
    pub(crate) texts: BTreeMap<String, String>,
    /// Every file and folder, by its path from the root and without a slash at the end.
    pub(crate) paths: BTreeSet<String>,
    /// The crates of this workspace.
    pub(crate) members: Vec<Member>,
    /// The libraries under them, on the systems that we build for.
    pub(crate) libraries: Vec<Library>,
    sources: OnceCell<BTreeMap<String, Source>>,
}

/// A crate of this workspace.
pub(crate) struct Member {
    pub(crate) name: String,
    /// Its folder from the root: `crates/quorate-kernel`.
    pub(crate) folder: String,
    /// What it names itself, for tests and builds too.
    pub(crate) direct: BTreeSet<String>,
    /// What is linked into it, by whatever way.
    pub(crate) linked: BTreeSet<String>,
}

/// A package of somebody else.
pub(crate) struct Library {
    pub(crate) name: String,
    pub(crate) version: String,
    /// An SPDX expression.
    pub(crate) licence: Option<String>,
    /// Whether it comes from the public registry; not from a branch or a folder.
    pub(crate) published: bool,
}

/// The systems that Quorate is built for. For these alone cargo has to fetch the libraries.
const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

/// The root of this checkout. Cargo says where, for a checkout may have moved since the build.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    here.parent()
        .map_or_else(|| here.clone(), Path::to_path_buf)
}

impl Repo {
    /// Reads the checkout at `root`.
    pub(crate) fn load(root: &Path) -> Result<Self> {
        let mut repo = Self::default();
        repo.read_files(root)?;
        repo.read_crates(root)?;
        Ok(repo)
    }

    /// These texts alone, by their paths.
    pub(crate) fn of_texts(texts: BTreeMap<String, String>) -> Self {
        Self {
            texts,
            ..Self::default()
        }
    }

    /// The Rust files, parsed; what does not parse is the compiler's to report.
    pub(crate) fn rust(&self) -> impl Iterator<Item = (&str, &Source)> {
        self.sources()
            .iter()
            .map(|(path, source)| (path.as_str(), source))
    }

    /// Those that crates are built of: neither tests nor what they draw pages with.
    pub(crate) fn production(&self) -> impl Iterator<Item = (&str, &Source)> {
        let mut tests = BTreeSet::new();
        for (path, source) in self.rust() {
            let folder = match path.rsplit_once('/') {
                Some((folder, "lib.rs" | "main.rs" | "mod.rs")) => folder,
                _ => path.trim_end_matches(".rs"),
            };
            tests.extend(
                source
                    .test_modules()
                    .iter()
                    .map(|name| format!("{folder}/{name}.rs")),
            );
        }
        self.rust()
            .filter(move |(path, _)| is_source(path) && !tests.contains(*path))
    }

    /// One of them, with its path.
    pub(crate) fn source(&self, path: &str) -> Option<(&str, &Source)> {
        let (path, source) = self.sources().get_key_value(path)?;
        Some((path, source))
    }

    fn sources(&self) -> &BTreeMap<String, Source> {
        self.sources.get_or_init(|| {
            let rust = self
                .texts
                .iter()
                .filter(|(path, _)| has_extension(path, "rs"));
            rust.filter_map(|(path, text)| Some((path.clone(), Source::parse(text)?)))
                .collect()
        })
    }

    // Follows `.gitignore` without git, which a bare build machine may lack.
    fn read_files(&mut self, root: &Path) -> Result<()> {
        let walk = ignore::WalkBuilder::new(root)
            .hidden(false)
            .require_git(false)
            .git_global(false)
            .git_exclude(false)
            .parents(false)
            .filter_entry(|entry| entry.file_name() != ".git")
            .build();
        for entry in walk {
            let entry = entry?;
            let path = entry
                .path()
                .strip_prefix(root)?
                .to_string_lossy()
                .into_owned();
            if path.is_empty() {
                continue;
            }
            if entry.file_type().is_some_and(|kind| kind.is_file())
                && let Ok(text) = String::from_utf8(
                    std::fs::read(entry.path()).with_context(|| format!("reading {path}"))?,
                )
            {
                self.texts.insert(path.clone(), text);
            }
            self.paths.insert(path);
        }
        Ok(())
    }

    fn read_crates(&mut self, root: &Path) -> Result<()> {
        let mut options: Vec<String> = TARGETS
            .iter()
            .flat_map(|t| ["--filter-platform".into(), (*t).into()])
            .collect();
        if std::env::var_os("CI").is_some() {
            options.push("--locked".into());
        }
        let metadata = MetadataCommand::new()
            .manifest_path(root.join("Cargo.toml"))
            .other_options(options)
            .exec()
            .context("asking cargo what this workspace is made of")?;
        let graph = Graph::of(&metadata);
        for package in metadata.workspace_packages() {
            let folder = package
                .manifest_path
                .parent()
                .context("a manifest without a folder")?;
            self.members.push(Member {
                name: package.name.to_string(),
                folder: folder.strip_prefix(&metadata.workspace_root)?.to_string(),
                direct: package
                    .dependencies
                    .iter()
                    .map(|d| d.name.clone())
                    .collect(),
                linked: graph.linked(&package.id),
            });
        }
        let used: BTreeSet<_> = graph.edges.keys().copied().collect();
        self.libraries = metadata
            .packages
            .iter()
            .filter(|p| !metadata.workspace_members.contains(&p.id) && used.contains(&p.id))
            .map(|p| Library {
                name: p.name.to_string(),
                version: p.version.to_string(),
                licence: p.license.clone(),
                published: p
                    .source
                    .as_ref()
                    .is_some_and(cargo_metadata::Source::is_crates_io),
            })
            .collect();
        Ok(())
    }
}

// Whether a path lies in the sources of a crate, and by its name is neither a test nor a sample.
fn is_source(path: &str) -> bool {
    const TESTS: [&str; 6] = [
        "tests",
        "tests.rs",
        "samples",
        "samples.rs",
        "sample",
        "sample.rs",
    ];
    path.strip_prefix("crates/")
        .and_then(|path| path.split_once("/src/"))
        .is_some_and(|(_, file)| !file.split('/').any(|part| TESTS.contains(&part)))
}

/// Whether a path ends in `.rs`, `.md` and the like.
pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|e| e == extension)
}

// Who links whom; dependencies of tests and build scripts do not end up in the crate.
struct Graph<'m> {
    edges: BTreeMap<&'m PackageId, Vec<&'m PackageId>>,
    names: BTreeMap<&'m PackageId, &'m str>,
}

impl<'m> Graph<'m> {
    fn of(metadata: &'m Metadata) -> Self {
        let names = metadata
            .packages
            .iter()
            .map(|p| (&p.id, p.name.as_str()))
            .collect();
        let nodes = metadata.resolve.iter().flat_map(|r| &r.nodes);
        let edges = nodes
            .map(|node| {
                let normal = node
                    .deps
                    .iter()
                    .filter(|d| d.dep_kinds.iter().any(|k| k.kind == DependencyKind::Normal))
                    .map(|d| &d.pkg)
                    .collect();
                (&node.id, normal)
            })
            .collect();
        Self { edges, names }
    }

    fn linked(&self, from: &PackageId) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&PackageId> = self
            .edges
            .get(from)
            .into_iter()
            .flatten()
            .copied()
            .collect();
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                open.extend(self.edges.get(id).into_iter().flatten());
            }
        }
        seen.into_iter()
            .filter_map(|id| self.names.get(id))
            .map(|n| (*n).to_owned())
            .collect()
    }
}

#[cfg(test)]
impl Repo {
    /// A repository that holds these files and nothing else.
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let mut repo = Self::default();
        for (path, text) in files {
            repo.texts.insert((*path).into(), (*text).into());
            let mut part = Some(Path::new(path));
            while let Some(path) = part.filter(|p| *p != Path::new("")) {
                repo.paths.insert(path.to_string_lossy().into_owned());
                part = path.parent();
            }
        }
        repo
    }

    /// Adds a crate that depends on these others, itself and by whatever they link.
    pub(crate) fn with_member(mut self, name: &str, dependencies: &[&str]) -> Self {
        let names: BTreeSet<String> = dependencies.iter().map(|d| (*d).to_owned()).collect();
        self.members.push(Member {
            name: name.into(),
            folder: format!("crates/{name}"),
            direct: names.clone(),
            linked: names,
        });
        self
    }
}
