//! The law's own enactment of a post on a copy: by which act it comes to be, and what is still needed for it.
//!
//! The act is that of the law, by somebody who may take it, on that very post. What the law needs up to the moment at which
//! it makes the changes, such as votes, an age or a place in the queue, counts as met and is told; all that comes after is
//! judged as it would be.

use std::sync::Arc;

use quorate_engine::UnmetCondition;
use quorate_engine::conventions;
use quorate_engine::judge::{Inputs, Judge, Judged, Remains};
use quorate_engine::law::{At, Law};
use quorate_kernel::audience::Reader;
use quorate_kernel::command::{Act, Actor, Command, NewPost, typed};
use quorate_kernel::event::{Event, NoteKind, Outcome};
use quorate_kernel::patch::Patch;
use quorate_kernel::rows::{Post, Standing};
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::Effect;
use quorate_kernel::{Id, Name, PlayerId, PostId, Refusal, Span, Thing, Value};
use quorate_law::datum::Datum;
use quorate_law::declare::ActionDecl;

use crate::fork::{Fork, outcome, trial_command};
use crate::matters::{enacts_any, needs_only, tried_on};
use crate::votes::in_favour_of_category;

/// How long a law that enacts by itself is waited for.
const PATIENCE: Span = Span::days(10);

/// How often something may fall due while it is waited for.
const DUES: usize = 60;

/// What is to be tried.
#[derive(Clone, Debug)]
pub enum Proposed {
    /// A post that is there.
    Post(PostId),
    /// One that is there, as its author would edit it.
    Edit(PostId, Box<NewPost>),
    /// One that is yet to be posted.
    Draft(Box<NewPost>),
}

/// The act by which a post is enacted, and the copy on which it is taken.
pub(crate) struct Enactment {
    judge: Judge,
    command: Command,
    /// The events of the copy that the log does not have.
    events: Vec<Event>,
    /// The post.
    pub(crate) post: PostId,
    /// What would have to be there before it can be posted.
    unmet: Vec<Refusal>,
    /// What rules say of it as it is posted.
    pub(crate) said: Vec<String>,
}

/// A copy after the enactment.
pub(crate) struct Enacted {
    /// The post.
    pub(crate) post: PostId,
    /// The copy.
    pub(crate) judge: Judge,
    /// What was done.
    pub(crate) event: Event,
    /// What would still be needed for it.
    pub(crate) unmet: Vec<Refusal>,
    /// The conditions of its changes that did not hold.
    pub(crate) unmet_conditions: Vec<UnmetCondition>,
    /// Which lines of its log say what the law loses.
    pub(crate) losses: Vec<usize>,
}

impl Proposed {
    /// Changes that no post carries so far, in one of the kind by which rules are changed.
    pub fn changes(law: &Law, patch: Patch) -> Self {
        let category = law.amending_category().cloned().unwrap_or_default();
        let decl = law.categories.get(&category);
        let prefix = decl.map_or("", |decl| &decl.it.prefix);
        Self::Draft(Box::new(
            NewPost::plain(category, &format!("{prefix}A trial"), "What it would do.")
                .with_patch(patch),
        ))
    }

    /// The changes that it carries.
    pub fn patch<'a>(&'a self, judge: &'a Judge) -> Option<&'a Patch> {
        let carried = match self {
            Self::Post(id) => judge.state().posts.get(id)?.patch.as_ref(),
            Self::Edit(_, new) | Self::Draft(new) => new.patch.as_ref(),
        };
        carried.and_then(Sealed::plain)
    }

    /// The post that is there, if one is.
    pub fn post(&self) -> Option<PostId> {
        match self {
            Self::Post(id) | Self::Edit(id, _) => Some(*id),
            Self::Draft(_) => None,
        }
    }

    /// The same with other changes.
    pub(crate) fn with(&self, judge: &Judge, patch: Patch) -> Self {
        let changed = |new: &NewPost| Box::new(new.clone().with_patch(patch.clone()));
        match self {
            Self::Draft(new) => Self::Draft(changed(new)),
            Self::Edit(id, new) => Self::Edit(*id, changed(new)),
            Self::Post(id) => {
                let post = judge.state().posts.get(id);
                post.map_or_else(
                    || self.clone(),
                    |post| Self::Edit(*id, changed(&as_new(post))),
                )
            }
        }
    }
}

/// A post as its author would write it again.
fn as_new(post: &Post) -> NewPost {
    NewPost {
        category: post.category.clone(),
        title: post.title.clone(),
        body: post.body.clone(),
        flavour: post.flavour.clone(),
        fields: Vec::new(),
        patch: post.patch.clone(),
    }
}

/// A copy on which a post says something else.
fn edited(judge: &Judge, id: PostId, new: &NewPost) -> Judge {
    let mut state = judge.state().clone();
    if let Some(old) = state.posts.get(&id).cloned() {
        let post = Post {
            title: new.title.clone(),
            body: new.body.clone(),
            flavour: new.flavour.clone(),
            patch: new.patch.clone(),
            ..old.clone()
        };
        let change = Effect::Post {
            key: id,
            old: Some(old),
            new: Some(post),
        };
        // It was read from this very state, so it fits.
        let fits = state.apply_all([&change]);
        debug_assert!(fits.is_ok(), "{fits:?}");
    }
    judge.elsewhere(state)
}

impl Enactment {
    /// Finds it on a copy, as the law says.
    ///
    /// # Errors
    /// Fails where it cannot be posted, and where no act of the law enacts it.
    pub(crate) fn find(
        fork: &Fork<'_>,
        judge: &Judge,
        proposed: &Proposed,
    ) -> Result<Self, Refusal> {
        if let Some(patch) = proposed.patch(judge) {
            fork.may_try(patch)?;
        }
        let mut found = Self {
            judge: judge.clone(),
            command: trial_command(fork.now, Actor::Game, Act::Due { keys: Vec::new() }),
            events: Vec::new(),
            post: PostId(Id::new(judge.head().seq, 0)),
            unmet: Vec::new(),
            said: Vec::new(),
        };
        match proposed {
            Proposed::Post(id) => found.post = *id,
            Proposed::Edit(id, new) => {
                found.post = *id;
                found.judge = edited(judge, *id, new);
            }
            Proposed::Draft(new) => {
                if found.by_posting(fork, new)? {
                    return Ok(found);
                }
            }
        }
        let posts = &found.judge.state().posts;
        let category = posts.get(&found.post).map(|post| post.category.clone());
        let category = category.ok_or_else(|| Refusal::plain("a post that is there"))?;
        let mut said = None;
        if found.by_action(fork, &category, &mut said) || found.by_vote(fork, &category, &mut said)
        {
            return Ok(found);
        }
        Err(said.unwrap_or_else(|| {
            Refusal::plain("an action of the law, or something that it does by itself, that enacts such a post")
        }))
    }

    /// Posts it on the copy. True where that is all that ever happens to it, for nobody votes on such posts.
    fn by_posting(&mut self, fork: &Fork<'_>, new: &NewPost) -> Result<bool, Refusal> {
        let author = match fork.reader {
            Reader::Player(reader) => Some(reader),
            _ => able(fork, &self.judge).first().copied(),
        };
        let author = author.ok_or_else(|| Refusal::plain("an active player"))?;
        self.command = trial_command(
            fork.now,
            Actor::Player(author),
            Act::Post(Box::new(new.clone())),
        );
        let done = self.run(fork, Inputs::default())?;
        self.post = PostId(Id::new(done.event.seq, 0));
        let voted_on = self.judge.law().categories.get(&new.category);
        if voted_on.is_none_or(|decl| decl.it.icons.is_empty()) {
            return Ok(true);
        }
        self.unmet = done.unmet;
        let said = done.event.notes.iter();
        let said = said.filter(|note| note.kind == NoteKind::Said);
        self.said = said.map(|note| note.text.clone()).collect();
        self.judge = done.judge;
        self.events.push(done.event);
        Ok(false)
    }

    /// By an action that takes the post and enacts it, by somebody who may, if there is one.
    fn by_action(&mut self, fork: &Fork<'_>, category: &Name, said: &mut Option<Refusal>) -> bool {
        let law = Arc::clone(self.judge.law());
        let names = law.action_order.iter();
        let decls = names.filter_map(|name| law.actions.get(name));
        let enacts = |decl: &&At<ActionDecl>| {
            needs_only(&decl.it, category) && law.enacts.contains(&decl.it.body)
        };
        let mut fits: Vec<&At<ActionDecl>> = decls.filter(enacts).collect();
        if fits.is_empty() {
            fits = enacts_any(&law);
        }
        for decl in fits {
            let (Some(by), Some(first)) = (self.closer(fork, decl), decl.it.params.first()) else {
                *said = Some(Refusal::plain("an active player"));
                continue;
            };
            let act = Act::Do {
                action: decl.it.name.clone(),
                args: vec![(first.name.clone(), Value::Thing(Thing::Post(self.post)))],
            };
            self.command = trial_command(fork.now, Actor::Player(by), act);
            match self.enacts(fork) {
                Ok(true) => return true,
                Ok(false) => {}
                Err(refusal) => *said = Some(refusal),
            }
        }
        false
    }

    /// After everybody's vote in favour: by one of these votes, by the same actions, or by the time that passes.
    fn by_vote(&mut self, fork: &Fork<'_>, category: &Name, said: &mut Option<Refusal>) -> bool {
        let icon = in_favour_of_category(self.judge.law(), category);
        for player in able(fork, &self.judge) {
            let Some(icon) = &icon else { break };
            let act = Act::Comment {
                post: self.post,
                text: typed(&format!(":{icon}:")),
            };
            self.command = trial_command(fork.now, Actor::Player(player), act);
            if self.enacts(fork) == Ok(true) {
                return true;
            }
            let voted = self.judge.judge(&self.command, &Inputs::default());
            self.events.extend(Judged::event(voted).ok());
        }
        if self.by_action(fork, category, said) {
            return true;
        }
        for _ in 0..DUES {
            let Some(due) = self.judge.due_command(fork.now + PATIENCE) else {
                break;
            };
            self.command = due;
            if self.enacts(fork) == Ok(true) {
                return true;
            }
            let done = self.judge.judge(&self.command, &Inputs::default());
            self.events.extend(done.event().ok());
            // Where a law counts first, what it counted can be acted upon now.
            if self.by_action(fork, category, said) {
                return true;
            }
        }
        false
    }

    /// Who takes an action on the post: one whom the law lets, else one who is of those that may once it does.
    fn closer(&self, fork: &Fork<'_>, decl: &At<ActionDecl>) -> Option<PlayerId> {
        let all = able(fork, &self.judge);
        fork.ask(&self.judge, |tx| {
            let now = |by: &&PlayerId| tried_on(tx, **by, decl, self.post).is_ok();
            let is_one = |by: &&PlayerId| {
                let who = || vec![Datum::Thing(Thing::Player(**by))];
                let role = decl.it.by.as_ref();
                role.is_none_or(|role| tx.holds_at(&decl.site, role, who()) == Ok(true))
            };
            let mut found = all.iter().find(now);
            found = found.or_else(|| all.iter().find(is_one));
            found.or_else(|| all.first()).copied()
        })
    }

    /// Whether the command enacts the post.
    fn enacts(&self, fork: &Fork<'_>) -> Result<bool, Refusal> {
        let (_, judged, remains) = self.judged(fork, Inputs::default());
        let done = outcome(judged)?;
        Ok(matches!(done.outcome, Outcome::Done) && remains.enacted.contains(&self.post))
    }

    /// Takes the act on a copy of the copy.
    pub(crate) fn run(&self, fork: &Fork<'_>, inputs: Inputs<'_>) -> Result<Enacted, Refusal> {
        let (judge, judged, remains) = self.judged(fork, inputs);
        let event = outcome(judged)?;
        if let Outcome::Opened(_) = event.outcome {
            return Err(Refusal::plain("an answer to what the law asks then"));
        }
        let unmet = self.unmet.iter().cloned().chain(remains.unmet);
        Ok(Enacted {
            post: self.post,
            judge,
            event,
            unmet: unmet.collect(),
            unmet_conditions: remains.unmet_conditions,
            losses: remains.losses,
        })
    }

    /// The same, whatever came of it. The log is read where a ruling needs it.
    fn judged(&self, fork: &Fork<'_>, inputs: Inputs<'_>) -> (Judge, Judged, Remains) {
        let mut judge = self.judge.clone();
        let inputs = Inputs {
            as_if_met: true,
            ..inputs
        };
        let (judged, remains) = judge.judge_on(&self.command, &inputs);
        if !matches!(judged, Judged::NeedsPast) {
            return (judge, judged, remains);
        }
        let log = fork.past.log().map(|mut log| {
            log.extend(self.events.iter().cloned());
            log
        });
        let (judged, remains) = match &log {
            Err(refusal) => (Judged::Refused(refusal.clone()), remains),
            Ok(past) => judge.judge_on(&self.command, &Inputs { past, ..inputs }),
        };
        (judge, judged, remains)
    }
}

/// Those who play and are not idle on a copy.
pub(crate) fn able(fork: &Fork<'_>, judge: &Judge) -> Vec<PlayerId> {
    let people = judge.state().people.iter();
    let members = people.filter(|(_, person)| person.standing == Standing::Member);
    fork.ask(judge, |tx| {
        let idle = |id: PlayerId| {
            let flag = tx.attribute(&Thing::Player(id), conventions::IDLE);
            flag.is_ok_and(|flag| flag == Datum::Bool(true))
        };
        members.map(|(id, _)| *id).filter(|id| !idle(*id)).collect()
    })
}
