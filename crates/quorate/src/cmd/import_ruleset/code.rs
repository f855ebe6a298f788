//! The code of a known rulebook, put beside the prose of an imported one where the two are about the same.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::Result;
use quorate_engine::Law;
use quorate_engine::rulebook::{Rulebook, rule_id};
use quorate_import::{BY_HAND, Book, RuleFile};
use quorate_law::{Asleep, RuleText};

use crate::cmd::check;
use crate::rulebooks;

/// So many titles must be the same before a rulebook is taken for a relative.
const TITLES_MIN: usize = 3;
/// Of a rule's telling words, so many in a hundred must be in ours of the same title.
const LIKENESS_MIN: usize = 10;
/// So many, and the titles do not matter.
const LIKENESS_SURE: usize = 60;
/// A word shorter than this tells nothing.
const LETTERS_MIN: usize = 4;

/// What came of a rule.
pub(super) type Fates = BTreeMap<String, String>;

/// An imported rulebook with code beside its prose.
pub(super) struct CodeBeside {
    /// The helpers that the code takes.
    pub(super) std: Vec<String>,
    /// The rule by which the rest is played, if any of it is needed.
    pub(super) by_hand: Option<String>,
    /// For each rule, by code name, what was put beside it and why not.
    pub(super) fates: Fates,
}

/// A rule of ours.
struct Ours {
    id: String,
    title: String,
    parent: Option<String>,
    /// Its words, those in its code included: tables stand there.
    words: String,
    fences: Vec<String>,
}

/// Puts code beside the prose of a book; none, where no rulebook is like it or where nothing that is played comes of it.
pub(super) fn beside(book: &mut Book) -> Result<CodeBeside> {
    let Some((known, pairs)) = nearest(book)? else {
        return Ok(prose_alone(
            book,
            "no rulebook here has rules of these titles",
        ));
    };
    let mut fates = Fates::new();
    let before = book.rules.clone();
    put(book, &known, &pairs, &mut fates);
    without_what_is_missing(book, &known, &mut fates);
    let mut by_hand: Vec<bool> = vec![true; RuleText::parse(BY_HAND).fences.len()];
    loop {
        let law = law_of(book, &known, &by_hand)?;
        if law.asleep.is_empty() {
            if is_playable(&law) {
                break;
            }
            book.rules = before;
            let why = "the code that checks makes no game that can be played, so none was taken";
            return Ok(prose_alone(book, why));
        }
        if !take_out(book, &law, &mut by_hand, &mut fates) {
            // What sleeps is none of ours: a helper that leans on a rule which is not here.
            let left = book.rules.iter_mut().filter(|rule| rule.code.is_some());
            let why = law.asleep[0].diagnostics.first().map(|it| it.text.as_str());
            left.for_each(|rule| leave_out(rule, why, &mut fates));
            by_hand.fill(true);
            return Ok(CodeBeside {
                std: Vec::new(),
                by_hand: by_hand_without(&by_hand),
                fates,
            });
        }
    }
    Ok(CodeBeside {
        std: known.manifest.std.clone(),
        by_hand: by_hand_without(&by_hand),
        fates,
    })
}

fn prose_alone(book: &Book, why: &str) -> CodeBeside {
    CodeBeside {
        std: Vec::new(),
        by_hand: Some(BY_HAND.to_owned()),
        fates: book
            .rules
            .iter()
            .map(|rule| (rule.id.clone(), why.to_owned()))
            .collect(),
    }
}

/// The rulebook with the most rules of the same titles, and which of its rules belongs to which of the book's, by place.
fn nearest(book: &Book) -> Result<Option<(Rulebook, BTreeMap<usize, Ours>)>> {
    let mut best: Option<(Rulebook, BTreeMap<usize, Ours>)> = None;
    for name in rulebooks::names() {
        let known = rulebooks::read(&name)?;
        let pairs = pairs(book, &known);
        let enough = pairs.len() >= TITLES_MIN;
        if enough
            && best
                .as_ref()
                .is_none_or(|(_, other)| other.len() < pairs.len())
        {
            best = Some((known, pairs));
        }
    }
    Ok(best)
}

fn pairs(book: &Book, known: &Rulebook) -> BTreeMap<usize, Ours> {
    let mut ours: BTreeMap<String, Ours> = known
        .rules
        .iter()
        .map(|(path, text)| ours(known, path, text))
        .map(|ours| (plain(&ours.title), ours))
        .collect();
    let mut pairs = BTreeMap::new();
    for (place, rule) in book.rules.iter().enumerate() {
        if let Some(found) = ours.remove(&plain(&rule.title)) {
            pairs.insert(place, found);
        }
    }
    // What is left may be called a little differently: "Special Case" and "Special Cases".
    for (place, rule) in book.rules.iter().enumerate() {
        if pairs.contains_key(&place) {
            continue;
        }
        let theirs = plain(&rule.title);
        let near = |title: &str| title.starts_with(&theirs) || theirs.starts_with(title);
        let found = ours.iter().find(|(title, ours)| {
            let alike = likeness(&rule.prose, &ours.words);
            near(title) && alike >= LIKENESS_MIN || alike >= LIKENESS_SURE
        });
        let title = found.map(|(title, _)| title.clone());
        if let Some(found) = title.and_then(|title| ours.remove(&title)) {
            pairs.insert(place, found);
        }
    }
    pairs
}

fn ours(known: &Rulebook, path: &str, text: &str) -> Ours {
    let read = RuleText::parse(text);
    let themed = |words: &str| {
        let mut words = words.to_owned();
        for (token, (one, many)) in &known.manifest.terms {
            words = words.replace(&format!("{{{token}s}}"), many);
            words = words.replace(&format!("{{{}s}}", capital(token)), many);
            words = words.replace(&format!("{{{token}}}"), one);
            words = words.replace(&format!("{{{}}}", capital(token)), one);
        }
        words
    };
    Ours {
        id: rule_id(path).to_string(),
        title: themed(read.title.as_deref().unwrap_or_default()),
        parent: read.front.parent.as_ref().map(ToString::to_string),
        words: themed(text),
        fences: read.fences.into_iter().map(|fence| fence.code).collect(),
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Letters and digits of a title, small.
fn plain(title: &str) -> String {
    let letters = title.chars().filter(|c| c.is_alphanumeric() || *c == '@');
    let plain: String = letters.flat_map(char::to_lowercase).collect();
    // One word in two spellings, both of the tradition.
    plain.replace("judgement", "judgment")
}

/// The words of a text that tell what it is about.
fn telling(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.chars().count() >= LETTERS_MIN)
        .map(str::to_lowercase)
        .collect()
}

/// How many in a hundred of the telling words of one text are in another.
fn likeness(one: &str, other: &str) -> usize {
    let (one, other) = (telling(one), telling(other));
    one.intersection(&other).count() * 100 / one.len().max(1)
}

/// Puts the code of each rule of ours beside the one it belongs to, under our code name, by which other code knows it.
fn put(book: &mut Book, known: &Rulebook, pairs: &BTreeMap<usize, Ours>, fates: &mut Fates) {
    let mut taken: BTreeSet<String> = pairs.values().map(|ours| ours.id.clone()).collect();
    let mut renamed: BTreeMap<String, String> = BTreeMap::new();
    for (place, rule) in book.rules.iter_mut().enumerate() {
        let id = match pairs.get(&place) {
            Some(ours) => ours.id.clone(),
            None => free(&rule.id, &mut taken),
        };
        renamed.insert(std::mem::replace(&mut rule.id, id.clone()), id);
    }
    let places: BTreeMap<String, usize> = (0..)
        .zip(&book.rules)
        .map(|(place, rule)| (rule.id.clone(), place))
        .collect();
    let sections: Vec<String> = book.rules.iter().map(|rule| rule.section.clone()).collect();
    for (place, rule) in book.rules.iter_mut().enumerate() {
        rule.parent = rule
            .parent
            .as_ref()
            .and_then(|parent| renamed.get(parent).cloned());
        let Some(ours) = pairs.get(&place) else {
            fates.insert(
                rule.id.clone(),
                format!("{} has no rule of this title", known.name),
            );
            continue;
        };
        // Where the text does not show what is nested in what, ours does.
        let above = ours.parent.as_ref().and_then(|parent| places.get(parent));
        if rule.parent.is_none()
            && above.is_some_and(|above| *above < place && sections[*above] == rule.section)
        {
            rule.parent.clone_from(&ours.parent);
        }
        let likeness = likeness(&rule.prose, &ours.words);
        let fate = if ours.fences.is_empty() {
            format!("{}/{} has no code", known.name, ours.id)
        } else if likeness < LIKENESS_MIN && !rule.prose.is_empty() {
            format!(
                "{}/{} is of this title and says something else",
                known.name, ours.id
            )
        } else {
            rule.code = Some(code_of(known, ours));
            format!("with the code of {}/{}", known.name, ours.id)
        };
        fates.insert(rule.id.clone(), fate);
    }
}

fn free(id: &str, taken: &mut BTreeSet<String>) -> String {
    let mut name = id.to_owned();
    let mut count = 1;
    while !taken.insert(name.clone()) {
        count += 1;
        name = format!("{id}-{count}");
    }
    name
}

fn code_of(known: &Rulebook, ours: &Ours) -> String {
    let mut out = format!(
        "> Note: the code below is that of \"{}\" in the rulebook {}. The words above are as they were imported.\n",
        ours.title, known.name
    );
    for fence in &ours.fences {
        out.push_str(&format!("\n```starlark\n{fence}```\n"));
    }
    out.trim_end().to_owned()
}

/// Leaves out code that leans on names of rules whose code is not here, and then what leans on that.
fn without_what_is_missing(book: &mut Book, known: &Rulebook, fates: &mut Fates) {
    let mut homes: BTreeMap<String, String> = BTreeMap::new();
    for (path, text) in &known.rules {
        for fence in RuleText::parse(text).fences {
            let names = defined(&fence.code).into_iter();
            homes.extend(names.map(|name| (name, rule_id(path).to_string())));
        }
    }
    let by_hand = RuleText::parse(BY_HAND).fences;
    for name in by_hand.iter().flat_map(|fence| defined(&fence.code)) {
        homes.remove(&name);
    }
    loop {
        let here: BTreeSet<String> = book
            .rules
            .iter()
            .filter(|rule| rule.code.is_some())
            .map(|rule| rule.id.clone())
            .collect();
        let lacks = |rule: &RuleFile| {
            let code = rule.code.as_deref()?;
            homes.iter().find_map(|(name, folder)| {
                let folder = (!here.contains(folder) && uses(code, name)).then_some(folder)?;
                Some(format!(
                    "`{name}` is of {}/{folder}, which is not here",
                    known.name
                ))
            })
        };
        let found = book
            .rules
            .iter()
            .enumerate()
            .find_map(|(place, rule)| Some((place, lacks(rule)?)));
        let Some((place, why)) = found else {
            return;
        };
        leave_out(&mut book.rules[place], Some(&why), fates);
    }
}

/// Whether code uses a name that another rule defines: not as a name of its own, and not as a method of something.
fn uses(code: &str, name: &str) -> bool {
    let binds = [
        format!("{name} = "),
        format!("{name}: "),
        format!("for {name} in"),
    ];
    if binds.iter().any(|binding| code.contains(binding)) {
        return false;
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(name).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        let whole = !before.ends_with(is_part) && !after.starts_with(is_part);
        whole && !(before.ends_with('.') && after.starts_with('('))
    })
}

/// The names that code defines for other rules.
fn defined(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in code.lines() {
        let word = |text: &str| -> String {
            text.chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect()
        };
        let name = if let Some(rest) = line.strip_prefix("def ") {
            word(rest)
        } else if let Some(kind) = ["category(\"", "entity(\"", "table(\"", "quantity(\""]
            .iter()
            .find_map(|call| line.strip_prefix(call))
        {
            word(kind)
        } else if line[word(line).len()..].starts_with(" = ") {
            word(line)
        } else {
            continue;
        };
        if !name.is_empty() && !name.starts_with('_') {
            names.push(name);
        }
    }
    names
}

/// The law of the book as it stands.
fn law_of(book: &Book, known: &Rulebook, by_hand: &[bool]) -> Result<Arc<Law>> {
    let by_hand = by_hand_without(by_hand);
    let files = book.files(&known.manifest.std, by_hand.as_deref());
    let (manifest, rules): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|(path, _)| path == "rulebook.toml");
    let manifest = manifest
        .into_iter()
        .map(|(_, text)| text)
        .collect::<String>();
    let rules = rules
        .into_iter()
        .map(|(path, text)| (path.trim_start_matches("rules/").to_owned(), text));
    let rulebook = Rulebook {
        name: "imported".into(),
        manifest: toml::from_str(&manifest)?,
        library: known.library.clone(),
        rules: rules.collect(),
        tests: Vec::new(),
    };
    let laws = Arc::default();
    Ok(Arc::clone(check::founded(&rulebook, &laws)?.law()))
}

/// Takes out what would sleep: a rule's code as a whole, of the rule by hand single fences.
/// Whether there was anything of that.
fn take_out(book: &mut Book, law: &Law, by_hand: &mut [bool], fates: &mut Fates) -> bool {
    let kept_before: Vec<usize> = (0..by_hand.len()).filter(|place| by_hand[*place]).collect();
    let mut took = false;
    // First what is wrong itself: what only leans on that may check without it.
    let leans = |asleep: &&Asleep| asleep.diagnostics.iter().all(|it| it.is_elsewhere);
    let is_ours = |asleep: &&Asleep| !asleep.rule.as_str().starts_with("std-");
    let (leaning, roots): (Vec<_>, Vec<_>) = law.asleep.iter().filter(is_ours).partition(leans);
    for asleep in if roots.is_empty() { leaning } else { roots } {
        let of_book = book
            .rules
            .iter_mut()
            .find(|rule| asleep.rule == rule.id.as_str());
        match of_book {
            Some(rule) => {
                took |= rule.code.is_some();
                leave_out(
                    rule,
                    asleep.diagnostics.first().map(|it| it.text.as_str()),
                    fates,
                );
            }
            None if asleep.rule == "by-hand" => {
                if let Some(place) = kept_before.get(asleep.fence) {
                    took |= by_hand[*place];
                    by_hand[*place] = false;
                }
            }
            None => {}
        }
    }
    took
}

fn leave_out(rule: &mut RuleFile, why: Option<&str>, fates: &mut Fates) {
    if rule.code.take().is_some() {
        let why = why.unwrap_or("it does not check");
        fates.insert(rule.id.clone(), format!("its code was left out: {why}"));
    }
}

/// Whether people can join, propose, and change the law.
fn is_playable(law: &Law) -> bool {
    let has = |start: &str| {
        law.actions
            .keys()
            .any(|name| name.as_str().starts_with(start))
    };
    has("admit") && has("enact") && !law.categories.is_empty()
}

/// The rule by hand with the fences that are kept; none, where none is.
fn by_hand_without(kept: &[bool]) -> Option<String> {
    if !kept.contains(&true) {
        return None;
    }
    let mut out = String::new();
    let mut fence = 0;
    let mut inside = false;
    for line in BY_HAND.lines() {
        let opens = line == "```starlark";
        inside |= opens;
        if !inside || kept.get(fence) != Some(&false) {
            out.push_str(line);
            out.push('\n');
        }
        if inside && line == "```" {
            inside = false;
            fence += 1;
        }
    }
    Some(out)
}
