//! Writing a post: category, form, changes to rules, a preview, and the button that publishes it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query};
use axum::response::Response;
use quorate_forecast::{Extent, Proposed, Sleeping};
use quorate_kernel::command::{Act, NewPost, typed};
use quorate_kernel::patch::Patch;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, PostId, Refusal};

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::requests::drafts::{self, DraftForm, OwnDraft};
use crate::requests::forms::{Opened, SentIn, answer_in, drawn, once_more, page};
use crate::requests::send;
use crate::site::compose::draft::{Draft, PLAIN};
use crate::site::compose::page::{Compose, PostKind, Writing};
use crate::site::compose::{asked, choices, kept, refused};
use crate::ui::urls::Href;
use crate::ui::{Change, EffectGroup, Link, markup, urls};
use crate::view::effects;
use crate::view::game::GameView;
use crate::view::people::Part;

/// `GET /g/{game}/new`: the choice of a category. With `?rule=` the form of the first category that may change a rule, with
/// that rule taken up.
pub async fn choose(
    Opened(look): Opened,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let drafts = match drafts::all(&look).await {
        Ok(drafts) => drafts,
        Err(error) => return answer_in(&look, Err(error)),
    };
    drawn(look, move |look| {
        send::player(look)?;
        let category = if query.contains_key("strike") {
            judging(look)
        } else if query.contains_key("rule") {
            look.changing().cloned()
        } else {
            None
        };
        if let Some(category) = category {
            let form = asked_form(category.as_str(), &query);
            let own = drafts.iter().find(|own| own.form == form);
            return Ok(page(look, &begun(look, category, form, &query, own)?));
        }
        let compose = Compose {
            chrome: look.chrome("Write a post", Part::Blog),
            kinds: kinds(look, None),
            writing: None,
            drafts: drafts.iter().map(|draft| kept::line(look, draft)).collect(),
        };
        Ok(page(look, &compose))
    })
    .await
}

/// The category in which events are judged: `Judgement` where the law has one, else that in which rules are changed.
fn judging(look: &GameView) -> Option<Name> {
    let judgement = Name::from("Judgement");
    if look.law().categories.contains_key(&judgement) {
        Some(judgement)
    } else {
        look.changing().cloned()
    }
}

/// `GET /g/{game}/new/{category}`: its form; with `?rule=` a rule is taken up, with `?from=` what another post says and
/// changes, with `?strike=` an event of the log.
pub async fn begin(
    Opened(look): Opened,
    Path((_, category)): Path<(String, String)>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let form = asked_form(&category, &query);
    let own = match drafts::own(&look, form.clone()).await {
        Ok(own) => own,
        Err(error) => return answer_in(&look, Err(error)),
    };
    drawn(look, move |look| {
        send::player(look)?;
        let category = category_of(look, &category)?;
        Ok(page(
            look,
            &begun(look, category, form, &query, own.as_ref())?,
        ))
    })
    .await
}

/// The form that an address asks for. What was begun otherwise has a draft of its own.
fn asked_form(category: &str, query: &BTreeMap<String, String>) -> DraftForm {
    let begun = ["from", "rule", "strike"].into_iter();
    let begun = begun.filter_map(|name| Some((name.to_owned(), query.get(name)?.clone())));
    DraftForm::New {
        category: category.to_owned(),
        begun: begun.collect(),
    }
}

/// A form as its address asks for it, or as the reader left it.
fn begun(
    look: &GameView,
    category: Name,
    form: DraftForm,
    query: &BTreeMap<String, String>,
    own: Option<&OwnDraft>,
) -> Result<Compose, AppError> {
    let clause = query.get("clause").and_then(|clause| clause.parse().ok());
    if let Some(own) = own {
        let mut draft = Draft::read(look, category, &own.fields());
        draft.form = form;
        if let (Some(rule), Some(clause)) = (query.get("rule"), clause) {
            draft.add(look, rule, Some(clause));
        }
        return Ok(again(look, &draft, own));
    }
    let mut draft = match query.get("from") {
        Some(from) => {
            let id = crate::view::posts::post_id(look, from)?;
            Draft::after(look, category, id).ok_or(AppError::NotFound)?
        }
        None => Draft::empty(look, category),
    };
    if let Some(rule) = query.get("rule") {
        draft.add(look, rule, clause);
    }
    if let Some(event) = query.get("strike").and_then(|event| event.parse().ok()) {
        draft.strike(look, event);
    }
    draft.form = form;
    Ok(self::form(look, &draft, None))
}

/// A form as its reader left it.
fn again(look: &GameView, draft: &Draft, own: &OwnDraft) -> Compose {
    let mut compose = form(look, draft, None);
    if let Some(writing) = &mut compose.writing {
        writing.kept = Some(look.when(own.kept.at));
    }
    compose
}

fn category_of(look: &GameView, word: &str) -> Result<Name, AppError> {
    let name = Name::from(word);
    if word == PLAIN {
        Ok(Name::default())
    } else if look.law().categories.contains_key(&name) {
        Ok(name)
    } else {
        Err(AppError::NotFound)
    }
}

/// The categories with whether the reader may write in them now.
fn kinds(look: &GameView, chosen: Option<&Name>) -> Vec<PostKind> {
    let game = look.game().as_str();
    let mut names: Vec<Name> = look.law().category_order.clone();
    names.push(Name::default());
    // What no player may ever post is no choice of theirs.
    names.retain(|name| {
        let by = look.law().categories.get(name).map(|decl| &decl.it.by);
        by.is_none_or(|by| by.as_ref().is_none_or(|by| *by != "nobody"))
    });
    let kinds = names.into_iter().map(|name| {
        let decl = look.law().categories.get(&name);
        let title = decl.map_or_else(|| "Plain post".to_owned(), |decl| decl.it.title.clone());
        let about = decl.map_or_else(
            || "Outside the categories: news, stories and questions.".to_owned(),
            |decl| look.clause_in_two(&decl.site).0,
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
        let closed = asked::closed(look, &name).map(|refusal| look.refusal(&title, &refusal));
        PostKind {
            title,
            about,
            href: href.into(),
            is_chosen: chosen == Some(&name),
            closed,
        }
    });
    kinds.collect()
}

fn form(look: &GameView, draft: &Draft, tried: Option<TriedDraft>) -> Compose {
    let game = look.game().as_str();
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
    // What no words can help with is said before any are written.
    let closed = || asked::closed(look, &draft.category).filter(|_| draft.is_new);
    let tried = tried.unwrap_or_else(|| TriedDraft {
        refusal: closed().map(|refusal| look.refusal(&title, &refusal)),
        ..TriedDraft::default()
    });
    let found = tried.found.as_deref();
    let mut writing = Writing {
        title: format!("New: {title}"),
        draft: draft.form.word(),
        keeps: drafts::ways(game),
        kept: None,
        send,
        fields: draft.fields(look),
        more: draft.more_fields(look),
        edits: draft.edits(look, found),
        picks: draft.picks(look),
        add: draft
            .carries_changes(look)
            .then(|| choices::choice_of_rules(look)),
        folds_changes: draft.folds_changes(look),
        rules: asked::by_rules(look, &draft.category),
        tags: asked::tags(look, &draft.category),
        preview: tried.preview,
        effects: tried.effects,
        check: found.map(|found| {
            let mut lines = tried.lines.clone();
            lines.extend(draft.elsewhere(look, found));
            lines
        }),
        refusal: tried.refusal,
        button: format!("Post the {}", in_sentence(&title)),
        afterwards: "The rules say how long it can be edited after that.".to_owned(),
    };
    refused::mark(&mut writing);
    Compose {
        chrome: look.chrome(&writing.title, Part::Blog),
        kinds: kinds(look, Some(&draft.category)),
        writing: Some(writing),
        drafts: Vec::new(),
    }
}

/// A title within a sentence: "call for judgement", but "`StickyBomb` post".
fn in_sentence(title: &str) -> String {
    let words = title.split(' ').map(|word| {
        let has_own_capitals = word.chars().skip(1).any(char::is_uppercase);
        if has_own_capitals {
            word.to_owned()
        } else {
            word.to_lowercase()
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// What came of a check or a preview.
#[derive(Default)]
struct TriedDraft {
    preview: Option<(String, markup::Markup, Vec<Change>)>,
    refusal: Option<crate::ui::Refusal>,
    effects: Vec<EffectGroup>,
    /// What the check says of code that would sleep; none where it has not run.
    found: Option<Vec<Sleeping>>,
    /// What else it says: of one-off code, and of clauses that could not be made as written.
    lines: Vec<String>,
}

impl TriedDraft {
    fn refused(look: &GameView, draft: &Draft, refusal: &Refusal) -> Self {
        Self {
            preview: draft.says_something().then(|| draft.preview(look)),
            refusal: Some(draft.refused(look, refusal)),
            ..Self::default()
        }
    }

    /// The check alone, and what changes.
    fn check(look: &GameView, draft: &Draft, of: Option<PostId>) -> Self {
        match draft.patch(look) {
            Ok(patch) => Self::checked(look, &draft.proposed(look, patch, of)),
            Err(refusal) => Self {
                found: Some(Vec::new()),
                lines: vec![format!("{refusal}")],
                ..Self::default()
            },
        }
    }

    fn checked(look: &GameView, proposed: &Proposed) -> Self {
        match look.try_out(proposed) {
            Ok(trial) => Self {
                lines: trial.left_out.into_iter().map(|note| note.text).collect(),
                found: Some(trial.asleep),
                ..Self::default()
            },
            Err(refusal) => Self {
                lines: vec![format!("{refusal}")],
                found: Some(Vec::new()),
                ..Self::default()
            },
        }
    }

    /// The post as it would stand, what it would do, and whether the law would take it.
    fn preview(
        look: &GameView,
        draft: &Draft,
        patch: Option<&Patch>,
        act: Act,
        doing: &str,
    ) -> Self {
        let of = match &act {
            Act::EditPost { post, .. } => Some(*post),
            _ => None,
        };
        let carried = patch.cloned().unwrap_or_default();
        let proposed = draft.proposed(look, carried, of);
        let mut tried = Self::default();
        if patch.is_some() {
            tried = Self::checked(look, &proposed);
            tried.effects = match doing {
                "report" => look.forecast_groups(&proposed, Extent::Whole),
                "tests" => Vec::new(),
                _ => look.forecast_groups(&proposed, Extent::Alone),
            };
        }
        if doing == "tests" {
            tried.effects = vec![look.proof_group(&proposed, &draft.body)];
        }
        if patch.is_none() && look.changes_rules(&draft.category) && doing != "tests" {
            tried.effects = vec![effects::nothing()];
        }
        tried.preview = draft.says_something().then(|| draft.preview(look));
        let refusal = look.would(act).err();
        tried.refusal = refusal.map(|refusal| draft.refused(look, &refusal));
        tried
    }
}

/// `POST /g/{game}/new/{category}`: one more rule to change, a preview, or publishing.
pub async fn take(
    Path((_, category)): Path<(String, String)>,
    SentIn { look, form }: SentIn,
) -> Response {
    let result = written(&look, &category, form).await;
    answer_in(&look, result)
}

async fn written(look: &Arc<GameView>, category: &str, form: Posted) -> Result<Response, AppError> {
    send::player(look)?;
    let category = category_of(look, category)?;
    let doing = form.one("do").unwrap_or("preview").to_owned();
    if matches!(doing.as_str(), "check" | "preview" | "report" | "tests") {
        look.app()
            .checks
            .take(look.visitor().who(), look.app().now_ms())?;
    }
    let _turn = turn(look, &doing).await;
    let key = form.key().map(str::to_owned);
    let (drawing, asked) = (Arc::clone(look), doing.clone());
    let made = tokio::task::spawn_blocking(move || {
        let look = &*drawing;
        let mut draft = Draft::read(look, category, &form);
        if asked == "add" {
            draft.add(look, form.one("rule").unwrap_or_default(), None);
        }
        if asked == "add" || draft.reshape(&asked) {
            return Err(page(look, &self::form(look, &draft, None)));
        }
        if asked == "check" {
            return Err(page(
                look,
                &self::form(look, &draft, Some(TriedDraft::check(look, &draft, None))),
            ));
        }
        let tried = match draft.post(look) {
            Ok(post) if asked == "post" => return Ok((draft, post)),
            Ok(post) => {
                let patch = post.patch.as_ref().and_then(Sealed::plain).cloned();
                let act = Act::Post(Box::new(post));
                TriedDraft::preview(look, &draft, patch.as_ref(), act, &asked)
            }
            Err(refusal) => {
                let tried = TriedDraft::refused(look, &draft, &refusal);
                let again = self::form(look, &draft, Some(tried));
                return Err(if asked == "post" {
                    once_more(look, &again)
                } else {
                    page(look, &again)
                });
            }
        };
        Err(page(look, &self::form(look, &draft, Some(tried))))
    })
    .await?;
    match made {
        Err(shown) => Ok(shown),
        Ok((draft, post)) => publish(look, draft, post, key.as_deref()).await,
    }
}

/// Waits until tests may run, where they are to.
async fn turn<'a>(look: &'a GameView, doing: &str) -> Option<tokio::sync::MutexGuard<'a, ()>> {
    match doing {
        "tests" => Some(look.app().proving.lock().await),
        _ => None,
    }
}

async fn publish(
    look: &GameView,
    draft: Draft,
    post: NewPost,
    key: Option<&str>,
) -> Result<Response, AppError> {
    let sent = send::send(look, key, Act::Post(Box::new(post))).await;
    match sent {
        Ok(receipt) => {
            drafts::posted(look, &draft.form).await;
            let id = PostId(quorate_kernel::ids::Id::new(receipt.seq, 0));
            let word = id.to_string();
            let game = look.game().as_str();
            let href: Href = urls::Post { game, post: &word }.into();
            Ok(reply::see_with(&href, "It is posted."))
        }
        Err(AppError::Refused(refusal)) => {
            let tried = TriedDraft::refused(look, &draft, &refusal);
            Ok(once_more(look, &form(look, &draft, Some(tried))))
        }
        Err(error) => Err(error),
    }
}

/// `GET /g/{game}/post/{post}/edit`: the form of a post that may still be edited.
pub async fn edit(Opened(look): Opened, Path((_, post)): Path<(String, String)>) -> Response {
    let own = match drafts::own_of(&look, &post, DraftForm::Edit).await {
        Ok(own) => own,
        Err(error) => return answer_in(&look, Err(error)),
    };
    drawn(look, move |look| {
        let id = crate::view::posts::post_id(look, &post)?;
        send::player(look)?;
        let mut draft = Draft::of_post(look, id).ok_or(AppError::NotFound)?;
        let Some(own) = own else {
            return Ok(page(look, &edit_page(look, &draft, None, &post)));
        };
        draft = Draft::read(look, draft.category, &own.fields());
        draft.is_new = false;
        draft.form = DraftForm::Edit(id);
        let mut compose = again(look, &draft, &own);
        if let Some(writing) = &mut compose.writing {
            edit_form(look, writing, &post);
        }
        Ok(page(look, &compose))
    })
    .await
}

/// The page on which a post is edited.
fn edit_page(look: &GameView, draft: &Draft, tried: Option<TriedDraft>, post: &str) -> Compose {
    let mut compose = form(look, draft, tried);
    if let Some(writing) = &mut compose.writing {
        edit_form(look, writing, post);
    }
    compose
}

/// A form that changes a post instead of making one.
fn edit_form(look: &GameView, writing: &mut Writing, post: &str) {
    let game = look.game().as_str();
    writing.send.to = urls::PostEdit { game, post }.into();
    "Edit the post".clone_into(&mut writing.title);
    "Save the changes".clone_into(&mut writing.button);
}

/// `POST /g/{game}/post/{post}/edit`.
pub async fn change(
    Path((_, post)): Path<(String, String)>,
    SentIn { look, form }: SentIn,
) -> Response {
    let result = changed(&look, &post, form).await;
    answer_in(&look, result)
}

async fn changed(look: &Arc<GameView>, word: &str, posted: Posted) -> Result<Response, AppError> {
    let id = crate::view::posts::post_id(look, word)?;
    let key = posted.key().map(str::to_owned);
    let _turn = turn(look, posted.one("do").unwrap_or_default()).await;
    let (drawing, own) = (Arc::clone(look), word.to_owned());
    let made = tokio::task::spawn_blocking(move || edited(&drawing, id, &own, &posted)).await?;
    match made? {
        Edited::Shown(response) => Ok(response),
        Edited::Sent(act, draft) => {
            match send::send(look, key.as_deref(), *act).await {
                Ok(_) => drafts::posted(look, &draft.form).await,
                Err(AppError::Refused(refusal)) => {
                    let tried = TriedDraft::refused(look, &draft, &refusal);
                    return Ok(once_more(look, &edit_page(look, &draft, Some(tried), word)));
                }
                Err(error) => return Err(error),
            }
            let game = look.game().as_str();
            let href: Href = urls::Post { game, post: word }.into();
            Ok(reply::see_with(&href, "It is changed."))
        }
    }
}

/// What comes of a form that edits a post.
enum Edited {
    /// The form again.
    Shown(Response),
    /// The edit is to be made.
    Sent(Box<Act>, Draft),
}

fn edited(look: &GameView, id: PostId, word: &str, posted: &Posted) -> Result<Edited, AppError> {
    let old = look.post(id).ok_or(AppError::NotFound)?;
    let mut draft = Draft::read(look, old.category.clone(), posted);
    draft.is_new = false;
    draft.form = DraftForm::Edit(id);
    let doing = posted.one("do").unwrap_or("preview");
    let mut tried = None;
    if doing == "add" {
        draft.add(look, posted.one("rule").unwrap_or_default(), None);
    } else if draft.reshape(doing) {
        // The form is only shown once more.
    } else if doing == "check" {
        tried = Some(TriedDraft::check(look, &draft, Some(id)));
    } else {
        tried = Some(match draft.post(look) {
            Err(refusal) => TriedDraft::refused(look, &draft, &refusal),
            Ok(post) => {
                let patch = post.patch.as_ref().and_then(Sealed::plain).cloned();
                let act = Act::EditPost {
                    post: id,
                    title: typed(&draft.title),
                    body: typed(&draft.body),
                    flavour: typed(&draft.flavour),
                    patch: post.patch,
                };
                if doing == "post" {
                    return Ok(Edited::Sent(Box::new(act), draft));
                }
                TriedDraft::preview(look, &draft, patch.as_ref(), act, doing)
            }
        });
    }
    let is_refused = doing == "post";
    let again = edit_page(look, &draft, tried, word);
    Ok(Edited::Shown(if is_refused {
        once_more(look, &again)
    } else {
        page(look, &again)
    }))
}

/// A way to the forms, for lists of ways.
pub fn way(look: &GameView) -> Link {
    let game = look.game().as_str();
    Link::new("Write a post", urls::Compose { game })
}
