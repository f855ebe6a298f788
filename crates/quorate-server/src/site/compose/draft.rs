//! A post that is being written: what the form holds between two arrivals. `kept.rs` keeps it as a draft.

use quorate_engine::fields::Typed;
use quorate_engine::rulebook::body_of;
use quorate_engine::{fields, offers};
use quorate_forecast::{Proposed, Sleeping, by_rule};
use quorate_kernel::command::{NewPost, typed};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, PostId, Refusal, Topic, Value};
use quorate_law::capital;

use crate::app::posted::Posted;
use crate::requests::drafts::DraftForm;
use crate::site::compose::edit::{Edit, slug, titled};
use crate::site::compose::page::{PickEdit, RuleEdit};
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
    pub(crate) fn empty(view: &GameView, category: Name) -> Self {
        let prefix = view.law().categories.get(&category);
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
    pub(crate) fn read(view: &GameView, category: Name, form: &Posted) -> Self {
        let text = |name: &str| form.one(name).unwrap_or_default().to_owned();
        let decl = view.law().categories.get(&category);
        let own = decl.iter().flat_map(|decl| &decl.it.form).map(|name| {
            let values = form.all(&format!("own-{name}")).to_vec();
            (name.clone(), values)
        });
        let edits = form.all("edit").iter().map(|nth| Edit::read(form, nth));
        let sent = DraftForm::of(form);
        let mut draft = Self {
            form: sent.unwrap_or_else(|| new(&category)),
            is_new: true,
            own: own.collect(),
            edits: edits.collect(),
            title: text("title"),
            body: text("body"),
            flavour: text("flavour"),
            script: text("script"),
            manual: text("manual"),
            picks: pick::read(view, form),
            category,
        };
        draft.take_from_catalogue(view);
        draft
    }

    /// Turns what was picked from the catalogue into a new rule of the form.
    fn take_from_catalogue(&mut self, view: &GameView) {
        let taken = |pick: &mut Pick| pick.taken(view).is_some();
        for pick in self.picks.extract_if(.., taken) {
            let Some((section, text)) = pick.taken(view) else {
                continue;
            };
            let what = format!("new:{section}");
            self.edits.extend(Edit::begun(view, &what, Some(text)));
        }
    }

    /// The form for a post that is there already.
    pub(crate) fn of_post(view: &GameView, id: PostId) -> Option<Self> {
        let post = view.post(id)?;
        let mut draft = Self::empty(view, post.category.clone());
        draft.is_new = false;
        draft.form = DraftForm::Edit(id);
        post.title.as_str().clone_into(&mut draft.title);
        post.body.as_str().clone_into(&mut draft.body);
        post.flavour.as_str().clone_into(&mut draft.flavour);
        let patch = post.patch.as_ref().and_then(Sealed::plain);
        for clause in patch.iter().flat_map(|patch| &patch.clauses) {
            if !draft.take_up(view, clause) {
                draft.picks.push(Pick::carried(view, clause));
            }
        }
        Some(draft)
    }

    /// The form for a new post in a category that begins with what another one says and changes.
    pub(crate) fn after(view: &GameView, category: Name, id: PostId) -> Option<Self> {
        let mut draft = Self::of_post(view, id)?;
        draft.form = new(&category);
        draft.category = category;
        draft.is_new = true;
        Some(draft)
    }

    /// Takes a clause into the part of the form that shows it best; false where it is a change of another kind.
    fn take_up(&mut self, view: &GameView, clause: &Clause) -> bool {
        match clause {
            Clause::AddRule {
                id,
                section,
                parent: None,
                after: None,
                title,
                text,
                tags,
            } if tags.is_empty() && *id == *slug(title) => {
                let (what, text) = (format!("new:{section}"), titled(title, text));
                self.edits.extend(Edit::begun(view, &what, Some(text)));
            }
            Clause::AmendRule { id, base, text } => {
                let title = view.public().rules.get(id).map(|rule| rule.title.clone());
                let title = title.unwrap_or_default();
                self.edits.push(Edit {
                    of: id.to_string(),
                    base: titled(&title, base),
                    text: titled(&title, text),
                    is_repealed: false,
                    open: None,
                });
            }
            Clause::RenameRule { id, title } => {
                self.add(view, id.as_str(), None);
                if let Some(edit) = self.edits.iter_mut().find(|edit| *id == *edit.of) {
                    edit.text = titled(title, &body_of(&edit.text));
                }
            }
            Clause::RepealRule { id } => {
                self.add(view, id.as_str(), None);
                if let Some(edit) = self.edits.iter_mut().find(|edit| *id == *edit.of) {
                    edit.is_repealed = true;
                }
            }
            Clause::Script { code } if self.script.is_empty() => self.script = code.to_string(),
            Clause::Prose { text } if self.manual.is_empty() => self.manual.clone_from(text),
            _ => return false,
        }
        true
    }

    /// What people call the category.
    pub(crate) fn category_title(&self, view: &GameView) -> String {
        let decl = view.law().categories.get(&self.category);
        decl.map_or_else(|| "Plain post".to_owned(), |decl| decl.it.title.clone())
    }

    /// Whether such posts may carry changes: those that are voted on, and those that close a dynasty.
    pub(crate) fn carries_changes(&self, view: &GameView) -> bool {
        view.law().categories.contains_key(&self.category)
    }

    /// Whether the changes are folded away: such posts are not voted on, and this one has none so far.
    pub(crate) fn folds_changes(&self, view: &GameView) -> bool {
        let category = view.law().categories.get(&self.category);
        category.is_some_and(|category| category.it.icons.is_empty())
            && self.edits.is_empty()
            && self.picks.is_empty()
            && self.script.is_empty()
            && self.manual.is_empty()
    }

    /// Takes up an event to be struck.
    pub(crate) fn strike(&mut self, view: &GameView, event: u64) {
        self.picks.push(Pick::striking(view, event));
    }

    /// Takes up one more rule to change, with one of its clauses unfolded, or a new one, or another change.
    pub(crate) fn add(&mut self, view: &GameView, what: &str, clause: Option<u32>) {
        if let Some(pick) = Pick::chosen(view, what) {
            self.picks.push(pick);
            return;
        }
        let is_new = what.starts_with("new:");
        if is_new || !self.edits.iter().any(|edit| edit.of == what) {
            self.edits.extend(Edit::begun(view, what, None));
        }
        if let Some(edit) = self
            .edits
            .iter_mut()
            .find(|edit| edit.of == what && !is_new)
        {
            edit.open = clause.or(edit.open);
        }
    }

    /// Begins one more clause of a rule that is edited.
    fn add_clause(&mut self, which: &str) {
        let edit = which
            .parse()
            .ok()
            .and_then(|at: usize| self.edits.get_mut(at));
        if let Some(edit) = edit {
            edit.add_clause();
        }
    }

    /// Does what a button asked for that changes the form alone; false where it asked for something else.
    pub(crate) fn reshape(&mut self, asked: &str) -> bool {
        if let Some(which) = asked.strip_prefix("drop-") {
            self.remove(which);
        } else if let Some(which) = asked.strip_prefix("clause-") {
            self.add_clause(which);
        } else {
            // The fields follow from what is picked.
            return asked == "again";
        }
        true
    }

    /// Leaves a rule as it is, or drops another change.
    fn remove(&mut self, which: &str) {
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
            unseen.extend(edit.unseen(nth));
        }
        for (nth, pick) in self.picks.iter().enumerate() {
            unseen.extend(pick.unseen(nth));
        }
        unseen
    }

    /// The fields above the changes.
    pub(crate) fn fields(&self, view: &GameView) -> Vec<Field> {
        let mut fields = vec![
            Field::new(
                "title",
                "title",
                "Title",
                FieldKind::Line(self.title.clone()),
            ),
            self.body_field(),
        ];
        fields.extend(self.own_fields(view));
        fields
    }

    fn body_field(&self) -> Field {
        let kind = FieldKind::Prose(self.body.clone());
        Field::new("body", "body", "Text", kind).optional()
    }

    /// The fields below the changes.
    pub(crate) fn more_fields(&self, view: &GameView) -> Vec<Field> {
        let mut fields = Vec::new();
        if self.carries_changes(view) {
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
    pub(crate) fn picks(&self, view: &GameView) -> Vec<PickEdit> {
        let picks = self.picks.iter().enumerate();
        picks.map(|(nth, pick)| pick.edit(view, nth)).collect()
    }

    fn own_fields(&self, view: &GameView) -> Vec<Field> {
        let Some(decl) = view.law().categories.get(&self.category) else {
            return Vec::new();
        };
        let made = decl.it.form.iter().filter_map(|name| {
            let value = view
                .law()
                .values
                .get(&(self.category.clone(), name.clone()))?;
            let ty =
                view.ask(|asked| asked.attribute_type(self.category.as_str(), name.as_str()))?;
            let options = view.ask(|asked| asked.options_of(&decl.site.rule, &ty, &value.it.holds));
            let law_field = offers::Field {
                name: format!("own-{name}").into(),
                title: value.it.title.clone(),
                ty,
                options,
                remarks: Vec::new(),
                default: Some(value.it.default.clone()),
            };
            let mut field = view.field(&law_field, "own");
            let typed = self.own.iter().find(|(known, _)| known == name);
            if let Some((_, values)) = typed {
                field.fill(values);
            }
            Some(field)
        });
        made.collect()
    }

    /// The rules that are changed; with what changes and what the check says of them, once it has run.
    pub(crate) fn edits(&self, view: &GameView, checked: Option<&[Sleeping]>) -> Vec<RuleEdit> {
        let edits = self.edits.iter().enumerate();
        edits
            .map(|(nth, edit)| edit.shown(view, nth, checked))
            .collect()
    }

    /// The other rules whose code would sleep with what this draft changes, each with the first finding.
    pub(crate) fn elsewhere(&self, view: &GameView, checked: &[Sleeping]) -> Vec<String> {
        let own: Vec<Name> = self.edits.iter().map(Edit::id).collect();
        let rules = by_rule(checked).into_iter();
        let others = rules.filter(|(first, _)| !own.contains(&first.rule));
        others
            .map(|(first, _)| format!("{}\n{}", view.rule_title(&first.rule), first.text))
            .collect()
    }

    /// The post as it would stand.
    pub(crate) fn preview(&self, view: &GameView) -> (String, Markup, Vec<Change>) {
        let patch = self.patch(view).unwrap_or_default();
        let changes = view.changes(&patch.clauses);
        (self.title.clone(), view.draft_prose(&self.body, 4), changes)
    }

    /// The post that the form stands for.
    pub(crate) fn post(&self, view: &GameView) -> Result<NewPost, Refusal> {
        let own = self.own.iter();
        let own = own.map(|(name, values)| Ok((name.clone(), self.own_value(view, name, values)?)));
        let new = self.with_fields(own.collect::<Result<_, _>>()?);
        let patch = self.patch(view)?;
        Ok(if patch.is_empty() {
            new
        } else {
            new.with_patch(patch)
        })
    }

    fn with_fields(&self, fields: Vec<(Name, Value)>) -> NewPost {
        NewPost {
            flavour: typed(&self.flavour),
            fields,
            ..NewPost::plain(self.category.clone(), self.title.trim(), &self.body)
        }
    }

    /// What is tried of it: a new post, or an edit of one. A field of its own that does not read yet is left out.
    pub(crate) fn proposed(&self, view: &GameView, patch: Patch, of: Option<PostId>) -> Proposed {
        let read = |(name, values): &(Name, Vec<String>)| {
            Some((name.clone(), self.own_value(view, name, values).ok()?))
        };
        let new = self.with_fields(self.own.iter().filter_map(read).collect());
        let new = Box::new(new.with_patch(patch));
        match of {
            Some(id) => Proposed::Edit(id, new),
            None => Proposed::Draft(new),
        }
    }

    fn own_value(&self, view: &GameView, name: &Name, values: &[String]) -> Result<Value, Refusal> {
        view.ask(|asked| {
            let ty = asked.attribute_type(self.category.as_str(), name.as_str());
            let ty = ty.ok_or_else(|| Refusal::plain(format!("a field called {name}")))?;
            let typed = match values {
                [] => Typed::None,
                [one] => Typed::Text(one.clone()),
                many => Typed::List(many.iter().map(|one| Typed::Text(one.clone())).collect()),
            };
            let decl = view
                .law()
                .values
                .get(&(self.category.clone(), name.clone()));
            let label = decl.map_or(name.as_str(), |decl| decl.it.title.as_str());
            let read = asked.read(&capital(&view.themed(label)), &ty, &typed);
            let datum = read.map_err(|no| no.about(Topic::Argument(name.clone())))?;
            Ok(fields::as_typed(&ty, &datum))
        })
    }

    /// The changes that the form stands for.
    pub(crate) fn patch(&self, view: &GameView) -> Result<Patch, Refusal> {
        let mut clauses = Vec::new();
        for edit in &self.edits {
            clauses.extend(edit.clauses());
        }
        clauses.extend(pick::clauses(view, &self.picks)?);
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
