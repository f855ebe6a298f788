//! How a matter stands: votes by icon, the law's count, its status.
//!
//! The pages ask the law by names that rulesets share: `ballot(post, player)` for somebody's vote as it counts,
//! `votes(post, side)` for the number on a side, `quorum()`, and `tally(post)` in words. A law without one of them shows
//! less: the icons as they were cast.

use std::collections::BTreeSet;

use quorate_engine::conventions;
use quorate_engine::law::At;
use quorate_forecast::matters::{ballot, closings_of, tried_on, votes};
use quorate_kernel::rows::{CommentKey, Post, Standing};
use quorate_kernel::{Name, PlayerId, PostId, Refusal, Thing};
use quorate_law::capital;
use quorate_law::datum::Datum;
use quorate_law::declare::ActionDecl;

use crate::ui::{Ballot, Gauge, Link, Status, StatusKind, Tally, markup, urls};
use crate::view::game::GameView;

/// How many letters of a closing note stand in a list.
const NOTE: usize = 240;

/// Votes on a matter, read once for a page.
pub struct Count {
    /// The icons that the category takes.
    pub icons: Vec<Name>,
    /// Each active player with the vote that counts for them, empty where there is none.
    pub ballots: Vec<(PlayerId, String)>,
    /// How many votes each icon's side has by the law's count.
    pub sides: Vec<(Name, u32)>,
    /// How many make a quorum.
    pub enough: Option<u32>,
}

impl GameView {
    /// The category's title of a post; "Post" where it has none.
    pub fn category_title(&self, post: &Post) -> String {
        let known = self.law.categories.get(&post.category);
        known.map_or_else(
            || {
                capital(if post.category.is_empty() {
                    "post"
                } else {
                    post.category.as_str()
                })
            },
            |c| c.it.title.clone(),
        )
    }

    /// Whether a post's status may still change.
    pub fn is_open(&self, post: &Post) -> bool {
        self.law.is_open(post)
    }

    /// Whether a post is voted on.
    pub fn is_matter(&self, post: &Post) -> bool {
        let known = self.law.categories.get(&post.category);
        known.is_some_and(|category| !category.it.icons.is_empty())
    }

    /// The category in which rules are changed: `Proposal` where the law has one, else the first that is voted on.
    pub fn changing(&self) -> Option<&Name> {
        let voted = |name: &&Name| {
            let decl = self.law.categories.get(*name);
            decl.is_some_and(|decl| !decl.it.icons.is_empty())
        };
        let voted: Vec<&Name> = self.law.category_order.iter().filter(voted).collect();
        let mut usual = voted.iter().filter(|name| ***name == conventions::MATTER);
        usual.next().or(voted.first()).copied()
    }

    /// Whether posts of a category are there to change the rules.
    pub fn changes_rules(&self, category: &Name) -> bool {
        self.changing() == Some(category)
    }

    /// The votes on a matter.
    pub fn count(&self, id: PostId) -> Option<Count> {
        let post = self.state().posts.get(&id)?;
        let icons = self.law.categories.get(&post.category)?.it.icons.clone();
        if icons.is_empty() {
            return None;
        }
        let (active, _) = self.roster();
        let by_law = self.law.code.signature(conventions::ENOUGH).is_some();
        Some(self.trial_run(|tx| {
            let ballots: Vec<_> = active
                .iter()
                .map(|player| {
                    let word = ballot(tx, id, *player).unwrap_or_else(|| {
                        // The law has no word on whose vote counts as what.
                        let last = self.cast_by(id, *player, &icons).pop();
                        last.map_or_else(String::new, |(_, icon)| icon.to_string())
                    });
                    (*player, word)
                })
                .collect();
            let number = |answer: Option<Datum>| match answer {
                Some(Datum::Int(n)) => u32::try_from(n).ok(),
                _ => None,
            };
            let sides = icons
                .iter()
                .map(|icon| {
                    let cast = ballots
                        .iter()
                        .filter(|(_, word)| word == icon.as_str())
                        .count();
                    let cast = u32::try_from(cast).unwrap_or(u32::MAX);
                    let count = match icon.as_str() {
                        "for" | "against" => {
                            let counted = votes(tx, id, icon.as_str());
                            counted.and_then(|n| u32::try_from(n).ok()).unwrap_or(cast)
                        }
                        _ => cast,
                    };
                    (icon.clone(), count)
                })
                .collect();
            let enough = by_law
                .then(|| tx.call(&conventions::ENOUGH.into(), vec![]).ok())
                .flatten();
            Count {
                icons: icons.clone(),
                ballots,
                sides,
                enough: number(enough),
            }
        }))
    }

    /// The icons of a matter that somebody cast, oldest first, with the comment.
    pub fn cast_by(&self, id: PostId, player: PlayerId, icons: &[Name]) -> Vec<(CommentKey, Name)> {
        let under = self.state().comments_of(id).filter(|(_, comment)| {
            self.sight().comment(comment) && self.sight().author(&comment.author) == Some(player)
        });
        let cast = under.flat_map(|(key, comment)| {
            let counted = comment.icons.iter().filter(|icon| icon.counted);
            counted.map(|icon| (*key, icon.name.clone()))
        });
        cast.filter(|(_, icon)| icons.contains(icon)).collect()
    }

    /// A post's status as a mark; none for posts without one.
    pub fn status(&self, post: &Post) -> Option<Status> {
        let known = self.law.categories.get(&post.category);
        // The one status that a post of its category ever has says nothing about it.
        let is_decided_never = known
            .is_some_and(|category| category.it.icons.is_empty() && category.it.statuses.len() < 2);
        // Nor does it say anything of a post that it is posted.
        if post.status.is_empty() || post.status == "posted" || is_decided_never {
            return None;
        }
        let word = post.status.as_str();
        let kind = match word {
            "enacted" | "passed" | "contained" | "succeeded" => StatusKind::Enacted,
            "failed" | "escaped" | "declined" => StatusKind::Failed,
            conventions::STOPPED => StatusKind::Stopped,
            _ if self.is_open(post) => StatusKind::Pending,
            _ => StatusKind::Void,
        };
        Some(Status::new(kind, capital(word)))
    }
}

impl GameView {
    /// What was noted when a post was closed, as sentences without marks of Markdown; empty where nothing was.
    pub fn closing_note(&self, post: &Post) -> String {
        let note = markup::excerpt(post.note.as_str(), &self.terms, NOTE);
        // Some rulesets have the result noted in brackets, as wikis did; the status beside it says that.
        let marked = note
            .strip_prefix('[')
            .and_then(|note| note.split_once("] "));
        let is_word = |mark: &str| mark.chars().all(char::is_alphabetic);
        match marked.filter(|(mark, _)| is_word(mark)) {
            Some((_, note)) => sentence(note),
            None => sentence(&note),
        }
    }

    /// Each action that closes a matter, with whether somebody may take it now.
    pub fn closings(
        &self,
        id: PostId,
        by: PlayerId,
    ) -> Vec<(&At<ActionDecl>, Result<(), Refusal>)> {
        let Some(post) = self.state().posts.get(&id) else {
            return Vec::new();
        };
        let tried = |decl| self.trial_run(|tx| tried_on(tx, by, decl, id));
        closings_of(&self.law, &post.category)
            .into_iter()
            .map(|decl| (decl, tried(decl)))
            .collect()
    }

    /// A post by its title, leading there.
    pub fn link_to(&self, id: PostId) -> Option<Link> {
        let post = self.post(id)?;
        let (game, word) = (self.game.as_str(), id.to_string());
        let title = self.themed(post.title.as_str());
        Some(Link::new(title, urls::Post { game, post: &word }))
    }

    /// The offices of the law: predicates by which actions are for those alone who run the game, its admins and whoever
    /// leads the dynasty.
    pub(crate) fn offices(&self) -> BTreeSet<&Name> {
        let people = self.state().people.iter();
        let members = people.filter(|(_, person)| person.standing == Standing::Member);
        let runs = |id: &PlayerId| self.has_flag(*id, "admin") || self.leader() == Some(*id);
        let others: Vec<_> = members.map(|(id, _)| *id).filter(|id| !runs(id)).collect();
        let named: BTreeSet<&Name> = (self.law.actions.values())
            .filter_map(|decl| decl.it.by.as_ref())
            .collect();
        let is_one_of = |by: &Name, id: PlayerId| {
            let args = vec![Datum::Thing(Thing::Player(id))];
            self.law_says(by.as_str(), args) == Some(Datum::Bool(true))
        };
        let is_office = |by: &&Name| !others.iter().any(|id| is_one_of(by, *id));
        named.into_iter().filter(is_office).collect()
    }

    /// Who usually closes matters of a category: those whom most of its closings are for. What somebody else may do on top
    /// of that, such as a veto, is nobody's next step.
    pub(crate) fn usual_role(&self, category: &Name) -> Option<&Name> {
        let mut roles: Vec<(&Name, usize)> = Vec::new();
        for decl in closings_of(&self.law, category) {
            let Some(by) = &decl.it.by else { continue };
            match roles.iter_mut().find(|(role, _)| *role == by) {
                Some((_, count)) => *count += 1,
                None => roles.push((by, 1)),
            }
        }
        // Of equals the one that the law names first.
        let most = roles.into_iter().rev().max_by_key(|(_, count)| *count);
        most.map(|(role, _)| role)
    }
}

/// A text as a sentence: with a full stop where it ends without one.
fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() || text.ends_with(['.', '!', '?', '…', '”', '"']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

impl Count {
    /// How many votes a side has.
    pub fn side(&self, name: &str) -> u32 {
        let found = self.sides.iter().find(|(side, _)| *side == name);
        found.map_or(0, |(_, count)| *count)
    }

    /// The votes as bars.
    pub fn gauge(&self) -> Gauge {
        let (in_favour, against) = (self.side("for"), self.side("against"));
        let voters = u32::try_from(self.ballots.len()).unwrap_or(u32::MAX);
        let silent = self
            .ballots
            .iter()
            .filter(|(_, word)| word.is_empty())
            .count();
        let silent = u32::try_from(silent).unwrap_or(u32::MAX);
        Gauge {
            in_favour,
            against,
            deferring: voters.saturating_sub(in_favour + against + silent),
            silent,
            enough: self.enough,
            large: false,
        }
    }

    /// The votes as numbers, sides without any left out.
    pub fn tally(&self) -> Tally {
        let counts = self
            .sides
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(side, count)| (Ballot::new(side.as_str()), *count));
        Tally {
            counts: counts.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_ends_once() {
        assert_eq!(sentence("5 FOR, 0 AGAINST. "), "5 FOR, 0 AGAINST.");
        assert_eq!(sentence("Vetoed"), "Vetoed.");
        assert_eq!(sentence(" "), "");
    }
}
