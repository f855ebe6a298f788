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
    Opened(look): Opened,
    Path((_, post)): Path<(String, String)>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let (read, reader) = (now_read(&look, &post), SeenBy::of(&look));
    let own = match drafts::own_of(&look, &post, DraftForm::Comment).await {
        Ok(own) => own,
        Err(error) => return answer_in(&look, Err(error)),
    };
    let shown = drawn(look, move |look| {
        let id = post_id(look, &post)?;
        let thread = CommentPages::under(look, id);
        let shown = shown(&thread, &query);
        Ok(page(
            look,
            &whole(look, id, &query, &thread, shown, own.as_ref())?,
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
fn now_read(look: &GameView, post: &str) -> Option<(String, EventSeq)> {
    let id = post_id(look, post).ok()?;
    look.fresh_of(id)?;
    Some((fresh::of_post(id), look.head().seq))
}

/// The page. A vote is chosen in its form, and a comment quoted there, as its address asks; of the comments those of one page
/// are shown.
fn whole(
    look: &GameView,
    id: PostId,
    query: &BTreeMap<String, String>,
    thread: &CommentPages<'_>,
    shown: usize,
    own: Option<&OwnDraft>,
) -> Result<PostPage, AppError> {
    let vote = query.get("vote").map(String::as_str);
    let post = look.post(id).ok_or(AppError::NotFound)?;
    let game = look.game().as_str();
    let category = look.category_title(post);
    let count = look.count(id);
    let title = look.themed(written(&post.title));
    let list = Href::from(urls::Game { game }).with("kind", post.category.as_str());
    let (mut answering, no_answer) = answering(look, id, post, count.as_ref(), vote);
    if let Some(answering) = &mut answering {
        begin_answer(look, id, answering, query.get("reply"), own);
    }
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
    Ok(PostPage {
        chrome: look.chrome(&title, Part::Blog),
        crumbs: vec![Link::new(category.clone(), list)],
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
        edited: post.edited_at.map(|at| {
            let (game, word) = (game, id.to_string());
            let to = urls::PostVersions { game, post: &word };
            (look.when(at), to.into())
        }),
        status: look.status(post),
        place: place(look, post),
        fields: fields(look, id, post),
        edit: window::edit_window(look, id, post),
        again: again(look, id, post),
        body: look.post_prose(id, written(&post.body), 2),
        flavour: (!post.flavour.as_str().is_empty()).then(|| look.remark(post.flavour.as_str())),
        change_note: changes_note(changes.len()),
        digest: digest(post),
        changes,
        effects: look
            .is_open(post)
            .then(|| crate::view::effects::in_short(look, id, post))
            .flatten(),
        votes,
        verdict: look.verdict(id).filter(|_| look.is_open(post)),
        quick: look.quick_vote(id, None),
        next: next(look, id),
        offers: own_offers(look, id, post, count.as_ref()),
        comments: comments(look, id, post, (thread, shown), answering.is_some()),
        comment_count: thread.all.len(),
        comment_pages: comment_pages(look, id, thread, shown),
        jumps: jumps(look, thread, way, answering.is_some()),
        answering,
        no_answer,
        follow: look.follow(&Followed::Post(id)),
    })
}

/// What stands in the form of an answer at first: the comment that is quoted, and what its writer had begun.
fn begin_answer(
    look: &GameView,
    id: PostId,
    answering: &mut Answering,
    reply: Option<&String>,
    own: Option<&OwnDraft>,
) {
    if let Some(reply) = reply {
        answering.text = look.quoted(id, reply);
    }
    if let Some(own) = own {
        answering.text = own.text_with(&answering.text);
        answering.kept = Some(look.when(own.kept.at));
    }
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
fn own_offers(look: &GameView, id: PostId, post: &rows::Post, count: Option<&Count>) -> Vec<Offer> {
    let offers = look.post_offers(id).into_iter();
    let mut offers: Vec<Offer> = match count {
        Some(count) => offers
            .map(|offer| look.with_vote(id, count, offer))
            .collect(),
        None => offers.collect(),
    };
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
    id: PostId,
    post: &rows::Post,
    (thread, shown): (&CommentPages<'_>, usize),
    is_answered: bool,
) -> Vec<Comment> {
    let (game, word) = (look.game().as_str(), id.to_string());
    let here = Href::from(urls::Post { game, post: &word });
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
    let no_votes = look.no_votes(&thread.all[thread.page(shown)]);
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
            is_fresh: look.is_fresh_comment(key, comment),
            reply: is_answered.then(|| here.with("reply", &key.id.to_string()).at("vote")),
            vote: vote.map(|icon| Ballot::new(icon.as_str())),
            note: remark(comment, no_votes.get(&key.id.0.event())),
            // Their own words can be taken out there; to others the whole log is open.
            event: (look.author_of(&comment.author) == look.me() && look.me().is_some())
                .then(|| in_log(look, key.id.0.event())),
            body: words_beside(comment)
                .map(|text| look.comment(id, text, &counted_words(look, post, comment))),
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

/// The next matter without the reader's vote, and how many there are.
fn next(look: &GameView, id: PostId) -> Option<(Link, usize)> {
    let waiting = look.unvoted(Some(id));
    let others: Vec<PostId> = waiting.into_iter().filter(|other| *other != id).collect();
    let link = look.link_to(*others.first()?)?;
    Some((link, others.len()))
}

type NoAnswer = Option<(String, Option<Link>)>;

fn answering(
    look: &GameView,
    id: PostId,
    post: &rows::Post,
    count: Option<&Count>,
    vote: Option<&str>,
) -> (Option<Answering>, NoAnswer) {
    let game = look.game().as_str();
    let Some(me) = look.me() else {
        let way = match look.visitor().account {
            Some(_) => Some(Link::new("Ask to join", urls::Join { game })),
            // And back to where one votes, also for whoever came from a mail.
            None => look.visitor().ways_in().into_iter().next(),
        };
        let text = "Players can comment here.".to_owned();
        return (None, Some((text, way)));
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
    let mut sides = Vec::new();
    let mut hint = String::new();
    if let Some(count) = count.filter(|_| look.is_open(post)) {
        sides = look.own_sides(id, count);
        if let Some(vote) = vote {
            for (side, is_chosen) in &mut sides {
                *is_chosen = side.name == vote;
            }
        }
        let is_chosen = sides.iter().any(|(_, is_chosen)| *is_chosen);
        if !sides.is_empty() {
            sides.insert(0, (Ballot::new(""), !is_chosen));
        }
        let told = if look.has_flag(me, conventions::IDLE) {
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
    let result = async {
        let id = post_id(&look, &post)?;
        let (vote, text) = (fresh_vote(&look, id, &form), form.filled("text"));
        if vote.is_none() && text.is_none() && form.filled("vote").is_some() {
            return Ok(id);
        }
        let text = comment_text(&look, id, vote, text.unwrap_or_default());
        let act = Act::Comment {
            post: id,
            text: typed(&text),
        };
        let key = form.key().map(|key| vote_key(&look, id, key, vote));
        send::send(&look, key.as_deref(), act).await?;
        drafts::sent(&look, &form).await;
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
                (Some("list"), _) => in_list(&look, id),
                (_, Some(_)) => back.at("comment-list"),
                (_, None) => back,
            };
            reply::see_with(&to, &notice)
        }
        Err(AppError::Refused(refusal)) => {
            let refusal = look.refusal("The comment", &refusal);
            let chrome = look.chrome("The rules say no", Part::Blog);
            let way = Link::new("Back to the post", back);
            // A vote that cannot count leaves its words, to be sent as a comment.
            let text = form.filled("text").unwrap_or_default().to_owned();
            reply::refused(look.app(), look.visitor(), chrome, refusal, Some(text), way)
        }
        Err(error) => answer_in(&look, Err(error)),
    }
}

/// The vote of a form, if it is another than the one that stands: the same once more is none.
fn fresh_vote<'a>(look: &GameView, id: PostId, form: &'a Posted) -> Option<&'a str> {
    let vote = form.filled("vote")?;
    let category = &look.post(id)?.category;
    let icons = &look.law().categories.get(category)?.it.icons;
    let own = look.own_vote(id, icons);
    (own.as_ref().map(Name::as_str) != Some(vote)).then_some(vote)
}

/// The key of a vote: the same page may send one vote and, after that, another.
fn vote_key(look: &GameView, id: PostId, key: &str, vote: Option<&str>) -> String {
    let Some(vote) = vote else {
        return key.to_owned();
    };
    let mine = look.comments_of(id);
    let mine = mine.filter(|(_, comment)| look.author_of(&comment.author) == look.me());
    format!("{key}.{vote}.{}", mine.count())
}

/// Back in the list of posts, at the next one without the reader's vote.
fn in_list(look: &GameView, id: PostId) -> Href {
    let game = look.game().as_str();
    let mut waiting = look.unvoted(Some(id)).into_iter();
    let next = waiting.find(|other| *other != id).unwrap_or(id);
    Href::from(urls::Game { game }).at(&format!("post-{next}"))
}

/// The text of a comment; a vote that was chosen beside it stands first and is its only icon.
fn comment_text(look: &GameView, post: PostId, vote: Option<&str>, text: &str) -> String {
    match vote {
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
