//! What has become possible for the reader: matters that they may close, and actions that are theirs again.

use quorate_engine::law::At;
use quorate_engine::offers;
use quorate_engine::offers::Quota;
use quorate_kernel::rows::Post;
use quorate_kernel::{Moment, PlayerId, PostId};
use quorate_law::declare::ActionDecl;

use crate::ui::urls::Href;
use crate::ui::{Icon, NeedsLine, plural, urls};
use crate::view::game::GameView;
use crate::view::messages;

/// How many actions are named; the rest are counted.
const NAMED: usize = 4;

/// Conversations with messages that the reader has not read.
pub(crate) fn letters(look: &GameView) -> Vec<NeedsLine> {
    let unread = look.unread().into_iter();
    let lines = unread.map(|(circle, count)| {
        let thread = messages::word(&circle);
        let link = urls::Thread {
            game: look.game.as_str(),
            thread: &thread,
        };
        NeedsLine {
            icon: Icon::Mail,
            title: look.circle_names(&circle),
            href: link.into(),
            after: String::new(),
            note: format!("wrote {}", plural(count, "message", "messages")),
            due: None,
        }
    });
    lines.collect()
}

/// Matters that the reader may close by an office of theirs, oldest first.
pub(crate) fn closings(look: &GameView) -> Vec<NeedsLine> {
    let Some(me) = look.me.filter(|me| look.has_flag(*me, "admin")) else {
        return Vec::new();
    };
    let found = open_matters(look).into_iter().filter_map(|(id, post)| {
        let decl = ripe(look, me, id, post)?;
        let word = id.to_string();
        let link = urls::Post {
            game: look.game.as_str(),
            post: &word,
        };
        Some(NeedsLine {
            icon: Icon::Key,
            title: look.themed(post.title.as_str()),
            href: link.into(),
            after: String::new(),
            note: format!("can be closed: {}", look.themed(&decl.it.title)),
            due: None,
        })
    });
    found.collect()
}

/// Matters that are open and that the reader may see, oldest first.
fn open_matters(look: &GameView) -> Vec<(PostId, &Post)> {
    let posts = look.state().posts.iter();
    let open = posts
        .filter(|(_, post)| look.is_open(post) && look.is_matter(post) && look.view().post(post));
    let mut open: Vec<_> = open.map(|(id, post)| (*id, post)).collect();
    open.sort_by_key(|(id, post)| (post.open_at, *id));
    open
}

/// By what somebody may close a matter now, if they are of those who usually do.
pub(crate) fn ripe<'a>(
    look: &'a GameView,
    me: PlayerId,
    id: PostId,
    post: &Post,
) -> Option<&'a At<ActionDecl>> {
    if !look.has_flag(me, "admin") || !look.is_open(post) {
        return None;
    }
    let usual = look.usual_role(&post.category);
    let closings = look.closings(id, me).into_iter();
    let mut ripe = closings.filter(|(decl, open)| open.is_ok() && decl.it.by.as_ref() == usual);
    ripe.next().map(|(decl, _)| decl)
}

/// The matters that the reader may close now by an office of theirs, and when the law may say so of others.
pub(crate) fn closable_by(look: &GameView) -> (Vec<PostId>, Vec<Moment>) {
    let Some(me) = look.me.filter(|me| look.has_flag(*me, "admin")) else {
        return (Vec::new(), Vec::new());
    };
    let (mut now, mut later) = (Vec::new(), Vec::new());
    for (id, post) in open_matters(look) {
        let usual = look.usual_role(&post.category);
        let closings = look.closings(id, me).into_iter();
        for (_, open) in closings.filter(|(decl, _)| decl.it.by.as_ref() == usual) {
            match open {
                Ok(()) if !now.contains(&id) => now.push(id),
                Ok(()) => {}
                Err(refusal) => later.extend(refusal.next_at),
            }
        }
    }
    (now, later)
}

/// Actions of the dynasty that are limited in time, that the reader has taken before, and that the law allows again.
pub(crate) fn possible(look: &GameView) -> Option<NeedsLine> {
    let again = again(look);
    if again.is_empty() {
        return None;
    }
    let more = again.len().saturating_sub(NAMED);
    let named: Vec<&str> = again.iter().take(NAMED).map(String::as_str).collect();
    let mut title = named.join(", ");
    if more > 0 {
        title = format!("{title} and {more} more");
    }
    let act: Href = urls::Act {
        game: look.game.as_str(),
    }
    .into();
    Some(NeedsLine {
        icon: Icon::Star,
        title,
        href: act.at("now"),
        after: String::new(),
        note: "possible again".to_owned(),
        due: None,
    })
}

/// Their titles, in the law's order; none for those who do not play now.
fn again(look: &GameView) -> Vec<String> {
    let playing = look
        .me
        .filter(|me| look.is_member() && !look.has_flag(*me, "idle"));
    let Some(me) = playing else {
        return Vec::new();
    };
    let law = &look.law;
    let dynastic = |decl: &&At<ActionDecl>| look.section_of(&decl.site.rule) == Some("dynastic");
    let actions = law.action_order.iter();
    let limited: Vec<&At<ActionDecl>> = actions
        .filter_map(|name| law.actions.get(name))
        .filter(|decl| !decl.it.limits.is_empty())
        .filter(dynastic)
        .collect();
    let unused = |quota: &Quota| quota.used < quota.limit.times.max(1);
    let titles: Vec<String> = look.trial_run(|tx| {
        let taken = limited.into_iter().filter(|decl| {
            let mut slots = decl
                .it
                .limits
                .iter()
                .map(|limit| limit.counted_in(&decl.it.name));
            slots.any(|slot| !tx.uses(slot, Some(me), None).is_empty())
        });
        let offered = taken.map(|decl| offers::offer(tx, me, decl));
        let open = offered.filter(|offer| offer.open.is_ok() && offer.quotas.iter().all(unused));
        open.map(|offer| offer.title).collect()
    });
    titles.iter().map(|title| look.themed(title)).collect()
}
