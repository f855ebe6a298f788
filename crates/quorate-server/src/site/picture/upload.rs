//! Pictures in posts and comments: uploaded while somebody writes, named by the text, and seen by whoever may read the text.
//!
//! A text names a picture by its word, `![a map](picture:0a1b…)`. The word says nothing of where the text stands, so the page
//! that shows the text makes the address, and the address is asked whether the text still names the picture.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use quorate_engine::pictures;
use quorate_kernel::GameId;
use quorate_runtime::ports::{AccountId, UPLOADS_MAX, Upload, UploadKept};
use serde::{Deserialize, Serialize};

use crate::app::error::AppError;
use crate::app::inquiry::{Inquiry, ask};
use crate::app::posted::Posted;
use crate::app::reply;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::requests::drafts::{self, DraftForm};
use crate::requests::forms::{SentBeside, answer, answer_beside};
use crate::requests::send;
use crate::ui::markup::{UPLOAD_WORD, UPLOADED, uploaded};
use crate::view::game::{GameContext, GameView};
use crate::view::posts::post_id;

/// A text may lose its picture, so that no browser keeps one for longer than an hour.
const KEEP: &str = "private, max-age=3600";

/// How many signs the words have at most that stand for a picture.
const SHOWS_MAX: usize = 200;

/// `POST /g/{game}/uploads`: keeps the picture that came with a form, and the form with the picture in its text as a draft.
pub(crate) async fn submit(SentBeside { context, form }: SentBeside) -> Response {
    let result = taken(&context, form).await;
    answer_beside(&context, result)
}

async fn taken(context: &GameContext, mut form: Posted) -> Result<Response, AppError> {
    send::seat(context)?;
    let unread = |what: &str| AppError::Form(what.to_owned());
    let of = DraftForm::of(&form);
    let of = of.ok_or_else(|| unread("It does not say which text the picture is for."))?;
    let id = context.visitor().id().ok_or(AppError::NotFound)?;
    let site = context.app();
    send::count_write(site, context.visitor()).await?;
    let sent = form.filled("picture").map(str::to_owned);
    let sent =
        sent.ok_or_else(|| unread("Choose a picture first. Your text is still in the form."))?;
    let picture = tokio::task::spawn_blocking(move || pictures::read(&sent)).await?;
    let picture = picture.map_err(|unfit| {
        AppError::Form(format!(
            "Choose a picture, not {unfit}. Your text is still in the form."
        ))
    })?;
    let file = pictures::file(&picture).ok_or(AppError::NotFound)?;
    let word: String = picture
        .digest
        .to_string()
        .chars()
        .take(UPLOAD_WORD)
        .collect();
    let upload = Upload {
        game: context.game().clone(),
        word: word.clone(),
        at: context.now(),
        file,
    };
    match site.deps.uploads.keep_upload(id, &upload).await? {
        UploadKept::Kept => {}
        UploadKept::TooMany => {
            return Err(AppError::Form(format!(
                "You have {UPLOADS_MAX} pictures, and no room for more."
            )));
        }
    }
    let field = match of {
        DraftForm::Comment(_) => "text",
        DraftForm::New { .. } | DraftForm::Edit(_) => "body",
    };
    let image = format!("![{}]({UPLOADED}{word})", shows(form.filled("shows")));
    let text = form.one(field).unwrap_or_default().trim_end();
    let text = match text {
        "" => image,
        text => format!("{text}\n\n{image}"),
    };
    form.put(field, text);
    drafts::keep(context, &of, &form).await?;
    let to = of.href(context.game().as_str());
    Ok(reply::see_with(&to, "The picture is in your text."))
}

/// The words that stand for a picture, without signs that would end them.
fn shows(words: Option<&str>) -> String {
    let plain = |letter: char| match letter {
        '[' | ']' | '\\' | '`' | '<' | '>' => ' ',
        letter if letter.is_control() => ' ',
        letter => letter,
    };
    let words = words.unwrap_or("a picture").chars();
    words.map(plain).take(SHOWS_MAX).collect()
}

/// `GET /g/{game}/uploads/{word}`: a picture for whoever uploaded it, while they write.
pub(crate) async fn own(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path((game, word)): Path<(String, String)>,
) -> Response {
    let result = async {
        let id = visitor.id().ok_or(AppError::NotFound)?;
        let game: GameId = game.parse().map_err(|_| AppError::NotFound)?;
        let found = site.deps.uploads.upload(&game, &word, Some(id)).await?;
        Ok(shown(found.ok_or(AppError::NotFound)?))
    };
    let result = result.await;
    answer(&site, &visitor, result)
}

/// `GET /g/{game}/post/{post}/picture/{word}`: a picture for whoever may read a text under that post that names it.
pub(crate) async fn in_post(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Path((game, post, word)): Path<(String, String, String)>,
) -> Response {
    let result = async {
        let game: GameId = game.parse().map_err(|_| AppError::NotFound)?;
        let asked = NamedPicture {
            game: game.clone(),
            account: visitor.id(),
            post,
            word: word.clone(),
        };
        if !ask(&site, asked).await? {
            return Err(AppError::NotFound);
        }
        let found = site.deps.uploads.upload(&game, &word, None).await?;
        Ok(shown(found.ok_or(AppError::NotFound)?))
    };
    let result = result.await;
    answer(&site, &visitor, result)
}

/// Whether a picture is named where an account, or a stranger, may read it.
#[derive(Serialize, Deserialize)]
pub(crate) struct NamedPicture {
    game: GameId,
    account: Option<AccountId>,
    post: String,
    word: String,
}

impl Inquiry for NamedPicture {
    type Answer = bool;
    const WORD: &'static str = "named picture";
    const IS_KEPT: bool = true;

    fn game(&self) -> &GameId {
        &self.game
    }

    async fn answer(self, site: &Arc<AppState>) -> Result<bool, AppError> {
        let view = GameView::for_account(site, self.account, self.game.as_str()).await?;
        is_named(&view, &self.post, &self.word)
    }
}

/// Whether the post, or a comment under it, names a picture where its reader sees it.
fn is_named(view: &GameView, post: &str, word: &str) -> Result<bool, AppError> {
    let id = post_id(view, post)?;
    let post = view.post(id).ok_or(AppError::NotFound)?;
    let name = format!("{UPLOADED}{word}");
    let named = |text: Option<&str>| text.is_some_and(|text| text.contains(&name));
    let is_one = uploaded(&name).is_some();
    let mut comments = view.comments_of(id);
    Ok(is_one && (named(post.body.plain()) || comments.any(|(_, one)| named(one.text.plain()))))
}

fn shown(upload: Upload) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "image/png"),
        (header::CACHE_CONTROL, KEEP),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, upload.file).into_response()
}
