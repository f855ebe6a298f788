//! What each player could do at once, before and after a patch.

use std::collections::{BTreeMap, BTreeSet};

use quorate_engine::Law;
use quorate_engine::judge::Judge;
use quorate_engine::offers;
use quorate_kernel::{Name, PlayerId};
use quorate_law::declare::ShownTo;

use crate::ui::Effect;
use crate::view::effects::{Trial, Until, ended_early};
use crate::view::game::GameView;

impl GameView {
    /// For each action that both laws know: who could take it after the patch and not before, and the other way round.
    pub(crate) fn for_players(&self, trial: &Trial, until: &Until<'_>) -> Vec<Effect> {
        let (active, _) = self.roster();
        let here = self.blind();
        let mut gains: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut losses: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut over = false;
        for player in &active {
            if until.is_over() {
                over = true;
                break;
            }
            let before = self.open_to(&here, *player);
            let after = self.open_to(&trial.judge, *player);
            for title in after.difference(&before) {
                gains
                    .entry(title.clone())
                    .or_default()
                    .push(self.name(*player));
            }
            for title in before.difference(&after) {
                losses
                    .entry(title.clone())
                    .or_default()
                    .push(self.name(*player));
            }
        }
        let told = |lead: &str, found: BTreeMap<String, Vec<String>>| {
            let everybody = active.len();
            let lines: Vec<_> = found
                .into_iter()
                .map(|(title, names)| {
                    let who = if names.len() == everybody && everybody > 2 {
                        "everybody".to_owned()
                    } else {
                        names.join(", ")
                    };
                    Effect::new(format!("{lead} {title}:"), who)
                })
                .collect();
            lines
        };
        let mut lines = told("Could now", gains);
        lines.extend(told("Could no longer", losses));
        if over {
            lines.push(ended_early());
        } else if lines.is_empty() {
            let names = "the same players could do the same things at once.";
            lines.push(Effect::new("Nothing:", names));
        }
        lines
    }

    /// The titles of the actions that are open to a player now. Of another player's those are left out that rest on
    /// something that not everybody may see.
    fn open_to(&self, judge: &Judge, player: PlayerId) -> BTreeSet<String> {
        let law = judge.law();
        let secret = if self.me == Some(player) {
            BTreeSet::new()
        } else {
            secrets(law)
        };
        judge.look(self.now, |tx| {
            let names = law.action_order.iter();
            let decls = names.filter_map(|name| law.actions.get(name));
            decls
                .filter(|decl| !touches(law, &decl.it.body, &secret))
                .filter(|decl| offers::offer(tx, player, decl).open.is_ok())
                .map(|decl| self.themed(&decl.it.title))
                .collect()
        })
    }
}

/// The values that not everybody may see.
fn secrets(law: &Law) -> BTreeSet<Name> {
    let kept = law.values.iter();
    kept.filter(|(_, decl)| decl.it.shown_to != ShownTo::All)
        .map(|((_, name), _)| name.clone())
        .collect()
}

/// Whether a function, or some guard, may read one of these values.
fn touches(law: &Law, function: &Name, secret: &BTreeSet<Name>) -> bool {
    if secret.is_empty() {
        return false;
    }
    let reads = |function: &Name| {
        let read = law.reads.get(function);
        read.is_none_or(|read| !read.is_disjoint(secret))
    };
    reads(function)
}
