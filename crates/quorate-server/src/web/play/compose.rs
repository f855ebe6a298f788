//! Writing a post: category, form, changes to rules, a preview, and the button that publishes it.

mod draft;

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use quorate_engine::offers;
use quorate_kernel::command::{Act, NewPost, typed};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, Refusal};

use crate::markup;
use crate::pages::{Compose, Kind, Link, Writing};
use crate::parts::Change;
use crate::posted::Posted;
use crate::urls::{self, Href};
use crate::web::forms::{Sent, answer_in, game_page, page};
use crate::web::look::Look;
use crate::web::look::people::Part;
use crate::web::reply;
use crate::web::send;
use crate::web::site::Site;
use crate::web::trouble::Trouble;
use crate::web::visitor::Visitor;

use draft::Draft;

/// The word of addresses for a post in no category.
const PLAIN: &str = "post";

/// `GET /g/{game}/new`: the choice of a category.
pub async fn choose(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path(game): Path<String>,
) -> Response {
    game_page(site, visitor, &game, |look| {
        send::player(look)?;
        let compose = Compose {
            chrome: look.chrome("Write a post", Part::Blog),
            kinds: kinds(look, None),
            writing: None,
        };
        Ok(page(look, &compose))
    })
    .await
}

/// `GET /g/{game}/new/{category}`: its form.
pub async fn begin(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path((game, category)): Path<(String, String)>,
) -> Response {
    game_page(site, visitor, &game, move |look| {
        send::player(look)?;
        let category = category_of(look, &category)?;
        let draft = Draft::empty(look, category);
        Ok(page(look, &form(look, &draft, None)))
    })
    .await
}

fn category_of(look: &Look, word: &str) -> Result<Name, Trouble> {
    let name = Name::from(word);
    if word == PLAIN {
        Ok(Name::default())
    } else if look.law.categories.contains_key(&name) {
        Ok(name)
    } else {
        Err(Trouble::NotFound)
    }
}

/// The categories with whether the reader may write in them now.
fn kinds(look: &Look, chosen: Option<&Name>) -> Vec<Kind> {
    let game = look.game.as_str();
    let mut names: Vec<Name> = look.law.category_order.clone();
    names.push(Name::default());
    let kinds = names.into_iter().map(|name| {
        let decl = look.law.categories.get(&name);
        let title = decl.map_or_else(|| "Story post".to_owned(), |decl| decl.it.title.clone());
        let about = decl.map_or_else(
            || "News, stories and questions outside the categories.".to_owned(),
            |decl| look.about_clause(&decl.site.rule, decl.site.clause),
        );
        let word = if name.is_empty() {
            PLAIN
        } else {
            name.as_str()
        };
        let href = urls::ComposeIn {
            game,
            category: word,
        };
        let closed = closed(look, &name).map(|refusal| look.refusal(&title, &refusal));
        Kind {
            title,
            about,
            href: href.into(),
            is_chosen: chosen == Some(&name),
            closed,
        }
    });
    kinds.collect()
}

/// Why nobody like the reader can write in a category now, whatever they write.
fn closed(look: &Look, category: &Name) -> Option<Refusal> {
    let decl = look.law.categories.get(category)?;
    let me = look.me?;
    look.ask(|tx| offers::may_post(tx, me, decl)).err()
}

fn form(look: &Look, draft: &Draft, tried: Option<Tried>) -> Compose {
    let game = look.game.as_str();
    let title = draft.category_title(look);
    let word = if draft.category.is_empty() {
        PLAIN
    } else {
        draft.category.as_str()
    };
    let to = urls::ComposeIn {
        game,
        category: word,
    };
    let mut send = look.send(to);
    for (name, value) in draft.unseen() {
        send = send.with(name, value);
    }
    let (preview, refusal, reports) = match tried {
        Some(tried) => (Some(tried.preview), tried.refusal, tried.reports),
        None => (None, None, Vec::new()),
    };
    let writing = Writing {
        title: format!("New: {title}"),
        draft: format!("{game}-new-{word}"),
        send,
        fields: draft.fields(look),
        edits: draft.edits(look, &reports),
        add: draft
            .carries_changes(look)
            .then(|| draft::choice_of_rules(look)),
        rules: Vec::new(),
        preview,
        refusal,
        button: format!("Post the {}", title.to_lowercase()),
        afterwards: "The rules say how long it can be edited after that.".to_owned(),
    };
    Compose {
        chrome: look.chrome(&writing.title, Part::Blog),
        kinds: kinds(look, Some(&draft.category)),
        writing: Some(writing),
    }
}

/// What came of a preview.
struct Tried {
    preview: (String, markup::Markup, Vec<Change>),
    refusal: Option<crate::parts::Refusal>,
    /// What the check says, for each edited rule.
    reports: Vec<String>,
}

/// `POST /g/{game}/new/{category}`: one more rule to change, a preview, or publishing.
pub async fn take(
    State(site): State<Arc<Site>>,
    Path((game, category)): Path<(String, String)>,
    sent: Sent,
) -> Response {
    let look = match Look::at(&site, &sent.visitor, &game).await {
        Ok(look) => Arc::new(look),
        Err(trouble) => return reply::failed(&site, &sent.visitor, None, trouble),
    };
    let result = written(&look, &category, sent.form).await;
    answer_in(&look, result)
}

async fn written(look: &Arc<Look>, category: &str, form: Posted) -> Result<Response, Trouble> {
    send::player(look)?;
    let category = category_of(look, category)?;
    let doing = form.one("do").unwrap_or("preview").to_owned();
    let key = form.key().map(str::to_owned);
    let (drawing, asked) = (Arc::clone(look), doing.clone());
    let made = tokio::task::spawn_blocking(move || {
        let look = &*drawing;
        let mut draft = Draft::read(look, category, &form);
        if asked == "add" {
            draft.add(look, form.one("rule").unwrap_or_default());
        } else if let Some(which) = asked.strip_prefix("drop-") {
            draft.remove(which);
        }
        if asked == "add" || asked.starts_with("drop-") {
            return Err(page(look, &self::form(look, &draft, None)));
        }
        match draft.post(look) {
            Ok(post) => {
                if asked == "post" {
                    return Ok((draft, post));
                }
                let tried = preview(look, &draft, post);
                Err(page(look, &self::form(look, &draft, Some(tried))))
            }
            Err(refusal) => {
                let tried = Tried {
                    preview: draft.preview(look),
                    refusal: Some(look.refusal("This post", &refusal)),
                    reports: Vec::new(),
                };
                Err(page(look, &self::form(look, &draft, Some(tried))))
            }
        }
    })
    .await?;
    match made {
        Err(shown) => Ok(shown),
        Ok((draft, post)) => publish(look, draft, post, key.as_deref()).await,
    }
}

fn preview(look: &Look, draft: &Draft, post: NewPost) -> Tried {
    let mut reports = Vec::new();
    if let Some(patch) = post.patch.as_ref().and_then(Sealed::plain)
        && let Ok(trial) = look.try_patch(patch)
    {
        reports.clone_from(&trial.asleep);
    }
    let refusal = look.would(Act::Post(Box::new(post))).err();
    Tried {
        preview: draft.preview(look),
        refusal: refusal.map(|refusal| look.refusal("This post", &refusal)),
        reports,
    }
}

async fn publish(
    look: &Look,
    draft: Draft,
    post: NewPost,
    key: Option<&str>,
) -> Result<Response, Trouble> {
    let sent = send::send(look, key, Act::Post(Box::new(post))).await;
    match sent {
        Ok(receipt) => {
            let id = quorate_kernel::PostId(quorate_kernel::ids::Id::new(receipt.seq, 0));
            let word = id.to_string();
            let game = look.game.as_str();
            let href: Href = urls::Post { game, post: &word }.into();
            Ok(reply::see_with(&href, "It is posted."))
        }
        Err(Trouble::Refused(refusal)) => {
            let tried = Tried {
                preview: draft.preview(look),
                refusal: Some(look.refusal("This post", &refusal)),
                reports: Vec::new(),
            };
            Ok(page(look, &form(look, &draft, Some(tried))))
        }
        Err(trouble) => Err(trouble),
    }
}

/// `GET /g/{game}/post/{post}/edit`: the form of a post that may still be edited.
pub async fn edit(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path((game, post)): Path<(String, String)>,
) -> Response {
    game_page(site, visitor, &game, move |look| {
        let id = super::post::post_id(look, &post)?;
        send::player(look)?;
        let draft = Draft::of_post(look, id).ok_or(Trouble::NotFound)?;
        let mut compose = form(look, &draft, None);
        if let Some(writing) = &mut compose.writing {
            edit_form(look, writing, &post);
        }
        Ok(page(look, &compose))
    })
    .await
}

/// A form that changes a post instead of making one.
fn edit_form(look: &Look, writing: &mut Writing, post: &str) {
    let game = look.game.as_str();
    writing.send.to = urls::PostEdit { game, post }.into();
    "Edit the post".clone_into(&mut writing.title);
    "Save the changes".clone_into(&mut writing.button);
    writing.draft = format!("{game}-edit-{post}");
}

/// `POST /g/{game}/post/{post}/edit`.
pub async fn change(
    State(site): State<Arc<Site>>,
    Path((game, post)): Path<(String, String)>,
    sent: Sent,
) -> Response {
    let look = match Look::at(&site, &sent.visitor, &game).await {
        Ok(look) => look,
        Err(trouble) => return reply::failed(&site, &sent.visitor, None, trouble),
    };
    let result = changed(&look, &post, &sent.form).await;
    answer_in(&look, result)
}

async fn changed(look: &Look, word: &str, posted: &Posted) -> Result<Response, Trouble> {
    let id = super::post::post_id(look, word)?;
    let old = Draft::of_post(look, id).ok_or(Trouble::NotFound)?;
    let mut draft = Draft::read(look, old.category, posted);
    let doing = posted.one("do").unwrap_or("preview");
    let mut tried = None;
    if doing == "add" {
        draft.add(look, posted.one("rule").unwrap_or_default());
    } else if let Some(which) = doing.strip_prefix("drop-") {
        draft.remove(which);
    } else {
        let post = draft.post(look)?;
        let act = Act::EditPost {
            post: id,
            title: typed(&draft.title),
            body: typed(&draft.body),
            flavour: typed(&draft.flavour),
            patch: post.patch,
        };
        if doing == "post" {
            send::send(look, posted.key(), act).await?;
            let game = look.game.as_str();
            let href: Href = urls::Post { game, post: word }.into();
            return Ok(reply::see_with(&href, "It is changed."));
        }
        tried = Some(Tried {
            preview: draft.preview(look),
            refusal: look
                .would(act)
                .err()
                .map(|refusal| look.refusal("This change", &refusal)),
            reports: Vec::new(),
        });
    }
    let mut compose = form(look, &draft, tried);
    if let Some(writing) = &mut compose.writing {
        edit_form(look, writing, word);
    }
    Ok(page(look, &compose))
}

/// A way to the forms, for lists of ways.
pub fn way(look: &Look) -> Link {
    let game = look.game.as_str();
    Link::new("Write a post", urls::Compose { game })
}
