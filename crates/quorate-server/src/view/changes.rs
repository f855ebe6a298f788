//! Clauses of a patch as pages show them: what each changes, side by side with what stands now.

use quorate_kernel::patch::Clause;
use quorate_kernel::rows::CellKey;
use quorate_kernel::{EventSeq, Name};

use crate::ui::urls::Href;
use crate::ui::{Change, Run, Side, lines, urls, words};
use crate::view::game::GameView;

/// How many unchanged lines stand around a changed line of code.
const AROUND: usize = 2;

/// How many letters of an unchanged run stand before and after a change.
const KEPT: usize = 120;

impl GameView {
    /// Clauses, in order; those within a condition after a line that tells it.
    pub fn changes(&self, clauses: &[Clause]) -> Vec<Change> {
        clauses
            .iter()
            .flat_map(|clause| self.change(clause))
            .collect()
    }

    fn change(&self, clause: &Clause) -> Vec<Change> {
        let one = |place: String, part: &str, old: &str, new: &str| {
            vec![self.told_in_words(place, part, old, new)]
        };
        match clause {
            Clause::AddRule {
                title,
                text,
                section,
                ..
            } => {
                let section = self.section_title(section);
                let title = self.themed(title);
                one(format!("New rule in {section}: {title}"), "new", "", text)
            }
            Clause::AmendRule { id, base, text } => vec![self.amended(id, base, text)],
            Clause::RepealRule { id } => {
                let old = self.state().rules.get(id).map(|rule| rule.text.to_string());
                one(
                    self.rule_title(id),
                    "repealed",
                    &old.unwrap_or_default(),
                    "",
                )
            }
            Clause::RenameRule { id, title } => one(
                self.rule_title(id),
                "its title",
                &self.rule_title(id),
                &self.themed(title),
            ),
            Clause::MoveRule { id, section, .. } => {
                let to = format!("moved to {}", self.section_title(section));
                one(self.rule_title(id), &to, "", "")
            }
            Clause::SwitchRule { id, on } => {
                let part = if *on { "switched on" } else { "switched off" };
                one(self.rule_title(id), part, "", "")
            }
            Clause::Script { code } => {
                let mut change = change_of("Once, when it is enacted".to_owned(), "code", "", "");
                change.lines = lines("", code, AROUND);
                vec![change]
            }
            Clause::Prose { text } => one("By hand, when it is enacted".to_owned(), "", "", text),
            Clause::When { test, clauses } => {
                let mut all = one(format!("Only if {test}"), "", "", "");
                all.extend(self.changes(clauses));
                all
            }
            other => vec![self.plain_change(other)],
        }
    }

    fn amended(&self, id: &Name, base: &str, text: &str) -> Change {
        let mut change = self.told_in_words(self.rule_title(id), "amended", base, text);
        let rule = id.as_str();
        let game = self.game.as_str();
        change.href = Some(Href::from(urls::Rule { game, rule }));
        match self.state().rules.get(id) {
            None => {
                change.warning = Some("The rule is gone: this clause would do nothing.".to_owned());
            }
            Some(now) if *now.text != *base => {
                let moved = "The rule has changed since this was written: what both changed is merged by words, or left out.";
                change.warning = Some(moved.to_owned());
            }
            Some(_) => {}
        }
        change
    }

    /// A change of a rule's text, its prose in the words of the theme. Where it changes how a word is written and no more,
    /// that is what is shown.
    fn told_in_words(&self, place: String, part: &str, old: &str, new: &str) -> Change {
        let ((was, old_code), (is, new_code)) = (split(old), split(new));
        let (themed_was, themed_is) = (self.themed(&was), self.themed(&is));
        if themed_was == themed_is {
            return between(place, part, (&was, &old_code), (&is, &new_code));
        }
        between(
            place,
            part,
            (&themed_was, &old_code),
            (&themed_is, &new_code),
        )
    }

    /// A change of values, people, terms or pages: old and new in words.
    fn plain_change(&self, clause: &Clause) -> Change {
        match clause {
            Clause::SetTerm { .. }
            | Clause::SetPage { .. }
            | Clause::SetStatus { .. }
            | Clause::ChangeEdition { .. } => self.text_change(clause),
            Clause::SetValue { thing, name, value } => {
                let key = CellKey {
                    thing: thing.clone(),
                    name: name.clone(),
                };
                let of = self.called(thing);
                change_of(
                    format!("{of}, {}", self.value_title(&key)),
                    "set",
                    &self.shown(&key),
                    &self.label(value),
                )
            }
            Clause::AddToValue {
                thing,
                name,
                amount,
            } => {
                let key = CellKey {
                    thing: thing.clone(),
                    name: name.clone(),
                };
                let what = format!("{}, {}", self.called(thing), self.value_title(&key));
                change_of(what, "changed by", "", &format!("{amount:+}"))
            }
            Clause::CreateThing { kind, values } => {
                let words: Vec<_> = values
                    .iter()
                    .map(|(name, value)| format!("{name} {}", self.label(value)))
                    .collect();
                change_of(
                    format!("A new {}", self.singular_of(kind)),
                    "",
                    "",
                    &words.join(", "),
                )
            }
            Clause::RemoveThing { thing } | Clause::RemovePlayer { thing, .. } => {
                let of = self.called(thing);
                change_of(of, "removed", "", "")
            }
            Clause::RenamePlayer { thing, name } => {
                let of = self.called(thing);
                change_of(of.clone(), "renamed", &of, name)
            }
            Clause::Strike { events, uphold } => {
                let what = [("strikes", events), ("upholds", uphold)]
                    .into_iter()
                    .filter(|(_, events)| !events.is_empty())
                    .map(|(verb, events)| format!("{verb} {}", in_numbers(events)))
                    .collect::<Vec<_>>()
                    .join(" and ");
                change_of("A ruling".to_owned(), "", "", &what)
            }
            other => change_of(other.kind().to_owned(), "", "", ""),
        }
    }

    /// A change of a term, of a page or of a post's status.
    fn text_change(&self, clause: &Clause) -> Change {
        match clause {
            Clause::SetTerm { name, one, many } => {
                let term = self.state().terms.get(name);
                let old = term.map(|term| format!("{}, {}", term.one, term.many));
                change_of(
                    format!("The word for {name}"),
                    "",
                    &old.unwrap_or_default(),
                    &format!("{one}, {many}"),
                )
            }
            Clause::SetPage { name, text } => {
                let page = self.state().pages.get(name);
                let old = page.map(|page| page.text.as_str().to_owned());
                change_of(
                    format!("The page {name}"),
                    "",
                    &old.unwrap_or_default(),
                    text,
                )
            }
            Clause::SetStatus { post, status } => {
                let old = self.post(*post).map(|post| post.status.to_string());
                change_of(
                    format!("The status of post {post}"),
                    "",
                    &old.unwrap_or_default(),
                    status.as_str(),
                )
            }
            Clause::ChangeEdition { edition } => change_of(
                "The edition of the library".to_owned(),
                "",
                "",
                &edition.to_string(),
            ),
            other => change_of(other.kind().to_owned(), "", "", ""),
        }
    }

    /// A rule's title, or its code name where there is none of that name.
    pub fn rule_title(&self, id: &Name) -> String {
        let rule = self.state().rules.get(id);
        rule.map_or_else(|| id.to_string(), |rule| self.themed(&rule.title))
    }

    /// A section's title.
    pub fn section_title(&self, id: &Name) -> String {
        let about = self.state().about.get(&());
        let id = if id.is_empty() {
            about
                .map(|about| about.new_rules.clone())
                .unwrap_or_default()
        } else {
            id.clone()
        };
        let section = self.state().sections.get(&id);
        section.map_or_else(|| id.to_string(), |section| self.themed(&section.title))
    }
}

impl GameView {
    /// What is otherwise in a text than it was, prose by words and code by lines.
    pub(crate) fn text_changed(&self, place: &str, old: &str, new: &str) -> Change {
        change_of(place.to_owned(), "", &self.themed(old), &self.themed(new))
    }
}

/// A change of a text: prose by words, code by lines.
fn change_of(place: String, part: &str, old: &str, new: &str) -> Change {
    let ((old_prose, old_code), (new_prose, new_code)) = (split(old), split(new));
    between(
        place,
        part,
        (&old_prose, &old_code),
        (&new_prose, &new_code),
    )
}

/// The change from prose and code to others.
fn between(
    place: String,
    part: &str,
    (old_prose, old_code): (&str, &str),
    (new_prose, new_code): (&str, &str),
) -> Change {
    Change {
        place,
        part: part.to_owned(),
        href: None,
        words: if old_prose == new_prose {
            Vec::new()
        } else {
            shortened(words(old_prose, new_prose))
        },
        lines: if old_code == new_code {
            Vec::new()
        } else {
            lines(old_code, new_code, AROUND)
        },
        warning: None,
    }
}

/// The same difference with the middle of long unchanged runs left out.
fn shortened(runs: Vec<Run>) -> Vec<Run> {
    let last = runs.len().saturating_sub(1);
    let cut = |at: usize, run: Run| {
        if run.side != Side::Both || run.text.chars().count() <= 3 * KEPT {
            return run;
        }
        let head: String = run.text.chars().take(KEPT).collect();
        let length = run.text.chars().count();
        let tail: String = run.text.chars().skip(length - KEPT).collect();
        let head = head
            .rsplit_once(char::is_whitespace)
            .map_or(head.as_str(), |(head, _)| head);
        let tail = tail
            .split_once(char::is_whitespace)
            .map_or(tail.as_str(), |(_, tail)| tail);
        let text = match (at == 0, at == last) {
            (true, _) => format!("… {tail}"),
            (false, true) => format!("{head} …"),
            (false, false) => format!("{head} … {tail}"),
        };
        Run { text, ..run }
    };
    runs.into_iter()
        .enumerate()
        .map(|(at, run)| cut(at, run))
        .collect()
}

/// The prose of a rule's text and its code, each on its own.
fn split(text: &str) -> (String, String) {
    let (mut prose, mut code) = (String::new(), String::new());
    let mut in_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            continue;
        }
        let side = if in_code { &mut code } else { &mut prose };
        side.push_str(line);
        side.push('\n');
    }
    (in_paragraphs(&prose), code)
}

/// Prose with a line to each paragraph, list item and clause, however its lines were broken.
fn in_paragraphs(prose: &str) -> String {
    let mut text = String::new();
    let mut is_fresh = true;
    for line in prose.lines().map(str::trim) {
        if line.is_empty() {
            is_fresh = true;
            continue;
        }
        let numbered = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let begins = line.len() > numbered.len() && numbered.starts_with(". ");
        let is_item = begins
            || ["- ", "* ", "> ", "#", "|"]
                .iter()
                .any(|mark| line.starts_with(mark));
        if !text.is_empty() {
            text.push(if is_fresh || is_item { '\n' } else { ' ' });
        }
        text.push_str(line);
        is_fresh = false;
    }
    text
}

/// Events by their numbers: "event 12", "events 12, 15".
fn in_numbers(events: &[EventSeq]) -> String {
    let numbers: Vec<String> = events.iter().map(ToString::to_string).collect();
    let word = if numbers.len() == 1 {
        "event"
    } else {
        "events"
    };
    format!("{word} {}", numbers.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_stay_apart_and_broken_lines_are_joined() {
        let (prose, code) =
            split("1. One,\n   and more.\n\n```starlark\nA = 1\n```\n\n2. Two.\n   - a\n   - b\n");
        assert_eq!(prose, "1. One, and more.\n2. Two.\n- a\n- b");
        assert_eq!(code, "A = 1\n");
    }
}
