//! What has become possible for the reader: matters that they may close, and actions that are theirs again.

use quorate_engine::conventions;
use quorate_engine::law::At;
use quorate_engine::offers;
use quorate_engine::offers::Quota;
use quorate_kernel::rows::{Post, Standing};
use quorate_kernel::{Moment, PlayerId, PostId, Span, Thing};
use quorate_law::capital;
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::ActionDecl;

use crate::ui::urls::Href;
use crate::ui::{Icon, NeedsLine, plural, urls};
use crate::view::game::GameView;
use crate::view::messages;
use crate::view::player;
use crate::view::standing::can;

/// How many actions are named; the rest are counted.
const NAMED: usize = 4;

/// How soon something passes that is told as a chance.
const SOON: Span = Span::hours(12);

/// Conversations with messages that the reader has not read.
pub(crate) fn letters(view: &GameView) -> Vec<NeedsLine> {
    let unread = view.unread().into_iter();
    let lines = unread.map(|(circle, count)| {
        let thread = messages::word(&circle);
        let link = urls::Thread {
            game: view.game.as_str(),
            thread: &thread,
        };
        NeedsLine {
            icon: Icon::Mail,
            title: view.circle_names(&circle),
            href: link.into(),
            after: String::new(),
            note: format!("wrote {}", plural(count, "message", "messages")),
            due: None,
        }
    });
    lines.collect()
}

/// What the law lets the reader alone do, such as the address of whoever has won; what an admin or the leader of the dynasty
/// always can is no news.
pub(crate) fn for_me_alone(view: &GameView) -> Vec<NeedsLine> {
    let Some(me) = view.me.filter(|_| view.is_member()) else {
        return Vec::new();
    };
    let names = view.law.action_order.iter();
    let alone = names.filter(|name| view.is_for_alone(name.as_str(), me));
    let open = alone.filter_map(|name| view.law_offer(name.as_str()).filter(|o| o.open.is_ok()));
    let act: Href = urls::Act {
        game: view.game.as_str(),
    }
    .into();
    let lines = open.map(|offer| NeedsLine {
        icon: Icon::Star,
        title: view.themed(&offer.title),
        href: act.at(&format!("act-{}", offer.action)),
        after: String::new(),
        note: if view.is_paused() {
            "The game waits for this, and only you can do it".to_owned()
        } else {
            "Only you can do this".to_owned()
        },
        due: None,
    });
    lines.collect()
}

impl GameView {
    /// Whether an action is for one player alone, who is neither the leader of the dynasty nor does it as an admin.
    pub(crate) fn is_for_alone(&self, action: &str, me: PlayerId) -> bool {
        let Some(by) = self
            .law
            .actions
            .get(action)
            .and_then(|decl| decl.it.by.as_ref())
        else {
            return false;
        };
        if self.is_awaited_of(action, me) {
            return true;
        }
        if self.leader() == Some(me) {
            return false;
        }
        let is_one = |id: PlayerId| {
            let args = vec![Datum::Thing(Thing::Player(id))];
            self.law_says(by.as_str(), args) == Some(Datum::Bool(true))
        };
        if !is_one(me) {
            return false;
        }
        let (active, idle) = self.roster();
        let mut others = active.iter().chain(&idle).filter(|id| **id != me);
        let is_office = self.has_flag(me, "admin")
            && self
                .law
                .actions
                .values()
                .filter(|decl| decl.it.by.as_ref() == Some(by))
                .count()
                > 2;
        !is_office && !others.any(|id| is_one(*id))
    }
}

impl GameView {
    /// Whether the game rests.
    pub(crate) fn is_paused(&self) -> bool {
        self.attribute(&Thing::Game, conventions::PAUSED) == Some(Datum::Bool(true))
    }

    /// Whether the game rests until somebody takes an action that is theirs alone and takes rules, such as the address with
    /// which a dynasty begins.
    fn is_awaited_of(&self, action: &str, who: PlayerId) -> bool {
        let Some(decl) = self.law.actions.get(action) else {
            return false;
        };
        let takes_rules = decl.it.params.iter().any(|param| match &param.ty {
            Type::List(item) => matches!(&**item, Type::Kind(kind) if *kind == "Rule"),
            _ => false,
        });
        let Some(by) = decl
            .it
            .by
            .as_ref()
            .filter(|_| takes_rules && self.is_paused())
        else {
            return false;
        };
        let is_one = |id: &PlayerId| {
            let args = vec![Datum::Thing(Thing::Player(*id))];
            self.law_says(by.as_str(), args) == Some(Datum::Bool(true))
        };
        let (active, _) = self.roster();
        is_one(&who) && !active.iter().any(|id| *id != who && is_one(id))
    }

    /// For whom the game rests, and for which action of theirs.
    pub(crate) fn awaited(&self) -> Option<(PlayerId, &At<ActionDecl>)> {
        if !self.is_paused() {
            return None;
        }
        let (active, _) = self.roster();
        let decls = self.law.actions.values();
        let mut pairs = decls.flat_map(|decl| active.iter().map(move |who| (*who, decl)));
        pairs.find(|(who, decl)| {
            self.is_awaited_of(decl.it.name.as_str(), *who)
                && self.trial_run(|tx| offers::offer(tx, *who, decl).open.is_ok())
        })
    }
}

/// Those who ask to join and whom the reader can let in.
pub(crate) fn applicants(view: &GameView) -> Vec<NeedsLine> {
    let people = view.state().people.iter();
    let asking = people.filter(|(_, person)| person.standing == Standing::Applicant);
    let found = asking.filter_map(|(id, _)| {
        let offers = player::about(view, *id).into_iter();
        let titles: Vec<String> = offers.map(|offer| offer.title).collect();
        let player = id.to_string();
        let link = urls::Player {
            game: view.game.as_str(),
            player: &player,
        };
        (!titles.is_empty()).then(|| NeedsLine {
            icon: Icon::Person,
            title: view.name(*id),
            href: link.into(),
            after: String::new(),
            note: format!("Asks to join. You can: {}", titles.join(", ")),
            due: None,
        })
    });
    found.collect()
}

/// Matters that the reader may close by an office of theirs, oldest first.
pub(crate) fn closings(view: &GameView) -> Vec<NeedsLine> {
    let Some(me) = view.me.filter(|me| view.has_flag(*me, "admin")) else {
        return Vec::new();
    };
    let found = open_matters(view).into_iter().filter_map(|(id, post)| {
        let decl = ripe(view, me, id, post)?;
        let word = id.to_string();
        let link = urls::Post {
            game: view.game.as_str(),
            post: &word,
        };
        Some(NeedsLine {
            icon: Icon::Key,
            title: view.themed(post.title.as_str()),
            href: link.into(),
            after: String::new(),
            note: closing_note(view, id, &view.themed(&decl.it.title)),
            due: None,
        })
    });
    found.collect()
}

/// Matters that are open and that the reader may see, oldest first.
fn open_matters(view: &GameView) -> Vec<(PostId, &Post)> {
    let posts = view.state().posts.iter();
    let open = posts
        .filter(|(_, post)| view.is_open(post) && view.is_matter(post) && view.sight().post(post));
    let mut open: Vec<_> = open.map(|(id, post)| (*id, post)).collect();
    open.sort_by_key(|(id, post)| (post.open_at, *id));
    open
}

/// By what somebody may close a matter now, if they are of those who usually do.
pub(crate) fn ripe<'a>(
    view: &'a GameView,
    me: PlayerId,
    id: PostId,
    post: &Post,
) -> Option<&'a At<ActionDecl>> {
    if !view.has_flag(me, "admin") || !view.is_open(post) {
        return None;
    }
    let usual = view.usual_role(&post.category);
    let closings = view.closings(id, me).into_iter();
    let mut ripe = closings.filter(|(decl, open)| open.is_ok() && decl.it.by.as_ref() == usual);
    ripe.next().map(|(decl, _)| decl)
}

/// The matters that the reader may close now by an office of theirs, and when the law may say so of others.
pub(crate) fn closable_by(view: &GameView) -> (Vec<PostId>, Vec<Moment>) {
    let Some(me) = view.me.filter(|me| view.has_flag(*me, "admin")) else {
        return (Vec::new(), Vec::new());
    };
    let (mut now, mut later) = (Vec::new(), Vec::new());
    for (id, post) in open_matters(view) {
        let usual = view.usual_role(&post.category);
        let closings = view.closings(id, me).into_iter();
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

/// "Can be enacted, 7–1".
fn closing_note(view: &GameView, id: PostId, title: &str) -> String {
    let way = capital(&can(&[title.to_owned()]));
    let votes = view.count(id).and_then(|count| count.ending(title));
    way + &votes.unwrap_or_default()
}

/// Chances that pass: actions of the dynasty that the law allows now and, as it says itself, not much longer. What a limit
/// counts anew at the same moment does not pass.
pub(crate) fn passing(view: &GameView) -> Vec<NeedsLine> {
    let playing = view
        .me
        .filter(|me| view.is_member() && !view.has_flag(*me, conventions::IDLE));
    let Some(me) = playing else {
        return Vec::new();
    };
    let here = view.fork();
    let law = &view.law;
    let actions = law
        .action_order
        .iter()
        .filter_map(|name| law.actions.get(name));
    let of_play =
        actions.filter(|decl| view.section_of(&decl.site.rule) == Some(conventions::PLAY));
    let act: Href = urls::Act {
        game: view.game.as_str(),
    }
    .into();
    let found = of_play.filter_map(|decl| {
        let is_open = |at| {
            here.query(at, |tx| {
                let (is_open, reads) = tx.reading(|| offers::offer(tx, me, decl).open.is_ok());
                (is_open, reads.until)
            })
        };
        let (true, Some(until)) = is_open(view.now) else {
            return None;
        };
        let is_soon = until > view.now && until - view.now < SOON;
        if !is_soon || is_open(until).0 {
            return None;
        }
        Some(NeedsLine {
            icon: Icon::Star,
            title: view.themed(&decl.it.title),
            href: act.at(&format!("act-{}", decl.it.name)),
            after: String::new(),
            note: "Only possible until".to_owned(),
            due: Some(view.when(until)),
        })
    });
    found.take(NAMED).collect()
}

/// Actions of the dynasty that are limited in time, that the reader has taken before, and that the law allows again.
pub(crate) fn possible(view: &GameView) -> Option<NeedsLine> {
    let again = again(view);
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
        game: view.game.as_str(),
    }
    .into();
    Some(NeedsLine {
        icon: Icon::Star,
        title,
        href: act.at("now"),
        after: String::new(),
        note: "Possible again".to_owned(),
        due: None,
    })
}

/// Their titles, in the law's order; none for those who do not play now.
fn again(view: &GameView) -> Vec<String> {
    let playing = view
        .me
        .filter(|me| view.is_member() && !view.has_flag(*me, conventions::IDLE));
    let Some(me) = playing else {
        return Vec::new();
    };
    let law = &view.law;
    let of_play =
        |decl: &&At<ActionDecl>| view.section_of(&decl.site.rule) == Some(conventions::PLAY);
    let actions = law.action_order.iter();
    let limited: Vec<&At<ActionDecl>> = actions
        .filter_map(|name| law.actions.get(name))
        .filter(|decl| !decl.it.limits.is_empty())
        .filter(of_play)
        .collect();
    let unused = |quota: &Quota| quota.used < quota.limit.times.max(1);
    let titles: Vec<String> = view.trial_run(|tx| {
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
    titles.iter().map(|title| view.themed(title)).collect()
}
