//! Telling the operator of a post or a person.

use std::collections::BTreeMap;

use axum::extract::Query;
use axum::response::Response;
use quorate_kernel::{PlayerId, PostId};
use quorate_runtime::ports::Report;

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::requests::forms::{Opened, SentIn, answer_in, drawn, page};
use crate::requests::send;
use crate::ui::urls::Href;
use crate::ui::{Field, FieldKind, Form, FormPage, urls};
use crate::view::game::GameView;
use crate::view::people::Part;

/// The longest reason, in bytes.
const WHY_BYTES: usize = 2_000;

/// What a report is about, as the reader may see it.
enum Reported {
    Post(PostId),
    Player(PlayerId),
}

impl Reported {
    /// What a word names: `post:12`, `player:3`.
    fn of(look: &GameView, word: &str) -> Result<Self, AppError> {
        let named = match word.split_once(':') {
            Some(("post", id)) => id
                .parse()
                .ok()
                .filter(|id| look.post(*id).is_some())
                .map(Self::Post),
            Some(("player", id)) => id.parse().ok().map(Self::Player),
            _ => None,
        };
        named.ok_or(AppError::NotFound)
    }

    fn title(&self, look: &GameView) -> String {
        match self {
            Self::Post(id) => {
                let title = look.post(*id).map(|post| look.themed(post.title.as_str()));
                format!("the post \u{201c}{}\u{201d}", title.unwrap_or_default())
            }
            Self::Player(id) => look.name(*id),
        }
    }
}

/// `GET /g/{game}/report`.
pub(crate) async fn show(
    Opened(look): Opened,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    drawn(look, move |look| {
        look.visitor().account.as_ref().ok_or(AppError::SignIn)?;
        let about = query.get("about").map(String::as_str).unwrap_or_default();
        let reported = Reported::of(look, about)?;
        Ok(page(look, &form(look, &reported, about)))
    })
    .await
}

fn form(look: &GameView, reported: &Reported, about: &str) -> FormPage {
    let game = look.game().as_str();
    let why = Field::new(
        "report-why",
        "why",
        "What is wrong",
        FieldKind::Prose(String::new()),
    );
    FormPage {
        chrome: look.chrome("Report", Part::Elsewhere),
        title: "Tell the operator".to_owned(),
        about: format!(
            "About {}. The operators of this server read it; nobody in the game does. Settle what the game\u{2019}s rules can settle \
             in the game: by a call for judgement, a claim or a dispute.",
            reported.title(look)
        ),
        error: None,
        form: Some(Form {
            fields: vec![why],
            expected: true,
            ..Form::button(
                look.send(urls::Report { game }).with("about", about),
                "Send",
            )
        }),
        ways: Vec::new(),
    }
}

/// `POST /g/{game}/report`.
pub(crate) async fn take(SentIn { look, form }: SentIn) -> Response {
    let result = told(&look, &form).await;
    answer_in(&look, result)
}

async fn told(look: &GameView, form: &Posted) -> Result<Response, AppError> {
    let by = look.visitor().id().ok_or(AppError::SignIn)?;
    let about = form.one("about").unwrap_or_default();
    Reported::of(look, about)?;
    let why = form.filled("why").filter(|why| why.len() <= WHY_BYTES);
    let why = why.ok_or_else(|| {
        AppError::Form(format!("Say what is wrong, in at most {WHY_BYTES} bytes."))
    })?;
    let site = look.app();
    send::count_write(site, look.visitor()).await?;
    let report = Report {
        at: site.now(),
        by: Some(by),
        game: look.game().clone(),
        about: about.to_owned(),
        why: why.to_owned(),
    };
    site.parts.moderation.report(&report).await?;
    let game = look.game().as_str();
    Ok(reply::see_with(
        &Href::from(urls::Game { game }),
        "The operator is told.",
    ))
}
