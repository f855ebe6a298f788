//! What waits for somebody, as a message with buttons to vote and menus to answer.

use quorate_kernel::Value;
use quorate_notices::discord::reply::{
    DiscordButton, DiscordField, DiscordForm, DiscordMenu, DiscordMessage, DiscordRow, limits,
};

use crate::site::discord::press::Press;
use crate::ui::urls::{self, Href};
use crate::view::game::GameView;
use crate::view::needs;

/// How many lines are told.
const LINES: usize = 12;

/// A question that waits for the reader.
pub(super) struct Waits {
    /// As its answer names it.
    pub(super) question: String,
    /// What is asked.
    pub(super) what: String,
    /// What can be answered, each with what is sent; empty where words are typed.
    pub(super) answers: Vec<(String, String)>,
}

/// A button that leads to a page of the site; none where nobody knows where the site is reached.
pub(super) fn lead(view: &GameView, label: &str, to: impl Into<Href>) -> Option<DiscordButton> {
    let base = view.app().deps.config.address.as_deref()?;
    let to: Href = to.into();
    Some(DiscordButton::Lead {
        label: label.to_owned(),
        address: format!("{base}{}", to.as_str()),
    })
}

/// What waits for the reader, under a line that tells what was just done.
pub(super) fn message(view: &GameView, done: &str) -> DiscordMessage {
    let lines = needs::needs(view).lines;
    let mut text = match done {
        "" => format!("{}\n", view.title()),
        done => format!("{done}\n\n{}\n", view.title()),
    };
    if lines.is_empty() {
        text.push_str("Nothing waits for you.");
    }
    for line in lines.iter().take(LINES) {
        let due = line.due.as_ref().map(|due| format!(", {}", due.full()));
        let after = match line.after.as_str() {
            "" => String::new(),
            after => format!(" {after}"),
        };
        let due = due.unwrap_or_default();
        text.push_str(&format!("• {}{after}: {}{due}\n", line.title, line.note));
    }
    if let Some(more) = lines.len().checked_sub(LINES + 1) {
        text.push_str(&format!("and {} more on the page\n", more + 1));
    }
    let game = view.game().as_str();
    let page = lead(view, "The game", urls::Game { game });
    let mut rows: Vec<DiscordRow> = questions(view)
        .iter()
        .filter_map(|waits| question_row(view, waits))
        .collect();
    rows.extend(vote_rows(view));
    rows.truncate(limits::ROWS - usize::from(page.is_some()));
    rows.extend(page.map(|page| DiscordRow::Buttons(vec![page])));
    DiscordMessage { text, rows }
}

/// A row of sides for each matter that waits for the reader's vote.
fn vote_rows(view: &GameView) -> Vec<DiscordRow> {
    let game = view.game().as_str();
    let rows = view.unvoted(None).into_iter().take(limits::ROWS);
    let rows = rows.filter_map(|id| {
        let vote = view.quick_vote(id, None)?;
        let post = id.to_string();
        let sides = vote.sides.iter().filter_map(|(side, is_mine)| {
            let press = Press::Vote {
                game: game.to_owned(),
                post: post.clone(),
                icon: side.name.clone(),
            };
            Some(DiscordButton::Press {
                label: format!("{}: {}", side.name.to_uppercase(), vote.title),
                id: press.id()?,
                is_on: *is_mine,
            })
        });
        let mut buttons: Vec<_> = sides.take(limits::BUTTONS - 1).collect();
        let read = lead(view, "Read it", urls::Post { game, post: &post });
        buttons.extend(read);
        (!buttons.is_empty()).then_some(DiscordRow::Buttons(buttons))
    });
    rows.collect()
}

/// What the reader is asked, by actions of theirs and by others.
pub(super) fn questions(view: &GameView) -> Vec<Waits> {
    let numbered = |options: &[Value]| -> Vec<(String, String)> {
        let all = options.iter().enumerate();
        let all = all.map(|(nth, value)| (nth.to_string(), view.label(value.open())));
        all.collect()
    };
    let open = view.my_open().map(|(key, open)| {
        let mut answers = numbered(&open.question.options);
        if open.question.may_decline {
            answers.push(("none".to_owned(), "Nothing".to_owned()));
        }
        Waits {
            question: format!("open:{}", key.action),
            what: view.themed(&open.question.what),
            answers,
        }
    });
    let duties = view.my_duties().map(|(id, duty)| Waits {
        question: format!("duty:{id}"),
        what: view.duty_title(duty),
        answers: numbered(&duty.options),
    });
    open.chain(duties).collect()
}

/// How a question is answered: by a menu, by a form, or on the page.
fn question_row(view: &GameView, waits: &Waits) -> Option<DiscordRow> {
    let game = view.game().as_str();
    let (game_word, question) = (game.to_owned(), waits.question.clone());
    if waits.answers.is_empty() {
        let press = Press::Ask {
            game: game_word,
            question,
        };
        return Some(DiscordRow::Buttons(vec![DiscordButton::Press {
            label: waits.what.clone(),
            id: press.id()?,
            is_on: false,
        }]));
    }
    let press = Press::Answer {
        game: game_word,
        question,
    };
    match press.id() {
        Some(id) if waits.answers.len() <= limits::OPTIONS => Some(DiscordRow::Menu(DiscordMenu {
            id,
            prompt: waits.what.clone(),
            options: waits.answers.clone(),
            most: 1,
        })),
        _ => {
            let page = lead(view, &waits.what, urls::Act { game })?;
            Some(DiscordRow::Buttons(vec![page]))
        }
    }
}

/// A form for the answer to a question that takes words.
pub(super) fn answer_form(view: &GameView, question: &str) -> Option<DiscordForm> {
    let waits = questions(view);
    let waits = waits.iter().find(|waits| waits.question == question)?;
    let press = Press::Answer {
        game: view.game().to_string(),
        question: question.to_owned(),
    };
    Some(DiscordForm {
        id: press.id()?,
        title: waits.what.clone(),
        fields: vec![DiscordField {
            id: ANSWER.to_owned(),
            label: "Your answer".to_owned(),
            is_long: true,
            is_needed: true,
            value: String::new(),
        }],
    })
}

/// The field of that form.
pub(super) const ANSWER: &str = "answer";
