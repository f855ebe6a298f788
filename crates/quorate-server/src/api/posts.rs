//! The blog: posts in short, and one with all that stands under it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use quorate_engine::changes::Change;
use quorate_forecast::{MatterVerdict, MoreVotes};
use quorate_kernel::patch::Patch;
use quorate_kernel::rows::{Comment, CommentKey, IconUse, Post};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{CommentId, PlayerId, PostId, Thing};
use serde::{Deserialize, Serialize};
use serde_json::Value as AnyJson;
use utoipa::{IntoParams, ToSchema};

use crate::api::asked::{self, Ask, Page, blocking};
use crate::api::caller::Caller;
use crate::api::data::{PlayerRef, moment};
use crate::api::problem::Problem;
use crate::api::{data, log};
use crate::app::error::AppError;
use crate::app::state::AppState;
use crate::view::comments::{CommentPages, NoVotes};
use crate::view::game::GameView;
use crate::view::matters::Count;
use crate::view::posts::post_id;

/// How many posts a page has where nothing is asked.
const POSTS: usize = 20;

/// How many it has at most.
const POSTS_MAX: usize = 100;

/// Which posts.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PostsQuery {
    /// Of this category alone, by its code name; empty for posts in none.
    category: Option<String>,
    /// Of this status alone.
    status: Option<String>,
    /// Of this author alone: a player's address or number.
    author: Option<String>,
    /// Only those whose status may still change, or only the others.
    open: Option<bool>,
    /// Only those before this one; the newest, where none is named.
    before: Option<String>,
    /// How many, up to 100.
    #[serde(default, deserialize_with = "asked::count::<POSTS_MAX, _>")]
    #[param(minimum = 1, maximum = 100)]
    limit: Option<usize>,
}

/// A post in short.
#[derive(Serialize, ToSchema)]
#[schema(as = PostLine)]
pub(crate) struct PostLine {
    /// Its id; `post:` and the id is its address.
    id: String,
    /// Its category's code name; empty for a post in none.
    category: String,
    /// Its title.
    title: String,
    /// Who wrote it; nothing where the game did, or where nobody is to know.
    author: Option<PlayerRef>,
    /// When it was posted.
    #[schema(format = DateTime)]
    at: String,
    /// When its category took effect.
    #[schema(format = DateTime)]
    open_at: String,
    /// When it was last edited.
    #[schema(format = DateTime)]
    edited_at: Option<String>,
    /// The bracketed words of its title.
    tags: Vec<String>,
    /// Its status; empty where its category has none.
    status: String,
    /// Whether its status may still change.
    open: bool,
    /// When its status became final.
    #[schema(format = DateTime)]
    closed_at: Option<String>,
    /// Who closed it.
    closed_by: Option<PlayerRef>,
    /// What was noted at its closing.
    note: String,
    /// How many comments stand under it.
    comments: u32,
    /// How the votes stand, while it is open and voted on.
    tally: Option<TallyData>,
}

/// How votes stand, as the law counts them at this moment.
#[derive(Serialize, ToSchema)]
#[schema(as = Tally)]
pub(crate) struct TallyData {
    /// How many votes each side has, by icon.
    sides: BTreeMap<String, u32>,
    /// How many make a quorum, where the law knows one.
    quorum: Option<u32>,
    /// How many of those who play have no vote that counts.
    silent: usize,
}

/// A post with all that stands under it.
#[derive(Serialize, ToSchema)]
#[schema(as = Post)]
pub(crate) struct PostData {
    /// What lists say of it.
    #[serde(flatten)]
    line: PostLine,
    /// Its text, in Markdown.
    body: String,
    /// Flavour text beside it.
    flavour: String,
    /// The fields of its category that you may see, by code name.
    fields: BTreeMap<String, AnyJson>,
    /// The changes that it carries; texts that it amends stand there whole.
    changes: Vec<Change>,
    /// The digest of the changes, by which a preview of the same ones is known.
    digest: Option<String>,
    /// The vote of each who plays as it counts.
    votes: Vec<VoteData>,
    /// What the votes come to while it is open: `is` says what, and the rest how it stands now, which vote decides it, and what
    /// more votes or time would change first. `sentence` has it in words.
    #[schema(value_type = Option<Object>)]
    verdict: Option<VerdictLine>,
    /// The comments, oldest first: up to 100 of them, and 512 KiB.
    thread: Vec<CommentData>,
    /// What to give as `after` for the comments that follow; nothing where there are no more.
    thread_next: Option<String>,
    /// Actions of the law that you can take on it now, by code name.
    actions: Vec<String>,
}

/// What the votes on an open matter come to.
#[derive(Serialize)]
pub(crate) struct VerdictLine {
    /// In words, as pages have it.
    sentence: String,
    #[serde(flatten)]
    verdict: MatterVerdict,
    /// For each side the least number of further votes that changes something.
    more: Vec<MoreVotes>,
}

/// Somebody's vote.
#[derive(Serialize, ToSchema)]
#[schema(as = Vote)]
pub(crate) struct VoteData {
    /// Whose.
    voter: PlayerRef,
    /// The icon that counts for them; nothing where there is none.
    vote: Option<String>,
}

/// A comment.
#[derive(Serialize, ToSchema)]
#[schema(as = Comment)]
pub(crate) struct CommentData {
    /// Its id.
    id: String,
    /// Who wrote it; nothing where the game did, or where nobody is to know.
    author: Option<PlayerRef>,
    /// When.
    #[schema(format = DateTime)]
    at: String,
    /// Its text, in Markdown.
    text: String,
    /// The icons in it.
    icons: Vec<IconData>,
}

/// An icon in a comment.
#[derive(Serialize, ToSchema)]
#[schema(as = Icon)]
pub(crate) struct IconData {
    /// Its name.
    name: String,
    /// Whether its author could cast it at that time.
    counted: bool,
    /// Why it is no vote, if it is none.
    why: Option<String>,
}

/// The posts of a game that you may see, newest first.
#[utoipa::path(get, path = "/games/{game}/posts", tag = "blog", operation_id = "posts",
    params(("game" = String, Path, description = "The game's word."), PostsQuery),
    responses((status = 200, description = "Posts.", body = Page<PostLine>), Problem))]
pub(crate) async fn list(
    State(site): State<Arc<AppState>>,
    caller: Caller,
    Path(game): Path<String>,
    Ask(query): Ask<PostsQuery>,
) -> Result<Json<Page<PostLine>>, Problem> {
    let view = GameView::at(&site, &caller.visitor, &game).await?;
    let told = blocking(Arc::new(view), move |view| posts(view, &query));
    told.await.map(Json)
}

fn posts(view: &GameView, query: &PostsQuery) -> Result<Page<PostLine>, Problem> {
    let bad = |place: &'static str| move |error| Problem::bad(place, error);
    let before: Option<PostId> = match &query.before {
        Some(word) => Some(word.parse().map_err(bad("query.before"))?),
        None => None,
    };
    let author: Option<PlayerId> = match &query.author {
        Some(word) => {
            let id = word.trim_start_matches("player:").parse();
            Some(id.map_err(bad("query.author"))?)
        }
        None => None,
    };
    let takes = |id: PostId, post: &Post| {
        before.is_none_or(|before| id < before)
            && view.sees_post(post)
            && query
                .category
                .as_ref()
                .is_none_or(|name| post.category == *name.as_str())
            && query
                .status
                .as_ref()
                .is_none_or(|name| post.status == *name.as_str())
            && author.is_none_or(|author| view.author_of(&post.author) == Some(author))
            && query.open.is_none_or(|open| view.is_open(post) == open)
    };
    let most = query.limit.unwrap_or(POSTS);
    let mut found = view.posts().rev();
    let mut found = found.by_ref().filter(|(id, post)| takes(**id, post));
    let items: Vec<_> = found
        .by_ref()
        .take(most)
        .map(|(id, post)| line(view, *id, post, count(view, *id, post).as_ref()))
        .collect();
    let next = found.next().and(items.last().map(|last| last.id.clone()));
    Ok(Page { items, next })
}

/// The votes on a post, while it is open.
fn count(view: &GameView, id: PostId, post: &Post) -> Option<Count> {
    view.is_open(post).then(|| view.count(id)).flatten()
}

fn line(view: &GameView, id: PostId, post: &Post, count: Option<&Count>) -> PostLine {
    let author = view.author_of(&post.author);
    PostLine {
        id: id.to_string(),
        category: post.category.to_string(),
        title: view.themed(post.title.as_str()),
        author: author.map(|author| PlayerRef::of(view, author)),
        at: moment(post.at),
        open_at: moment(post.open_at),
        edited_at: post.edited_at.map(moment),
        tags: post.tags.iter().map(ToString::to_string).collect(),
        status: post.status.to_string(),
        open: view.is_open(post),
        closed_at: post.closed_at.map(moment),
        closed_by: post.closed_by.map(|id| PlayerRef::of(view, id)),
        note: post.note.as_str().to_owned(),
        comments: post.comments,
        tally: count.map(tally),
    }
}

fn tally(count: &Count) -> TallyData {
    let sides = count.sides.iter();
    let silent = count.ballots.iter().filter(|(_, word)| word.is_empty());
    TallyData {
        sides: sides
            .map(|(icon, number)| (icon.to_string(), *number))
            .collect(),
        quorum: count.enough,
        silent: silent.count(),
    }
}

/// Which of its comments.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PostQuery {
    /// Only comments after this one; the oldest, where none is named.
    after: Option<String>,
}

/// A post with its comments, its votes as they count, and what you can do with it.
#[utoipa::path(get, path = "/games/{game}/posts/{post}", tag = "blog", operation_id = "post",
    params(("game" = String, Path, description = "The game's word."), ("post" = String, Path, description = "The post's id."), PostQuery),
    responses((status = 200, description = "The post.", body = PostData), Problem))]
pub(crate) async fn one(
    State(site): State<Arc<AppState>>,
    caller: Caller,
    Path((game, post)): Path<(String, String)>,
    Ask(query): Ask<PostQuery>,
) -> Result<Json<PostData>, Problem> {
    let view = GameView::at(&site, &caller.visitor, &game).await?;
    let after = match &query.after {
        Some(word) => Some(word.parse().map_err(|e| Problem::bad("query.after", e))?),
        None => None,
    };
    let told = blocking(Arc::new(view), move |view| whole(view, &post, after));
    told.await.map(Json)
}

fn whole(view: &GameView, word: &str, after: Option<CommentId>) -> Result<PostData, Problem> {
    let id = post_id(view, word)?;
    let post = view.post(id).ok_or(AppError::NotFound)?;
    let count = count(view, id, post);
    let votes = count.iter().flat_map(|count| &count.ballots);
    let votes = votes.map(|(player, word)| VoteData {
        voter: PlayerRef::of(view, *player),
        vote: (!word.is_empty()).then(|| word.clone()),
    });
    let offers = view.post_offers(id);
    let comments = CommentPages::after(view, id, after);
    let shown = &comments.all[comments.page(0)];
    let no_votes = view.no_votes(shown);
    let patch = post.patch.as_ref();
    // That of the changes themselves: a seal's own is salted, and nobody could tell what it is of.
    let digest = patch.and_then(Sealed::plain).map(Patch::digest);
    Ok(PostData {
        line: line(view, id, post, count.as_ref()),
        body: post.body.as_str().to_owned(),
        flavour: post.flavour.as_str().to_owned(),
        fields: fields(view, id, post),
        changes: log::listed(patch),
        digest: digest.map(|digest| digest.to_string()),
        votes: votes.collect(),
        verdict: count.as_ref().map(|count| verdict(view, id, count)),
        thread: shown
            .iter()
            .map(|(key, one)| comment(view, key, one, no_votes.get(&key.id.0.event())))
            .collect(),
        thread_next: (comments.count() > 1)
            .then(|| shown.last().map(|(key, _)| key.id.to_string()))
            .flatten(),
        actions: offers.into_iter().map(|offer| offer.action).collect(),
    })
}

fn fields(view: &GameView, id: PostId, post: &Post) -> BTreeMap<String, AnyJson> {
    let thing = Thing::Post(id);
    let values = view.values_of_kind(&post.category);
    view.ask(|asked| {
        let seen = values.iter().filter(|value| view.sees(&thing, value));
        seen.filter_map(|value| {
            let name = value.name();
            let held = asked.attribute(&thing, value)?;
            Some((name.to_string(), data::datum(asked, &held)))
        })
        .collect()
    })
}

fn comment(
    view: &GameView,
    key: &CommentKey,
    comment: &Comment,
    no_votes: Option<&NoVotes>,
) -> CommentData {
    let author = view.author_of(&comment.author);
    let why = |icon: &IconUse| {
        let known = no_votes?.iter().find(|(name, _)| *name == icon.name);
        known.filter(|_| !icon.counted).map(|(_, why)| why.clone())
    };
    let icons = comment.icons.iter().map(|icon| IconData {
        name: icon.name.to_string(),
        counted: icon.counted,
        why: why(icon),
    });
    CommentData {
        id: key.id.to_string(),
        author: author.map(|author| PlayerRef::of(view, author)),
        at: moment(comment.at),
        text: comment.text.as_str().to_owned(),
        icons: icons.collect(),
    }
}

/// The verdict on an open matter.
fn verdict(view: &GameView, id: PostId, count: &Count) -> VerdictLine {
    let said = view.verdict(id);
    VerdictLine {
        sentence: said.map_or_else(String::new, |said| said.sentence()),
        verdict: Arc::unwrap_or_clone(view.matter_verdict(id, count)),
        more: view.matter_ifs(id, count).more.clone(),
    }
}
