//! Rust source without what the compiler does not run: comments, documentation and tests.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};

/// One parsed file.
pub(crate) struct Source {
    whole: syn::File,
    code: OnceCell<Code>,
}

// What is left without documentation and tests, and the lines of the tests.
struct Code {
    file: syn::File,
    test_lines: Vec<RangeInclusive<usize>>,
    test_modules: Vec<String>,
}

/// A word of code: an identifier or what stands in a string.
#[derive(Debug)]
pub(crate) struct Word {
    pub(crate) line: usize,
    pub(crate) text: String,
    pub(crate) is_string: bool,
}

impl Word {
    fn of(ident: &proc_macro2::Ident, text: String) -> Self {
        Self {
            line: ident.span().start().line,
            text,
            is_string: false,
        }
    }
}

/// A function and where it stands.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) line_count: usize,
}

/// How much code there is, whatever of it stands on one line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// From the first line to the last, with comments, documentation and blank lines.
    pub(crate) lines: usize,
    /// Those of them that hold code.
    pub(crate) code_lines: usize,
    /// Words, signs, literals and brackets of the code: what packing lines does not change.
    pub(crate) tokens: usize,
}

impl Source {
    /// `None` if it is not Rust.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Some(Self {
            whole: syn::parse_file(text).ok()?,
            code: OnceCell::new(),
        })
    }

    /// The same file without documentation and without what is compiled for tests alone.
    pub(crate) fn code(&self) -> &syn::File {
        &self.stripped().file
    }

    fn stripped(&self) -> &Code {
        self.code.get_or_init(|| {
            let mut file = self.whole.clone();
            let mut strip = WithoutTests::default();
            strip.visit_file_mut(&mut file);
            Code {
                file,
                test_lines: strip.test_lines,
                test_modules: strip.test_modules,
            }
        })
    }

    /// Every identifier and string of the code, in order.
    pub(crate) fn words(&self) -> Vec<Word> {
        let mut words = Vec::new();
        collect_words(self.code().to_token_stream(), &mut words);
        words
    }

    /// Every path that the code names or brings in by `use`, as `std::fs::read`.
    pub(crate) fn named_paths(&self) -> Vec<Word> {
        let mut paths = Vec::new();
        collect_paths(self.code().to_token_stream(), &mut paths);
        let mut uses = Uses { paths: &mut paths };
        uses.visit_file(self.code());
        paths
    }

    /// Every function, method and test with its length.
    pub(crate) fn functions(&self) -> Vec<Function> {
        let mut functions = Functions(Vec::new());
        functions.visit_file(&self.whole);
        functions.0
    }

    /// The name of each struct, enum, union, trait and alias that the code defines.
    pub(crate) fn types(&self) -> Vec<Word> {
        let mut types = Types(Vec::new());
        types.visit_file(self.code());
        types.0
    }

    /// The words in the head and body of a function and the name of its trait, `name` or `Type::name`; `None` if there is none of that name.
    pub(crate) fn words_of(&self, function: &str) -> Option<BTreeSet<String>> {
        let mut bodies = Bodies {
            holder: String::new(),
            trait_name: None,
            function,
            words: None,
        };
        bodies.visit_file(self.code());
        bodies.words
    }

    /// The files that are modules for tests alone, by their names.
    pub(crate) fn test_modules(&self) -> &[String] {
        &self.stripped().test_modules
    }

    /// How much there is without tests; `text` is what was parsed.
    pub(crate) fn size(&self, text: &str) -> Size {
        let Code {
            file, test_lines, ..
        } = self.stripped();
        let mut size = Size {
            tokens: count_tokens(file.to_token_stream()),
            ..Size::default()
        };
        for (index, line) in text.lines().enumerate() {
            if test_lines.iter().any(|lines| lines.contains(&(index + 1))) {
                continue;
            }
            let line = line.trim_start();
            size.lines += 1;
            size.code_lines += usize::from(!line.is_empty() && !line.starts_with("//"));
        }
        size
    }
}

fn count_tokens(tokens: TokenStream) -> usize {
    tokens
        .into_iter()
        .map(|token| match token {
            TokenTree::Group(group) => 2 + count_tokens(group.stream()),
            _ => 1,
        })
        .sum()
}

fn collect_words(tokens: TokenStream, words: &mut Vec<Word>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect_words(group.stream(), words),
            TokenTree::Ident(ident) => words.push(Word::of(&ident, ident.to_string())),
            TokenTree::Literal(literal) => {
                if let Ok(text) = syn::parse_str::<syn::LitStr>(&literal.to_string()) {
                    words.push(Word {
                        line: literal.span().start().line,
                        text: text.value(),
                        is_string: true,
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
                    paths.extend(path.replace(Word::of(ident, ident.to_string())));
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
                    is_string: false,
                });
            }
        }
    }

    fn push(&mut self, ident: &syn::Ident, text: String) {
        self.paths.push(Word::of(ident, text));
    }
}

impl Visit<'_> for Uses<'_> {
    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        self.flatten("", &item.tree);
    }
}

// Takes documentation and tests out, and remembers between which lines the tests stood.
#[derive(Default)]
struct WithoutTests {
    test_lines: Vec<RangeInclusive<usize>>,
    test_modules: Vec<String>,
}

impl WithoutTests {
    fn keeps(&mut self, attributes: &[syn::Attribute], item: &impl ToTokens) -> bool {
        let is_test = attributes.iter().any(is_for_tests);
        if is_test {
            let tokens: Vec<TokenTree> = item.to_token_stream().into_iter().collect();
            if let [first, .., last] = tokens.as_slice() {
                self.test_lines
                    .push(first.span().start().line..=last.span().end().line);
            }
        }
        !is_test
    }
}

impl VisitMut for WithoutTests {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        file.items.retain(|item| {
            let keeps = self.keeps(attributes(item), item);
            if let syn::Item::Mod(module) = item
                && !keeps
                && module.content.is_none()
            {
                self.test_modules.push(module.ident.to_string());
            }
            keeps
        });
        visit_mut::visit_file_mut(self, file);
    }

    fn visit_item_mod_mut(&mut self, module: &mut syn::ItemMod) {
        if let Some((_, items)) = &mut module.content {
            items.retain(|item| self.keeps(attributes(item), item));
        }
        visit_mut::visit_item_mod_mut(self, module);
    }

    fn visit_item_impl_mut(&mut self, block: &mut syn::ItemImpl) {
        block.items.retain(|item| match item {
            syn::ImplItem::Fn(method) => self.keeps(&method.attrs, method),
            _ => true,
        });
        visit_mut::visit_item_impl_mut(self, block);
    }

    fn visit_attributes_mut(&mut self, attributes: &mut Vec<syn::Attribute>) {
        attributes.retain(|a| !a.path().is_ident("doc"));
    }
}

fn attributes(item: &syn::Item) -> &[syn::Attribute] {
    match item {
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Trait(item) => &item.attrs,
        syn::Item::Type(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

// `#[test]`, `#[cfg(test)]` and `#[cfg(all(test, …))]`; what `any(test, …)` compiles is no test.
fn is_for_tests(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("test")
        || (attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Meta>()
                .is_ok_and(|meta| needs_test(&meta)))
}

fn needs_test(meta: &syn::Meta) -> bool {
    let parts = || match meta {
        syn::Meta::List(list) if list.path.is_ident("all") => list
            .parse_args_with(Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated)
            .ok(),
        _ => None,
    };
    meta.path().is_ident("test") || parts().is_some_and(|parts| parts.iter().any(needs_test))
}

struct Types(Vec<Word>);

impl<'ast> Visit<'ast> for Types {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let name = match item {
            syn::Item::Enum(item) => Some(&item.ident),
            syn::Item::Struct(item) => Some(&item.ident),
            syn::Item::Trait(item) => Some(&item.ident),
            syn::Item::Type(item) => Some(&item.ident),
            syn::Item::Union(item) => Some(&item.ident),
            _ => None,
        };
        self.0
            .extend(name.map(|name| Word::of(name, name.to_string())));
        visit::visit_item(self, item);
    }
}

struct Bodies<'a> {
    holder: String,
    trait_name: Option<String>,
    function: &'a str,
    words: Option<BTreeSet<String>>,
}

impl Bodies<'_> {
    fn read(&mut self, head: &syn::Signature, block: &syn::Block) {
        let (holder, function) = self
            .function
            .rsplit_once("::")
            .unwrap_or(("", self.function));
        if holder == self.holder && head.ident == function {
            let mut words = Vec::new();
            collect_words(head.inputs.to_token_stream(), &mut words);
            collect_words(block.to_token_stream(), &mut words);
            let words = words.into_iter().filter(|word| !word.is_string);
            self.words
                .get_or_insert_default()
                .extend(words.map(|word| word.text).chain(self.trait_name.clone()));
        }
    }
}

impl<'ast> Visit<'ast> for Bodies<'_> {
    fn visit_item_impl(&mut self, block: &'ast syn::ItemImpl) {
        let of_trait = block
            .trait_
            .as_ref()
            .and_then(|(path, _)| path.segments.last());
        self.trait_name = of_trait.map(|last| last.ident.to_string());
        if let syn::Type::Path(path) = &*block.self_ty
            && let Some(last) = path.path.segments.last()
        {
            self.holder = last.ident.to_string();
        }
        visit::visit_item_impl(self, block);
        self.holder.clear();
        self.trait_name = None;
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.read(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.read(&item.sig, &item.block);
    }
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
        let words = texts(Source::parse(SAMPLE).unwrap().words());
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
    fn a_size_leaves_out_tests_and_does_not_depend_on_packing() {
        let text = "//! Head.\n\n/// Doc.\nfn f(a: u8) {\n    g(a);\n}\n\n/// Doc.\n#[cfg(test)]\nmod tests {\n    fn h() {}\n}\n";
        let packed = "fn f(a: u8) { g(a); }\nimpl A {\n    #[test]\n    fn h() {}\n}\n";
        let size = |text: &str| Source::parse(text).unwrap().size(text);
        assert_eq!(
            size(text),
            Size {
                lines: 7,
                code_lines: 3,
                tokens: 14
            }
        );
        assert_eq!(
            size(packed),
            Size {
                lines: 3,
                code_lines: 3,
                tokens: 14 + 4
            }
        );
    }

    #[test]
    fn only_what_is_compiled_for_tests_alone_is_a_test() {
        let text = "#[cfg(all(test, unix))] fn a() {} #[cfg(any(test, unix))] fn b() {} #[cfg(unix)] fn c() {}";
        let words = texts(Source::parse(text).unwrap().words());
        assert!(!words.contains(&"a".to_owned()));
        assert!(words.contains(&"b".to_owned()) && words.contains(&"c".to_owned()));
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
