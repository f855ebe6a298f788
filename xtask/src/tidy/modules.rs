//! The modules of a crate, and what a path means in one of them: which file defines the item.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

use super::repo::Repo;

/// A crate's modules, those for tests left out. The first is its root.
pub(crate) struct Modules<'r> {
    all: Vec<Module<'r>>,
    /// The file of each `macro_rules!`, which may be called by its name alone.
    macros: BTreeMap<String, &'r str>,
}

/// A file or a `mod` with braces.
pub(crate) struct Module<'r> {
    pub(crate) file: &'r str,
    pub(crate) items: Vec<&'r syn::Item>,
    /// What it brings in for itself, at whatever depth.
    pub(crate) imports: Vec<Vec<String>>,
    parent: usize,
    children: BTreeMap<String, usize>,
    defined: BTreeSet<String>,
    // Words within macros and their calls, which may well define items.
    perhaps_defined: BTreeSet<String>,
    brought_in: BTreeMap<String, Vec<Vec<String>>>,
    globs: Vec<Vec<String>>,
    // What it hands on to everybody, `*` for all of a module.
    exported: Vec<(String, Vec<String>)>,
}

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Target<'r> {
    Item {
        file: &'r str,
        name: String,
    },
    Module(usize),
    /// A path into another crate, or a name that no module of this one knows.
    Elsewhere(String),
}

impl<'r> Modules<'r> {
    /// Reads the crate that begins with the file `root`; `None` if there is no such file.
    pub(crate) fn read(repo: &'r Repo, root: &str) -> Option<Self> {
        let (file, source) = repo.source(root)?;
        let mut modules = Self {
            all: Vec::new(),
            macros: BTreeMap::new(),
        };
        let (folder, _) = root.rsplit_once('/')?;
        modules.add(repo, file, folder, 0, source.code().items.iter().collect());
        Some(modules)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, &Module<'r>)> {
        self.all.iter().enumerate()
    }

    // `folder` is where the files of its children lie.
    fn add(
        &mut self,
        repo: &'r Repo,
        file: &'r str,
        folder: &str,
        parent: usize,
        items: Vec<&'r syn::Item>,
    ) -> usize {
        let own = self.all.len();
        self.all.push(Module::new(file, parent, items.clone()));
        for item in items {
            match item {
                syn::Item::Mod(module) => {
                    let name = module.ident.to_string();
                    let below = format!("{folder}/{name}");
                    let child = if let Some((_, items)) = &module.content {
                        Some(self.add(repo, file, &below, own, items.iter().collect()))
                    } else {
                        [format!("{below}.rs"), format!("{below}/mod.rs")]
                            .iter()
                            .find_map(|path| repo.source(path))
                            .map(|(file, source)| {
                                self.add(
                                    repo,
                                    file,
                                    &below,
                                    own,
                                    source.code().items.iter().collect(),
                                )
                            })
                    };
                    self.all[own]
                        .children
                        .extend(child.map(|child| (name, child)));
                }
                syn::Item::Macro(call) => {
                    self.macros
                        .extend(call.ident.iter().map(|name| (name.to_string(), file)));
                    let words = &mut self.all[own].perhaps_defined;
                    collect_words(call.mac.tokens.clone(), words);
                }
                _ => self.all[own].defined.extend(name_of(item)),
            }
        }
        own
    }

    /// What `path` means in the module `at`; several things, where a name is both a type and a function.
    pub(crate) fn resolve(&self, at: usize, path: &[String]) -> BTreeSet<Target<'r>> {
        self.follow(at, path, &mut BTreeSet::new())
    }

    /// The file of a module.
    pub(crate) fn file(&self, module: usize) -> &'r str {
        self.all[module].file
    }

    /// The types that the crate shows to others, under the names by which they reach them; what macros
    /// define is seen only where it is handed on by name.
    pub(crate) fn public_types(&self) -> BTreeSet<String> {
        let mut types = BTreeSet::new();
        self.collect_types(0, &mut types, &mut BTreeSet::new());
        types
    }

    /// Whether a macro of the crate may define a type of this name.
    pub(crate) fn may_define(&self, name: &str) -> bool {
        self.all
            .iter()
            .any(|module| module.perhaps_defined.contains(name))
    }

    fn collect_types(&self, at: usize, types: &mut BTreeSet<String>, seen: &mut BTreeSet<usize>) {
        if !seen.insert(at) {
            return;
        }
        let module = &self.all[at];
        for item in &module.items {
            let (syn::Visibility::Public(_), name) = (match item {
                syn::Item::Enum(item) => (&item.vis, &item.ident),
                syn::Item::Mod(item) => (&item.vis, &item.ident),
                syn::Item::Struct(item) => (&item.vis, &item.ident),
                syn::Item::Trait(item) => (&item.vis, &item.ident),
                syn::Item::Type(item) => (&item.vis, &item.ident),
                _ => continue,
            }) else {
                continue;
            };
            let name = name.to_string();
            if let syn::Item::Mod(_) = item {
                if let Some(child) = module.children.get(&name) {
                    self.collect_types(*child, types, seen);
                }
            } else {
                types.insert(name);
            }
        }
        for (name, path) in &module.exported {
            for target in self.resolve(at, path) {
                match target {
                    Target::Module(module) if name == "*" => {
                        self.collect_types(module, types, seen);
                    }
                    Target::Item { .. } if is_type_name(name) => drop(types.insert(name.clone())),
                    _ => {}
                }
            }
        }
    }

    /// The file of the macro that is called by its name alone.
    pub(crate) fn macro_file(&self, name: &str) -> Option<&'r str> {
        self.macros.get(name).copied()
    }

    fn follow(
        &self,
        at: usize,
        path: &[String],
        seen: &mut BTreeSet<(usize, String)>,
    ) -> BTreeSet<Target<'r>> {
        let Some((first, rest)) = path.split_first() else {
            return BTreeSet::new();
        };
        let mut targets = match first.as_str() {
            "crate" => [Target::Module(0)].into(),
            "self" => [Target::Module(at)].into(),
            "super" => [Target::Module(self.all[at].parent)].into(),
            name => self.look_up(at, name, seen),
        };
        if targets.is_empty() {
            targets.insert(Target::Elsewhere(first.clone()));
        }
        for name in rest {
            targets = targets
                .into_iter()
                .flat_map(|target| self.step(target, name, seen))
                .collect();
        }
        targets
    }

    fn step(
        &self,
        target: Target<'r>,
        name: &str,
        seen: &mut BTreeSet<(usize, String)>,
    ) -> BTreeSet<Target<'r>> {
        match target {
            Target::Module(module) if name == "super" => {
                [Target::Module(self.all[module].parent)].into()
            }
            Target::Module(module) if name == "self" => [Target::Module(module)].into(),
            Target::Module(module) => self.look_up(module, name, seen),
            Target::Elsewhere(path) if name == "self" => [Target::Elsewhere(path)].into(),
            Target::Elsewhere(path) => [Target::Elsewhere(format!("{path}::{name}"))].into(),
            // A variant, or what an `impl` gives.
            item @ Target::Item { .. } => [item].into(),
        }
    }

    // What a name means in a module, whoever may see it there.
    fn look_up(
        &self,
        at: usize,
        name: &str,
        seen: &mut BTreeSet<(usize, String)>,
    ) -> BTreeSet<Target<'r>> {
        let mut targets = BTreeSet::new();
        if !seen.insert((at, name.to_owned())) {
            return targets;
        }
        let module = &self.all[at];
        let item = || Target::Item {
            file: module.file,
            name: name.to_owned(),
        };
        targets.extend(
            module
                .children
                .get(name)
                .map(|child| Target::Module(*child)),
        );
        targets.extend(module.defined.contains(name).then(item));
        for path in module.brought_in.get(name).into_iter().flatten() {
            targets.extend(self.follow(at, path, seen));
        }
        if targets.is_empty() {
            for glob in &module.globs {
                for target in self.follow(at, glob, seen) {
                    if let Target::Module(from) = target {
                        targets.extend(self.look_up(from, name, seen));
                    }
                }
            }
        }
        if targets.is_empty() {
            targets.extend(module.perhaps_defined.contains(name).then(item));
        }
        seen.remove(&(at, name.to_owned()));
        targets
    }
}

impl<'r> Module<'r> {
    fn new(file: &'r str, parent: usize, items: Vec<&'r syn::Item>) -> Self {
        let mut module = Self {
            file,
            items,
            imports: Vec::new(),
            parent,
            children: BTreeMap::new(),
            defined: BTreeSet::new(),
            perhaps_defined: BTreeSet::new(),
            brought_in: BTreeMap::new(),
            globs: Vec::new(),
            exported: Vec::new(),
        };
        let mut uses = Uses::default();
        for item in module
            .items
            .iter()
            .filter(|item| !matches!(item, syn::Item::Mod(_)))
        {
            uses.visit_item(item);
        }
        for import in uses.imports {
            if import.is_public {
                module
                    .exported
                    .push((import.name.clone(), import.path.clone()));
            }
            if import.name == "*" {
                module.globs.push(import.path.clone());
            } else {
                module
                    .brought_in
                    .entry(import.name)
                    .or_default()
                    .push(import.path.clone());
            }
            if !import.hands_on {
                module.imports.push(import.path);
            }
        }
        module
    }
}

struct Import {
    // As it is called here, or `*`.
    name: String,
    path: Vec<String>,
    // Whether it is `pub use`, of whatever reach.
    hands_on: bool,
    is_public: bool,
}

#[derive(Default)]
struct Uses {
    imports: Vec<Import>,
    // Of the `use` that is being read.
    hands_on: bool,
    is_public: bool,
}

impl Uses {
    fn flatten(&mut self, before: &[String], tree: &syn::UseTree) {
        let joined = |ident: &syn::Ident| [before, &[ident.to_string()]].concat();
        let (name, path) = match tree {
            syn::UseTree::Path(path) => {
                return self.flatten(&joined(&path.ident), &path.tree);
            }
            syn::UseTree::Group(group) => {
                group
                    .items
                    .iter()
                    .for_each(|tree| self.flatten(before, tree));
                return;
            }
            syn::UseTree::Name(name) if name.ident == "self" => {
                (before.last().cloned(), before.to_vec())
            }
            syn::UseTree::Name(name) => (Some(name.ident.to_string()), joined(&name.ident)),
            syn::UseTree::Rename(rename) => {
                (Some(rename.rename.to_string()), joined(&rename.ident))
            }
            syn::UseTree::Glob(_) => (Some("*".to_owned()), before.to_vec()),
        };
        self.imports.push(Import {
            name: name.unwrap_or_default(),
            path,
            hands_on: self.hands_on,
            is_public: self.is_public,
        });
    }
}

impl<'ast> Visit<'ast> for Uses {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.hands_on = !matches!(item.vis, syn::Visibility::Inherited);
        self.is_public = matches!(item.vis, syn::Visibility::Public(_));
        self.flatten(&[], &item.tree);
    }
}

fn name_of(item: &syn::Item) -> Option<String> {
    let ident = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

fn is_type_name(name: &str) -> bool {
    name.starts_with(char::is_uppercase) && name.contains(char::is_lowercase)
}

fn collect_words(tokens: TokenStream, words: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect_words(group.stream(), words),
            TokenTree::Ident(ident) => drop(words.insert(ident.to_string())),
            _ => {}
        }
    }
}
