//! A post: the matter, how it stands, each vote and how it was reached, comments; and the forms that act on it.

use std::collections::BTreeMap;

use axum::extract::{Path, Query};
use axum::response::Response;
use quorate_engine::icons::IconWords;
use quorate_kernel::command::{Act, typed};
use quorate_kernel::{CommentId, EventSeq, Name, PostId, Thing, rows};

use quorate_notices::outbox::Followed;

use crate::app::error::AppError;
use crate::app::forms::{Opened, SentIn, answer_in, drawn, page};
use crate::app::posted::Posted;
use crate::app::{reply, send};
use crate::site::post::page::{Answering, Post};
use crate::ui::urls::Href;
use crate::ui::{Ballot, Change, Comment, Fact, Icon, Link, Offer, urls};
use crate::view::comments::CommentPages;
use crate::view::game::GameView;
use crate::view::kinds::Source;
use crate::view::people::Part;
use crate::view::posts::post_id;
use crate::view::words::written;
use crate::view::{votes, window};

/// The title under which rulebooks track what is worked out of a post and belongs on it.
const ON_POST: &str = "post";

/// `GET /g/{game}/post/{post}`.
pub async fn show(
    Opened(look): Opened,
    Path((_, post)): Path<(String, String)>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    drawn(look, move |look| {
        let id = post_id(look, &post)?;
        let vote = query.get("vote").map(String::as_str);
        let thread = CommentPages::under(look, id);
        let shown = shown(&thread, &query);
        Ok(page(look, &whole(look, id, vote, &thread, shown)?))
    })
    .await
}

/// Which page of comments is shown: the one that is named, or that of a comment that is named, else the newest.
fn shown(thread: &CommentPages<'_>, query: &BTreeMap<String, String>) -> usize {
    let named = query
        .get("comments")
        .and_then(|page| page.parse::<usize>().ok());
    let comment = query.get("comment").and_then(|id| id.parse().ok());
    let of_comment = comment.and_then(|id| thread.page_of(id));
    let nth = named.map(|page| page.saturating_sub(1)).or(of_comment);
    nth.unwrap_or(usize::MAX).min(thread.count() - 1)
}

/// The page; `vote` is chosen in its form, as a key on the front page asks, and of the comments those of one page are shown.
fn whole(
    look: &GameView,
    id: PostId,
    vote: Option<&str>,
    thread: &CommentPages<'_>,
    shown: usize,
) -> Result<Post, AppError> {
    let post = look.post(id).ok_or(AppError::NotFound)?;
    let game = look.game().as_str();
    let category = look.category_title(post);
    let count = look.count(id);
    let title = look.themed(written(&post.title));
    let list = Href::from(urls::Game { game }).with("kind", post.category.as_str());
    let (answering, no_answer) = answering(look, id, post, vote);
    let changes = changes(look, post);
    let way = |comment: CommentId| way_to(look, id, thread, shown, comment);
    let mut votes = count
        .as_ref()
        .map(|count| votes::told(look, id, post, count));
    for line in votes.iter_mut().flat_map(|votes| &mut votes.lines) {
        let cast = line
            .comment
            .as_ref()
            .and_then(|place| place.as_str().strip_prefix("#c"));
        line.comment = cast.and_then(|word| word.parse().ok()).map(way);
    }
    Ok(Post {
        chrome: look.chrome(&title, Part::Blog),
        crumbs: vec![Link::new(category.clone(), list)],
        number: format!("{category} {id}"),
        title,
        category,
        author: look.author(&post.author),
        event: Some(in_log(look, id.0.event())),
        report: look
            .visitor()
            .account
            .is_some()
            .then(|| Href::from(urls::Report { game }).with("about", &format!("post:{id}"))),
        when: look.when(post.at),
        status: look.status(post),
        place: place(look, post),
        fields: fields(look, id, post),
        edit: window::edit_window(look, id, post),
        again: again(look, id, post),
        body: look.prose(written(&post.body), 2),
        flavour: (!post.flavour.as_str().is_empty()).then(|| look.remark(post.flavour.as_str())),
        change_note: changes_note(changes.len()),
        digest: digest(post),
        changes,
        effects: look
            .is_open(post)
            .then(|| crate::site::forecast::effects::in_short(look, id, post))
            .flatten(),
        votes,
        offers: own_offers(look, id, post),
        comments: comments(look, post, thread, shown),
        comment_count: thread.all.len(),
        comment_pages: comment_pages(look, id, thread, shown),
        jumps: jumps(look, thread, way, answering.is_some()),
        answering,
        no_answer,
        follow: look.follow(&Followed::Post(id)),
    })
}

/// Where a proposal begins that takes up this one's text and changes.
fn again(look: &GameView, id: PostId, post: &rows::Post) -> Option<Href> {
    let category = look.law().categories.get(&post.category)?;
    (look.is_member() && !category.it.icons.is_empty()).then(|| {
        let to = urls::ComposeIn {
            game: look.game().as_str(),
            category: post.category.as_str(),
        };
        Href::from(to).with("from", &id.to_string())
    })
}

fn changes_note(count: usize) -> String {
    crate::ui::plural(count, "clause", "clauses")
}

fn place(look: &GameView, post: &rows::Post) -> String {
    let by = post.closed_by.map(|by| format!("by {}", look.name(by)));
    let at = post.closed_at.map(|at| look.when(at).full());
    let closed: Vec<_> = by.into_iter().chain(at).collect();
    let note = look.closing_note(post);
    match (closed.is_empty(), note.is_empty()) {
        (true, _) => note,
        (false, true) => closed.join(", "),
        (false, false) => format!("{}. {note}", closed.join(", ")),
    }
}

/// Tags, and the fields that the category declares.
fn fields(look: &GameView, id: PostId, post: &rows::Post) -> Vec<Fact> {
    let mut facts = Vec::new();
    if !post.tags.is_empty() {
        let tags: Vec<_> = post.tags.iter().map(Name::as_str).collect();
        facts.push(Fact::new("Tags", tags.join(", ")));
    }
    let thing = Thing::Post(id);
    for (kind, name) in &look.law().value_order {
        if *kind != post.category {
            continue;
        }
        let Some(decl) = look.law().values.get(&(kind.clone(), name.clone())) else {
            continue;
        };
        facts.extend(look.fact(&thing, name, &decl.it.title));
    }
    // That a mark does not stand says nothing.
    facts.retain(|fact| fact.value != "no");
    facts.extend(worked_out(look, &thing, &post.category));
    facts
}

/// What functions of the law work out of a post, where they are tracked on the post itself.
fn worked_out(look: &GameView, thing: &Thing, category: &Name) -> Vec<Fact> {
    let mut values = look.values_of_kind(category);
    values.retain(|value| {
        matches!(value.source, Source::Computed(_))
            && value.under() == ON_POST
            && look.sees(thing, value)
    });
    look.ask(|asked| {
        let told = values.iter().filter_map(|value| {
            let held = asked.held(thing, value);
            (!held.text.is_empty()).then(|| Fact::new(look.themed(&value.title()), held.text))
        });
        told.collect()
    })
}

/// The short form of the digest of what a post changes.
fn digest(post: &rows::Post) -> Option<String> {
    let digest = post.patch.as_ref()?.digest().to_string();
    Some(digest.get(..16).unwrap_or(&digest).to_owned())
}

/// What the post changes, clause by clause.
pub fn changes(look: &GameView, post: &rows::Post) -> Vec<Change> {
    let patch = post.patch.as_ref().and_then(|patch| patch.plain());
    match patch {
        Some(patch) => look.changes(&patch.clauses),
        None => Vec::new(),
    }
}

/// What the reader may do with the post: actions of the law, and withdrawing it.
fn own_offers(look: &GameView, id: PostId, post: &rows::Post) -> Vec<Offer> {
    let mut offers = look.post_offers(id);
    let mine = look.me().is_some() && look.author_of(&post.author) == look.me();
    if mine && look.would(Act::Withdraw { post: id }).is_ok() {
        let word = id.to_string();
        let to = Href::from(urls::Post {
            game: look.game().as_str(),
            post: &word,
        });
        let to = Href::returning(&format!("{}/withdraw", to.as_str())).unwrap_or(to);
        offers.push(Offer {
            action: "withdraw".to_owned(),
            title: "Withdraw it".to_owned(),
            cost: None,
            says: String::new(),
            about: "Take your own post back, as far as the rules let you.".to_owned(),
            rest: String::new(),
            cite: None,
            open: Ok(crate::ui::Form::button(look.send(to), "Withdraw")),
        });
    }
    offers
}

/// Pages of comments, where there is more than one; that which is shown leads nowhere.
fn comment_pages(
    look: &GameView,
    id: PostId,
    thread: &CommentPages<'_>,
    shown: usize,
) -> Vec<(String, Option<Href>)> {
    let post = id.to_string();
    let place = Href::from(urls::Post {
        game: look.game().as_str(),
        post: &post,
    });
    let pages = (0..thread.count()).map(|page| {
        let number = (page + 1).to_string();
        let to = place.with("comments", &number).at("comments");
        (number, (page != shown).then_some(to))
    });
    pages.filter(|_| thread.count() > 1).collect()
}

/// The way to a comment: further down, or on its page.
fn way_to(
    look: &GameView,
    id: PostId,
    thread: &CommentPages<'_>,
    shown: usize,
    comment: CommentId,
) -> Href {
    let place = format!("c{comment}");
    if thread.page_of(comment).is_none_or(|page| page == shown) {
        return Href::fragment(&place);
    }
    let post = id.to_string();
    let to = urls::Post {
        game: look.game().as_str(),
        post: &post,
    };
    Href::from(to)
        .with("comment", &comment.to_string())
        .at(&place)
}

fn comments(
    look: &GameView,
    post: &rows::Post,
    thread: &CommentPages<'_>,
    shown: usize,
) -> Vec<Comment> {
    let icons = look
        .law()
        .categories
        .get(&post.category)
        .map(|category| category.it.icons.clone())
        .unwrap_or_default();
    let vote_of = |comment: &rows::Comment| {
        let counted = comment.icons.iter().filter(|icon| icon.counted);
        counted
            .map(|icon| icon.name.clone())
            .rfind(|icon| icons.contains(icon))
    };
    let mut made = Vec::new();
    for place in thread.page(shown) {
        let (key, comment) = thread.all[place];
        let vote = vote_of(comment);
        let is_superseded = vote.is_some()
            && thread.all[place + 1..]
                .iter()
                .any(|(_, other)| other.author == comment.author && vote_of(other).is_some());
        made.push(Comment {
            id: format!("c{}", key.id),
            author: look.author(&comment.author),
            when: look.when(comment.at),
            is_superseded,
            vote: vote.map(|icon| Ballot::new(icon.as_str())),
            note: no_votes(comment),
            event: Some(in_log(look, key.id.0.event())),
            body: Some(look.comment(written(&comment.text), &counted_words(look, post, comment))),
        });
    }
    made
}

/// The words of a comment that are votes: those of the icons that counted when it was written.
fn counted_words(look: &GameView, post: &rows::Post, comment: &rows::Comment) -> IconWords {
    let counted = comment.icons.iter().filter(|icon| icon.counted);
    let counted: Vec<Name> = counted.map(|icon| icon.name.clone()).collect();
    let category = look.law().categories.get(&post.category);
    let words = category.map(|category| IconWords::of(&category.it));
    words.unwrap_or_default().only(&counted)
}

/// What is said under a comment whose icons are not all votes.
fn no_votes(comment: &rows::Comment) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for icon in comment.icons.iter().filter(|icon| !icon.counted) {
        let name = icon.name.as_str().to_uppercase();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    (!names.is_empty()).then(|| {
        let names = names.join(" and ");
        format!("{names} did not count as a vote; the log says why.")
    })
}

/// The way to the event by which something was written.
fn in_log(look: &GameView, event: EventSeq) -> Href {
    let word = event.to_string();
    let to = urls::Event {
        game: look.game().as_str(),
        event: &word,
    };
    to.into()
}

fn jumps(
    look: &GameView,
    thread: &CommentPages<'_>,
    way: impl Fn(CommentId) -> Href,
    is_answered: bool,
) -> Vec<Link> {
    let mine = |comment: &rows::Comment| {
        look.me().is_some() && look.author_of(&comment.author) == look.me()
    };
    let newest = thread.all.last();
    let own = thread.all.iter().rfind(|(_, comment)| mine(comment));
    let mut jumps = vec![Link::new("votes", Href::fragment("each-h"))];
    if let Some((key, _)) = newest {
        jumps.push(Link::new("newest", way(key.id)));
    }
    if let Some((key, _)) = own {
        jumps.push(Link::new("mine", way(key.id)));
    }
    if is_answered {
        jumps.push(Link::new("write", Href::fragment("vote")));
    }
    jumps
}

type NoAnswer = Option<(String, Option<Link>)>;

fn answering(
    look: &GameView,
    id: PostId,
    post: &rows::Post,
    vote: Option<&str>,
) -> (Option<Answering>, NoAnswer) {
    let game = look.game().as_str();
    let Some(me) = look.me() else {
        let way = if look.visitor().account.is_some() {
            Link::new("Ask to join", urls::Join { game })
        } else {
            Link::new("Sign in", urls::SignIn)
        };
        let text = "Those who play here can comment.".to_owned();
        return (None, Some((text, Some(way))));
    };
    let word = id.to_string();
    let act = Act::Comment {
        post: id,
        text: typed("."),
    };
    if let Err(refusal) = look.would(act) {
        let said = look.refusal("A comment", &refusal).sentence();
        return (None, Some((said, None)));
    }
    let takes = look
        .law()
        .categories
        .get(&post.category)
        .filter(|_| look.is_open(post));
    let mut sides = Vec::new();
    let mut hint = String::new();
    if let Some(category) = takes.filter(|category| !category.it.icons.is_empty()) {
        sides.push((Ballot::new(""), false));
        for icon in window::usable_icons(look, id, me, &category.it.icons) {
            let is_chosen = vote == Some(icon.as_str());
            sides.push((Ballot::new(icon.as_str()), is_chosen));
        }
        "The last vote of yours that counts is your vote; you may change it while the matter is open."
            .clone_into(&mut hint);
        if look.has_flag(me, "idle") {
            "You are idle: a vote of yours does not count now.".clone_into(&mut hint);
        }
    }
    let form = Answering {
        draft: format!("{game}-{id}"),
        send: look.send(urls::Comment { game, post: &word }),
        sides,
        text: String::new(),
        hint,
        refusal: None,
    };
    (Some(form), None)
}

/// `POST /g/{game}/post/{post}/comment`.
pub async fn comment(
    Path((_, post)): Path<(String, String)>,
    SentIn { look, form }: SentIn,
) -> Response {
    let back = back_to(&look, &post);
    let result = match post_id(&look, &post) {
        Ok(id) => {
            let act = Act::Comment {
                post: id,
                text: typed(&comment_text(&look, id, &form)),
            };
            send::send(&look, form.key(), act).await
        }
        Err(trouble) => Err(trouble),
    };
    match result {
        Ok(_) => {
            let voted = form.filled("vote").map(str::to_uppercase);
            let notice = voted.map_or_else(
                || "Your comment is in.".to_owned(),
                |vote| format!("Your vote is in: {vote}."),
            );
            reply::see_with(&back.at("comment-list"), &notice)
        }
        Err(AppError::Refused(refusal)) => {
            let refusal = look.refusal("The comment", &refusal);
            let chrome = look.chrome("The law says no", Part::Blog);
            let way = Link::new("Back to the post", back);
            // A vote that cannot count leaves its words, to be sent as a comment.
            let text = form.filled("text").unwrap_or_default().to_owned();
            reply::refused(look.app(), look.visitor(), chrome, refusal, Some(text), way)
        }
        Err(trouble) => answer_in(&look, Err(trouble)),
    }
}

/// The text of a comment; a vote that was chosen beside it stands first and is its only icon.
fn comment_text(look: &GameView, post: PostId, form: &Posted) -> String {
    let text = form.filled("text").unwrap_or_default();
    match form.filled("vote") {
        Some(vote) => look.ask(|asked| asked.ballot(post, vote, text)),
        None => text.to_owned(),
    }
}

fn back_to(look: &GameView, post: &str) -> Href {
    let game = look.game().as_str();
    urls::Post { game, post }.into()
}

/// `POST /g/{game}/post/{post}/withdraw`.
pub async fn withdraw(
    Path((_, post)): Path<(String, String)>,
    SentIn { look, form }: SentIn,
) -> Response {
    let result = async {
        let id = post_id(&look, &post)?;
        send::send(&look, form.key(), Act::Withdraw { post: id }).await?;
        Ok(reply::see_with(&back_to(&look, &post), "It is withdrawn."))
    };
    let result = result.await;
    answer_in(&look, result)
}

/// The sign of a vote, for lists.
pub fn sign(word: &str) -> Icon {
    Ballot::new(word).icon()
}
