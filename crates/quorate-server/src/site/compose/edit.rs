//! A rule that a draft changes, or a new one: its title, and each clause with its words and its code.

use quorate_engine::rulebook::body_of;
use quorate_forecast::Sleeping;
use quorate_kernel::Name;
use quorate_kernel::patch::Clause;
use quorate_law::RuleText;

use crate::app::posted::Posted;
use crate::site::compose::page::{ClauseEdit, RuleEdit};
use crate::site::compose::pieces::{self, RulePiece};
use crate::ui::markup::{self, Terms};
use crate::ui::{Field, FieldKind};
use crate::view::game::GameView;

/// How many letters of a clause say which one it is.
const CLAUSE: usize = 90;

/// A rule of at most so many clauses is shown unfolded.
const FEW: usize = 2;

/// How many findings of a rule are shown: the rest most often follows from the first ones.
const FINDINGS: usize = 3;

/// A rule that is changed, or a new one.
pub(super) struct Edit {
    /// The rule; for a new one the section it goes to, after `new:`.
    pub(super) of: String,
    /// Its text as it was taken up, with its title as a heading.
    pub(super) base: String,
    /// Its text as it is to be.
    pub(super) text: String,
    /// Whether it is to leave the law.
    pub(super) is_repealed: bool,
    /// The clause that is unfolded, where one was asked for.
    pub(super) open: Option<u32>,
}

/// A rule's text under its title.
pub(super) fn titled(title: &str, body: &str) -> String {
    format!("# {title}\n\n{body}")
}

impl Edit {
    /// A rule as it stands, or a new one in a section, which may begin with a text.
    pub(super) fn begun(view: &GameView, what: &str, text: Option<String>) -> Option<Self> {
        let (base, text) = if what.starts_with("new:") {
            (String::new(), text.unwrap_or_else(|| titled("", "1. ")))
        } else {
            let rule = view.public().rules.get(&Name::from(what))?;
            let base = titled(&rule.title, &rule.text);
            (base.clone(), base)
        };
        Some(Self {
            of: what.to_owned(),
            base,
            text,
            is_repealed: false,
            open: None,
        })
    }

    /// One as a form sent it.
    pub(super) fn read(form: &Posted, nth: &str) -> Self {
        let one = |name: &str| form.one(&format!("{name}-{nth}"));
        let base = one("base").unwrap_or_default().to_owned();
        let text = one("text").unwrap_or(&base);
        let pieces = pieces::cut(&body_of(text));
        let body = pieces::joined(
            &pieces,
            |at| one(&format!("piece-{at}")),
            |at| one(&format!("code-{at}")),
        );
        let title = one("title").map_or_else(|| title_of(text), |title| title.trim().to_owned());
        let text = titled(&title, &body);
        Self {
            of: one("of").unwrap_or_default().to_owned(),
            base,
            text,
            is_repealed: one("repeal").is_some_and(|repeal| !repeal.is_empty()),
            open: one("open").and_then(|open| open.parse().ok()),
        }
    }

    /// What goes along unseen.
    pub(super) fn unseen(&self, nth: usize) -> Vec<(String, String)> {
        let mut unseen = vec![
            ("edit".to_owned(), nth.to_string()),
            (format!("of-{nth}"), self.of.clone()),
            (format!("base-{nth}"), self.base.clone()),
            (format!("text-{nth}"), self.text.clone()),
        ];
        if let Some(open) = self.open {
            unseen.push((format!("open-{nth}"), open.to_string()));
        }
        unseen
    }

    /// Begins one more clause at its end.
    pub(super) fn add_clause(&mut self) {
        let (body, number) = pieces::with_a_clause(&body_of(&self.text));
        self.text = titled(&title_of(&self.text), &body);
        self.open = Some(number);
    }

    /// The section of a new rule.
    fn section(&self) -> Option<&str> {
        self.of.strip_prefix("new:")
    }

    /// The code name of the rule that is changed or made.
    pub(super) fn id(&self) -> Name {
        match self.section() {
            Some(_) => slug(&title_of(&self.text)).into(),
            None => self.of.as_str().into(),
        }
    }

    /// The changes that it makes.
    pub(super) fn clauses(&self) -> Vec<Clause> {
        let title = title_of(&self.text);
        let new = pieces::said(&body_of(&self.text));
        if let Some(section) = self.section() {
            return vec![Clause::AddRule {
                id: slug(&title).into(),
                section: section.into(),
                parent: None,
                after: None,
                text: new.into(),
                title,
                tags: Vec::new(),
            }];
        }
        let id = self.id();
        if self.is_repealed {
            return vec![Clause::RepealRule { id }];
        }
        let mut clauses = Vec::new();
        let old = body_of(&self.base);
        if old.trim_end() != new.trim_end() {
            clauses.push(Clause::AmendRule {
                id: id.clone(),
                base: old.into(),
                text: new.into(),
            });
        }
        if title_of(&self.base) != title {
            clauses.push(Clause::RenameRule { id, title });
        }
        clauses
    }

    /// The rule as the form shows it; with what changes and what the check says of it, once it has run.
    pub(super) fn shown(
        &self,
        view: &GameView,
        nth: usize,
        checked: Option<&[Sleeping]>,
    ) -> RuleEdit {
        let place = match self.section() {
            Some(section) => format!("A new rule in {}", view.section_title(&section.into())),
            None => view.rule_title(&self.of.as_str().into()),
        };
        let field = |part: &str, label: &str, kind| {
            let name = format!("{part}-{nth}");
            Field::new(name.clone(), name, label, kind)
        };
        let repeal = FieldKind::Flag(self.is_repealed);
        let repeal = field("repeal", "Repeal this rule", repeal).optional();
        let title = FieldKind::Line(title_of(&self.text));
        let id = self.id();
        let report = checked.map(|all| report(all.iter().filter(|asleep| asleep.rule == id)));
        RuleEdit {
            id: nth.to_string(),
            place,
            title: field("title", "Title of the rule", title),
            clauses: self.clause_edits(view, nth),
            repeal: self.section().is_none().then_some(repeal),
            report,
            changes: checked
                .map(|_| view.changes(&self.clauses()))
                .unwrap_or_default(),
        }
    }

    fn clause_edits(&self, view: &GameView, nth: usize) -> Vec<ClauseEdit> {
        let body = body_of(&self.text);
        let old = pieces::cut(&body_of(&self.base));
        let pieces = pieces::cut(&body);
        let mut edits: Vec<ClauseEdit> = Vec::new();
        let mut begin = 0;
        for group in pieces.chunk_by(|one, next| one.clause == next.clause) {
            let edit = clause_edit(group, begin, nth, view.terms());
            begin += group.len();
            if !edit.fields.is_empty() {
                edits.push(edit);
            }
        }
        let is_short = edits.len() <= FEW;
        for edit in &mut edits {
            let is_new = |piece: &RulePiece| {
                piece.clause == edit.number && !old.iter().any(|old| old.is_like(piece))
            };
            edit.is_open = is_short || self.open == Some(edit.number) || pieces.iter().any(is_new);
        }
        edits
    }
}

/// The fields of one clause, whose pieces begin at a place of the rule's.
fn clause_edit(group: &[RulePiece], begin: usize, nth: usize, terms: &Terms) -> ClauseEdit {
    let number = group[0].clause;
    let called = match number {
        0 => "what stands before the first clause".to_owned(),
        number => format!("clause {number}"),
    };
    let field =
        |name: String, label: String, kind| Field::new(name.clone(), name, label, kind).optional();
    let shown = group.iter().enumerate();
    let shown = shown.filter(|(_, piece)| !piece.shown.is_empty());
    let mut fields: Vec<Field> = shown
        .map(|(at, piece)| {
            let name = format!("piece-{}-{nth}", begin + at);
            let text = piece.shown.clone();
            if piece.is_code {
                field(name, format!("Code of {called}"), FieldKind::Code(text))
            } else {
                field(name, format!("Words of {called}"), FieldKind::Prose(text))
            }
        })
        .collect();
    if !fields.is_empty() && !group.iter().any(|piece| piece.is_code) {
        let name = format!("code-{}-{nth}", begin + group.len() - 1);
        let code = field(
            name,
            format!("Code of {called}"),
            FieldKind::Code(String::new()),
        );
        fields.push(code.hint("Without code, players apply the clause by hand."));
    }
    let words = markup::excerpt(&group[0].shown, terms, CLAUSE);
    ClauseEdit {
        number,
        words,
        is_open: false,
        fields,
    }
}

fn report<'a>(found: impl Iterator<Item = &'a Sleeping>) -> String {
    let found: Vec<&Sleeping> = found.collect();
    let shown = found.iter().take(FINDINGS);
    let mut lines: Vec<String> = shown
        .map(|one| format!("Clause {}: {}", one.clause, one.text))
        .collect();
    if let Some(more) = found.len().checked_sub(FINDINGS).filter(|more| *more > 0) {
        lines.push(format!("… and {more} more"));
    }
    lines.join("\n")
}

fn title_of(text: &str) -> String {
    RuleText::parse(text).title.unwrap_or_default()
}

/// A code name made of a title.
pub(super) fn slug(title: &str) -> String {
    let mut slug = String::new();
    for letter in title.chars().flat_map(char::to_lowercase) {
        if letter.is_ascii_alphanumeric() {
            slug.push(letter);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-').to_owned();
    if slug.is_empty() {
        "unnamed".to_owned()
    } else {
        slug
    }
}
