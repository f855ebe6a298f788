//! A post that is being written: what the form holds between two arrivals. `kept.rs` keeps it as a draft.

use quorate_engine::fields::Typed;
use quorate_engine::rulebook::body_of;
use quorate_engine::{fields, offers};
use quorate_forecast::{Proposed, Sleeping, by_rule};
use quorate_kernel::command::{NewPost, typed};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, PostId, Refusal, Value};
use quorate_law::{RuleText, capital};

use crate::app::drafts::DraftForm;
use crate::app::posted::Posted;
use crate::site::compose::page::{ClauseEdit, PickEdit};
use crate::site::compose::pick::{self, Pick};
use crate::ui::markup::Markup;
use crate::ui::{Change, Field, FieldKind};
use crate::view::game::GameView;

/// A post that is being written.
pub(crate) struct Draft {
    /// The form that it is kept for until it is posted.
    pub form: DraftForm,
    /// Whether it is to be posted, and no edit of a post.
    pub is_new: bool,
    /// Its category; empty for none.
    pub category: Name,
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
    /// Its flavour text.
    pub flavour: String,
    /// The category's own fields, as typed.
    own: Vec<(Name, Vec<String>)>,
    /// Rules that it changes.
    edits: Vec<Edit>,
    /// Code that runs once at its enactment.
    script: String,
    /// What only people can do.
    manual: String,
    /// Changes of other kinds.
    picks: Vec<Pick>,
}

/// A rule that is changed, or a new one.
struct Edit {
    /// The rule; for a new one the section it goes to, after `new:`.
    of: String,
    /// Its text as it was taken up, with its title as a heading.
    base: String,
    /// Its text as it is to be; empty to repeal it.
    text: String,
}

/// The word of addresses for a post in no category.
pub(super) const PLAIN: &str = "post";

/// The form of a new post that begins with nothing.
fn new(category: &Name) -> DraftForm {
    let word = if category.is_empty() {
        PLAIN
    } else {
        category.as_str()
    };
    DraftForm::New {
        category: word.to_owned(),
        begun: Vec::new(),
    }
}

impl Draft {
    /// An empty form.
    pub(crate) fn empty(look: &GameView, category: Name) -> Self {
        let prefix = look.law().categories.get(&category);
        Self {
            form: new(&category),
            is_new: true,
            title: prefix
                .map(|decl| decl.it.prefix.clone())
                .unwrap_or_default(),
            category,
            body: String::new(),
            flavour: String::new(),
            own: Vec::new(),
            edits: Vec::new(),
            script: String::new(),
            manual: String::new(),
            picks: Vec::new(),
        }
    }

    /// The form as it arrived.
    pub(crate) fn read(look: &GameView, category: Name, form: &Posted) -> Self {
        let text = |name: &str| form.one(name).unwrap_or_default().to_owned();
        let decl = look.law().categories.get(&category);
        let own = decl.iter().flat_map(|decl| &decl.it.form).map(|name| {
            let values = form.all(&format!("own-{name}")).to_vec();
            (name.clone(), values)
        });
        let edits = form.all("edit").iter().map(|nth| Edit {
            of: text(&format!("of-{nth}")),
            base: text(&format!("base-{nth}")),
            // A field that did not arrive at all changes nothing; one that arrived empty repeals.
            text: form
                .one(&format!("text-{nth}"))
                .map_or_else(|| text(&format!("base-{nth}")), str::to_owned),
        });
        let sent = DraftForm::of(form);
        Self {
            form: sent.unwrap_or_else(|| new(&category)),
            is_new: true,
            own: own.collect(),
            edits: edits.collect(),
            title: text("title"),
            body: text("body"),
            flavour: text("flavour"),
            script: text("script"),
            manual: text("manual"),
            picks: pick::read(look, form),
            category,
        }
    }

    /// The form for a post that is there already.
    pub(crate) fn of_post(look: &GameView, id: PostId) -> Option<Self> {
        let post = look.post(id)?;
        let mut draft = Self::empty(look, post.category.clone());
        draft.is_new = false;
        draft.form = DraftForm::Edit(id);
        post.title.as_str().clone_into(&mut draft.title);
        post.body.as_str().clone_into(&mut draft.body);
        post.flavour.as_str().clone_into(&mut draft.flavour);
        let patch = post.patch.as_ref().and_then(Sealed::plain);
        for clause in patch.iter().flat_map(|patch| &patch.clauses) {
            if !draft.take_up(look, clause) {
                draft.picks.push(Pick::carried(look, clause));
            }
        }
        Some(draft)
    }

    /// The form for a new post in a category that begins with what another one says and changes.
    pub(crate) fn after(look: &GameView, category: Name, id: PostId) -> Option<Self> {
        let mut draft = Self::of_post(look, id)?;
        draft.form = new(&category);
        draft.category = category;
        draft.is_new = true;
        Some(draft)
    }

    /// Takes a clause into the part of the form that shows it best; false where it is a change of another kind.
    fn take_up(&mut self, look: &GameView, clause: &Clause) -> bool {
        match clause {
            Clause::AddRule {
                id,
                section,
                parent: None,
                after: None,
                title,
                text,
                tags,
            } if tags.is_empty() && *id == *slug(title) => self.edits.push(Edit {
                of: format!("new:{section}"),
                base: String::new(),
                text: format!("# {title}\n\n{text}"),
            }),
            Clause::AmendRule { id, base, text } => {
                let title = look.public().rules.get(id).map(|rule| rule.title.clone());
                let title = title.unwrap_or_default();
                self.edits.push(Edit {
                    of: id.to_string(),
                    base: format!("# {title}\n\n{base}"),
                    text: format!("# {title}\n\n{text}"),
                });
            }
            Clause::RenameRule { id, title } => {
                if !self.edits.iter().any(|edit| *id == *edit.of) {
                    self.add(look, id.as_str());
                }
                if let Some(edit) = self.edits.iter_mut().find(|edit| *id == *edit.of) {
                    edit.text = format!("# {title}\n\n{}", body_of(&edit.text));
                }
            }
            Clause::RepealRule { id } => self.edits.push(Edit {
                of: id.to_string(),
                base: whole(look, id),
                text: String::new(),
            }),
            Clause::Script { code } if self.script.is_empty() => self.script = code.to_string(),
            Clause::Prose { text } if self.manual.is_empty() => self.manual.clone_from(text),
            _ => return false,
        }
        true
    }

    /// What people call the category.
    pub(crate) fn category_title(&self, look: &GameView) -> String {
        let decl = look.law().categories.get(&self.category);
        decl.map_or_else(|| "Plain post".to_owned(), |decl| decl.it.title.clone())
    }

    /// Whether such posts may carry changes: those that are voted on, and those that close a dynasty.
    pub(crate) fn carries_changes(&self, look: &GameView) -> bool {
        look.law().categories.contains_key(&self.category)
    }

    /// Whether the changes are folded away: such posts are not voted on, and this one has none so far.
    pub(crate) fn folds_changes(&self, look: &GameView) -> bool {
        let category = look.law().categories.get(&self.category);
        category.is_some_and(|category| category.it.icons.is_empty())
            && self.edits.is_empty()
            && self.picks.is_empty()
            && self.script.is_empty()
            && self.manual.is_empty()
    }

    /// Takes up an event to be struck.
    pub(crate) fn strike(&mut self, look: &GameView, event: u64) {
        self.picks.push(Pick::striking(look, event));
    }

    /// Takes up one more rule to change, or a new one.
    pub(crate) fn add(&mut self, look: &GameView, what: &str) {
        if let Some(pick) = Pick::chosen(look, what) {
            self.picks.push(pick);
            return;
        }
        if self
            .edits
            .iter()
            .any(|edit| edit.of == what && !what.starts_with("new:"))
            || what.is_empty()
        {
            return;
        }
        let (base, text) = if what.starts_with("new:") {
            (
                String::new(),
                "# Title of the new rule\n\n1. What it says.\n".to_owned(),
            )
        } else {
            let base = whole(look, &what.into());
            if base.is_empty() {
                return;
            }
            (base.clone(), base)
        };
        self.edits.push(Edit {
            of: what.to_owned(),
            base,
            text,
        });
    }

    /// Leaves a rule as it is, or drops another change.
    pub(crate) fn remove(&mut self, which: &str) {
        if let Some(nth) = which
            .strip_prefix("pick-")
            .and_then(|nth| nth.parse::<usize>().ok())
        {
            if nth < self.picks.len() {
                self.picks.remove(nth);
            }
            return;
        }
        if let Some(at) = which
            .parse::<usize>()
            .ok()
            .filter(|at| *at < self.edits.len())
        {
            self.edits.remove(at);
        }
    }

    /// What goes along unseen: which rules are edited, and from which texts.
    pub(crate) fn unseen(&self) -> Vec<(String, String)> {
        let mut unseen = Vec::new();
        for (nth, edit) in self.edits.iter().enumerate() {
            unseen.push(("edit".to_owned(), nth.to_string()));
            unseen.push((format!("of-{nth}"), edit.of.clone()));
            unseen.push((format!("base-{nth}"), edit.base.clone()));
        }
        for (nth, pick) in self.picks.iter().enumerate() {
            unseen.extend(pick.unseen(nth));
        }
        unseen
    }

    /// The fields above the changes.
    pub(crate) fn fields(&self, look: &GameView) -> Vec<Field> {
        let mut fields = vec![
            Field::new(
                "title",
                "title",
                "Title",
                FieldKind::Line(self.title.clone()),
            ),
            self.body_field(look),
        ];
        fields.extend(self.own_fields(look));
        fields
    }

    fn body_field(&self, look: &GameView) -> Field {
        let kind = FieldKind::Prose(self.body.clone());
        let field = Field::new("body", "body", "Text", kind).optional();
        if !self.carries_changes(look) || self.folds_changes(look) {
            return field;
        }
        field.hint("A fence ```starlark-test in it holds tests, which are run under the ruleset as it would be.")
    }

    /// The fields below the changes.
    pub(crate) fn more_fields(&self, look: &GameView) -> Vec<Field> {
        let mut fields = Vec::new();
        if self.carries_changes(look) {
            let script = Field::new(
                "script",
                "script",
                "Code that runs once, when it is enacted",
                FieldKind::Code(self.script.clone()),
            );
            fields.push(
                script
                    .optional()
                    .hint("For instance: for p in players(): p.gold += 5"),
            );
            let manual = Field::new(
                "manual",
                "manual",
                "What people do by hand when it is enacted",
                FieldKind::Prose(self.manual.clone()),
            );
            fields.push(manual.optional());
        }
        let flavour = Field::new(
            "flavour",
            "flavour",
            "Flavour text",
            FieldKind::Prose(self.flavour.clone()),
        );
        fields.push(
            flavour
                .optional()
                .hint("Shown beside the post. No rule reads it."),
        );
        fields
    }

    /// The changes of other kinds, each with its fields.
    pub(crate) fn picks(&self, look: &GameView) -> Vec<PickEdit> {
        let picks = self.picks.iter().enumerate();
        picks.map(|(nth, pick)| pick.edit(look, nth)).collect()
    }

    fn own_fields(&self, look: &GameView) -> Vec<Field> {
        let Some(decl) = look.law().categories.get(&self.category) else {
            return Vec::new();
        };
        let made = decl.it.form.iter().filter_map(|name| {
            let value = look
                .law()
                .values
                .get(&(self.category.clone(), name.clone()))?;
            let ty =
                look.ask(|asked| asked.attribute_type(self.category.as_str(), name.as_str()))?;
            let options = look.ask(|asked| asked.options_of(&decl.site.rule, &ty, &value.it.holds));
            let law_field = offers::Field {
                name: format!("own-{name}").into(),
                title: value.it.title.clone(),
                ty,
                options,
                remarks: Vec::new(),
                default: Some(value.it.default.clone()),
            };
            let mut field = look.field(&law_field, "own");
            let typed = self.own.iter().find(|(known, _)| known == name);
            if let Some((_, values)) = typed {
                field.fill(values);
            }
            Some(field)
        });
        made.collect()
    }

    /// The rules that are changed, each with its text; with what changes and what the check says of it, once it has run.
    pub(crate) fn edits(&self, look: &GameView, checked: Option<&[Sleeping]>) -> Vec<ClauseEdit> {
        let edits = self.edits.iter().enumerate().map(|(nth, edit)| {
            let place = match edit.of.strip_prefix("new:") {
                Some(section) => format!("A new rule in {}", look.section_title(&section.into())),
                None => look.rule_title(&edit.of.as_str().into()),
            };
            let name = format!("text-{nth}");
            let hint = "The first line is its title; prose and code stand as in the ruleset. Empty it to repeal the rule.";
            let prose = Field::new(name.clone(), name, "Its text", FieldKind::Code(edit.text.clone()));
            let found = checked.map(|all| {
                let id = edit.id();
                let own = all.iter().filter(|asleep| asleep.rule == id);
                let own: Vec<_> = own.map(|asleep| asleep.in_editor.as_str()).collect();
                shortened(&own)
            });
            ClauseEdit {
                id: nth.to_string(),
                place,
                prose: prose.optional().hint(hint),
                report: found,
                changes: if checked.is_some() {
                    look.changes(&edit.clauses())
                } else {
                    Vec::new()
                },
            }
        });
        edits.collect()
    }

    /// The other rules whose code would sleep with what this draft changes, each with the first finding.
    pub(crate) fn elsewhere(&self, look: &GameView, checked: &[Sleeping]) -> Vec<String> {
        let own: Vec<Name> = self.edits.iter().map(Edit::id).collect();
        let rules = by_rule(checked).into_iter();
        let others = rules.filter(|(first, _)| !own.contains(&first.rule));
        others
            .map(|(first, _)| format!("{}\n{}", look.rule_title(&first.rule), first.text))
            .collect()
    }

    /// The post as it would stand.
    pub(crate) fn preview(&self, look: &GameView) -> (String, Markup, Vec<Change>) {
        let patch = self.patch(look).unwrap_or_default();
        let changes = look.changes(&patch.clauses);
        (self.title.clone(), look.draft_prose(&self.body, 4), changes)
    }

    /// The post that the form stands for.
    pub(crate) fn post(&self, look: &GameView) -> Result<NewPost, Refusal> {
        let mut own = Vec::new();
        for (name, values) in &self.own {
            own.push((name.clone(), self.own_value(look, name, values)?));
        }
        let patch = self.patch(look)?;
        Ok(NewPost {
            category: self.category.clone(),
            title: typed(self.title.trim()),
            body: typed(&self.body),
            flavour: typed(&self.flavour),
            fields: own,
            patch: (!patch.is_empty()).then(|| Sealed::close(patch, [0; 16])),
        })
    }

    /// What is tried of it: a new post, or an edit of one. A field of its own that does not read yet is left out.
    pub(crate) fn proposed(&self, look: &GameView, patch: Patch, of: Option<PostId>) -> Proposed {
        let read = |(name, values): &(Name, Vec<String>)| {
            Some((name.clone(), self.own_value(look, name, values).ok()?))
        };
        let new = Box::new(NewPost {
            category: self.category.clone(),
            title: typed(self.title.trim()),
            body: typed(&self.body),
            flavour: typed(&self.flavour),
            fields: self.own.iter().filter_map(read).collect(),
            patch: Some(Sealed::close(patch, [0; 16])),
        });
        match of {
            Some(id) => Proposed::Edit(id, new),
            None => Proposed::Draft(new),
        }
    }

    fn own_value(&self, look: &GameView, name: &Name, values: &[String]) -> Result<Value, Refusal> {
        look.ask(|asked| {
            let ty = asked.attribute_type(self.category.as_str(), name.as_str());
            let ty = ty.ok_or_else(|| Refusal::plain(format!("a field called {name}")))?;
            let typed = match values {
                [] => Typed::None,
                [one] => Typed::Text(one.clone()),
                many => Typed::List(many.iter().map(|one| Typed::Text(one.clone())).collect()),
            };
            let decl = look
                .law()
                .values
                .get(&(self.category.clone(), name.clone()));
            let label = decl.map_or(name.as_str(), |decl| decl.it.title.as_str());
            let datum = asked.read(&capital(&look.themed(label)), &ty, &typed)?;
            Ok(fields::as_typed(&ty, &datum))
        })
    }

    /// The changes that the form stands for.
    pub(crate) fn patch(&self, look: &GameView) -> Result<Patch, Refusal> {
        let mut clauses = Vec::new();
        for edit in &self.edits {
            clauses.extend(edit.clauses());
        }
        clauses.extend(pick::clauses(look, &self.picks)?);
        if !self.script.trim().is_empty() {
            clauses.push(Clause::Script {
                code: self.script.as_str().into(),
            });
        }
        if !self.manual.trim().is_empty() {
            clauses.push(Clause::Prose {
                text: self.manual.clone(),
            });
        }
        Ok(Patch { clauses })
    }
}

impl Edit {
    /// The code name of the rule that is changed or made.
    fn id(&self) -> Name {
        if self.of.starts_with("new:") {
            slug(&RuleText::parse(&self.text).title.unwrap_or_default()).into()
        } else {
            self.of.as_str().into()
        }
    }

    fn clauses(&self) -> Vec<Clause> {
        let title = |text: &str| RuleText::parse(text).title.unwrap_or_default();
        if let Some(section) = self.of.strip_prefix("new:") {
            let title = title(&self.text);
            return vec![Clause::AddRule {
                id: slug(&title).into(),
                section: section.into(),
                parent: None,
                after: None,
                text: body_of(&self.text).into(),
                title,
                tags: Vec::new(),
            }];
        }
        let id = Name::from(self.of.as_str());
        if self.text.trim().is_empty() {
            return vec![Clause::RepealRule { id }];
        }
        let mut clauses = Vec::new();
        let (old, new) = (body_of(&self.base), body_of(&self.text));
        if old.trim_end() != new.trim_end() {
            clauses.push(Clause::AmendRule {
                id: id.clone(),
                base: old.into(),
                text: new.into(),
            });
        }
        if title(&self.base) != title(&self.text) {
            clauses.push(Clause::RenameRule {
                id,
                title: title(&self.text),
            });
        }
        clauses
    }
}

/// How many findings of a rule are shown: the rest most often follows from the first ones.
const FINDINGS: usize = 3;

fn shortened(findings: &[&str]) -> String {
    let mut text = findings
        .iter()
        .take(FINDINGS)
        .copied()
        .collect::<Vec<_>>()
        .join("\n");
    if let Some(more) = findings
        .len()
        .checked_sub(FINDINGS)
        .filter(|more| *more > 0)
    {
        text.push_str(&format!("\n… and {more} more"));
    }
    text
}

/// A rule's text with its title as a heading.
fn whole(look: &GameView, id: &Name) -> String {
    let rule = look.public().rules.get(id);
    rule.map(|rule| format!("# {}\n\n{}", rule.title, rule.text))
        .unwrap_or_default()
}

/// A code name made of a title.
fn slug(title: &str) -> String {
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
