//! Drafts of the reader: kept as they write, listed, and deleted.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::requests::drafts::{self, DraftForm, OwnDraft};
use crate::requests::forms::{SentBeside, answer_beside};
use crate::requests::send;
use crate::site::compose::page::DraftLine;
use crate::ui::{Link, urls};
use crate::view::game::GameView;

fn form_of(form: &Posted) -> Result<DraftForm, AppError> {
    let unknown = || AppError::Form("It does not say which form it is a draft of.".to_owned());
    DraftForm::of(form).ok_or_else(unknown)
}

/// `POST /g/{game}/drafts`: keeps a form as it stands. Scripts ask for no page.
pub async fn keep(SentBeside { context, form }: SentBeside) -> Response {
    let result = async {
        send::seat(&context)?;
        let of = form_of(&form)?;
        drafts::keep(&context, &of, &form).await?;
        if form.one("quiet").is_some() {
            return Ok(StatusCode::NO_CONTENT.into_response());
        }
        let to = of.href(context.game().as_str());
        Ok(reply::see_with(
            &to,
            "Your draft is kept. You find it on all your devices.",
        ))
    };
    let result = result.await;
    answer_beside(&context, result)
}

/// `POST /g/{game}/drafts/delete`.
pub async fn delete(SentBeside { context, form }: SentBeside) -> Response {
    let result = async {
        send::seat(&context)?;
        let of = form_of(&form)?;
        drafts::drop_own(&context, &of).await?;
        let game = context.game().as_str();
        let to = match form.one("do") {
            Some("start-over") => of.href(game),
            _ => urls::Compose { game }.into(),
        };
        Ok(reply::see_with(&to, "The draft is deleted."))
    };
    let result = result.await;
    answer_beside(&context, result)
}

/// A draft in the list.
pub(super) fn line(view: &GameView, draft: &OwnDraft) -> DraftLine {
    let game = view.game().as_str();
    let title = match draft.kept.title.as_str() {
        "" => "Without a title",
        title => title,
    };
    let kind = match &draft.form {
        DraftForm::New { category, .. } => {
            let decl = view.law().categories.get(category.as_str());
            decl.map_or_else(|| "Post".to_owned(), |decl| decl.it.title.clone())
        }
        DraftForm::Edit(_) => "Edit of a post".to_owned(),
        DraftForm::Comment(_) => "Comment".to_owned(),
    };
    let send = view.send(urls::DraftDelete { game });
    DraftLine {
        kind,
        to: Link::new(title, draft.form.href(game)),
        when: view.when(draft.kept.at),
        delete: send.with("draft", draft.form.word()),
    }
}
