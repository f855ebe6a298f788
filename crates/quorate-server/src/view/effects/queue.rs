//! A patch among what is pending: after all that is ahead of it, and what it would do to the rest.

use quorate_engine::judge::Judge;
use quorate_engine::tx::Tx;
use quorate_kernel::patch::Patch;
use quorate_kernel::rows::Post;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{PostId, Thing};
use quorate_law::datum::Datum;

use crate::ui::{Effect, Link, urls};
use crate::view::effects::{Trial, Until, ended_early};
use crate::view::game::GameView;
use crate::view::matters::{closings_of, tried_on};
use crate::view::secrets::strikes;

impl GameView {
    /// What is pending, oldest first.
    fn pending(&self) -> Vec<(PostId, &Post)> {
        let posts = self.state().posts.iter().filter(|(_, post)| {
            self.view().post(post) && self.is_open(post) && self.is_matter(post)
        });
        let mut posts: Vec<_> = posts.map(|(id, post)| (*id, post)).collect();
        posts.sort_by_key(|(id, post)| (post.open_at, *id));
        posts
    }

    fn post_link(&self, id: PostId) -> Link {
        let word = id.to_string();
        let game = self.game.as_str();
        let post = self.state().posts.get(&id);
        let title = post.map(|post| self.themed(post.title.as_str()));
        Link::new(title.unwrap_or_default(), urls::Post { game, post: &word })
    }

    /// The lines of the report.
    pub(crate) fn in_queue(
        &self,
        patch: &Patch,
        of: Option<PostId>,
        trial: &Trial,
        until: &Until<'_>,
    ) -> Vec<Effect> {
        let pending = self.pending();
        let place = of.and_then(|of| pending.iter().position(|(id, _)| *id == of));
        let (ahead, behind) = match place {
            Some(place) => (&pending[..place], &pending[place + 1..]),
            None => (&pending[..], &pending[..0]),
        };
        let mut lines = self.after_those_ahead(patch, ahead, trial, until);
        lines.extend(self.on_those_behind(behind, trial, until));
        let others = pending.iter().filter(|(id, _)| Some(*id) != of);
        for (id, _) in others {
            if until.is_over() {
                lines.push(ended_early());
                break;
            }
            lines.extend(self.flips(*id, trial));
        }
        if lines.is_empty() {
            lines.push(Effect::new(
                "Nothing:",
                "it does the same in the queue as alone, and what is pending stands as before.",
            ));
        }
        lines
    }

    /// What is different where everything ahead is enacted first.
    fn after_those_ahead(
        &self,
        patch: &Patch,
        ahead: &[(PostId, &Post)],
        alone: &Trial,
        until: &Until<'_>,
    ) -> Vec<Effect> {
        // A ruling judges the log again, which on a copy ends before what is ahead.
        if patch.clauses.iter().any(strikes) {
            return Vec::new();
        }
        let mut judge = self.blind();
        let mut tried = 0;
        for (_, post) in ahead {
            if until.is_over() {
                return vec![ended_early()];
            }
            let Some(patch) = post.patch.as_ref().and_then(Sealed::plain) else {
                continue;
            };
            if let Ok(trial) = self.try_on(judge.clone(), patch) {
                judge = trial.judge;
                tried += 1;
            }
        }
        if tried == 0 {
            return Vec::new();
        }
        let ahead = crate::ui::plural(tried, "proposal", "proposals");
        match self.try_on(judge, patch) {
            Err(refusal) => {
                let lead = format!("After the {ahead} ahead it could not be done:");
                vec![Effect::new(lead, refusal.to_string()).alarm()]
            }
            Ok(trial) => {
                let known = alone.left_out();
                let lead = format!("After the {ahead} ahead, left out:");
                let out = trial.left_out();
                let fresh = out.iter().filter(|text| !known.contains(*text));
                let asleep = trial
                    .asleep
                    .iter()
                    .filter(|text| !alone.asleep.contains(text));
                let fresh = fresh.map(|text| Effect::new(lead.clone(), *text).alarm());
                let slept = format!("After the {ahead} ahead, code that would sleep:");
                let slept =
                    asleep.map(|text| Effect::new(slept.clone(), text.text.clone()).alarm());
                fresh.chain(slept).collect()
            }
        }
    }

    /// Proposals behind that would not do any more what they do today.
    fn on_those_behind(
        &self,
        behind: &[(PostId, &Post)],
        trial: &Trial,
        until: &Until<'_>,
    ) -> Vec<Effect> {
        let mut lines = Vec::new();
        for (id, post) in behind {
            if until.is_over() {
                lines.push(ended_early());
                break;
            }
            let Some(patch) = post.patch.as_ref().and_then(Sealed::plain) else {
                continue;
            };
            let Ok(alone) = self.try_patch(patch) else {
                continue;
            };
            let why = match self.try_on(trial.judge.clone(), patch) {
                Err(refusal) => Some(refusal.to_string()),
                Ok(after) => {
                    let known = alone.left_out();
                    let out = after.left_out();
                    let fresh = out.into_iter().find(|text| !known.contains(text));
                    let slept = after
                        .asleep
                        .iter()
                        .find(|text| !alone.asleep.contains(text));
                    fresh
                        .map(str::to_owned)
                        .or_else(|| slept.map(|asleep| asleep.text.clone()))
                }
            };
            if let Some(why) = why {
                let lead = "It would break what is behind it:";
                lines.push(Effect::new(lead, why).alarm().to(self.post_link(*id)));
            }
        }
        lines
    }

    /// What could newly be done with a pending matter, or no longer: its closing, and its count.
    fn flips(&self, id: PostId, trial: &Trial) -> Vec<Effect> {
        let here = self.blind();
        let closable = |judge: &Judge| judge.look(self.now, |tx| self.closable(tx, judge, id));
        let (before, after) = (closable(&here), closable(&trial.judge));
        let mut lines = Vec::new();
        for title in after.iter().filter(|title| !before.contains(title)) {
            let lead = format!("Becomes possible, {title}:");
            lines.push(Effect::new(lead, "").alarm().to(self.post_link(id)));
        }
        for title in before.iter().filter(|title| !after.contains(title)) {
            let lead = format!("No longer possible, {title}:");
            lines.push(Effect::new(lead, "").to(self.post_link(id)));
        }
        let count = |judge: &Judge| {
            judge.look(self.now, |tx| {
                ["for", "against"].map(|side| {
                    let args = vec![Datum::Thing(Thing::Post(id)), Datum::Text(side.into())];
                    tx.call(&"votes".into(), args).ok()
                })
            })
        };
        let (old, new) = (count(&here), count(&trial.judge));
        if let (
            [Some(Datum::Int(a)), Some(Datum::Int(b))],
            [Some(Datum::Int(c)), Some(Datum::Int(d))],
        ) = (old, new)
            && (a, b) != (c, d)
        {
            let text = format!("{a} FOR, {b} AGAINST → {c} FOR, {d} AGAINST");
            lines
                .push(Effect::new("Its votes would count otherwise:", text).to(self.post_link(id)));
        }
        lines
    }

    /// The closings of a matter that are possible on a copy, to somebody who may close at all.
    pub(crate) fn closable(&self, tx: &Tx, judge: &Judge, id: PostId) -> Vec<String> {
        let (active, _) = self.roster();
        let mut active = active.into_iter();
        let admin = active.find(|player| self.has_flag(*player, "admin"));
        let law = judge.law();
        let (Some(admin), Some(post)) = (admin, judge.state().posts.get(&id)) else {
            return Vec::new();
        };
        let decls = closings_of(law, &post.category);
        decls
            .into_iter()
            .filter(|decl| tried_on(tx, admin, decl, id).is_ok())
            .map(|decl| self.themed(&decl.it.title))
            .collect()
    }
}
