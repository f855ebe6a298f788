//! A post: the matter, how it stands, each vote and how it was reached, comments; and the forms that act on it.

use std::collections::BTreeMap;

use axum::extract::{Path, Query};
use axum::response::Response;
use quorate_engine::conventions;
use quorate_engine::icons::IconWords;
use quorate_kernel::command::{Act, typed};
use quorate_kernel::{CommentId, EventSeq, Name, PostId, Thing, rows};

use quorate_notices::outbox::Followed;

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::reply;
use crate::requests::drafts::{self, DraftForm, OwnDraft};
use crate::requests::forms::{Opened, SentIn, answer_in, drawn, page};
use crate::requests::seen::SeenBy;
use crate::requests::send;
use crate::site::post::page::{Answering, PostPage};
use crate::ui::urls::Href;
use crate::ui::{Ballot, Change, Comment, Fact, Icon, Link, Offer, urls};
use crate::view::comments::{CommentPages, NoVotes, words_beside};
use crate::view::game::GameView;
use crate::view::kinds::Source;
use crate::view::matters::Count;
use crate::view::people::Part;
use crate::view::posts::post_id;
use crate::view::words::written;
use crate::view::{fresh, votes, window};

/// The title under which rulebooks track what is worked out of a post and belongs on it.
const ON_POST: &str = "post";

/// `GET /g/{game}/post/{post}`.
pub async fn show(
    Opened(view): Opened,
    Path((_, post)): Path<(String, String)>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let (read, reader) = (now_read(&view, &post), SeenBy::of(&view));
    let own = match drafts::own_of(&view, &post, DraftForm::Comment).await {
        Ok(own) => own,
        Err(error) => return answer_in(&view, Err(error)),
    };
    let shown = drawn(view, move |view| {
        let id = post_id(view, &post)?;
        let thread = CommentPages::under(view, id);
        let shown = shown(&thread, &query);
        Ok(page(
            view,
            &whole(view, id, &query, &thread, shown, own.as_ref())?,
        ))
    })
    .await;
    if let Some((word, up_to)) = read {
        reader.note(&word, up_to).await;
    }
    shown
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

/// What is to be noted of a post that its reader opens: its word, and the event up to which it was shown. None where it says
/// nothing new.
fn now_read(view: &GameView, post: &str) -> Option<(String, EventSeq)> {
    let id = post_id(view, post).ok()?;
    view.fresh_of(id)?;
    Some((fresh::of_post(id), view.head().seq))
}

/// The page. A vote is chosen in its form, and a comment quoted there, as its address asks; of the comments those of one page
/// are shown.
fn whole(
    view: &GameView,
    id: PostId,
    query: &BTreeMap<String, String>,
    thread: &CommentPages<'_>,
    shown: usize,
    own: Option<&OwnDraft>,
) -> Result<PostPage, AppError> {
    let vote = query.get("vote").map(String::as_str);
    let post = view.post(id).ok_or(AppError::NotFound)?;
    let game = view.game().as_str();
    let category = view.category_title(post);
    let count = view.count(id);
    let title = view.themed(written(&post.title));
    let list = Href::from(urls::Game { game }).with("kind", post.category.as_str());
    let (mut answering, no_answer) = answering(view, id, post, count.as_ref(), vote);
    if let Some(answering) = &mut answering {
        begin_answer(view, id, answering, query.get("reply"), own);
    }
    let changes = changes(view, post);
    let way = |comment: CommentId| way_to(view, id, thread, shown, comment);
    let mut votes = count
        .as_ref()
        .map(|count| votes::votes_on(view, id, post, count));
    for line in votes.iter_mut().flat_map(|votes| &mut votes.lines) {
        let cast = line
            .comment
            .as_ref()
            .and_then(|place| place.as_str().strip_prefix("#c"));
        line.comment = cast.and_then(|word| word.parse().ok()).map(way);
    }
    Ok(PostPage {
        chrome: view.chrome(&title, Part::Blog),
        crumbs: vec![Link::new(category.clone(), list)],
        title,
        category,
        author: view.author(&post.author),
        event: Some(in_log(view, id.0.event())),
        report: view
            .visitor()
            .account
            .is_some()
            .then(|| Href::from(urls::Report { game }).with("about", &format!("post:{id}"))),
        when: view.when(post.at),
        edited: post.edited_at.map(|at| {
            let (game, word) = (game, id.to_string());
            let to = urls::PostVersions { game, post: &word };
            (view.when(at), to.into())
        }),
        status: view.status(post),
        place: place(view, post),
        fields: fields(view, id, post),
        edit: window::edit_window(view, id, post),
        again: again(view, id, post),
        body: view.post_prose(id, written(&post.body), 2),
        flavour: (!post.flavour.as_str().is_empty()).then(|| view.remark(post.flavour.as_str())),
        change_note: changes_note(changes.len()),
        digest: digest(post),
        changes,
        effects: view
            .is_open(post)
            .then(|| crate::view::effects::in_short(view, id, post))
            .flatten(),
        votes,
        verdict: view.verdict(id).filter(|_| view.is_open(post)),
        quick: view.quick_vote(id, None),
        next: next(view, id),
        offers: own_offers(view, id, post, count.as_ref()),
        comments: comments(view, id, post, (thread, shown), answering.is_some()),
        comment_count: thread.all.len(),
        comment_pages: comment_pages(view, id, thread, shown),
        jumps: jumps(view, thread, way, answering.is_some()),
        answering,
        no_answer,
        follow: view.follow(&Followed::Post(id)),
    })
}

/// What stands in the form of an answer at first: the comment that is quoted, and what its writer had begun.
fn begin_answer(
    view: &GameView,
    id: PostId,
    answering: &mut Answering,
    reply: Option<&String>,
    own: Option<&OwnDraft>,
) {
    if let Some(reply) = reply {
        answering.text = view.quoted(id, reply);
    }
    if let Some(own) = own {
        answering.text = own.text_with(&answering.text);
        answering.kept = Some(view.when(own.kept.at));
    }
}

/// Where a proposal begins that takes up this one's text and changes.
fn again(view: &GameView, id: PostId, post: &rows::Post) -> Option<Href> {
    let category = view.law().categories.get(&post.category)?;
    (view.is_member() && !category.it.icons.is_empty()).then(|| {
        let to = urls::ComposeIn {
            game: view.game().as_str(),
            category: post.category.as_str(),
        };
        Href::from(to).with("from", &id.to_string())
    })
}

fn changes_note(count: usize) -> String {
    crate::ui::plural(count, "clause", "clauses")
}

fn place(view: &GameView, post: &rows::Post) -> String {
    let by = post.closed_by.map(|by| format!("by {}", view.name(by)));
    let at = post.closed_at.map(|at| view.when(at).full());
    let closed: Vec<_> = by.into_iter().chain(at).collect();
    let note = view.closing_note(post);
    match (closed.is_empty(), note.is_empty()) {
        (true, _) => note,
        (false, true) => closed.join(", "),
        (false, false) => format!("{}. {note}", closed.join(", ")),
    }
}

/// Tags, and the fields that the category declares.
fn fields(view: &GameView, id: PostId, post: &rows::Post) -> Vec<Fact> {
    let mut facts = Vec::new();
    if !post.tags.is_empty() {
        let tags: Vec<_> = post.tags.iter().map(Name::as_str).collect();
        facts.push(Fact::new("Tags", tags.join(", ")));
    }
    let thing = Thing::Post(id);
    for (kind, name) in &view.law().value_order {
        if *kind != post.category {
            continue;
        }
        let Some(decl) = view.law().values.get(&(kind.clone(), name.clone())) else {
            continue;
        };
        facts.extend(view.fact(&thing, name, &decl.it.title));
    }
    // That a mark does not stand says nothing.
    facts.retain(|fact| fact.value != "no");
    facts.extend(worked_out(view, &thing, &post.category));
    facts
}

/// What functions of the law work out of a post, where they are tracked on the post itself.
fn worked_out(view: &GameView, thing: &Thing, category: &Name) -> Vec<Fact> {
    let mut values = view.values_of_kind(category);
    values.retain(|value| {
        matches!(value.source, Source::Computed(_))
            && value.under() == ON_POST
            && view.sees(thing, value)
    });
    view.ask(|asked| {
        let told = values.iter().filter_map(|value| {
            let held = asked.held(thing, value);
            (!held.text.is_empty()).then(|| Fact::new(view.themed(&value.title()), held.text))
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
pub fn changes(view: &GameView, post: &rows::Post) -> Vec<Change> {
    let patch = post.patch.as_ref().and_then(|patch| patch.plain());
    match patch {
        Some(patch) => view.changes(&patch.clauses),
        None => Vec::new(),
    }
}

/// What the reader may do with the post: actions of the law, and withdrawing it.
fn own_offers(view: &GameView, id: PostId, post: &rows::Post, count: Option<&Count>) -> Vec<Offer> {
    let offers = view.post_offers(id).into_iter();
    let mut offers: Vec<Offer> = match count {
        Some(count) => offers
            .map(|offer| view.with_vote(id, count, offer))
            .collect(),
        None => offers.collect(),
    };
    let mine = view.me().is_some() && view.author_of(&post.author) == view.me();
    if mine && view.would(Act::Withdraw { post: id }).is_ok() {
        let word = id.to_string();
        let to = Href::from(urls::Post {
            game: view.game().as_str(),
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
            open: Ok(crate::ui::Form::button(view.send(to), "Withdraw")),
        });
    }
    offers
}

/// Pages of comments, where there is more than one; that which is shown leads nowhere.
fn comment_pages(
    view: &GameView,
    id: PostId,
    thread: &CommentPages<'_>,
    shown: usize,
) -> Vec<(String, Option<Href>)> {
    let post = id.to_string();
    let place = Href::from(urls::Post {
        game: view.game().as_str(),
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
    view: &GameView,
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
        game: view.game().as_str(),
        post: &post,
    };
    Href::from(to)
        .with("comment", &comment.to_string())
        .at(&place)
}

fn comments(
    view: &GameView,
    id: PostId,
    post: &rows::Post,
    (thread, shown): (&CommentPages<'_>, usize),
    is_answered: bool,
) -> Vec<Comment> {
    let (game, word) = (view.game().as_str(), id.to_string());
    let here = Href::from(urls::Post { game, post: &word });
    let icons = view
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
    let no_votes = view.no_votes(&thread.all[thread.page(shown)]);
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
            author: view.author(&comment.author),
            when: view.when(comment.at),
            is_superseded,
            is_fresh: view.is_fresh_comment(key, comment),
            reply: is_answered.then(|| here.with("reply", &key.id.to_string()).at("vote")),
            vote: vote.map(|icon| Ballot::new(icon.as_str())),
            note: remark(comment, no_votes.get(&key.id.0.event())),
            // Their own words can be taken out there; to others the whole log is open.
            event: (view.author_of(&comment.author) == view.me() && view.me().is_some())
                .then(|| in_log(view, key.id.0.event())),
            body: words_beside(comment)
                .map(|text| view.comment(id, text, &counted_words(view, post, comment))),
        });
    }
    made
}

/// The words of a comment that are votes: those of the icons that counted when it was written.
fn counted_words(view: &GameView, post: &rows::Post, comment: &rows::Comment) -> IconWords {
    let counted = comment.icons.iter().filter(|icon| icon.counted);
    let counted: Vec<Name> = counted.map(|icon| icon.name.clone()).collect();
    let category = view.law().categories.get(&post.category);
    let words = category.map(|category| IconWords::of(&category.it));
    words.unwrap_or_default().only(&counted)
}

/// What is said under a comment whose icons are not all votes: which are none, and why.
fn remark(comment: &rows::Comment, no_votes: Option<&NoVotes>) -> Option<String> {
    let mut told: Vec<String> = Vec::new();
    for icon in comment.icons.iter().filter(|icon| !icon.counted) {
        let name = icon.name.as_str().to_uppercase();
        let why = no_votes.and_then(|known| known.iter().find(|(known, _)| *known == icon.name));
        let line = why.map_or_else(
            || format!("{name} did not count as a vote."),
            |(_, why)| format!("{name} did not count as a vote: {why}."),
        );
        if !told.contains(&line) {
            told.push(line);
        }
    }
    (!told.is_empty()).then(|| told.join(" "))
}

/// The way to the event by which something was written.
fn in_log(view: &GameView, event: EventSeq) -> Href {
    let word = event.to_string();
    let to = urls::Event {
        game: view.game().as_str(),
        event: &word,
    };
    to.into()
}

fn jumps(
    view: &GameView,
    thread: &CommentPages<'_>,
    way: impl Fn(CommentId) -> Href,
    is_answered: bool,
) -> Vec<Link> {
    let mine = |comment: &rows::Comment| {
        view.me().is_some() && view.author_of(&comment.author) == view.me()
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

/// The next matter without the reader's vote, and how many there are.
fn next(view: &GameView, id: PostId) -> Option<(Link, usize)> {
    let waiting = view.unvoted(Some(id));
    let others: Vec<PostId> = waiting.into_iter().filter(|other| *other != id).collect();
    let link = view.link_to(*others.first()?)?;
    Some((link, others.len()))
}

type NoAnswer = Option<(String, Option<Link>)>;

fn answering(
    view: &GameView,
    id: PostId,
    post: &rows::Post,
    count: Option<&Count>,
    vote: Option<&str>,
) -> (Option<Answering>, NoAnswer) {
    let game = view.game().as_str();
    let Some(me) = view.me() else {
        let way = match view.visitor().account {
            Some(_) => Some(Link::new("Ask to join", urls::Join { game })),
            // And back to where one votes, also for whoever came from a mail.
            None => view.visitor().ways_in().into_iter().next(),
        };
        let text = "Players can comment here.".to_owned();
        return (None, Some((text, way)));
    };
    let word = id.to_string();
    let act = Act::Comment {
        post: id,
        text: typed("."),
    };
    if let Err(refusal) = view.would(act) {
        let said = view.refusal("A comment", &refusal).sentence();
        return (None, Some((said, None)));
    }
    let mut sides = Vec::new();
    let mut hint = String::new();
    if let Some(count) = count.filter(|_| view.is_open(post)) {
        sides = view.own_sides(id, count);
        if let Some(vote) = vote {
            for (side, is_chosen) in &mut sides {
                *is_chosen = side.name == vote;
            }
        }
        let is_chosen = sides.iter().any(|(_, is_chosen)| *is_chosen);
        if !sides.is_empty() {
            sides.insert(0, (Ballot::new(""), !is_chosen));
        }
        let told = if view.has_flag(me, conventions::IDLE) {
            "You’re idle, so your vote doesn’t count now."
        } else {
            "You can change your vote while this is open. Your last one counts."
        };
        told.clone_into(&mut hint);
    }
    let form = Answering {
        draft: DraftForm::Comment(id).word(),
        keeps: drafts::ways(game),
        kept: None,
        send: view.send(urls::Comment { game, post: &word }),
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
    SentIn { view, form }: SentIn,
) -> Response {
    let back = back_to(&view, &post);
    let result = async {
        let id = post_id(&view, &post)?;
        let (vote, text) = (fresh_vote(&view, id, &form), form.filled("text"));
        if vote.is_none() && text.is_none() && form.filled("vote").is_some() {
            return Ok(id);
        }
        let text = comment_text(&view, id, vote, text.unwrap_or_default());
        let act = Act::Comment {
            post: id,
            text: typed(&text),
        };
        let key = form.key().map(|key| vote_key(&view, id, key, vote));
        send::send(&view, key.as_deref(), act).await?;
        drafts::sent(&view, &form).await;
        Ok(id)
    };
    match result.await {
        Ok(id) => {
            let voted = form.filled("vote").map(str::to_uppercase);
            let notice = voted.map_or_else(
                || "Your comment is in.".to_owned(),
                |vote| format!("Your vote is in: {vote}."),
            );
            let to = match (form.filled("back"), form.filled("text")) {
                (Some("list"), _) => in_list(&view, id),
                (_, Some(_)) => back.at("comment-list"),
                (_, None) => back,
            };
            reply::see_with(&to, &notice)
        }
        Err(AppError::Refused(refusal)) => {
            let refusal = view.refusal("The comment", &refusal);
            let chrome = view.chrome("The rules say no", Part::Blog);
            let way = Link::new("Back to the post", back);
            // A vote that cannot count leaves its words, to be sent as a comment.
            let text = form.filled("text").unwrap_or_default().to_owned();
            reply::refused(view.app(), view.visitor(), chrome, refusal, Some(text), way)
        }
        Err(error) => answer_in(&view, Err(error)),
    }
}

/// The vote of a form, if it is another than the one that stands: the same once more is none.
fn fresh_vote<'a>(view: &GameView, id: PostId, form: &'a Posted) -> Option<&'a str> {
    let vote = form.filled("vote")?;
    let category = &view.post(id)?.category;
    let icons = &view.law().categories.get(category)?.it.icons;
    let own = view.own_vote(id, icons);
    (own.as_ref().map(Name::as_str) != Some(vote)).then_some(vote)
}

/// The key of a vote: the same page may send one vote and, after that, another.
fn vote_key(view: &GameView, id: PostId, key: &str, vote: Option<&str>) -> String {
    let Some(vote) = vote else {
        return key.to_owned();
    };
    let mine = view.comments_of(id);
    let mine = mine.filter(|(_, comment)| view.author_of(&comment.author) == view.me());
    format!("{key}.{vote}.{}", mine.count())
}

/// Back in the list of posts, at the next one without the reader's vote.
fn in_list(view: &GameView, id: PostId) -> Href {
    let game = view.game().as_str();
    let mut waiting = view.unvoted(Some(id)).into_iter();
    let next = waiting.find(|other| *other != id).unwrap_or(id);
    Href::from(urls::Game { game }).at(&format!("post-{next}"))
}

/// The text of a comment; a vote that was chosen beside it stands first and is its only icon.
fn comment_text(view: &GameView, post: PostId, vote: Option<&str>, text: &str) -> String {
    match vote {
        Some(vote) => view.ask(|asked| asked.ballot(post, vote, text)),
        None => text.to_owned(),
    }
}

fn back_to(view: &GameView, post: &str) -> Href {
    let game = view.game().as_str();
    urls::Post { game, post }.into()
}

/// `POST /g/{game}/post/{post}/withdraw`.
pub async fn withdraw(
    Path((_, post)): Path<(String, String)>,
    SentIn { view, form }: SentIn,
) -> Response {
    let result = async {
        let id = post_id(&view, &post)?;
        send::send(&view, form.key(), Act::Withdraw { post: id }).await?;
        Ok(reply::see_with(&back_to(&view, &post), "It is withdrawn."))
    };
    let result = result.await;
    answer_in(&view, result)
}

/// The sign of a vote, for lists.
pub fn sign(word: &str) -> Icon {
    Ballot::new(word).icon()
}
