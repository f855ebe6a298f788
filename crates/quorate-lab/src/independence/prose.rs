//! Which rule's prose names another: its title, a value or kind that it declares, or a term that it defines, in any case
//! and number.

use std::collections::{BTreeMap, BTreeSet};

use quorate_engine::law::Law;
use quorate_kernel::Name;
use quorate_kernel::state::State;
use quorate_law::RuleText;

/// The words of a game's rules.
pub struct Lexicon {
    /// The prose of each rule, word by word.
    prose: BTreeMap<Name, Vec<String>>,
    /// The prose of each clause, word by word, with its rule's title.
    clauses: BTreeMap<(Name, u32), Vec<String>>,
    /// What each rule is known by, each word by word.
    known_by: BTreeMap<Name, BTreeSet<Vec<String>>>,
}

impl Lexicon {
    /// Reads the rules of a state and what its law declares.
    pub fn of(state: &State, law: &Law) -> Self {
        let mut lexicon = Self {
            prose: BTreeMap::new(),
            clauses: BTreeMap::new(),
            known_by: BTreeMap::new(),
        };
        for (id, rule) in state.rules_in_order() {
            let text = RuleText::parse(&rule.text);
            let mut prose = words(&rule.title);
            for clause in &text.clauses {
                lexicon.knows(id, in_bold(&clause.prose));
                let said = words(&clause.prose);
                prose.extend(said.iter().cloned());
                let of_clause = lexicon.clauses.entry((id.clone(), clause.number));
                let of_clause = of_clause.or_insert_with(|| words(&rule.title));
                of_clause.extend(said);
            }
            lexicon.prose.insert(id.clone(), prose);
            lexicon.knows(id, [rule.title.as_str()]);
        }
        for at in law.values.values() {
            lexicon.knows(&at.site.rule, [at.it.title.as_str(), at.it.name.as_str()]);
        }
        for at in law.derived.values() {
            lexicon.knows(&at.site.rule, [at.it.title.as_str(), at.it.name.as_str()]);
        }
        for (name, at) in &law.entities {
            let titles = [at.it.title.as_str(), at.it.plural.as_str(), name.as_str()];
            lexicon.knows(&at.site.rule, titles);
        }
        for (name, at) in &law.tables {
            lexicon.knows(&at.site.rule, [name.as_str()]);
        }
        for at in &law.rows {
            lexicon.knows(&at.site.rule, [at.it.key.as_str()]);
        }
        for (name, at) in &law.categories {
            lexicon.knows(&at.site.rule, [at.it.title.as_str(), name.as_str()]);
        }
        for (name, at) in &law.boards {
            lexicon.knows(&at.site.rule, [at.it.title.as_str(), name.as_str()]);
        }
        lexicon
    }

    fn knows<'a>(&mut self, rule: &Name, names: impl IntoIterator<Item = &'a str>) {
        let known = self.known_by.entry(rule.clone()).or_default();
        let names = names.into_iter().map(words);
        known.extend(names.filter(|name| !name.is_empty()));
    }

    /// Whether a rule's prose names any of some rules.
    pub fn names(&self, rule: &Name, others: &[Name]) -> bool {
        let prose = self.prose.get(rule);
        prose.is_some_and(|prose| self.say(prose, others))
    }

    /// Whether a clause's own prose, or its rule's title, names any of some rules.
    pub fn clause_names(&self, rule: &Name, clause: u32, others: &[Name]) -> bool {
        let prose = self.clauses.get(&(rule.clone(), clause));
        prose.is_some_and(|prose| self.say(prose, others))
    }

    fn say(&self, prose: &[String], others: &[Name]) -> bool {
        let known = others.iter().filter_map(|other| self.known_by.get(other));
        known.flatten().any(|name| says(prose, name))
    }
}

fn says(prose: &[String], name: &[String]) -> bool {
    prose.windows(name.len()).any(|said| said == name)
}

/// What stands in bold: the terms that a rule defines.
fn in_bold(prose: &str) -> Vec<&str> {
    prose.split("**").skip(1).step_by(2).collect()
}

/// The words of a text, a code name's included, in lower case and in one form for both numbers.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut was_small = false;
    for letter in text.chars().chain([' ']) {
        // `IconFile` is two words, and so is `icon_file`.
        let begins = letter.is_uppercase() && was_small;
        if (begins || !letter.is_alphanumeric()) && !word.is_empty() {
            words.push(singular(&word));
            word.clear();
        }
        if letter.is_alphanumeric() {
            word.extend(letter.to_lowercase());
        }
        was_small = letter.is_lowercase();
    }
    words
}

fn singular(word: &str) -> String {
    let without = |end: &str, put: &str| {
        let stem = word
            .strip_suffix(end)
            .filter(|stem| stem.len() + put.len() > 2);
        stem.map(|stem| format!("{stem}{put}"))
    };
    // A zombie and a city have their plural alike, and "dies" is of "die".
    if let Some(stem) = ["ies", "ie"].iter().find_map(|end| word.strip_suffix(end)) {
        return format!("{stem}y");
    }
    let ends = ["ses", "xes", "ches", "shes"];
    if let Some(end) = ends.into_iter().find(|end| word.ends_with(end)) {
        return without(end, &end[..end.len() - 2]).unwrap_or_else(|| word.to_owned());
    }
    if word.ends_with("ss") {
        return word.to_owned();
    }
    without("s", "").unwrap_or_else(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_in_any_case_and_number() {
        let prose = words(
            "Each {player} may hold Land Mines, boxes and a class; his HP falls. In a city each Zombie dies.",
        );
        let names = [
            "LandMine",
            "land_mines",
            "Box",
            "Class",
            "hp",
            "player",
            "{zombies}",
            "cities",
            "die",
        ];
        for name in names {
            assert!(says(&prose, &words(name)), "{name}");
        }
        for name in ["Mine Field", "classy", "hold Mines"] {
            assert!(!says(&prose, &words(name)), "{name}");
        }
    }
}
