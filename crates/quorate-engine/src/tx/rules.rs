//! Long because each way to change the law is a few lines here.
//!
//! The law as something that play changes: rules, terms, and the patches that posts carry.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate_kernel::effect::Way;
use quorate_kernel::event::NoteKind;
use quorate_kernel::law::{RANK_STEP, Rule, Term};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows;
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::Effect;
use quorate_kernel::{Name, PostId, Refusal, Thing, Topic, Value};
use quorate_law::RuleText;
use quorate_law::datum::{Datum, Record};
use quorate_law::declare::{ShownTo, ValueDecl};
use quorate_law::stop::{Answer, Site, Stop};

use super::people::EFFECTS;
use super::{Frame, Tx};
use crate::convert;
use crate::law::{At, Law, code_of, slept_line};
use crate::merge;
use crate::migrate;
use crate::reads::ReadKey;

/// Begins the note of a change whose condition does not hold.
pub const NOT_SO: &str = "the condition does not hold";

impl Tx {
    pub(super) fn rule_builtin(&self, id: &Name, name: &str) -> Option<Datum> {
        self.read(ReadKey::Rules);
        self.with_state(|state| {
            // A rule that this event repeals can still be asked what it was.
            let rule = state.rules.get(id).or_else(|| self.base.rules.get(id))?;
            Some(match name {
                "id" => Datum::Text(id.as_str().into()),
                "title" => Datum::Text(crate::words::worded(state, &rule.title).into()),
                "section" => Datum::Text(rule.section.as_str().into()),
                "parent" => rule
                    .parent
                    .clone()
                    .map_or(Datum::None, |parent| Datum::Thing(Thing::Rule(parent))),
                "tags" => Datum::List(
                    rule.tags
                        .iter()
                        .map(|tag| Datum::Text(tag.as_str().into()))
                        .collect(),
                ),
                "active" => Datum::Bool(rule.active),
                _ => return None,
            })
        })
    }

    /// A rule and all rules under it, in law order.
    pub fn with_subrules(&self, id: &Name) -> Vec<Name> {
        self.with_state(|state| {
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
    fn write_rule(&self, id: &Name, change: impl FnOnce(&mut Rule)) -> Answer<()> {
        let Some(old) = self.with_state(|state| state.rules.get(id).cloned()) else {
            return Err(Stop::fault(format!("there is no rule {id}")));
        };
        let mut new = old.clone();
        change(&mut new);
        if new != old {
            new.changed_by = self.seq;
            self.wake(id);
            self.write(
                Effect::Rule {
                    key: id.clone(),
                    old: Some(old),
                    new: Some(new),
                },
                Way::Set,
            );
        }
        Ok(())
    }

    /// A changed rule starts with no breaks to its name.
    fn wake(&self, id: &Name) {
        let broken: Vec<_> = self.with_state(|state| {
            state
                .breaks
                .iter()
                .filter(|(key, _)| key.rule == *id)
                .map(|(key, row)| (key.clone(), row.clone()))
                .collect()
        });
        for (key, row) in broken {
            self.write(
                Effect::Breaks {
                    key,
                    old: Some(row),
                    new: None,
                },
                Way::Set,
            );
        }
    }

    /// Takes a rule and what is under it out of the law.
    pub fn repeal_rule(&self, id: &Name) {
        for id in self.with_subrules(id) {
            let old = self.with_state(|state| state.rules.get(&id).cloned());
            self.wake(&id);
            self.write(
                Effect::Rule {
                    key: id,
                    old,
                    new: None,
                },
                Way::Set,
            );
        }
    }

    /// Switches a rule on or off.
    pub fn switch_rule(&self, id: &Name, on: bool) -> Answer<()> {
        self.write_rule(id, |rule| rule.active = on)
    }

    /// Another title for a rule.
    pub fn retitle_rule(&self, id: &Name, title: &str) -> Answer<()> {
        self.write_rule(id, |rule| rule.title = title.trim().to_owned())
    }

    /// Another word for a term.
    pub fn set_term(&self, name: &Name, one: &str, many: &str) -> Answer<()> {
        let many = if many.is_empty() {
            plural(one)
        } else {
            many.to_owned()
        };
        if one.trim().is_empty() {
            return Err(Stop::fault("a term needs a word"));
        }
        let old = self.with_state(|state| state.terms.get(name).cloned());
        let new = Term {
            one: one.trim().to_owned(),
            many,
        };
        self.write(
            Effect::Term {
                key: name.clone(),
                old,
                new: Some(new),
            },
            Way::Set,
        );
        Ok(())
    }

    /// The words of a clause, code left out.
    pub fn prose_of(&self, id: &Name, clause: u32) -> Answer<String> {
        self.read(ReadKey::Rules);
        let text = self.with_state(|state| state.rules.get(id).map(|rule| Arc::clone(&rule.text)));
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
    pub fn amend_clause(&self, id: &Name, clause: u32, words: &str) -> Answer<()> {
        let Some(rule) = self.with_state(|state| state.rules.get(id).cloned()) else {
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
            return Err(Stop::Refused(Box::new(Refusal::plain(what))));
        }
        self.write_rule(id, |rule| rule.text = amended.text)
    }

    /// The changes of a post, as records; those inside a condition too.
    pub fn change_records(&self, post: PostId) -> Vec<Datum> {
        self.read(ReadKey::Post(post));
        let Some(patch) = self.patch_of(post) else {
            return Vec::new();
        };
        let mut records = Vec::new();
        self.collect_changes(&patch.clauses, "", &mut records);
        records
    }

    fn collect_changes(&self, clauses: &[Clause], prefix: &str, out: &mut Vec<Datum>) {
        for (index, clause) in clauses.iter().enumerate() {
            let at = format!("{prefix}{index}");
            out.push(self.change_record(clause, &at));
            if let Clause::When { clauses, .. } = clause {
                self.collect_changes(clauses, &format!("{at}."), out);
            }
        }
    }

    fn change_record(&self, clause: &Clause, at: &str) -> Datum {
        let law = self.frame().law;
        let rule = clause.rule().cloned().unwrap_or_default();
        let section = match clause {
            Clause::AddRule { section, .. } if section.is_empty() => self
                .with_state(|state| state.about.get(&()).map(|about| about.new_rules.clone()))
                .unwrap_or_default(),
            Clause::AddRule { section, .. } => section.clone(),
            Clause::SetValue { thing, name, .. } | Clause::AddToValue { thing, name, .. } => {
                let kind = self.kind_of(thing).unwrap_or_default();
                let decl = law.value(&kind, name.as_str());
                decl.map(|decl| law.place(&decl.site.rule).section)
                    .unwrap_or_default()
            }
            Clause::CreateThing { kind, .. } => {
                let decl = law.entities.get(kind);
                decl.map(|decl| law.place(&decl.site.rule).section)
                    .unwrap_or_default()
            }
            _ if rule.is_empty() => Name::default(),
            _ => law.place(&rule).section,
        };
        let (table, value, who, text) = match clause {
            Clause::SetValue { thing, name, value } => (
                self.kind_of(thing).unwrap_or_default(),
                name.to_string(),
                player(thing),
                convert::describe(&convert::datum(value)),
            ),
            Clause::AddToValue {
                thing,
                name,
                amount,
            } => (
                self.kind_of(thing).unwrap_or_default(),
                name.to_string(),
                player(thing),
                amount.to_string(),
            ),
            Clause::CreateThing { kind, .. } => (kind.clone(), String::new(), None, String::new()),
            Clause::RemoveThing { thing } => (
                self.kind_of(thing).unwrap_or_default(),
                String::new(),
                None,
                String::new(),
            ),
            Clause::RenamePlayer { thing, name } => {
                (Name::default(), String::new(), player(thing), name.clone())
            }
            Clause::RemovePlayer { thing, .. } => {
                (Name::default(), String::new(), player(thing), String::new())
            }
            Clause::AddRule { text, title, .. } => {
                (Name::default(), title.clone(), None, text.to_string())
            }
            Clause::AmendRule { text, .. } => {
                (Name::default(), String::new(), None, text.to_string())
            }
            Clause::Prose { text } => (Name::default(), String::new(), None, text.clone()),
            Clause::Script { code } => (Name::default(), String::new(), None, code.to_string()),
            Clause::SetTerm { name, one, .. } => {
                (Name::default(), name.to_string(), None, one.clone())
            }
            _ => (Name::default(), String::new(), None, String::new()),
        };
        Datum::Record(Arc::new(Record {
            kind: "Change",
            fields: vec![
                ("kind", Datum::Text(clause.kind().into())),
                ("section", Datum::Text(section.as_str().into())),
                ("rule", Datum::Text(rule.as_str().into())),
                ("table", Datum::Text(table.as_str().into())),
                ("value", Datum::Text(value.into())),
                ("who", who.map_or(Datum::None, Datum::Thing)),
                ("text", Datum::Text(text.into())),
                ("at", Datum::Text(at.into())),
            ],
        }))
    }

    /// The patch that a post carries.
    pub fn patch_of(&self, post: PostId) -> Option<Arc<Patch>> {
        self.with_state(|state| state.posts.get(&post)?.patch.as_ref()?.shared())
    }

    /// Enacts what a post carries, but for the changes left out.
    pub fn apply_post(&self, post: PostId, leave_out: &[Datum]) -> Answer<()> {
        let Some(patch) = self.patch_of(post) else {
            return Ok(());
        };
        let left_out: Vec<String> = leave_out
            .iter()
            .filter_map(|datum| match datum {
                Datum::Record(record) => match record.get("at") {
                    Some(Datum::Text(at)) => Some(at.to_string()),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        self.apply_patch(&patch, Some(post), &left_out)
    }

    /// Makes the changes of a patch: the law first, so that values and code find it as it will be, then the rest in order.
    pub fn apply_patch(
        &self,
        patch: &Patch,
        post: Option<PostId>,
        left_out: &[String],
    ) -> Answer<()> {
        let clauses = self.flatten(&patch.clauses, "", left_out, post)?;
        // A ruling settles what the game is that the other changes are made to.
        let (rulings, clauses): (Vec<_>, Vec<_>) = clauses
            .into_iter()
            .partition(|clause| matches!(clause, Clause::Strike { .. }));
        for clause in &rulings {
            self.apply_one(clause);
        }
        self.change_law(&clauses);
        if self.law_changed() {
            self.take_new_law();
        }
        let law = self
            .next_law
            .borrow()
            .clone()
            .unwrap_or_else(|| Arc::clone(&self.law));
        let site = Site {
            rule: EFFECTS.into(),
            ..Site::default()
        };
        let frame = Frame {
            law,
            site,
            action: None,
            ..self.frame()
        };
        self.within(frame, || {
            for clause in clauses.iter().filter(|clause| !is_of_law(clause)) {
                self.apply_one(clause);
            }
        });
        Ok(())
    }

    /// Makes what a post's patch changes of the law and nothing else, and compiles nothing: what the rules would read.
    pub fn apply_law(&self, patch: &Patch, post: PostId) -> Answer<()> {
        let clauses = self.flatten(&patch.clauses, "", &[], Some(post))?;
        self.change_law(&clauses);
        Ok(())
    }

    fn change_law(&self, clauses: &[Clause]) {
        let mut amended: BTreeSet<&Name> = BTreeSet::new();
        for clause in clauses.iter().filter(|clause| is_of_law(clause)) {
            match clause {
                // Prose and code of a rule may be amended in several places: one half of that is not what was voted on.
                Clause::AmendRule { id, .. } if amended.insert(id) => {
                    self.amend_rule(id, clauses);
                }
                Clause::AmendRule { .. } => {}
                other => self.apply_to_law(other),
            }
        }
    }

    /// The clauses that go in: those left out are dropped, and conditional ones asked.
    fn flatten(
        &self,
        clauses: &[Clause],
        prefix: &str,
        left_out: &[String],
        post: Option<PostId>,
    ) -> Answer<Vec<Clause>> {
        let mut flat = Vec::new();
        for (index, clause) in clauses.iter().enumerate() {
            let at = format!("{prefix}{index}");
            if left_out.contains(&at) {
                self.say(NoteKind::Skipped, format!("left out: {}", summary(clause)));
                continue;
            }
            match clause {
                Clause::When { test, clauses } => {
                    if self.test_holds(test, post) {
                        flat.extend(self.flatten(clauses, &format!("{at}."), left_out, post)?);
                    } else {
                        self.say(NoteKind::Skipped, format!("{NOT_SO}: {test}"));
                    }
                }
                other => flat.push(other.clone()),
            }
        }
        Ok(flat)
    }

    /// Asks the condition of a clause: an expression of rule code over `post`.
    fn test_holds(&self, test: &str, post: Option<PostId>) -> bool {
        let code = format!("def run(post: Post | None) -> bool:\n    return {test}\n");
        let law = self.frame().law;
        let arg = post.map_or(Datum::None, |post| Datum::Thing(Thing::Post(post)));
        match self.run_script(&law, &code, vec![arg]) {
            Ok(answer) => answer == Datum::Bool(true),
            Err(text) => {
                self.say(
                    NoteKind::Skipped,
                    format!("the condition cannot be asked: {text}"),
                );
                false
            }
        }
    }

    /// Runs one-off code of a patch. What it does is kept or undone as a whole.
    fn run_script(&self, law: &Arc<Law>, code: &str, args: Vec<Datum>) -> Result<Datum, String> {
        let script = law.code.script("script", code).map_err(|diagnostics| {
            diagnostics.first().map_or_else(
                || "it does not check".to_owned(),
                |first| format!("line {}: {}", first.line, first.text),
            )
        })?;
        let mark = self.mark();
        let answer = self.call_script(&script, args);
        match answer {
            Ok(datum) => Ok(datum),
            Err(stop) => {
                self.go_back(mark);
                Err(match stop {
                    Stop::Refused(refusal) => refusal.to_string(),
                    Stop::Broken(fault) => fault.text,
                    Stop::Asks(question) => format!(
                        "it asks \"{}\", and nobody is there to answer",
                        question.what
                    ),
                })
            }
        }
    }

    fn apply_to_law(&self, clause: &Clause) {
        let skipped = match clause {
            Clause::AddRule {
                id,
                section,
                parent,
                after,
                title,
                text,
                tags,
            } => {
                let place = (section, parent.as_ref(), after.as_ref());
                self.add_rule(id, place, title, text, tags)
            }
            Clause::RenameRule { id, title } => {
                let unnamed = || {
                    self.with_state(|state| state.about.get(&()).map(|about| about.unnamed.clone()))
                };
                let title = if title.trim().is_empty() {
                    unnamed().unwrap_or_default()
                } else {
                    title.clone()
                };
                self.known(id).and_then(|()| {
                    self.write_rule(id, |rule| rule.title = title)
                        .map_err(plain)
                })
            }
            Clause::MoveRule {
                id,
                section,
                parent,
                after,
            } => self
                .known(id)
                .and_then(|()| self.move_rule(id, section, parent.as_ref(), after.as_ref())),
            Clause::RepealRule { id } => self.known(id).map(|()| self.repeal_rule(id)),
            Clause::SwitchRule { id, on } => self
                .known(id)
                .and_then(|()| self.switch_rule(id, *on).map_err(plain)),
            _ => Ok(()),
        };
        if let Err(why) = skipped {
            self.say(NoteKind::Skipped, format!("{}: {why}", summary(clause)));
        }
    }

    fn known(&self, id: &Name) -> Result<(), String> {
        let known = self.with_state(|state| state.rules.contains_key(id));
        if known {
            Ok(())
        } else {
            Err("there is no such rule any more".to_owned())
        }
    }

    fn add_rule(
        &self,
        id: &Name,
        place: (&Name, Option<&Name>, Option<&Name>),
        title: &str,
        text: &Arc<str>,
        tags: &[Name],
    ) -> Result<(), String> {
        let (section, parent, after) = place;
        let about = self.with_state(|state| state.about.get(&()).cloned());
        let new_rules = about
            .as_ref()
            .map(|about| about.new_rules.clone())
            .unwrap_or_default();
        let section = if section.is_empty() {
            &new_rules
        } else {
            section
        };
        if self.with_state(|state| state.rules.contains_key(id)) {
            return Err("there is a rule of that code name already".to_owned());
        }
        if !self.with_state(|state| state.sections.contains_key(section)) {
            return Err(format!("there is no section {section}"));
        }
        let parent = parent.filter(|parent| self.known(parent).is_ok());
        let rank = self.rank_after(section, parent, after);
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
            changed_by: self.seq,
        };
        self.write(
            Effect::Rule {
                key: id.clone(),
                old: None,
                new: Some(rule),
            },
            Way::Set,
        );
        Ok(())
    }

    /// Makes all amendments of a rule that stand among some clauses, or none of them.
    fn amend_rule(&self, id: &Name, clauses: &[Clause]) {
        let amendments: Vec<(&str, &str)> = clauses
            .iter()
            .filter_map(|clause| match clause {
                Clause::AmendRule { id: of, base, text } if of == id => Some((&**base, &**text)),
                _ => None,
            })
            .collect();
        let now = self.with_state(|state| state.rules.get(id).map(|rule| Arc::clone(&rule.text)));
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
        let done = merged.and_then(|text| {
            self.write_rule(id, |rule| rule.text = text.into())
                .map_err(plain)
        });
        if let Err(why) = done {
            self.say(
                NoteKind::Skipped,
                format!("rule amended ({id}){which}: {why}"),
            );
        }
    }

    fn move_rule(
        &self,
        id: &Name,
        section: &Name,
        parent: Option<&Name>,
        after: Option<&Name>,
    ) -> Result<(), String> {
        if parent.is_some_and(|parent| self.with_subrules(id).contains(parent)) {
            return Err("a rule cannot stand under itself".to_owned());
        }
        let line = self.with_subrules(id);
        let after = after.filter(|after| !line.contains(after));
        let first = self.rank_after(section, parent, after);
        for (rank, rule_id) in (first..).zip(&line) {
            let top = rule_id == id;
            self.write_rule(rule_id, |rule| {
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
    fn rank_after(&self, section: &Name, parent: Option<&Name>, after: Option<&Name>) -> i64 {
        let anchor = after.or(parent).filter(|id| self.known(id).is_ok());
        self.with_state(|state| {
            let mut ranks: Vec<i64> = state
                .rules
                .values()
                .filter(|rule| rule.section == *section)
                .map(|rule| rule.rank)
                .collect();
            ranks.sort_unstable();
            let end = ranks.last().copied().unwrap_or(0) + RANK_STEP;
            let Some(anchor) = anchor else { return end };
            let line = self.with_subrules(anchor);
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

    /// Compiles the law as it is now in the working copy, and gives values their new declarations.
    pub fn take_new_law(&self) {
        let new = Arc::new(self.with_state(Law::of));
        for asleep in new.fallen_asleep(&self.law) {
            self.say(NoteKind::Broke, slept_line(asleep));
        }
        let old = self
            .next_law
            .borrow()
            .clone()
            .unwrap_or_else(|| Arc::clone(&self.law));
        *self.next_law.borrow_mut() = Some(Arc::clone(&new));
        self.work.borrow_mut().law_changed = false;
        self.bring_terms(&new);
        migrate::values(self, &old, &new);
    }

    /// Gives the game the words of the theme that a law brings. A word that is there already stays as play left it.
    pub fn bring_terms(&self, law: &Law) {
        for (name, term) in &law.terms {
            if !self.with_state(|state| state.terms.contains_key(name)) {
                self.write(
                    Effect::Term {
                        key: name.clone(),
                        old: None,
                        new: Some(term.clone()),
                    },
                    Way::Set,
                );
            }
        }
    }

    /// Makes one change that is not one of law. What cannot be made is left out and noted.
    fn apply_one(&self, clause: &Clause) {
        let mark = self.mark();
        let done = match clause {
            Clause::Script { code } => {
                let law = self.frame().law;
                self.run_script(&law, &as_function(code), vec![])
                    .map(|_| ())
            }
            Clause::Prose { text } => {
                self.say(NoteKind::Said, format!("for people to do: {text}"));
                Ok(())
            }
            other => self.apply_plain(other).map_err(|stop| match stop {
                Stop::Refused(refusal) => refusal.to_string(),
                Stop::Broken(fault) => fault.text,
                Stop::Asks(question) => question.what,
            }),
        };
        if let Err(why) = done {
            self.go_back(mark);
            self.say(NoteKind::Skipped, format!("{}: {why}", summary(clause)));
        }
    }

    fn apply_plain(&self, clause: &Clause) -> Answer<()> {
        match clause {
            Clause::SetValue { thing, name, value } => {
                self.set_attribute(thing, name.as_str(), convert::datum(value))
            }
            Clause::AddToValue {
                thing,
                name,
                amount,
            } => match self.attribute(thing, name.as_str())? {
                Datum::Int(now) => self.set_attribute(
                    thing,
                    name.as_str(),
                    Datum::Int(now.saturating_add(*amount)),
                ),
                other => Err(Stop::fault(format!(
                    "{name} holds {}, to which nothing can be added",
                    convert::describe(&other)
                ))),
            },
            Clause::CreateThing { kind, values } => {
                let values = values
                    .iter()
                    .map(|(name, value)| (name.clone(), convert::datum(value)))
                    .collect();
                self.create_thing(kind, values).map(|_| ())
            }
            Clause::RemoveThing { thing } => self.remove_thing(thing),
            Clause::SetTerm { name, one, many } => self.set_term(name, one, many),
            Clause::RenamePlayer {
                thing: Thing::Player(id),
                name,
            } => self.rename_person(*id, name),
            Clause::RemovePlayer {
                thing: Thing::Player(id),
                bar,
            } => self.depart_person(*id, *bar),
            Clause::SetPage { name, text } => {
                let old = self.with_state(|state| state.pages.get(name).cloned());
                let new = rows::PageText {
                    text: Sealed::close(text.as_str(), self.salt()),
                    by: self.seq,
                };
                self.write(
                    Effect::Page {
                        key: name.clone(),
                        old,
                        new: Some(new),
                    },
                    Way::Set,
                );
                Ok(())
            }
            Clause::SetStatus { post, status } => self.close_post(*post, status.as_str(), ""),
            Clause::Strike { events, uphold } => self.rule_on(events, uphold),
            _ => Err(Stop::fault(
                "the change names nobody that it could be made to",
            )),
        }
    }

    /// The tracked values of a kind, as records.
    pub fn value_records(&self, of: &Name, section: Option<&str>) -> Vec<Datum> {
        let law = self.frame().law;
        let tracked = law.values_of(of).map(Facts::of_value);
        let derived = law.derived.values();
        let derived = derived.filter(|decl| decl.it.of == *of).map(|decl| Facts {
            site: &decl.site,
            name: &decl.it.name,
            title: &decl.it.title,
            tracked: &decl.it.tracked,
            shown_to: decl.it.shown_to,
            derived: true,
            tags: &decl.it.tags,
        });
        tracked
            .chain(derived)
            .filter(|facts| {
                section.is_none_or(|section| law.place(&facts.site.rule).section == section)
            })
            .map(|facts| facts.record(&law))
            .collect()
    }

    /// The tracked values that a function may read, as records.
    pub fn value_records_read_by(&self, function: &Name) -> Vec<Datum> {
        let law = self.frame().law;
        let Some(read) = law.reads.get(function) else {
            return Vec::new();
        };
        let values = law.values.values();
        values
            .filter(|decl| read.contains(&decl.it.name))
            .map(|decl| Facts::of_value(decl).record(&law))
            .collect()
    }
}

/// What rule code may know of a declared value.
struct Facts<'a> {
    site: &'a Site,
    name: &'a Name,
    title: &'a str,
    tracked: &'a str,
    shown_to: ShownTo,
    derived: bool,
    tags: &'a [Name],
}

impl<'a> Facts<'a> {
    fn of_value(decl: &'a At<ValueDecl>) -> Self {
        Self {
            site: &decl.site,
            name: &decl.it.name,
            title: &decl.it.title,
            tracked: &decl.it.tracked,
            shown_to: decl.it.shown_to,
            derived: false,
            tags: &decl.it.tags,
        }
    }

    fn record(&self, law: &Law) -> Datum {
        let text = |text: &str| Datum::Text(text.into());
        let shown_to = match self.shown_to {
            ShownTo::All => "all",
            ShownTo::Owner => "owner",
            ShownTo::Nobody => "nobody",
        };
        let tags = self.tags.iter().map(|tag| text(tag.as_str())).collect();
        Datum::Record(Arc::new(Record {
            kind: "Value",
            fields: vec![
                ("name", text(self.name.as_str())),
                ("title", text(self.title)),
                ("section", text(law.place(&self.site.rule).section.as_str())),
                ("rule", text(self.site.rule.as_str())),
                ("tracked", text(self.tracked)),
                ("shown_to", text(shown_to)),
                ("derived", Datum::Bool(self.derived)),
                ("tags", Datum::List(tags)),
            ],
        }))
    }
}

/// Statements become the body of a function; a text that defines `run` stays as it is.
fn as_function(code: &str) -> String {
    if code.lines().any(|line| line.starts_with("def run(")) {
        return code.to_owned();
    }
    let body: Vec<String> = code.lines().map(|line| format!("    {line}")).collect();
    format!("def run():\n{}\n    pass\n", body.join("\n"))
}

fn is_of_law(clause: &Clause) -> bool {
    clause.rule().is_some()
}

fn player(thing: &Thing) -> Option<Thing> {
    matches!(thing, Thing::Player(_)).then(|| thing.clone())
}

fn plain(stop: Stop) -> String {
    match stop {
        Stop::Refused(refusal) => refusal.to_string(),
        Stop::Broken(fault) => fault.text,
        Stop::Asks(question) => question.what,
    }
}

/// A change in a few words, for the log.
pub fn summary(clause: &Clause) -> String {
    match clause.rule() {
        Some(rule) => format!("{} ({rule})", clause.kind()),
        None => match clause {
            Clause::SetValue { name, .. } | Clause::AddToValue { name, .. } => {
                format!("{} ({name})", clause.kind())
            }
            Clause::CreateThing { kind, .. } => format!("{} ({kind})", clause.kind()),
            _ => clause.kind().to_owned(),
        },
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

/// Values of a thing that a rule no longer declares, for the archive.
pub fn archived(value: &Value, now: quorate_kernel::Moment) -> rows::Archived {
    rows::Archived {
        value: value.clone(),
        at: now,
    }
}

/// A clause that is not there is most often a number that somebody typed: a refusal, and no fault of the rule's code.
fn no_clause(id: &Name, clause: u32) -> Stop {
    let part = format!("a clause {clause}");
    let refusal = Refusal::plain(format!("{part} in the rule {id}"));
    let rule = id.clone();
    Stop::refused(refusal.about(Topic::Part { part, rule }))
}
