//! What the reader may do, as forms made from the law's own declarations.

use quorate_engine::law::At;
use quorate_engine::offers::{Field as LawField, Offer as LawOffer, Quota};
use quorate_engine::{convert, offers, pictures};
use quorate_kernel::rows::Post;
use quorate_kernel::{Name, PlayerId, PostId, Refusal, Thing, Topic};
use quorate_law::capital;
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::{ActionDecl, Param};
use quorate_law::stop::Site;

use crate::ui;
use crate::ui::urls::Href;
use crate::ui::{Choice, Field, FieldKind, Form, Offer, Send, urls};
use crate::view::game::GameView;

/// Whether somebody picks rules in a form: what becomes of the others with that is hard to foresee.
fn takes_rules(offer: &LawOffer) -> bool {
    offer.fields.iter().any(|field| match &field.ty {
        Type::List(item) => matches!(&**item, Type::Kind(kind) if *kind == "Rule"),
        _ => false,
    })
}

/// Parameters of these names are for more than a line, where the law gives them no default.
pub const PROSE: [&str; 3] = ["text", "words", "body"];

/// The unseen field with the title of the action that a form is for: its rule may be gone when the form arrives. No
/// parameter can have this name.
pub const CALLED: &str = "is-called";

/// Up to how many options stand in sight as buttons of their own.
const IN_SIGHT: usize = 5;

/// How many values tell things of one name apart.
const HOLDINGS: usize = 3;

/// A default of more letters than this is more than a line.
const LINE: usize = 60;

/// How many letters of a clause stand in sight.
const ABOUT: usize = 220;

impl GameView {
    /// Every action as it is for the reader, in law order; none for strangers.
    pub fn law_offers(&self) -> Vec<LawOffer> {
        match self.me {
            Some(me) => self.trial_run(|tx| offers::offers(tx, me)),
            None => Vec::new(),
        }
    }

    /// One action as it is for the reader.
    pub fn law_offer(&self, action: &str) -> Option<LawOffer> {
        let decl = self.law.actions.get(action)?;
        let me = self.me?;
        Some(self.trial_run(|tx| offers::offer(tx, me, decl)))
    }

    /// The offer as pages show it.
    pub fn offer(&self, offer: &LawOffer) -> Offer {
        let game = self.game.as_str();
        let action = offer.action.as_str();
        let send = self
            .send(urls::Action { game, action })
            .with(CALLED, self.themed(&offer.title));
        let open = match &offer.open {
            Ok(()) => Ok(Form {
                fields: self.fields(offer, action),
                shows_present: self
                    .law
                    .actions
                    .get(&offer.action)
                    .is_some_and(|decl| self.shows_present(&decl.it)),
                trial: takes_rules(offer).then(|| urls::ActionTrial { game, action }.into()),
                ..Form::button(send, self.themed(&offer.title))
            }),
            Err(refusal) => Err(self.closed(offer, refusal)),
        };
        let (about, rest) = self.clause_in_two(&offer.site);
        Offer {
            action: action.to_owned(),
            title: self.themed(&offer.title),
            cost: self.limits(offer),
            says: self.themed(&offer.says),
            about,
            rest,
            cite: self.cite_site(&offer.site),
            open,
        }
    }

    /// Why an offer is closed; of what nobody could pick now it says just that.
    fn closed(&self, offer: &LawOffer, refusal: &Refusal) -> ui::Refusal {
        let mut shown = self.refusal(&offer.title, refusal);
        let topic = refusal.needs.first().map(|need| &need.topic);
        let Some(Topic::NothingToPick {
            argument,
            is_telling,
        }) = topic
        else {
            return shown;
        };
        if let Some(field) = offer.fields.iter().find(|field| field.name == *argument) {
            let is_person = matches!(&field.ty, Type::Kind(kind) if *kind == "Player");
            let nobody = if is_person { "nobody" } else { "nothing" };
            let title = self.themed(&field.title);
            // A field such as "To" is no name for what is picked.
            let what = if *is_telling {
                format!("no {}", capital(&title))
            } else {
                nobody.to_owned()
            };
            shown.needs.clear();
            shown.because = Some(format!("there’s {what} to choose right now"));
        }
        shown
    }

    /// The fields of an action's form; `prefix` keeps their ids apart from those of other forms on the page.
    pub fn fields(&self, offer: &LawOffer, prefix: &str) -> Vec<Field> {
        offer
            .fields
            .iter()
            .map(|field| self.field(field, prefix))
            .collect()
    }

    /// One field.
    pub fn field(&self, field: &LawField, prefix: &str) -> Field {
        let id = format!("{prefix}-{}", field.name);
        let label = capital(&self.themed(&field.title));
        let mut kind = kind_of(field);
        self.tell_apart(field, &mut kind);
        let mut made = Field::new(id, field.name.as_str(), label, kind);
        made.optional = field.default.is_some()
            || matches!(field.ty, Type::Optional(_) | Type::List(_) | Type::Bool);
        if let Some(default) = &field.default
            && *default != Datum::None
            && !matches!(default, Datum::Bool(_))
            && *default != Datum::Text("".into())
            && !matches!(default, Datum::List(items) if items.is_empty())
            && !made.is_filled()
        {
            made = made.hint(format!(
                "If you leave this empty: {}",
                convert::describe(default)
            ));
        }
        if matches!(&field.ty, Type::List(_)) && matches!(made.kind, FieldKind::Prose(_)) {
            made = made.hint("One on each line.");
        }
        if made.kind == FieldKind::Picture {
            made.optional = true;
            made = made.hint(format!(
                "PNG, JPEG, GIF or WebP, at most {0} by {0} pixels and {1} kB. Without one, the site draws one for you.",
                pictures::SIDE_MAX,
                pictures::FILE_MAX / 1024
            ));
        }
        made
    }

    /// Things of one name to be picked from get what they hold beside it: "kettle (Hit points 4)". Behind that stands what
    /// the law says of each.
    fn tell_apart(&self, field: &LawField, kind: &mut FieldKind) {
        let (FieldKind::One(choices) | FieldKind::OneInSight(choices) | FieldKind::Many(choices)) =
            kind
        else {
            return;
        };
        self.tell_alike_apart(field, choices);
        for (choice, remark) in choices.iter_mut().zip(&field.remarks) {
            if !remark.is_empty() {
                choice.title = format!("{}: {}", choice.title, self.themed(remark));
            }
        }
    }

    fn tell_alike_apart(&self, field: &LawField, choices: &mut [Choice]) {
        let titles: Vec<String> = choices.iter().map(|choice| choice.title.clone()).collect();
        let is_alike = |title: &String| titles.iter().filter(|other| *other == title).count() > 1;
        if !titles.iter().any(is_alike) {
            return;
        }
        let options = field.options.iter().flatten();
        for ((datum, label), choice) in options.zip(choices) {
            if let Datum::Thing(thing) = datum
                && is_alike(label)
            {
                let held = self.holdings(thing, label);
                if !held.is_empty() {
                    choice.title = format!("{label} ({held})");
                }
            }
        }
    }

    /// The first tracked values of a thing that say something, in a few words.
    fn holdings(&self, thing: &Thing, name: &str) -> String {
        let Some(kind) = self.kind_of(thing) else {
            return String::new();
        };
        let values = self.tracked_of(&kind);
        self.trial_run(|tx| {
            let told = values.iter().filter_map(|value| {
                let held = self.held(tx, thing, value);
                let says = !held.text.is_empty() && held.text != "no" && held.text != name;
                says.then(|| format!("{} {}", self.themed(&value.title()), held.text))
            });
            told.take(HOLDINGS).collect::<Vec<_>>().join(", ")
        })
    }

    /// The section that a rule stands in.
    pub fn section_of(&self, rule: &Name) -> Option<&str> {
        let rule = self.state().rules.get(rule)?;
        Some(rule.section.as_str())
    }

    /// The clause that something is declared in: its first words, and the rest.
    pub fn clause_in_two(&self, site: &Site) -> (String, String) {
        crate::ui::markup::in_two(&self.clause(&site.rule, site.clause), &self.terms, ABOUT)
    }

    /// A clause without the notes under it, which are for whoever reads the rule itself.
    fn clause(&self, rule: &Name, clause: u32) -> String {
        let text = self
            .trial_run(|tx| tx.prose_of(rule, clause))
            .unwrap_or_default();
        text.split("> Note").next().unwrap_or_default().to_owned()
    }

    /// The actions that the reader may take on a post at this moment: those whose first parameter takes such a post and
    /// that the law does not refuse for it.
    pub fn post_offers(&self, id: PostId) -> Vec<Offer> {
        let (Some(me), Some(post)) = (self.me, self.state().posts.get(&id)) else {
            return Vec::new();
        };
        let of_post = |ty: &Type| {
            let inner = if let Type::Optional(inner) = ty {
                inner
            } else {
                ty
            };
            matches!(inner, Type::Kind(kind) if *kind == "Post" || *kind == post.category)
        };
        let (game, word) = (self.game.as_str(), id.to_string());
        let back: Href = urls::Post { game, post: &word }.into();
        let thing = Datum::Thing(Thing::Post(id));
        let mut found = Vec::new();
        for name in &self.law.action_order {
            let Some(decl) = self.law.actions.get(name) else {
                continue;
            };
            let Some(first) = decl.it.params.first().filter(|param| of_post(&param.ty)) else {
                continue;
            };
            let offer = self.trial_run(|tx| offers::offer_about(tx, me, decl, &thing));
            let given = (first.name.as_str(), Thing::Post(id));
            found.extend(offer.map(|offer| self.offer_with(&offer, given, &back)));
        }
        found
    }

    /// What keeps those who may close a matter from closing it now: for each action of theirs on it that the law refuses,
    /// its title and the refusal. Asked of somebody who may, so that everybody sees it.
    pub fn obstacles(&self, id: PostId) -> Vec<(String, Refusal)> {
        let (Some(post), (active, _)) = (self.state().posts.get(&id), self.roster()) else {
            return Vec::new();
        };
        let Some(admin) = active
            .into_iter()
            .find(|player| self.has_flag(*player, "admin"))
        else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for name in &self.law.action_order {
            let Some(decl) = self.law.actions.get(name) else {
                continue;
            };
            let Some(first) = decl.it.params.first() else {
                continue;
            };
            let closes = self.takes(decl, admin, first, post, id)
                && decl.it.by.is_some()
                && decl
                    .it
                    .params
                    .iter()
                    .skip(1)
                    .all(|param| param.default.is_some());
            if !closes {
                continue;
            }
            let matter = vec![(first.name.clone(), Datum::Thing(Thing::Post(id)))];
            if let Err(refusal) = self.trial_run(|tx| offers::tried(tx, admin, decl, matter)) {
                found.push((self.themed(&decl.it.title), refusal));
            }
        }
        found
    }

    /// Whether an action's first parameter takes a post: such as are in its category, or that can be picked.
    fn takes(
        &self,
        decl: &At<ActionDecl>,
        admin: PlayerId,
        first: &Param,
        post: &Post,
        id: PostId,
    ) -> bool {
        match &first.ty {
            Type::Kind(kind) if *kind == post.category => true,
            Type::Kind(kind) if *kind == "Post" && decl.it.by.is_some() => {
                let offer = self.trial_run(|tx| offers::offer(tx, admin, decl));
                let options = offer
                    .fields
                    .first()
                    .and_then(|field| field.options.as_ref());
                let this = Datum::Thing(Thing::Post(id));
                options.is_some_and(|options| options.iter().any(|(option, _)| *option == this))
            }
            _ => false,
        }
    }

    /// How often an action may be taken, and how often it was.
    fn limits(&self, offer: &LawOffer) -> Option<String> {
        let words: Vec<String> = offer.quotas.iter().map(Quota::words).collect();
        (!words.is_empty()).then(|| self.themed(&words.join("; ")))
    }

    /// An action about one thing, which its form gives along; it comes back to a page.
    pub fn offer_with(&self, offer: &LawOffer, given: (&str, Thing), back: &Href) -> Offer {
        let (game, action) = (self.game.as_str(), offer.action.as_str());
        let (param, thing) = given;
        let send: Send = self
            .send(urls::Action { game, action })
            .with(param, thing.to_string())
            .with("back", back.as_str())
            .with(CALLED, self.themed(&offer.title));
        let title = self.themed(&offer.title);
        let (about, rest) = self.clause_in_two(&offer.site);
        Offer {
            open: Ok(Form {
                fields: self.fields(offer, &format!("{action}-{thing}").replace(':', "-")),
                ..Form::button(send, title.clone())
            }),
            action: action.to_owned(),
            title,
            cost: self.limits(offer),
            says: self.themed(&offer.says),
            about,
            rest,
            cite: self.cite_site(&offer.site),
        }
    }
}

fn kind_of(field: &LawField) -> FieldKind {
    let (ty, optional) = match &field.ty {
        Type::Optional(inner) => (&**inner, true),
        ty => (ty, false),
    };
    let choices = field.options.as_ref().map(|options| {
        options
            .iter()
            .map(|(datum, label)| Choice {
                chosen: field.default.as_ref() == Some(datum),
                ..Choice::new(sent(datum, label), label.clone())
            })
            .collect::<Vec<_>>()
    });
    match (ty, choices) {
        (Type::List(_), Some(choices)) => FieldKind::Many(choices),
        (_, Some(choices)) if choices.len() <= IN_SIGHT && !optional && field.default.is_none() => {
            FieldKind::OneInSight(choices)
        }
        (_, Some(choices)) => FieldKind::One(choices),
        (Type::Int, None) => FieldKind::Number {
            value: match &field.default {
                Some(Datum::Int(n)) => n.to_string(),
                _ => String::new(),
            },
            min: None,
            max: None,
        },
        (Type::List(item), None) if **item == Type::Text => FieldKind::Prose(String::new()),
        (Type::Bool, None) => FieldKind::Flag(field.default == Some(Datum::Bool(true))),
        (Type::Moment, None) => FieldKind::Moment(String::new()),
        (Type::Picture, None) => FieldKind::Picture,
        (Type::Text, None) if field.default.is_none() && PROSE.contains(&field.name.as_str()) => {
            FieldKind::Prose(String::new())
        }
        (Type::Text, None) => match &field.default {
            Some(Datum::Text(text)) if text.len() > LINE => FieldKind::Prose(text.to_string()),
            Some(Datum::Text(text)) => FieldKind::Line(text.to_string()),
            _ => FieldKind::Line(String::new()),
        },
        _ => FieldKind::Line(String::new()),
    }
}

/// What a form sends for an option; it is read back by [`quorate_engine::fields`].
pub fn sent(datum: &Datum, label: &str) -> String {
    match datum {
        Datum::Thing(thing) => thing.to_string(),
        Datum::Int(n) => n.to_string(),
        Datum::Text(text) => text.to_string(),
        Datum::None => String::new(),
        _ => label.to_owned(),
    }
}
