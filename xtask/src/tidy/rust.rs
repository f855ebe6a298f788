//! Rust source without what the compiler does not run: comments, documentation and tests.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};

/// One parsed file.
pub(crate) struct Source {
    file: syn::File,
}

/// A word of code: an identifier or what stands in a string.
#[derive(Debug)]
pub(crate) struct Word {
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// A function and where it stands.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) line_count: usize,
}

impl Source {
    /// `None` if it is not Rust.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(Self {
            file: syn::parse_file(text).ok()?,
        })
    }

    /// The same file without documentation and without what is compiled for tests alone.
    pub(crate) fn without_tests(mut self) -> Self {
        WithoutTests.visit_file_mut(&mut self.file);
        self
    }

    /// Every identifier and string, in order.
    pub(crate) fn words(&self) -> Vec<Word> {
        let mut words = Vec::new();
        collect_words(self.file.to_token_stream(), &mut words);
        words
    }

    /// Every path that is named in code or brought in by `use`, as `std::fs::read`.
    pub(crate) fn named_paths(&self) -> Vec<Word> {
        let mut paths = Vec::new();
        collect_paths(self.file.to_token_stream(), &mut paths);
        let mut uses = Uses { paths: &mut paths };
        uses.visit_file(&self.file);
        paths
    }

    /// Every function, method and test with its length.
    pub(crate) fn functions(&self) -> Vec<Function> {
        let mut functions = Functions(Vec::new());
        functions.visit_file(&self.file);
        functions.0
    }
}

fn collect_words(tokens: TokenStream, words: &mut Vec<Word>) {
    for token in tokens {
        let line = token.span().start().line;
        match token {
            TokenTree::Group(group) => collect_words(group.stream(), words),
            TokenTree::Ident(ident) => words.push(Word {
                line,
                text: ident.to_string(),
            }),
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    words.push(Word {
                        line,
                        text: text.value(),
                    });
                }
            }
            TokenTree::Punct(_) => {}
        }
    }
}

// Joins what is separated by `::`. Works on tokens, so that it also sees into macro calls.
fn collect_paths(tokens: TokenStream, paths: &mut Vec<Word>) {
    let mut path: Option<Word> = None;
    let mut colons = 0;
    for token in tokens {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
            TokenTree::Ident(ident) => match &mut path {
                Some(path) if colons == 2 => {
                    path.text.push_str("::");
                    path.text.push_str(&ident.to_string());
                    colons = 0;
                }
                _ => {
                    let line = ident.span().start().line;
                    paths.extend(path.replace(Word {
                        line,
                        text: ident.to_string(),
                    }));
                    colons = 0;
                }
            },
            _ => {
                paths.extend(path.take());
                colons = 0;
            }
        }
        if let TokenTree::Group(group) = token {
            collect_paths(group.stream(), paths);
        }
    }
    paths.extend(path);
}

struct Uses<'a> {
    paths: &'a mut Vec<Word>,
}

impl Uses<'_> {
    fn flatten(&mut self, before: &str, tree: &syn::UseTree) {
        let joined = |ident: &syn::Ident| {
            if before.is_empty() {
                ident.to_string()
            } else {
                format!("{before}::{ident}")
            }
        };
        match tree {
            syn::UseTree::Path(path) => self.flatten(&joined(&path.ident), &path.tree),
            syn::UseTree::Group(group) => {
                group
                    .items
                    .iter()
                    .for_each(|item| self.flatten(before, item));
            }
            syn::UseTree::Name(name) => self.push(&name.ident, joined(&name.ident)),
            syn::UseTree::Rename(rename) => self.push(&rename.ident, joined(&rename.ident)),
            syn::UseTree::Glob(glob) => {
                let line = glob.star_token.spans[0].start().line;
                self.paths.push(Word {
                    line,
                    text: format!("{before}::*"),
                });
            }
        }
    }

    fn push(&mut self, ident: &syn::Ident, text: String) {
        self.paths.push(Word {
            line: ident.span().start().line,
            text,
        });
    }
}

impl Visit<'_> for Uses<'_> {
    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        self.flatten("", &item.tree);
    }
}

struct WithoutTests;

impl VisitMut for WithoutTests {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        file.attrs.retain(|a| !a.path().is_ident("doc"));
        file.items.retain(|item| !is_test(item));
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            items.retain(|item| !is_test(item));
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_attributes_mut(&mut self, attributes: &mut Vec<syn::Attribute>) {
        attributes.retain(|a| !a.path().is_ident("doc"));
    }
}

fn is_test(item: &syn::Item) -> bool {
    let attributes: &[syn::Attribute] = match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        _ => &[],
    };
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || (attribute.path().is_ident("cfg")
                && attribute
                    .parse_args::<syn::Path>()
                    .is_ok_and(|path| path.is_ident("test")))
    })
}

struct Functions(Vec<Function>);

impl Functions {
    fn push(&mut self, name: &syn::Ident, block: &syn::Block) {
        let line = name.span().start().line;
        let end = block.brace_token.span.close().end().line;
        self.0.push(Function {
            line,
            name: name.to_string(),
            line_count: end + 1 - line,
        });
    }
}

impl<'ast> Visit<'ast> for Functions {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.push(&item.sig.ident, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.push(&item.sig.ident, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.push(&item.sig.ident, block);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = "
        //! Speaks of an orchard.
        use std::{fs, io::Read as _};
        /// Picks an apple.
        fn pick() -> &'static str {
            // A pear.
            assert!(std::net::ready(), \"plum\");
            \"cherry\"
        }
        #[cfg(test)]
        mod tests { fn quince() {} }
    ";

    fn texts(words: Vec<Word>) -> Vec<String> {
        words.into_iter().map(|w| w.text).collect()
    }

    #[test]
    fn words_leave_out_comments_documentation_and_tests() {
        let words = texts(Source::parse(SAMPLE).unwrap().without_tests().words());
        for kept in ["pick", "plum", "cherry"] {
            assert!(
                words.iter().any(|w| w == kept),
                "{kept} is missing in {words:?}"
            );
        }
        for dropped in ["orchard", "apple", "pear", "quince"] {
            assert!(
                !words.iter().any(|w| w.contains(dropped)),
                "{dropped} is in {words:?}"
            );
        }
    }

    #[test]
    fn paths_are_seen_in_groups_of_use_and_in_macro_calls() {
        let paths = texts(Source::parse(SAMPLE).unwrap().named_paths());
        for path in ["std::fs", "std::io::Read", "std::net::ready"] {
            assert!(
                paths.iter().any(|p| p == path),
                "{path} is missing in {paths:?}"
            );
        }
    }

    #[test]
    fn a_function_is_measured_from_its_name_to_its_last_brace() {
        let functions = Source::parse(SAMPLE).unwrap().functions();
        assert_eq!(
            (functions[0].name.as_str(), functions[0].line_count),
            ("pick", 5)
        );
    }
}
