//! Actions of the law as menus and forms, made from what it declares.

use quorate_kernel::Name;
use quorate_law::datum::Type;
use quorate_law::declare::Param;
use quorate_notices::discord::reply::{
    DiscordButton, DiscordField, DiscordForm, DiscordMenu, DiscordMessage, DiscordReply,
    DiscordRow, limits,
};

use crate::site::discord::press::Press;
use crate::site::discord::waiting::lead;
use crate::ui::urls;
use crate::ui::{Choice, Field, FieldKind};
use crate::view::game::GameView;

/// The actions that the reader can take now, as a menu.
pub(super) fn list(view: &GameView) -> DiscordMessage {
    let game = view.game().as_str();
    let offers = view.law_offers();
    let open: Vec<(String, String)> = offers
        .iter()
        .filter(|offer| offer.open.is_ok() && offer.action.as_str().len() <= limits::OPTION)
        .map(|offer| (offer.action.to_string(), view.themed(&offer.title)))
        .collect();
    let page = lead(view, "All on the page", urls::Act { game });
    let page = page.map(|page| DiscordRow::Buttons(vec![page]));
    let begin = Press::Begin {
        game: game.to_owned(),
    };
    let (Some(id), false) = (begin.id(), open.is_empty()) else {
        return DiscordMessage {
            text: format!(
                "{}: there is no action that you can take now.",
                view.title()
            ),
            rows: page.into_iter().collect(),
        };
    };
    let more = open.len().saturating_sub(limits::OPTIONS);
    let text = match more {
        0 => format!("{}: what do you do?", view.title()),
        more => format!(
            "{}: what do you do? {more} more are on the page.",
            view.title()
        ),
    };
    let menu = DiscordRow::Menu(DiscordMenu {
        id,
        prompt: "Pick an action".to_owned(),
        options: open,
        most: 1,
    });
    DiscordMessage {
        text,
        rows: std::iter::once(menu).chain(page).collect(),
    }
}

/// How one action is begun: by a button, a menu or a form where its fields fit into one, and on its page where they do not.
pub(super) fn begin(view: &GameView, action: &str, word: &str) -> DiscordReply {
    let game = view.game().as_str();
    let page = lead(view, "On the page", urls::Act { game });
    let page = page.map(|page| DiscordRow::Buttons(vec![page]));
    let say = |text: String, row: Option<DiscordRow>| {
        DiscordReply::Update(DiscordMessage {
            text,
            rows: row.into_iter().chain(page.clone()).collect(),
        })
    };
    let Some(offer) = view.law_offer(action) else {
        return say("There is no such action any more.".to_owned(), None);
    };
    let offer = view.offer(&offer);
    let fields = match offer.open {
        Ok(form) => form.fields,
        Err(refusal) => return say(refusal.sentence(), None),
    };
    let mut text = offer.title.clone();
    for more in offer.cost.iter().chain([&offer.says, &offer.about]) {
        if !more.is_empty() {
            text.push_str(&format!("\n{more}"));
        }
    }
    let take = Press::Take {
        game: game.to_owned(),
        action: action.to_owned(),
        word: word.to_owned(),
    };
    let Some(id) = take.id() else {
        return say(text, None);
    };
    let all: Vec<&Field> = fields.iter().collect();
    let (needed, left): (Vec<&Field>, Vec<&Field>) =
        fields.iter().partition(|field| !field.optional);
    let (way, left) = match way(&all, &id) {
        Some(way) => (Some(way), Vec::new()),
        None => (way(&needed, &id), left),
    };
    if !left.is_empty() && way.is_some() {
        let left: Vec<&str> = left.iter().map(|field| field.label.as_str()).collect();
        text.push_str(&format!("\nOnly on the page: {}.", left.join(", ")));
    }
    match way {
        Some(Filling::Button) => {
            let button = DiscordButton::Press {
                label: offer.title,
                id,
                is_on: true,
            };
            say(text, Some(DiscordRow::Buttons(vec![button])))
        }
        Some(Filling::Menu(menu)) => say(text, Some(DiscordRow::Menu(menu))),
        Some(Filling::Form(fields)) => DiscordReply::Ask(DiscordForm {
            id,
            title: offer.title,
            fields,
        }),
        None => say(format!("{text}\nIt takes more than fits in here."), None),
    }
}

/// How fields are filled in.
enum Filling {
    /// There is none.
    Button,
    /// One thing is picked.
    Menu(DiscordMenu),
    /// All are typed into.
    Form(Vec<DiscordField>),
}

/// How these fields are filled in, where they fit.
fn way(fields: &[&Field], id: &str) -> Option<Filling> {
    match fields {
        [] => return Some(Filling::Button),
        [one] => {
            if let Some(menu) = menu(one, id) {
                return Some(Filling::Menu(menu));
            }
        }
        _ => {}
    }
    let typed: Option<Vec<DiscordField>> = fields.iter().map(|field| typed(field)).collect();
    let typed = typed.filter(|typed| typed.len() <= limits::FIELDS);
    typed.map(Filling::Form)
}

/// The field of an action that its menu is for: the one that must be given, or the only one.
pub(super) fn picked<'a>(view: &'a GameView, action: &Name) -> Option<&'a Name> {
    let params = &view.law().actions.get(action)?.it.params;
    let is_needed = |param: &&Param| {
        let may_lack = matches!(param.ty, Type::Optional(_) | Type::List(_) | Type::Bool);
        param.default.is_none() && !may_lack
    };
    let found = params.iter().find(is_needed).or(params.first());
    found.map(|param| &param.name)
}

/// A menu for a field that something is picked for, where it is no more than Discord takes.
fn menu(field: &Field, id: &str) -> Option<DiscordMenu> {
    let (choices, most) = match &field.kind {
        FieldKind::One(choices) | FieldKind::OneInSight(choices) => (choices, 1),
        FieldKind::Many(choices) => (choices, choices.len()),
        FieldKind::Number { .. }
        | FieldKind::Line(_)
        | FieldKind::Prose(_)
        | FieldKind::Code(_)
        | FieldKind::Flag(_)
        | FieldKind::Password { .. }
        | FieldKind::Account(_)
        | FieldKind::Mail(_)
        | FieldKind::Moment(_)
        | FieldKind::Picture => return None,
    };
    let fits = |choice: &Choice| (1..=limits::OPTION).contains(&choice.value.chars().count());
    let is_small = (1..=limits::OPTIONS).contains(&choices.len());
    (is_small && choices.iter().all(fits)).then(|| DiscordMenu {
        id: id.to_owned(),
        prompt: field.label.clone(),
        options: choices
            .iter()
            .map(|choice| (choice.value.clone(), choice.title.clone()))
            .collect(),
        most,
    })
}

/// A field that is typed into.
fn typed(field: &Field) -> Option<DiscordField> {
    let (is_long, value) = match &field.kind {
        FieldKind::Line(value) | FieldKind::Moment(value) | FieldKind::Number { value, .. } => {
            (false, value)
        }
        FieldKind::Prose(value) => (true, value),
        FieldKind::One(_)
        | FieldKind::OneInSight(_)
        | FieldKind::Many(_)
        | FieldKind::Code(_)
        | FieldKind::Flag(_)
        | FieldKind::Password { .. }
        | FieldKind::Account(_)
        | FieldKind::Mail(_)
        | FieldKind::Picture => return None,
    };
    (field.name.len() <= limits::ID).then(|| DiscordField {
        id: field.name.clone(),
        label: field.label.clone(),
        is_long,
        is_needed: !field.optional,
        value: value.clone(),
    })
}
