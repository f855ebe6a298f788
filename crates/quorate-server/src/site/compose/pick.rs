//! Changes of a draft that are neither a rule's text nor code nor prose: each a few fields, to be picked and filled in.

use std::collections::BTreeMap;

use quorate_engine::changes::{self, Change};
use quorate_engine::law::At;
use quorate_kernel::patch::Clause;
use quorate_kernel::rows::CellKey;
use quorate_kernel::{Name, Refusal, Thing};
use quorate_law::capital;
use quorate_law::declare::{Holds, ValueDecl};
use serde_json::{Map, Value as Json, json};

use crate::app::posted::Posted;
use crate::site::compose::catalogue;
use crate::site::compose::choices::{
    all_things, as_data, field, owner, pages, pairs, rules, sections, terms, texts, things,
    type_of, typed_field,
};
use crate::site::compose::doing::Doing::{
    self, AddToValue, CreateThing, Kept, MoveRule, RemovePlayer, RemoveThing, RenamePlayer,
    SetPage, SetStatus, SetTerm, SetValue, Strike, SwitchRule, TakeRule,
};
use crate::site::compose::doing::PREFIX;
use crate::site::compose::page::PickEdit;
use crate::ui::{Choice, Field, FieldKind};
use crate::view::game::GameView;

/// Between a kind and a value's name, in what a form sends.
const DOT: char = '.';

/// How many of the latest events a ruling can pick from.
const EVENTS: u64 = 60;

/// One change, as far as it is filled in.
#[derive(Clone, Debug)]
pub(crate) struct Pick {
    doing: Doing,
    /// What was picked or typed, by the part of the change.
    given: BTreeMap<String, Vec<String>>,
    /// What a ruling can pick from: events by number, the latest first, in words.
    events: Vec<(u64, String)>,
}

/// The changes as they arrived in a form.
pub(crate) fn read(view: &GameView, form: &Posted) -> Vec<Pick> {
    let read = form.all("pick").iter().filter_map(|nth| {
        let word = form.one(&format!("doing-{nth}"))?;
        let doing = Doing::of(word).unwrap_or(Kept);
        let before = format!("p{nth}-");
        let parts = form.given().filter_map(|(name, values)| {
            let part = name.strip_prefix(&before)?;
            Some((part.to_owned(), values.to_vec()))
        });
        Some(Pick::of(view, doing, parts.collect()))
    });
    read.collect()
}

/// The patch that all of them make.
pub(crate) fn clauses(view: &GameView, picks: &[Pick]) -> Result<Vec<Clause>, Refusal> {
    let mut list = Vec::new();
    for pick in picks {
        list.push(pick.change(view)?);
    }
    let patch = view.ask(|asked| asked.patch(&list));
    let patch = patch.map_err(|bad| {
        let said = bad.text;
        Refusal::plain(format!("changes that fit the game: {said}"))
    })?;
    Ok(patch.clauses)
}

impl Pick {
    fn of(view: &GameView, doing: Doing, given: BTreeMap<String, Vec<String>>) -> Self {
        let mut pick = Self {
            doing,
            given,
            events: Vec::new(),
        };
        if doing == Strike {
            let mut named: Vec<u64> = pick.numbers("events");
            named.extend(pick.numbers("uphold"));
            pick.events = view.events_to_pick(EVENTS, &named);
        }
        pick
    }

    /// One that was chosen and is still to be filled in; none where something else was chosen.
    pub(crate) fn chosen(view: &GameView, choice: &str) -> Option<Self> {
        let doing = Doing::of(choice.strip_prefix(PREFIX)?)?;
        Some(Self::of(view, doing, BTreeMap::new()))
    }

    /// A ruling that strikes an event.
    pub(crate) fn striking(view: &GameView, event: u64) -> Self {
        let given = BTreeMap::from([("events".to_owned(), vec![event.to_string()])]);
        Self::of(view, Strike, given)
    }

    /// A clause that a post carries already.
    pub(crate) fn carried(view: &GameView, clause: &Clause) -> Self {
        let written = changes::changes(std::slice::from_ref(clause));
        let (test, change) = match written.into_iter().next() {
            Some(Change::When { test, changes }) => match <[Change; 1]>::try_from(changes) {
                Ok([one]) => (Some(test), Some(one)),
                Err(changes) => (None, Some(Change::When { test, changes })),
            },
            other => (None, other),
        };
        // Changes are plain data, which nothing keeps from being written.
        let data = change.and_then(|change| serde_json::to_value(change).ok());
        let Some(Json::Object(data)) = data else {
            return Self::of(view, Kept, BTreeMap::new());
        };
        let mut pick = Self::from_data(view, &data).unwrap_or_else(|| {
            let text = Json::Object(data.clone()).to_string();
            let given = BTreeMap::from([("data".to_owned(), vec![text])]);
            Self::of(view, Kept, given)
        });
        if let Some(test) = test {
            pick.put("test", test);
        }
        pick
    }

    fn from_data(view: &GameView, data: &Map<String, Json>) -> Option<Self> {
        let doing = Doing::of(data.get("do")?.as_str()?)?;
        let mut given = BTreeMap::new();
        for (part, value) in data {
            if let ("values", Json::Object(values)) = (part.as_str(), value) {
                for (name, value) in values {
                    given.insert(format!("v.{name}"), texts(value)?);
                }
            } else if part != "do" {
                given.insert(part.clone(), texts(value)?);
            }
        }
        if let (Some(thing), Some(name)) = (given.get("thing"), given.get("name")) {
            let thing: Thing = thing.first()?.parse().ok()?;
            let value = format!("{}{DOT}{}", view.kind_of(&thing)?, name.first()?);
            given.insert("what".to_owned(), vec![value]);
        }
        if let Some(on) = given.get_mut("on") {
            let is_on = on.first().is_some_and(|on| on == "true");
            *on = vec![if is_on { "on" } else { "off" }.to_owned()];
        }
        Some(Self::of(view, doing, given))
    }

    /// What was picked from the catalogue: the section that it goes to, and its text.
    pub(crate) fn taken(&self, view: &GameView) -> Option<(String, String)> {
        let text = catalogue::text(view, self.one("rule")).filter(|_| self.doing == TakeRule)?;
        Some((self.one("section").to_owned(), text))
    }

    fn put(&mut self, part: &str, value: String) {
        self.given.insert(part.to_owned(), vec![value]);
    }

    fn all(&self, part: &str) -> &[String] {
        self.given.get(part).map_or(&[], Vec::as_slice)
    }

    fn one(&self, part: &str) -> &str {
        self.all(part).first().map_or("", |text| text.trim())
    }

    fn numbers(&self, part: &str) -> Vec<u64> {
        self.all(part)
            .iter()
            .filter_map(|one| one.parse().ok())
            .collect()
    }

    /// What was picked or typed of a part, or what is missing.
    fn asked(&self, part: &str, missing: &str) -> Result<&str, Refusal> {
        match self.one(part) {
            "" => Err(Refusal::plain(format!(
                "{missing} for “{}”",
                self.doing.title()
            ))),
            given => Ok(given),
        }
    }

    /// The value that is picked: the kind that has it, and where it is declared.
    fn value<'a>(&self, view: &'a GameView) -> Option<(Name, &'a At<ValueDecl>)> {
        let (kind, name) = self.one("what").split_once(DOT)?;
        let kind = Name::from(kind);
        let decl = view.law().values.get(&(kind.clone(), Name::from(name)))?;
        Some((kind, decl))
    }

    /// What goes along unseen.
    pub(crate) fn unseen(&self, nth: usize) -> Vec<(String, String)> {
        let mut unseen = vec![
            ("pick".to_owned(), nth.to_string()),
            (format!("doing-{nth}"), self.doing.word().to_owned()),
        ];
        if self.doing == Kept {
            unseen.push((format!("p{nth}-data"), self.one("data").to_owned()));
        }
        unseen
    }

    /// The change as the form shows it.
    pub(crate) fn edit(&self, view: &GameView, nth: usize) -> PickEdit {
        let mut fields = self.fields(view);
        for field in &mut fields {
            let part = field.name.clone();
            if let Some(values) = self.given.get(&part) {
                field.fill(values);
            }
            field.id = format!("p{nth}-{}", part.replace('.', "-"));
            field.name = format!("p{nth}-{part}");
        }
        let told = match self.doing {
            Kept => clauses(view, std::slice::from_ref(self))
                .map(|clauses| view.changes(&clauses))
                .unwrap_or_default(),
            _ => Vec::new(),
        };
        PickEdit {
            id: nth.to_string(),
            title: self.doing.title().to_owned(),
            is_begun: self.is_begun(view),
            fields,
            told,
        }
    }

    /// Whether all its fields are there: of some the others hang on what is picked first.
    fn is_begun(&self, view: &GameView) -> bool {
        match self.doing {
            SetValue | AddToValue => self.value(view).is_some(),
            CreateThing => !self.one("kind").is_empty(),
            SetStatus => !self.one("post").is_empty(),
            TakeRule => false,
            _ => true,
        }
    }

    fn fields(&self, view: &GameView) -> Vec<Field> {
        let line = |part: &str, label: &str| field(part, label, FieldKind::Line(String::new()));
        let pick = |part: &str, label: &str, choices: Vec<Choice>| {
            field(part, label, FieldKind::One(choices))
        };
        let mut fields = match self.doing {
            SetValue => self.value_fields(view, |_| true, "value"),
            AddToValue => self.value_fields(
                view,
                |decl| matches!(decl.it.holds, Holds::Number { .. }),
                "amount",
            ),
            CreateThing => self.fields_of_new(view),
            RemoveThing => vec![pick("thing", "What leaves the game", all_things(view))],
            SetTerm => vec![
                pick("name", "Which word", terms(view)),
                line("one", "The word for one"),
                line("many", "The word for several"),
            ],
            SetStatus => self.status_fields(view),
            SetPage => vec![
                pick("name", "Which page", pages(view)),
                field(
                    "text",
                    "What it says",
                    FieldKind::Prose(self.page_text(view)),
                ),
            ],
            RenamePlayer => vec![
                pick("player", "Who", things(view, &"Player".into())),
                line("name", "Their new name"),
            ],
            RemovePlayer => vec![
                pick("player", "Who", things(view, &"Player".into())),
                field("bar", "They may not come back", FieldKind::Flag(false)).optional(),
            ],
            SwitchRule => vec![
                pick("id", "Which rule", rules(view)),
                field(
                    "on",
                    "It is then",
                    FieldKind::OneInSight(vec![Choice::new("off", "off"), Choice::new("on", "on")]),
                ),
            ],
            MoveRule => vec![
                pick("id", "Which rule", rules(view)),
                pick("section", "To which section", sections(view)),
            ],
            Strike => self.strike_fields(),
            TakeRule => {
                let mut section = pick("section", "To which section", sections(view));
                let usual = view.public().about.get(&());
                section
                    .fill(&[usual.map_or_else(String::new, |about| about.new_rules.to_string())]);
                vec![
                    pick("rule", "Which rule", catalogue::choices(view)),
                    section,
                ]
            }
            Kept => return Vec::new(),
        };
        fields
            .retain(|field| !matches!(&field.kind, FieldKind::Many(choices) if choices.is_empty()));
        if self.is_begun(view) {
            let test = field("test", "Only if", FieldKind::Line(String::new())).optional();
            fields.push(test.hint(
                "A condition in code, such as len(players()) > 5. Leave it empty for “always”.",
            ));
        }
        fields
    }

    fn value_fields(
        &self,
        view: &GameView,
        wanted: impl Fn(&At<ValueDecl>) -> bool,
        last: &str,
    ) -> Vec<Field> {
        let mut choices: Vec<Choice> = Vec::new();
        for (kind, name) in &view.law().value_order {
            let is_post = view.law().categories.contains_key(kind);
            let decl = view.law().values.get(&(kind.clone(), name.clone()));
            let Some(decl) = decl.filter(|decl| !is_post && !decl.it.tracked.is_empty()) else {
                continue;
            };
            if wanted(decl) {
                let title = view.themed(&decl.it.title);
                choices.push(Choice::new(
                    format!("{kind}{DOT}{name}"),
                    format!("{}: {title}", capital(&owner(view, kind))),
                ));
            }
        }
        let mut fields = vec![field("what", "Which value", FieldKind::One(choices))];
        let Some((kind, decl)) = self.value(view) else {
            return fields;
        };
        if kind != "Game" {
            fields.push(field("thing", "Whose", FieldKind::One(things(view, &kind))));
        }
        let now = self.thing(view).map(|thing| {
            let name = decl.it.name.clone();
            view.shown(&CellKey { thing, name })
        });
        let mut to = if last == "amount" {
            let number = FieldKind::Number {
                value: String::new(),
                min: None,
                max: None,
            };
            field("amount", "How much; less than 0 takes away", number)
        } else {
            typed_field(view, "value", &kind, decl, "What it is then")
        };
        if let Some(now) = now.filter(|now| !now.is_empty()) {
            to = to.hint(format!("Now {now}"));
        }
        fields.push(to);
        fields
    }

    /// Whose value it is.
    fn thing(&self, view: &GameView) -> Option<Thing> {
        let (kind, _) = self.value(view)?;
        if kind == "Game" {
            return Some(Thing::Game);
        }
        let thing: Thing = self.one("thing").parse().ok()?;
        (view.kind_of(&thing)? == kind).then_some(thing)
    }

    fn fields_of_new(&self, view: &GameView) -> Vec<Field> {
        let kinds = view.law().entities.keys();
        let kinds = kinds.map(|kind| Choice::new(kind.as_str(), capital(&view.singular_of(kind))));
        let mut fields = vec![field(
            "kind",
            "What comes in",
            FieldKind::One(kinds.collect()),
        )];
        let kind = Name::from(self.one("kind"));
        for (of, name) in &view.law().value_order {
            let decl = view.law().values.get(&(of.clone(), name.clone()));
            if let Some(decl) = decl.filter(|_| *of == kind) {
                let title = view.themed(&decl.it.title);
                let part = format!("v.{name}");
                fields.push(typed_field(view, &part, &kind, decl, &title).optional());
            }
        }
        fields
    }

    fn status_fields(&self, view: &GameView) -> Vec<Field> {
        let mut posts: Vec<_> = view
            .posts()
            .filter(|(_, post)| view.sees_post(post) && view.is_matter(post))
            .collect();
        posts.sort_by_key(|(id, post)| (!view.is_open(post), std::cmp::Reverse((post.at, **id))));
        let choices = posts.iter().map(|(id, post)| {
            let title = view.themed(post.title.as_str());
            Choice::new(id.to_string(), format!("{title} ({})", post.status))
        });
        let mut fields = vec![field(
            "post",
            "Which post",
            FieldKind::One(choices.collect()),
        )];
        let picked = posts
            .iter()
            .find(|(id, _)| id.to_string() == self.one("post"));
        let category = picked.and_then(|(_, post)| view.law().categories.get(&post.category));
        if let Some(category) = category {
            let statuses = category.it.statuses.iter();
            let statuses = statuses.map(|one| Choice::new(one.as_str(), capital(one.as_str())));
            fields.push(field(
                "status",
                "What it is then",
                FieldKind::One(statuses.collect()),
            ));
        }
        fields
    }

    fn page_text(&self, view: &GameView) -> String {
        let known = view.public().pages.get(&Name::from(self.one("name")));
        known.map_or_else(String::new, |page| page.text.as_str().to_owned())
    }

    fn strike_fields(&self) -> Vec<Field> {
        let events = FieldKind::Many(self.events_as_choices());
        let uphold = FieldKind::Many(self.struck_as_choices());
        vec![
            field("events", "Should not have happened", events).optional(),
            field("uphold", "Should stand after all", uphold).optional(),
        ]
    }

    fn events_as_choices(&self) -> Vec<Choice> {
        let events = self.events.iter();
        events
            .map(|(number, words)| Choice::new(number.to_string(), words.clone()))
            .collect()
    }

    /// Only what is named already: an event that was struck long ago is upheld from its own page.
    fn struck_as_choices(&self) -> Vec<Choice> {
        let named = self.numbers("uphold");
        let all = self.events_as_choices().into_iter();
        all.filter(|choice| named.iter().any(|one| one.to_string() == choice.value))
            .collect()
    }

    /// The change as data.
    fn change(&self, view: &GameView) -> Result<Change, Refusal> {
        let mut data = match self.doing {
            SetValue | AddToValue => self.value_data(view)?,
            CreateThing => {
                let kind = Name::from(self.asked("kind", "a kind of thing")?);
                let values = Json::Object(self.values_of_new(view, &kind));
                pairs([("kind", json!(kind.as_str())), ("values", values)])
            }
            Strike => self.ruling()?,
            TakeRule => return Err(Refusal::plain("a rule picked from the catalogue")),
            Kept => {
                let read = serde_json::from_str(self.one("data"));
                return read.map_err(|_| Refusal::plain("a change that can be read"));
            }
            _ => self.plain_data()?,
        };
        data.insert("do".to_owned(), json!(self.doing.word()));
        let change = serde_json::from_value(Json::Object(data));
        let change = change.map_err(|error| {
            Refusal::plain(format!("“{}” filled in ({error})", self.doing.title()))
        })?;
        Ok(match self.one("test") {
            "" => change,
            test => Change::When {
                test: test.to_owned(),
                changes: vec![change],
            },
        })
    }

    fn value_data(&self, view: &GameView) -> Result<Map<String, Json>, Refusal> {
        let missing = Refusal::plain(format!("a value for “{}”", self.doing.title()));
        let (kind, decl) = self.value(view).ok_or(missing)?;
        let title = view.themed(&decl.it.title);
        let whose = self.thing(view).ok_or_else(|| {
            Refusal::plain(format!("{} whose {title} changes", owner(view, &kind)))
        })?;
        let last = if self.doing == AddToValue {
            let amount: Result<i64, _> = self.asked("amount", "an amount")?.parse();
            let amount = amount.map_err(|_| Refusal::plain("an amount in whole numbers"))?;
            ("amount", json!(amount))
        } else {
            let ty = type_of(view, &kind, decl);
            ("value", as_data(&ty, self.all("value")))
        };
        let name = json!(decl.it.name.as_str());
        Ok(pairs([
            ("thing", json!(whose.to_string())),
            ("name", name),
            last,
        ]))
    }

    fn ruling(&self) -> Result<Map<String, Json>, Refusal> {
        let (events, uphold) = (self.numbers("events"), self.numbers("uphold"));
        if events.is_empty() && uphold.is_empty() {
            return Err(Refusal::plain("an event to rule on"));
        }
        Ok(pairs([
            ("events", json!(events)),
            ("uphold", json!(uphold)),
        ]))
    }

    /// The data of a change whose parts are sent as they were picked or typed.
    fn plain_data(&self) -> Result<Map<String, Json>, Refusal> {
        let parts: &[(&str, &str)] = match self.doing {
            RemoveThing => &[("thing", "a thing")],
            SetTerm => &[
                ("name", "a word of the theme"),
                ("one", "the word for one"),
                ("many", "the word for several"),
            ],
            SetStatus => &[("post", "a post"), ("status", "a status")],
            SetPage => &[("name", "a page")],
            RenamePlayer => &[("player", "a player"), ("name", "a new name")],
            RemovePlayer => &[("player", "a player")],
            SwitchRule => &[("id", "a rule"), ("on", "“on” or “off”")],
            MoveRule => &[("id", "a rule"), ("section", "a section")],
            SetValue | AddToValue | CreateThing | Strike | TakeRule | Kept => &[],
        };
        let mut data = Map::new();
        for (part, missing) in parts {
            data.insert((*part).to_owned(), json!(self.asked(part, missing)?));
        }
        let mut put = |part: &str, value: Json| data.insert(part.to_owned(), value);
        match self.doing {
            SetPage => drop(put("text", json!(self.all("text").first()))),
            RemovePlayer => drop(put("bar", json!(matches!(self.one("bar"), "yes" | "true")))),
            SwitchRule => drop(put("on", json!(self.one("on") == "on"))),
            MoveRule => {
                for part in ["parent", "after"] {
                    if !self.one(part).is_empty() {
                        put(part, json!(self.one(part)));
                    }
                }
            }
            _ => {}
        }
        Ok(data)
    }

    fn values_of_new(&self, view: &GameView, kind: &Name) -> Map<String, Json> {
        let given = self.given.iter().filter_map(|(part, values)| {
            let name = part.strip_prefix("v.")?;
            let decl = view.law().values.get(&(kind.clone(), Name::from(name)))?;
            let is_given = values.iter().any(|value| !value.is_empty());
            is_given.then(|| (name.to_owned(), as_data(&type_of(view, kind, decl), values)))
        });
        given.collect()
    }
}

#[cfg(test)]
mod tests {
    use quorate_law::datum::Type;

    use super::*;
    use crate::site::compose::doing::OFFERED;

    #[test]
    fn every_kind_that_is_offered_is_one_of_the_api() {
        for (doing, word, _) in OFFERED {
            let text = format!("{{ \"do\": \"{word}\" }}");
            let read = serde_json::from_str::<Change>(&text);
            let why = read
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default();
            assert!(!why.contains("unknown variant"), "{why}");
            assert_eq!(Doing::of(word), Some(doing));
        }
    }

    #[test]
    fn what_a_form_sent_becomes_plain_data() {
        let sent = |values: &[&str]| {
            values
                .iter()
                .map(|one| (*one).to_owned())
                .collect::<Vec<_>>()
        };
        let listed = Type::List(Type::Text.into());
        assert_eq!(as_data(&listed, &sent(&["a", "", "b"])), json!(["a", "b"]));
        assert_eq!(as_data(&Type::Bool, &sent(&[])), json!(false));
        assert_eq!(as_data(&Type::Int, &sent(&["12"])), json!("12"));
    }

    #[test]
    fn plain_data_becomes_what_a_form_would_send() {
        assert_eq!(texts(&json!(["a", 2])), Some(vec!["a".into(), "2".into()]));
        assert_eq!(texts(&json!([[1]])), None, "no field holds a list of lists");
    }
}
