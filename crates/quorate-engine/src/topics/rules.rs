//! The ruleset as rows that play changes: rules, their texts and places, and the words of the theme.

use std::sync::Arc;

use quorate_kernel::event::NoteKind;
use quorate_kernel::former::FormerRule;
use quorate_kernel::law::{RANK_STEP, Rule, Term};
use quorate_kernel::patch::Clause;
use quorate_kernel::rows::Breaks;
use quorate_kernel::{Name, Refusal, Topic};
use quorate_law::RuleText;
use quorate_law::stop::{Answer, Stop};

use crate::law::{code_of, gives_up_names};
use crate::merge;
use crate::reads::ReadKey;
use crate::tx::Tx;
use crate::words::WORDS_MAX;

/// A rule and all rules under it, in law order.
fn with_subrules(tx: &Tx, id: &Name) -> Vec<Name> {
    tx.with_state(|state| {
        let mut found = vec![id.clone()];
        // Document order puts a rule after its parent, so that one pass finds all that is under it.
        for (rule_id, rule) in state.rules_in_order() {
            if rule
                .parent
                .as_ref()
                .is_some_and(|parent| found.contains(parent))
            {
                found.push(rule_id.clone());
            }
        }
        found
    })
}

/// Changes a rule's row.
pub(crate) fn change(tx: &Tx, id: &Name, change: impl FnOnce(&mut Rule)) -> Answer<()> {
    let Some(old) = tx.with_state(|state| state.rules.get(id).cloned()) else {
        return Err(Stop::fault(format!("there is no rule {id}")));
    };
    let mut new = old.clone();
    change(&mut new);
    if new != old {
        new.changed_by = tx.seq;
        wake(tx, id);
        keep(tx, id, &old, Some(&new));
        tx.put(id.clone(), new);
    }
    Ok(())
}

/// A changed rule starts with no breaks to its name.
fn wake(tx: &Tx, id: &Name) {
    let broken: Vec<_> = tx.with_state(|state| {
        state
            .breaks
            .iter()
            .filter(|(key, _)| key.rule == *id)
            .map(|(key, _)| key.clone())
            .collect()
    });
    for key in broken {
        tx.remove::<Breaks>(key);
    }
}

/// Keeps a rule's text as it leaves the law, where others may use names that go with it.
fn keep(tx: &Tx, id: &Name, old: &Rule, new: Option<&Rule>) {
    let edition = tx.with_state(|state| state.about.get(&()).map_or(1, |about| about.edition));
    // Games of the first edition are judged as they were: there, code that uses such a name falls asleep.
    if edition >= 2 && gives_up_names(old, new) {
        let (key, row) = FormerRule::row(id, old, new.is_none(), tx.seq, tx.now);
        tx.put(key, row);
    }
}

/// Takes a rule and what is under it out of the law.
pub(crate) fn repeal(tx: &Tx, id: &Name) {
    for id in with_subrules(tx, id) {
        wake(tx, &id);
        if let Some(rule) = tx.with_state(|state| state.rules.get(&id).cloned()) {
            keep(tx, &id, &rule, None);
        }
        tx.remove::<Rule>(id);
    }
}

/// Switches a rule on or off.
pub(crate) fn switch(tx: &Tx, id: &Name, on: bool) -> Answer<()> {
    change(tx, id, |rule| rule.active = on)
}

/// Another title for a rule.
pub(crate) fn retitle(tx: &Tx, id: &Name, title: &str) -> Answer<()> {
    change(tx, id, |rule| rule.title = title.trim().to_owned())
}

/// Another word for a term.
pub(crate) fn set_term(tx: &Tx, name: &Name, one: &str, many: &str) -> Answer<()> {
    let many = if many.is_empty() {
        plural(one)
    } else {
        many.to_owned()
    };
    if one.trim().is_empty() {
        return Err(Stop::fault("a term needs a word"));
    }
    if one.len().max(many.len()) > WORDS_MAX {
        return Err(Stop::fault(format!(
            "a term needs a word of at most {WORDS_MAX} bytes"
        )));
    }
    let new = Term {
        one: one.trim().to_owned(),
        many,
    };
    tx.put(name.clone(), new);
    Ok(())
}

/// The words of a clause, code left out.
pub(crate) fn prose_of(tx: &Tx, id: &Name, clause: u32) -> Answer<String> {
    tx.read(ReadKey::Rules);
    let text = tx.with_state(|state| state.rules.get(id).map(|rule| Arc::clone(&rule.text)));
    let Some(text) = text else {
        return Err(Stop::fault(format!("there is no rule {id}")));
    };
    RuleText::parse(&text)
        .clauses
        .into_iter()
        .find(|found| found.number == clause)
        .map(|found| found.prose)
        .ok_or_else(|| no_clause(id, clause))
}

/// Changes the words of a clause and leaves its code alone.
pub(crate) fn amend_clause(tx: &Tx, id: &Name, clause: u32, words: &str) -> Answer<()> {
    let Some(rule) = tx.with_state(|state| state.rules.get(id).cloned()) else {
        return Err(Stop::fault(format!("there is no rule {id}")));
    };
    let Some(amended) = merge::with_clause_words(&rule.text, clause, words) else {
        return Err(no_clause(id, clause));
    };
    let amended = Rule {
        text: amended.into(),
        ..rule.clone()
    };
    // Words that open a fence would be code, or would make words of the code that stands under them.
    if code_of(&amended) != code_of(&rule) {
        let what = "words in which no line begins with ``` or ~~~";
        return Err(Stop::no(what));
    }
    change(tx, id, |rule| rule.text = amended.text)
}

pub(crate) fn known(tx: &Tx, id: &Name) -> Result<(), String> {
    let known = tx.with_state(|state| state.rules.contains_key(id));
    if known {
        Ok(())
    } else {
        Err("there is no such rule any more".to_owned())
    }
}

pub(crate) fn add(
    tx: &Tx,
    id: &Name,
    place: (&Name, Option<&Name>, Option<&Name>),
    title: &str,
    text: &Arc<str>,
    tags: &[Name],
) -> Result<(), String> {
    let (section, parent, after) = place;
    let about = tx.with_state(|state| state.about.get(&()).cloned());
    let new_rules = about
        .as_ref()
        .map(|about| about.new_rules.clone())
        .unwrap_or_default();
    let section = if section.is_empty() {
        &new_rules
    } else {
        section
    };
    if tx.with_state(|state| state.rules.contains_key(id)) {
        return Err("there is a rule of that code name already".to_owned());
    }
    if !tx.with_state(|state| state.sections.contains_key(section)) {
        return Err(format!("there is no section {section}"));
    }
    let parent = parent.filter(|parent| known(tx, parent).is_ok());
    let rank = rank_after(tx, section, parent, after);
    let unnamed = about.map(|about| about.unnamed).unwrap_or_default();
    let title = if title.trim().is_empty() {
        unnamed.as_str()
    } else {
        title.trim()
    };
    let rule = Rule {
        section: section.clone(),
        parent: parent.cloned(),
        rank,
        title: title.to_owned(),
        text: Arc::clone(text),
        active: true,
        tags: tags.to_vec(),
        changed_by: tx.seq,
    };
    tx.put(id.clone(), rule);
    Ok(())
}

/// Makes all amendments of a rule that stand among some clauses, or none of them.
pub(crate) fn amend(tx: &Tx, id: &Name, clauses: &[Clause]) {
    let amendments: Vec<(&str, &str)> = clauses
        .iter()
        .filter_map(|clause| match clause {
            Clause::AmendRule { id: of, base, text } if of == id => Some((&**base, &**text)),
            _ => None,
        })
        .collect();
    let now = tx.with_state(|state| state.rules.get(id).map(|rule| Arc::clone(&rule.text)));
    let (which, they_change) = match amendments.len() {
        1 => (String::new(), "it changes"),
        many => (
            format!(", all {many} amendments of it, which go in together or not at all"),
            "they change",
        ),
    };
    let merged = match now {
        None => Err("there is no such rule any more".to_owned()),
        Some(now) => match merge::together(&amendments) {
            None => Err("they change the same words in different ways".to_owned()),
            Some((base, text)) => merge::three_way(base, &now, &text).ok_or_else(|| {
                format!("the words that {they_change} have been changed since, and the two do not go together")
            }),
        },
    };
    let done =
        merged.and_then(|text| change(tx, id, |rule| rule.text = text.into()).map_err(plain));
    if let Err(why) = done {
        tx.say(
            NoteKind::Skipped,
            format!("rule amended ({id}){which}: {why}"),
        );
    }
}

pub(crate) fn move_to(
    tx: &Tx,
    id: &Name,
    section: &Name,
    parent: Option<&Name>,
    after: Option<&Name>,
) -> Result<(), String> {
    let own = tx.with_state(|state| state.rules.get(id).map(|rule| rule.section.clone()));
    let own = own.filter(|_| section.is_empty());
    let section = own.as_ref().unwrap_or(section);
    if !tx.with_state(|state| state.sections.contains_key(section)) {
        return Err(format!("there is no section {section}"));
    }
    if parent.is_some_and(|parent| with_subrules(tx, id).contains(parent)) {
        return Err("a rule cannot stand under itself".to_owned());
    }
    let line = with_subrules(tx, id);
    let after = after.filter(|after| !line.contains(after));
    let first = rank_after(tx, section, parent, after);
    for (rank, rule_id) in (first..).zip(&line) {
        let top = rule_id == id;
        change(tx, rule_id, |rule| {
            rule.section = section.clone();
            rule.rank = rank;
            if top {
                rule.parent = parent.cloned();
            }
        })
        .map_err(plain)?;
    }
    Ok(())
}

/// A rank behind a rule and what is under it; at the end of the parent or of the section where none is named.
fn rank_after(tx: &Tx, section: &Name, parent: Option<&Name>, after: Option<&Name>) -> i64 {
    let anchor = after.or(parent).filter(|id| known(tx, id).is_ok());
    tx.with_state(|state| {
        let mut ranks: Vec<i64> = state
            .rules
            .values()
            .filter(|rule| rule.section == *section)
            .map(|rule| rule.rank)
            .collect();
        ranks.sort_unstable();
        let end = ranks.last().copied().unwrap_or(0) + RANK_STEP;
        let Some(anchor) = anchor else { return end };
        let line = with_subrules(tx, anchor);
        let last = line
            .iter()
            .filter_map(|id| state.rules.get(id))
            .map(|rule| rule.rank)
            .max()
            .unwrap_or(0);
        match ranks.iter().find(|rank| **rank > last) {
            // Where there is no room between two neighbours the ranks are equal, and code names decide.
            Some(next) => last + (next - last) / 2,
            None => end,
        }
    })
}

pub(crate) fn plain(stop: Stop) -> String {
    match stop {
        Stop::Refused(refusal) => refusal.to_string(),
        Stop::Broken(fault) => fault.text,
        Stop::Asks(question) => question.what,
    }
}

/// An English plural, good enough where a person gave none and can give one.
fn plural(one: &str) -> String {
    let one = one.trim();
    if one.ends_with(['s', 'x']) || one.ends_with("ch") || one.ends_with("sh") {
        format!("{one}es")
    } else {
        format!("{one}s")
    }
}

/// A clause that is not there is most often a number that somebody typed: a refusal, and no fault of the rule's code.
fn no_clause(id: &Name, clause: u32) -> Stop {
    let part = format!("a clause {clause}");
    let refusal = Refusal::plain(format!("{part} in the rule {id}"));
    let rule = id.clone();
    Stop::refused(refusal.about(Topic::Part { part, rule }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quorate_law::datum::Datum;

    use crate::tiny_game::{TinyGame, game};

    #[test]
    fn words_of_a_clause_change_and_code_does_not() {
        let game = game("x = number(\"X\", of = player)");
        let house = Name::from("house");
        game.ask(|tx| {
            amend_clause(tx, &house, 1, "So be it.").expect("words alone");
            assert_eq!(
                prose_of(tx, &house, 1).map(|text| text.trim().to_owned()),
                Ok("So be it.".to_owned())
            );
            assert!(amend_clause(tx, &house, 1, "```\ncode\n```").is_err());
            let unknown = prose_of(tx, &house, 7).expect_err("there is one clause");
            assert!(
                matches!(unknown, Stop::Refused(no) if no.what() == "a clause 7 in the rule house")
            );
        });
    }

    #[test]
    fn a_plural_is_made_where_nobody_gave_one() {
        assert_eq!(
            ["crew", "fox", "torch"].map(plural),
            ["crews", "foxes", "torches"]
        );
    }

    const STRIKES: &str = "# Strikes\n\n1. So it is.\n\n```starlark\nblows = number(\"Blows\", of = player, default = 2)\n\n\
        def strike(p: Player):\n    p.blows += 1\n\n\
        def luck(p: Player) -> int:\n    return 3\n```\n";
    const FIGHTS: &str = "def fight(actor: Player):\n    strike(actor)\n\ndef rest(actor: Player):\n    require(luck(actor) == 3, \"luck\")\n\n\
        action(\"fight\", fight)\naction(\"rest\", rest)";

    fn strikes() -> Clause {
        Clause::AddRule {
            id: "strikes".into(),
            section: "rules".into(),
            parent: None,
            after: None,
            title: "Strikes".to_owned(),
            text: STRIKES.into(),
            tags: Vec::new(),
        }
    }

    /// A game whose rule House fights, by a rule Strikes that comes later.
    fn fighting() -> TinyGame {
        let mut game = game("");
        game.change(vec![strikes()]);
        let base = game.judge.state().rules[&Name::from("house")].text.clone();
        let text = format!("1. So it is.\n\n```starlark\n{FIGHTS}\n```\n").into();
        let id = "house".into();
        game.change(vec![Clause::AmendRule { id, base, text }]);
        game
    }

    #[test]
    fn a_repealed_rule_is_missed_where_it_is_asked_for_until_it_comes_back() {
        let mut game = fighting();
        assert!(game.act("fight", &[]).is_ok());
        assert_eq!(game.value("blows"), Datum::Int(3));
        let id = Name::from("strikes");
        let event = game.change(vec![Clause::RepealRule { id: id.clone() }]);
        let said: Vec<&str> = event.notes.iter().map(|note| note.text.as_str()).collect();
        let words = "it asks for `strike` of Strikes, which was repealed on 4 May 2031";
        let line = format!("House, clause 1: {words}");
        assert!(said.contains(&line.as_str()), "{said:?}");
        assert!(game.judge.law().asleep.is_empty());
        for _ in 0..4 {
            let refusal = game.act("fight", &[]).expect_err("it breaks");
            assert_eq!((refusal.rule_id.as_str(), refusal.clause), ("house", 1));
            assert!(refusal.needs[0].have.ends_with(words), "{refusal:?}");
        }
        assert!(
            game.act("rest", &[]).is_ok(),
            "what only says something lives on"
        );
        game.change(vec![strikes()]);
        assert!(game.act("fight", &[]).is_ok());
        assert_eq!(
            game.value("blows"),
            Datum::Int(4),
            "the value is back from the archive"
        );
        assert!(game.judge.law().leans.is_empty());
    }

    #[test]
    fn a_name_that_an_amendment_gives_up_is_missed_there_too() {
        let mut game = fighting();
        let id = Name::from("strikes");
        let base = game.judge.state().rules[&id].text.clone();
        let text = base.replace("def strike", "def hit").into();
        game.change(vec![Clause::AmendRule { id, base, text }]);
        let refusal = game.act("fight", &[]).expect_err("it breaks");
        let words = "it asks for `strike` of Strikes, which gave it up on 4 May 2031";
        assert!(refusal.needs[0].have.ends_with(words), "{refusal:?}");
        let kept = game.judge.state().former_rules().len();
        assert_eq!(kept, 1);
        // Words alone give up nothing, and nothing is kept of them.
        let words = game.amendment("So it is", "So be it");
        game.change(vec![words]);
        assert_eq!(game.judge.state().former_rules().len(), kept);
    }
}
