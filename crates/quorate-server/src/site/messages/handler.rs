//! Private messages: conversations of the same people.

use std::collections::BTreeMap;

use axum::extract::{Path, Query};
use axum::response::Response;
use quorate_kernel::PlayerId;
use quorate_kernel::command::{Act, typed};
use quorate_kernel::ids::MessageId;
use quorate_kernel::rows::{Message, Standing};

use crate::app::error::AppError;
use crate::app::reply;
use crate::requests::forms::{Opened, SentIn, answer_in, drawn, page};
use crate::requests::send;
use crate::site::messages::page::{Letter, Messages, Thread, ThreadLine};
use crate::ui::urls::Href;
use crate::ui::{Choice, Field, FieldKind, Form, Link, Person, urls};
use crate::view::game::GameView;
use crate::view::messages;
use crate::view::messages::{Circle, circle, read_circle, word};
use crate::view::people::Part;
use crate::view::words::written;

/// `GET /g/{game}/messages`.
pub(crate) async fn list(
    Opened(view): Opened,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    drawn(view, move |view| {
        let me = send::player(view)?;
        let to = query.get("to").map(String::as_str).unwrap_or_default();
        let made = Messages {
            chrome: view.chrome("Messages", Part::Messages),
            threads: threads(view, me),
            form: Some(form(view, to)),
        };
        Ok(page(view, &made))
    })
    .await
}

fn threads(view: &GameView, me: PlayerId) -> Vec<ThreadLine> {
    let mut latest: BTreeMap<Circle, &Message> = BTreeMap::new();
    for (_, message) in view.messages() {
        latest.insert(circle(message, me), message);
    }
    let mut threads: Vec<_> = latest.into_iter().collect();
    threads.sort_by_key(|(_, message)| std::cmp::Reverse(message.at));
    let unread = view.unread();
    let lines = threads.into_iter().map(|(circle, message)| {
        let thread = word(&circle);
        let link = urls::Thread {
            game: view.game().as_str(),
            thread: &thread,
        };
        ThreadLine {
            to: Link::new(view.circle_names(&circle), link),
            excerpt: crate::ui::markup::excerpt(written(&message.text), view.terms(), 140),
            when: view.when(message.at),
            unread: unread.get(&circle).copied().unwrap_or_default(),
        }
    });
    lines.collect()
}

fn form(view: &GameView, to: &str) -> Form {
    let people = view
        .public()
        .people
        .iter()
        .filter(|(id, person)| person.standing == Standing::Member && view.me() != Some(**id));
    let choices = people.map(|(id, _)| {
        let value = id.to_string();
        Choice {
            chosen: value == to,
            ..Choice::new(value, view.name(*id))
        }
    });
    let fields = vec![
        Field::new("to", "to", "To", FieldKind::Many(choices.collect())),
        Field::new("text", "text", "Message", FieldKind::Prose(String::new())),
    ];
    let game = view.game().as_str();
    Form {
        fields,
        expected: true,
        ..Form::button(view.send(urls::Messages { game }), "Send")
    }
}

/// `GET /g/{game}/messages/{thread}`.
pub(crate) async fn thread(
    Opened(mut view): Opened,
    Path((_, thread)): Path<(String, String)>,
) -> Response {
    if let Err(error) = now_read(&mut view, &thread).await {
        return answer_in(&view, Err(error));
    }
    drawn(view, move |view| {
        let me = send::player(view)?;
        let circle = read_circle(&thread).ok_or(AppError::NotFound)?;
        let made = Thread {
            chrome: view.chrome("Messages", Part::Messages),
            title: format!("With {}", view.circle_names(&circle)),
            back: Link::new(
                "Messages",
                urls::Messages {
                    game: view.game().as_str(),
                },
            ),
            about: "Only those named here, and the server's own disk, have these.".to_owned(),
            letters: of_circle(view, me, &circle)
                .map(|(id, message)| letter(view, *id, message))
                .collect(),
            form: (!circle.is_empty()).then(|| answer(view, &circle)),
        };
        Ok(page(view, &made))
    })
    .await
}

fn of_circle<'a>(
    view: &'a GameView,
    me: PlayerId,
    circle: &Circle,
) -> impl Iterator<Item = (&'a MessageId, &'a Message)> {
    let mine = view.messages();
    mine.filter(move |(_, message)| messages::circle(message, me) == *circle)
}

/// Notes that the reader is shown a conversation; there is none with nothing in it.
async fn now_read(view: &mut GameView, thread: &str) -> Result<(), AppError> {
    let me = send::player(view)?;
    let circle = read_circle(thread).ok_or(AppError::NotFound)?;
    let newest = of_circle(view, me, &circle).last();
    let up_to = newest.ok_or(AppError::NotFound)?.0.0.event();
    let word = word(&circle);
    if let Some(account) = view.visitor().id()
        && view.read().by_word().get(&word) < Some(&up_to)
    {
        let accounts = &view.app().deps.accounts;
        accounts
            .note_messages_read(account, view.game(), &word, up_to)
            .await?;
        view.note_read(word, up_to);
    }
    Ok(())
}

fn letter(view: &GameView, id: MessageId, message: &Message) -> Letter {
    Letter {
        id: format!("m{id}"),
        by: message
            .from
            .map_or_else(|| Person::named(view.title()), |from| view.person(from)),
        when: view.when(message.at),
        body: view.remark(written(&message.text)),
    }
}

fn answer(view: &GameView, circle: &Circle) -> Form {
    let game = view.game().as_str();
    let mut send = view.send(urls::Messages { game });
    for id in circle {
        send = send.with("to", id.to_string());
    }
    let text = Field::new(
        "text",
        "text",
        "Your answer",
        FieldKind::Prose(String::new()),
    );
    Form {
        fields: vec![text],
        expected: true,
        ..Form::button(send, "Send")
    }
}

/// `POST /g/{game}/messages`.
pub(crate) async fn submit(SentIn { view, form }: SentIn) -> Response {
    let text = form.one("text").unwrap_or_default().to_owned();
    let to: Circle = form
        .all("to")
        .iter()
        .filter_map(|id| id.parse().ok())
        .collect();
    let act = Act::Message {
        to: to.iter().copied().collect(),
        text: typed(&text),
    };
    let game = view.game().as_str();
    match send::send(&view, form.key(), act).await {
        Ok(_) => {
            let thread = word(&to);
            let href: Href = urls::Thread {
                game,
                thread: &thread,
            }
            .into();
            reply::see_with(&href, "Your message is sent.")
        }
        Err(AppError::Refused(refusal)) => {
            let refusal = view.refusal("The message", &refusal);
            let chrome = view.chrome("The rules say no", Part::Messages);
            let way = Link::new("Messages", urls::Messages { game });
            reply::refused(view.app(), view.visitor(), chrome, refusal, Some(text), way)
        }
        Err(error) => answer_in(&view, Err(error)),
    }
}
