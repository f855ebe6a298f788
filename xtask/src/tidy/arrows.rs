//! Who takes what from whom among the files of a crate. An arrow runs from a file that names an
//! item to the file that defines it, by whatever way the name came: `use`, a path, `super::`, a
//! glob, a macro, a template. What a file merely hands on, by `mod` or `pub use`, is no arrow of its.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use regex::Regex;

use super::modules::{Modules, Target};
use super::repo::{Member, Repo, has_extension};

/// The names that each file takes from each other file of its crate.
#[derive(Debug, Default)]
pub(crate) struct Arrows<'r> {
    pub(crate) within: BTreeMap<(&'r str, &'r str), BTreeSet<String>>,
    /// The paths into other crates that each file names.
    pub(crate) out: BTreeMap<&'r str, BTreeSet<String>>,
}

impl<'r> Arrows<'r> {
    /// Draws the arrows of a crate, of its library and of its program.
    pub(crate) fn of(repo: &'r Repo, member: &Member) -> Self {
        let mut arrows = Self::default();
        for root in ["lib.rs", "main.rs"] {
            let root = format!("{}/src/{root}", member.folder);
            if let Some(modules) = Modules::read(repo, &root) {
                arrows.draw(repo, &modules);
            }
        }
        arrows
    }

    fn draw(&mut self, repo: &'r Repo, modules: &Modules<'r>) {
        for (at, module) in modules.iter() {
            let mut named = Named::default();
            for item in module
                .items
                .iter()
                .filter(|item| !matches!(item, syn::Item::Mod(_)))
            {
                named.read(item.to_token_stream());
            }
            let templates = named
                .templates
                .iter()
                .flat_map(|name| paths_of_template(repo, name));
            named.paths.extend(templates);
            for path in named.paths.iter().chain(&module.imports) {
                for target in modules.resolve(at, path) {
                    self.point(module.file, target);
                }
            }
            for name in &named.macros {
                if let Some(file) = modules.macro_file(name) {
                    self.point(
                        module.file,
                        Target::Item {
                            file,
                            name: format!("{name}!"),
                        },
                    );
                }
            }
        }
    }

    fn point(&mut self, from: &'r str, target: Target<'r>) {
        match target {
            Target::Item { file, name } if file != from => {
                self.within.entry((from, file)).or_default().insert(name);
            }
            Target::Elsewhere(path) if path.contains("::") => {
                self.out.entry(from).or_default().insert(path);
            }
            _ => {}
        }
    }

    /// The files that reach each other in a circle, circle by circle.
    pub(crate) fn cycles(&self) -> Vec<BTreeSet<&'r str>> {
        let mut next: BTreeMap<&str, Vec<&'r str>> = BTreeMap::new();
        for (from, to) in self.within.keys() {
            next.entry(from).or_default().push(to);
        }
        let reach: BTreeMap<&'r str, BTreeSet<&'r str>> = self
            .within
            .keys()
            .map(|(from, _)| (*from, reached(&next, from)))
            .collect();
        let mut cycles = BTreeSet::new();
        for (file, reached) in reach
            .iter()
            .filter(|(file, reached)| reached.contains(*file))
        {
            let cycle: BTreeSet<&'r str> = reached
                .iter()
                .filter(|other| reach.get(*other).is_some_and(|back| back.contains(file)))
                .copied()
                .collect();
            cycles.insert(cycle);
        }
        cycles.into_iter().collect()
    }

    /// What ties a circle: `file -> file: names`.
    pub(crate) fn ties<'a>(
        &'a self,
        cycle: &'a BTreeSet<&'r str>,
    ) -> impl Iterator<Item = String> + 'a {
        self.within
            .iter()
            .filter(|((from, to), _)| cycle.contains(from) && cycle.contains(to))
            .map(|((from, to), names)| {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                format!("{from} -> {to}: {}", names.join(", "))
            })
    }
}

fn reached<'r>(next: &BTreeMap<&str, Vec<&'r str>>, from: &str) -> BTreeSet<&'r str> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&'r str> = next.get(from).cloned().unwrap_or_default();
    while let Some(file) = open.pop() {
        if seen.insert(file) {
            open.extend(next.get(file).into_iter().flatten());
        }
    }
    seen
}

/// What stands in code, as far as it may name an item of another file.
#[derive(Default)]
struct Named {
    paths: BTreeSet<Vec<String>>,
    macros: BTreeSet<String>,
    templates: BTreeSet<String>,
}

impl Named {
    // Works on tokens, so that it also sees into calls of macros.
    fn read(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut index = 0;
        while index < tokens.len() {
            match &tokens[index] {
                TokenTree::Ident(ident) if ident == "use" && !is_punct(&tokens, index + 1, '<') => {
                    index += tokens[index..].iter().take_while(|t| !is(t, ';')).count();
                }
                TokenTree::Ident(_) => {
                    let path = path_at(&tokens, index);
                    self.take(&tokens, index, &path);
                    index += 3 * (path.len() - 1);
                }
                TokenTree::Group(group) if index > 0 && is_punct(&tokens, index - 1, '#') => {
                    self.read_attribute(group.stream());
                }
                TokenTree::Group(group) => self.read(group.stream()),
                _ => {}
            }
            index += 1;
        }
    }

    fn take(&mut self, tokens: &[TokenTree], start: usize, path: &[String]) {
        let end = start + 3 * (path.len() - 1) + 1;
        let before = start.checked_sub(1).map(|index| &tokens[index]);
        let is_called = matches!(tokens.get(end), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
        let is_macro = is_punct(tokens, end, '!') && !is_punct(tokens, end + 1, '=');
        if path.len() > 1 {
            self.paths.insert(path.to_vec());
            return;
        }
        let name = &path[0];
        // A method, a field, or a range's end that is a local name.
        let is_member = before.is_some_and(|token| is(token, '.'))
            && !is_punct(tokens, start.wrapping_sub(2), '.');
        let is_defined_here = matches!(before, Some(TokenTree::Ident(word)) if word == "fn");
        let may_be_item = name.starts_with(char::is_uppercase) || is_called || is_macro;
        if may_be_item && !is_member && !is_defined_here {
            self.paths.insert(vec![name.clone()]);
            if is_macro {
                self.macros.insert(name.clone());
            }
        }
    }

    fn read_attribute(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is_for =
            |name: &str| matches!(tokens.first(), Some(TokenTree::Ident(ident)) if ident == name);
        let strings = match tokens.get(1) {
            Some(TokenTree::Group(group)) => strings(group.stream()),
            _ => Vec::new(),
        };
        if is_for("serde") {
            let paths = strings
                .iter()
                .filter(|text| syn::parse_str::<syn::Path>(text).is_ok());
            self.paths
                .extend(paths.map(|text| text.split("::").map(ToOwned::to_owned).collect()));
        } else if is_for("template") {
            self.templates.extend(
                strings
                    .into_iter()
                    .filter(|text| has_extension(text, "html")),
            );
        }
        self.read(tokens.into_iter().collect());
    }
}

// The path that begins with the word at `start`: words with `::` between them.
fn path_at(tokens: &[TokenTree], start: usize) -> Vec<String> {
    let mut path = Vec::new();
    let mut index = start;
    while let Some(TokenTree::Ident(ident)) = tokens.get(index) {
        path.push(ident.to_string());
        if !is_punct(tokens, index + 1, ':') || !is_punct(tokens, index + 2, ':') {
            break;
        }
        index += 3;
    }
    path
}

fn is(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

fn is_punct(tokens: &[TokenTree], index: usize, sign: char) -> bool {
    tokens.get(index).is_some_and(|token| is(token, sign))
}

fn strings(tokens: TokenStream) -> Vec<String> {
    tokens
        .into_iter()
        .filter_map(|token| match token {
            TokenTree::Literal(literal) => syn::parse_str::<syn::LitStr>(&literal.to_string()).ok(),
            _ => None,
        })
        .map(|literal| literal.value())
        .collect()
}

// A template is compiled into the file that names it, with the paths that it names itself.
fn paths_of_template(repo: &Repo, name: &str) -> Vec<Vec<String>> {
    let Ok(pattern) = Regex::new(r"\bcrate(?:::\w+)+") else {
        return Vec::new();
    };
    let ending = format!("/{name}");
    repo.texts
        .iter()
        .filter(|(path, _)| path.ends_with(&ending))
        .flat_map(|(_, text)| pattern.find_iter(text))
        .map(|found| found.as_str().split("::").map(ToOwned::to_owned).collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // The arrows of a crate of these files, without the folder, as `from -> to: names`.
    fn arrows(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<(String, &str)> = files
            .iter()
            .map(|(path, text)| (format!("crates/a/src/{path}"), *text))
            .collect();
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (path.as_str(), *text))
            .collect();
        let repo = Repo::of(&files).with_member("a", &[]);
        let arrows = Arrows::of(&repo, &repo.members[0]);
        let all = repo.texts.keys().map(String::as_str).collect();
        arrows
            .ties(&all)
            .map(|tie| tie.replace("crates/a/src/", ""))
            .collect()
    }

    #[test]
    fn an_arrow_runs_to_the_file_that_defines_the_item() {
        let files = [
            (
                "lib.rs",
                "mod below; mod above; pub use below::deep::Deep; use below::Low;",
            ),
            ("below.rs", "pub mod deep; pub struct Low;"),
            ("below/deep.rs", "pub struct Deep; pub fn f() {}"),
            (
                "above.rs",
                "use crate::Deep; fn g(low: super::Low) { crate::below::deep::f() }",
            ),
        ];
        assert_eq!(
            arrows(&files),
            [
                "above.rs -> below.rs: Low",
                "above.rs -> below/deep.rs: Deep, f",
                "lib.rs -> below.rs: Low"
            ]
        );
    }

    #[test]
    fn globs_aliases_macros_attributes_and_templates_name_items_too() {
        let files = [
            (
                "lib.rs",
                "#[macro_use] mod signs; mod a; mod b; mod c; mod d; mod e; mod f;",
            ),
            (
                "signs.rs",
                "macro_rules! sign { () => {} } pub fn plus() {} pub struct Minus;",
            ),
            (
                "a.rs",
                "use super::signs::*; fn a() { plus(); plus.minus; }",
            ),
            ("b.rs", "use crate::signs as s; fn b(_: s::Minus) {}"),
            ("c.rs", "fn c() { sign!() }"),
            (
                "d.rs",
                "struct D { #[serde(with = \"crate::signs::plus\")] d: u8 }",
            ),
            ("e.rs", "#[template(path = \"e.html\")] struct E;"),
            ("e.html", "{{ crate::signs::plus() }}"),
            (
                "f.rs",
                "#[cfg(test)] mod tests { use crate::signs::Minus; } fn plus() { x.plus(); format!(\"{}\", crate::signs::Minus) }",
            ),
        ];
        assert_eq!(
            arrows(&files),
            [
                "a.rs -> signs.rs: plus",
                "b.rs -> signs.rs: Minus",
                "c.rs -> signs.rs: sign!",
                "d.rs -> signs.rs: plus",
                "e.rs -> signs.rs: plus",
                "f.rs -> signs.rs: Minus",
            ]
        );
    }

    #[test]
    fn what_a_macro_defines_lies_in_the_file_that_calls_it() {
        let files = [
            ("lib.rs", "mod ids; mod rows; pub use ids::GameId;"),
            ("ids.rs", "id_of!(GameId, \"g\");"),
            (
                "rows.rs",
                "fn f(_: crate::GameId, _: crate::ids::Nothing) {}",
            ),
        ];
        assert_eq!(arrows(&files), ["rows.rs -> ids.rs: GameId"]);
    }

    #[test]
    fn names_of_other_crates_are_told_by_their_whole_path() {
        let text = "use k::state::{self, State as S}; fn f(_: state::Row, _: S) {}";
        let repo = Repo::of(&[("crates/a/src/lib.rs", text)]).with_member("a", &[]);
        let arrows = Arrows::of(&repo, &repo.members[0]);
        let out: Vec<&str> = arrows.out.values().flatten().map(String::as_str).collect();
        assert_eq!(out, ["k::state", "k::state::Row", "k::state::State"]);
    }
}
