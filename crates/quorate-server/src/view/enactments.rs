//! By which proposal the rules came to be what they are: read from the log once for a law.

use std::collections::BTreeSet;
use std::sync::Arc;

use quorate_kernel::command::Act;
use quorate_kernel::digest::Digest;
use quorate_kernel::event::Event;
use quorate_kernel::{EventSeq, PostId, Thing, Value};

use crate::app::kept::EnactedPosts;
use crate::view::game::GameView;

/// The post that an event was about: the first that its action was given.
pub(crate) fn post_of(event: &Event) -> Option<PostId> {
    let Act::Do { args, .. } = &event.act else {
        return None;
    };
    let mut given = args.iter().map(|(_, value)| value.open());
    given.find_map(|value| match value {
        Value::Thing(Thing::Post(id)) => Some(*id),
        _ => None,
    })
}

/// The posts by which the rules of a game were last changed. Where the log does not answer, none is known.
pub(crate) async fn of_rules(view: &GameView) -> Arc<EnactedPosts> {
    let key = Digest::of_parts([
        b"enactments".as_slice(),
        view.game.as_str().as_bytes(),
        &view.law_digest().0,
    ]);
    if let Some(known) = view.site.enactments.get(&key) {
        return known;
    }
    let rules = view.state().rules.values();
    let changed: BTreeSet<EventSeq> = rules.map(|rule| rule.changed_by).collect();
    let changed: Vec<EventSeq> = changed.into_iter().filter(|by| by.0 > 1).collect();
    let events = view.site.events(&view.game, &changed).await;
    let found = events.iter().flatten();
    let found = found.filter_map(|event| Some((event.seq, post_of(event)?)));
    let found: Arc<EnactedPosts> = Arc::new(found.collect());
    if events.is_ok() {
        view.site.enactments.insert(key, Arc::clone(&found));
    }
    found
}
