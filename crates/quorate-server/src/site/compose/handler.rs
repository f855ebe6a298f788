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
    Opened(view): Opened,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let drafts = match drafts::all(&view).await {
        Ok(drafts) => drafts,
        Err(error) => return answer_in(&view, Err(error)),
    };
    drawn(view, move |view| {
        send::player(view)?;
        let category = if query.contains_key("strike") {
            judging(view)
        } else if query.contains_key("rule") {
            view.changing().cloned()
        } else {
            None
        };
        if let Some(category) = category {
            let form = asked_form(category.as_str(), &query);
            let own = drafts.iter().find(|own| own.form == form);
            return Ok(page(view, &begun(view, category, form, &query, own)?));
        }
        let compose = Compose {
            chrome: view.chrome("Write a post", Part::Blog),
            kinds: kinds(view, None),
            writing: None,
            drafts: drafts.iter().map(|draft| kept::line(view, draft)).collect(),
        };
        Ok(page(view, &compose))
    })
    .await
}

/// The category in which events are judged: `Judgement` where the law has one, else that in which rules are changed.
fn judging(view: &GameView) -> Option<Name> {
    let judgement = Name::from("Judgement");
    if view.law().categories.contains_key(&judgement) {
        Some(judgement)
    } else {
        view.changing().cloned()
    }
}

/// `GET /g/{game}/new/{category}`: its form; with `?rule=` a rule is taken up, with `?from=` what another post says and
/// changes, with `?strike=` an event of the log.
pub async fn begin(
    Opened(view): Opened,
    Path((_, category)): Path<(String, String)>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let form = asked_form(&category, &query);
    let own = match drafts::own(&view, form.clone()).await {
        Ok(own) => own,
        Err(error) => return answer_in(&view, Err(error)),
    };
    drawn(view, move |view| {
        send::player(view)?;
        let category = category_of(view, &category)?;
        Ok(page(
            view,
            &begun(view, category, form, &query, own.as_ref())?,
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
    view: &GameView,
    category: Name,
    form: DraftForm,
    query: &BTreeMap<String, String>,
    own: Option<&OwnDraft>,
) -> Result<Compose, AppError> {
    let clause = query.get("clause").and_then(|clause| clause.parse().ok());
    if let Some(own) = own {
        let mut draft = Draft::read(view, category, &own.fields());
        draft.form = form;
        if let (Some(rule), Some(clause)) = (query.get("rule"), clause) {
            draft.add(view, rule, Some(clause));
        }
        return Ok(again(view, &draft, own));
    }
    let mut draft = match query.get("from") {
        Some(from) => {
            let id = crate::view::posts::post_id(view, from)?;
            Draft::after(view, category, id).ok_or(AppError::NotFound)?
        }
        None => Draft::empty(view, category),
    };
    if let Some(rule) = query.get("rule") {
        draft.add(view, rule, clause);
    }
    if let Some(event) = query.get("strike").and_then(|event| event.parse().ok()) {
        draft.strike(view, event);
    }
    draft.form = form;
    Ok(self::form(view, &draft, None))
}

/// A form as its reader left it.
fn again(view: &GameView, draft: &Draft, own: &OwnDraft) -> Compose {
    let mut compose = form(view, draft, None);
    if let Some(writing) = &mut compose.writing {
        writing.kept = Some(view.when(own.kept.at));
    }
    compose
}

fn category_of(view: &GameView, word: &str) -> Result<Name, AppError> {
    let name = Name::from(word);
    if word == PLAIN {
        Ok(Name::default())
    } else if view.law().categories.contains_key(&name) {
        Ok(name)
    } else {
        Err(AppError::NotFound)
    }
}

/// The categories with whether the reader may write in them now.
fn kinds(view: &GameView, chosen: Option<&Name>) -> Vec<PostKind> {
    let game = view.game().as_str();
    let mut names: Vec<Name> = view.law().category_order.clone();
    names.push(Name::default());
    // What no player may ever post is no choice of theirs.
    names.retain(|name| {
        let by = view.law().categories.get(name).map(|decl| &decl.it.by);
        by.is_none_or(|by| by.as_ref().is_none_or(|by| *by != "nobody"))
    });
    let kinds = names.into_iter().map(|name| {
        let decl = view.law().categories.get(&name);
        let title = decl.map_or_else(|| "Plain post".to_owned(), |decl| decl.it.title.clone());
        let about = decl.map_or_else(
            || "Outside the categories: news, stories and questions.".to_owned(),
            |decl| view.clause_in_two(&decl.site).0,
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
        let closed = asked::closed(view, &name).map(|refusal| view.refusal(&title, &refusal));
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

fn form(view: &GameView, draft: &Draft, tried: Option<TriedDraft>) -> Compose {
    let game = view.game().as_str();
    let title = draft.category_title(view);
    let word = if draft.category.is_empty() {
        PLAIN
    } else {
        draft.category.as_str()
    };
    let to = urls::ComposeIn {
        game,
        category: word,
    };
    let mut send = view.send(to);
    for (name, value) in draft.unseen() {
        send = send.with(name, value);
    }
    // What no words can help with is said before any are written.
    let closed = || asked::closed(view, &draft.category).filter(|_| draft.is_new);
    let tried = tried.unwrap_or_else(|| TriedDraft {
        refusal: closed().map(|refusal| view.refusal(&title, &refusal)),
        ..TriedDraft::default()
    });
    let found = tried.found.as_deref();
    let mut writing = Writing {
        title: format!("New: {title}"),
        draft: draft.form.word(),
        keeps: drafts::ways(game),
        kept: None,
        send,
        fields: draft.fields(view),
        more: draft.more_fields(view),
        edits: draft.edits(view, found),
        picks: draft.picks(view),
        add: draft
            .carries_changes(view)
            .then(|| choices::choice_of_rules(view)),
        folds_changes: draft.folds_changes(view),
        rules: asked::by_rules(view, &draft.category),
        tags: asked::tags(view, &draft.category),
        preview: tried.preview,
        effects: tried.effects,
        check: found.map(|found| {
            let mut lines = tried.lines.clone();
            lines.extend(draft.elsewhere(view, found));
            lines
        }),
        refusal: tried.refusal,
        button: format!("Post the {}", in_sentence(&title)),
        afterwards: "The rules say how long it can be edited after that.".to_owned(),
    };
    refused::mark(&mut writing);
    Compose {
        chrome: view.chrome(&writing.title, Part::Blog),
        kinds: kinds(view, Some(&draft.category)),
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
    fn refused(view: &GameView, draft: &Draft, refusal: &Refusal) -> Self {
        Self {
            preview: draft.says_something().then(|| draft.preview(view)),
            refusal: Some(draft.refused(view, refusal)),
            ..Self::default()
        }
    }

    /// The check alone, and what changes.
    fn check(view: &GameView, draft: &Draft, of: Option<PostId>) -> Self {
        match draft.patch(view) {
            Ok(patch) => Self::checked(view, &draft.proposed(view, patch, of)),
            Err(refusal) => Self {
                found: Some(Vec::new()),
                lines: vec![format!("{refusal}")],
                ..Self::default()
            },
        }
    }

    fn checked(view: &GameView, proposed: &Proposed) -> Self {
        match view.try_out(proposed) {
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
        view: &GameView,
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
        let proposed = draft.proposed(view, carried, of);
        let mut tried = Self::default();
        if patch.is_some() {
            tried = Self::checked(view, &proposed);
            tried.effects = match doing {
                "report" => view.forecast_groups(&proposed, Extent::Whole),
                "tests" => Vec::new(),
                _ => view.forecast_groups(&proposed, Extent::Alone),
            };
        }
        if doing == "tests" {
            tried.effects = vec![view.proof_group(&proposed, &draft.body)];
        }
        if patch.is_none() && view.changes_rules(&draft.category) && doing != "tests" {
            tried.effects = vec![effects::nothing()];
        }
        tried.preview = draft.says_something().then(|| draft.preview(view));
        let refusal = view.would(act).err();
        tried.refusal = refusal.map(|refusal| draft.refused(view, &refusal));
        tried
    }
}

/// `POST /g/{game}/new/{category}`: one more rule to change, a preview, or publishing.
pub async fn submit(
    Path((_, category)): Path<(String, String)>,
    SentIn { view, form }: SentIn,
) -> Response {
    let result = written(&view, &category, form).await;
    answer_in(&view, result)
}

async fn written(view: &Arc<GameView>, category: &str, form: Posted) -> Result<Response, AppError> {
    send::player(view)?;
    let category = category_of(view, category)?;
    let doing = form.one("do").unwrap_or("preview").to_owned();
    if matches!(doing.as_str(), "check" | "preview" | "report" | "tests") {
        view.app()
            .checks
            .take(view.visitor().who(), view.app().now_ms())?;
    }
    let _turn = turn(view, &doing).await;
    let key = form.key().map(str::to_owned);
    let (drawing, asked) = (Arc::clone(view), doing.clone());
    let made = tokio::task::spawn_blocking(move || {
        let view = &*drawing;
        let mut draft = Draft::read(view, category, &form);
        if asked == "add" {
            draft.add(view, form.one("rule").unwrap_or_default(), None);
        }
        if asked == "add" || draft.reshape(&asked) {
            return Err(page(view, &self::form(view, &draft, None)));
        }
        if asked == "check" {
            return Err(page(
                view,
                &self::form(view, &draft, Some(TriedDraft::check(view, &draft, None))),
            ));
        }
        let tried = match draft.post(view) {
            Ok(post) if asked == "post" => return Ok((draft, post)),
            Ok(post) => {
                let patch = post.patch.as_ref().and_then(Sealed::plain).cloned();
                let act = Act::Post(Box::new(post));
                TriedDraft::preview(view, &draft, patch.as_ref(), act, &asked)
            }
            Err(refusal) => {
                let tried = TriedDraft::refused(view, &draft, &refusal);
                let again = self::form(view, &draft, Some(tried));
                return Err(if asked == "post" {
                    once_more(view, &again)
                } else {
                    page(view, &again)
                });
            }
        };
        Err(page(view, &self::form(view, &draft, Some(tried))))
    })
    .await?;
    match made {
        Err(shown) => Ok(shown),
        Ok((draft, post)) => publish(view, draft, post, key.as_deref()).await,
    }
}

/// Waits until tests may run, where they are to.
async fn turn<'a>(view: &'a GameView, doing: &str) -> Option<tokio::sync::MutexGuard<'a, ()>> {
    match doing {
        "tests" => Some(view.app().proving.lock().await),
        _ => None,
    }
}

async fn publish(
    view: &GameView,
    draft: Draft,
    post: NewPost,
    key: Option<&str>,
) -> Result<Response, AppError> {
    let sent = send::send(view, key, Act::Post(Box::new(post))).await;
    match sent {
        Ok(receipt) => {
            drafts::posted(view, &draft.form).await;
            let id = PostId(quorate_kernel::ids::Id::new(receipt.seq, 0));
            let word = id.to_string();
            let game = view.game().as_str();
            let href: Href = urls::Post { game, post: &word }.into();
            Ok(reply::see_with(&href, "It is posted."))
        }
        Err(AppError::Refused(refusal)) => {
            let tried = TriedDraft::refused(view, &draft, &refusal);
            Ok(once_more(view, &form(view, &draft, Some(tried))))
        }
        Err(error) => Err(error),
    }
}

/// `GET /g/{game}/post/{post}/edit`: the form of a post that may still be edited.
pub async fn edit(Opened(view): Opened, Path((_, post)): Path<(String, String)>) -> Response {
    let own = match drafts::own_of(&view, &post, DraftForm::Edit).await {
        Ok(own) => own,
        Err(error) => return answer_in(&view, Err(error)),
    };
    drawn(view, move |view| {
        let id = crate::view::posts::post_id(view, &post)?;
        send::player(view)?;
        let mut draft = Draft::of_post(view, id).ok_or(AppError::NotFound)?;
        let Some(own) = own else {
            return Ok(page(view, &edit_page(view, &draft, None, &post)));
        };
        draft = Draft::read(view, draft.category, &own.fields());
        draft.is_new = false;
        draft.form = DraftForm::Edit(id);
        let mut compose = again(view, &draft, &own);
        if let Some(writing) = &mut compose.writing {
            edit_form(view, writing, &post);
        }
        Ok(page(view, &compose))
    })
    .await
}

/// The page on which a post is edited.
fn edit_page(view: &GameView, draft: &Draft, tried: Option<TriedDraft>, post: &str) -> Compose {
    let mut compose = form(view, draft, tried);
    if let Some(writing) = &mut compose.writing {
        edit_form(view, writing, post);
    }
    compose
}

/// A form that changes a post instead of making one.
fn edit_form(view: &GameView, writing: &mut Writing, post: &str) {
    let game = view.game().as_str();
    writing.send.to = urls::PostEdit { game, post }.into();
    "Edit the post".clone_into(&mut writing.title);
    "Save the changes".clone_into(&mut writing.button);
}

/// `POST /g/{game}/post/{post}/edit`.
pub async fn change(
    Path((_, post)): Path<(String, String)>,
    SentIn { view, form }: SentIn,
) -> Response {
    let result = changed(&view, &post, form).await;
    answer_in(&view, result)
}

async fn changed(view: &Arc<GameView>, word: &str, posted: Posted) -> Result<Response, AppError> {
    let id = crate::view::posts::post_id(view, word)?;
    let key = posted.key().map(str::to_owned);
    let _turn = turn(view, posted.one("do").unwrap_or_default()).await;
    let (drawing, own) = (Arc::clone(view), word.to_owned());
    let made = tokio::task::spawn_blocking(move || edited(&drawing, id, &own, &posted)).await?;
    match made? {
        Edited::Shown(response) => Ok(response),
        Edited::Sent(act, draft) => {
            match send::send(view, key.as_deref(), *act).await {
                Ok(_) => drafts::posted(view, &draft.form).await,
                Err(AppError::Refused(refusal)) => {
                    let tried = TriedDraft::refused(view, &draft, &refusal);
                    return Ok(once_more(view, &edit_page(view, &draft, Some(tried), word)));
                }
                Err(error) => return Err(error),
            }
            let game = view.game().as_str();
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

fn edited(view: &GameView, id: PostId, word: &str, posted: &Posted) -> Result<Edited, AppError> {
    let old = view.post(id).ok_or(AppError::NotFound)?;
    let mut draft = Draft::read(view, old.category.clone(), posted);
    draft.is_new = false;
    draft.form = DraftForm::Edit(id);
    let doing = posted.one("do").unwrap_or("preview");
    let mut tried = None;
    if doing == "add" {
        draft.add(view, posted.one("rule").unwrap_or_default(), None);
    } else if draft.reshape(doing) {
        // The form is only shown once more.
    } else if doing == "check" {
        tried = Some(TriedDraft::check(view, &draft, Some(id)));
    } else {
        tried = Some(match draft.post(view) {
            Err(refusal) => TriedDraft::refused(view, &draft, &refusal),
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
                TriedDraft::preview(view, &draft, patch.as_ref(), act, doing)
            }
        });
    }
    let is_refused = doing == "post";
    let again = edit_page(view, &draft, tried, word);
    Ok(Edited::Shown(if is_refused {
        once_more(view, &again)
    } else {
        page(view, &again)
    }))
}

/// A way to the forms, for lists of ways.
pub fn way(view: &GameView) -> Link {
    let game = view.game().as_str();
    Link::new("Write a post", urls::Compose { game })
}
