//! A game's judge: its state, its law compiled, and what the law answered last, ready for the next command.

use std::rc::Rc;
use std::sync::Arc;

use quorate_kernel::command::{Act, Actor, Command, GIVEN_SALT, hide};
use quorate_kernel::event::Event;
pub use quorate_kernel::event::{Head, Judged};
use quorate_kernel::record;
use quorate_kernel::rows::DueKey;
use quorate_kernel::state::{Mismatch, State};
use quorate_kernel::tape::Seed;
use quorate_kernel::{EventSeq, Moment, Name, Refusal};
use quorate_law::budget::Cost;
use quorate_law::declare::ShownTo;

use crate::decide::{self, Case, Decision, EventDraft, No};
use crate::history::{self, Bench, JudgeAgain};
pub use crate::inputs::{Dictated, Inputs, Remains};
use crate::law::{Law, LawCache};
use crate::memo::{Answers, Caches};
use crate::query::{self, PageAccount, Position};
use crate::ruling::{NamedRuling, Ruling};
use crate::topics::conditions;
use crate::tx::{Deck, Tx};

/// The number of the salt of a hidden actor's seal; far from those of texts and effects.
const ACTOR_SALT: u64 = 1 << 33;

/// Hides what a post's author gave for values that not everybody may see.
fn hide_fields(act: &mut Act, law: &Law, seed: Seed) {
    let Act::Post(post) = act else { return };
    for (nth, (name, value)) in (GIVEN_SALT..).zip(&mut post.fields) {
        let decl = law.value(&post.category, name.as_str());
        if decl.is_some_and(|decl| decl.it.shown_to != ShownTo::All) {
            hide([value], nth, &|nth| seed.salt(nth));
        }
    }
}

/// A replica of one game that judges its commands. A copy goes on from the same answers of the law.
#[derive(Clone)]
pub struct Judge {
    state: State,
    head: Head,
    law: Arc<Law>,
    laws: Arc<LawCache>,
    answers: Answers,
    /// What pays for all that it and its copies run, where somebody counts that.
    account: Option<Arc<PageAccount>>,
}

impl Judge {
    /// Takes up a game where its log ends.
    pub fn open(state: State, head: Head, laws: &Arc<LawCache>) -> Self {
        Self::open_knowing(state, head, laws, Answers::default())
    }

    /// The same, knowing what the law has answered about this very state.
    pub fn open_knowing(state: State, head: Head, laws: &Arc<LawCache>, answers: Answers) -> Self {
        let law = laws.law(&state);
        Self {
            state,
            head,
            law,
            laws: Arc::clone(laws),
            answers,
            account: None,
        }
    }

    /// The same game in another state that it might be in, paid from the same account.
    #[must_use]
    pub fn elsewhere(&self, state: State) -> Self {
        Self {
            account: self.account.clone(),
            ..Self::open(state, self.head, &self.laws)
        }
    }

    /// Has all that it runs from now on, and all copies of it, counted on one account.
    #[must_use]
    pub fn paid_from(mut self, account: &Arc<PageAccount>) -> Self {
        self.account = Some(Arc::clone(account));
        self
    }

    /// The account that pays for it; none where nobody counts.
    pub fn account(&self) -> Option<&Arc<PageAccount>> {
        self.account.as_ref()
    }

    /// Whether nothing is left on the account that pays for it.
    pub fn is_spent(&self) -> bool {
        let account = self.account.as_ref();
        account.is_some_and(|account| account.is_used_up())
    }

    fn pay(&self, used: Cost) {
        if let Some(account) = &self.account {
            account.pay(used);
        }
    }

    /// Does now what the first command would wait for.
    pub fn make_ready(&self) {
        if !self.answers.are_complete() {
            let tx = self.run_at(self.head.at, Caches::over(&self.answers.present()));
            conditions::ask_all(&tx);
            self.pay(tx.used());
            let found = std::mem::take(&mut *tx.caches());
            drop(tx);
            self.answers.complete(found);
        }
    }

    /// A game that is yet to be founded.
    pub fn unfounded(laws: &Arc<LawCache>) -> Self {
        Self::open(State::default(), Head::default(), laws)
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Where the log ends.
    pub fn head(&self) -> Head {
        self.head
    }

    /// The law in force.
    pub fn law(&self) -> &Arc<Law> {
        &self.law
    }

    /// Judges a command. An event is part of the judge's state when this returns.
    pub fn judge(&mut self, command: &Command, inputs: &Inputs<'_>) -> Judged {
        self.judge_on(command, inputs).0
    }

    /// Judges a command, and says what is left for the next one.
    pub fn judge_on(&mut self, command: &Command, inputs: &Inputs<'_>) -> (Judged, Remains) {
        // What is put to sleep may be a test that takes too long to be asked.
        if !matches!(command.act, Act::Sleep { .. }) {
            self.make_ready();
        }
        let mut command = command.clone();
        command.at = command.at.max(self.head.at);
        let seed = command.closed_seed(&inputs.secret);
        // A command of the log was sealed when it was judged first.
        if inputs.tape.is_none() && inputs.known.is_none() {
            command.seal(seed);
        }
        let case = Case {
            state: &self.state,
            seq: self.head.seq.next(),
            law: &self.law,
            laws: &self.laws,
            command: &command,
        };
        let mut caches = self.answers.take();
        let ruling = |named: &NamedRuling| self.ruling(named, inputs);
        let Decision { draft, remains } = decide::decide(&case, inputs, &mut caches, &ruling);
        self.answers.put_back(caches);
        self.pay(remains.used);
        let judged = match draft {
            Ok(draft) => {
                if draft.hides {
                    command.act.hide_given(seed);
                    hide_fields(&mut command.act, &self.law, seed);
                }
                self.take(command, draft, seed.salt(ACTOR_SALT))
            }
            Err(no) => {
                self.settle_silently();
                match no {
                    No::Refused(refusal) => Judged::Refused(refusal),
                    No::NeedsPast => Judged::NeedsPast,
                }
            }
        };
        (judged, remains)
    }

    /// What a ruling comes to; nothing where the whole log is not at hand.
    fn ruling(&self, named: &NamedRuling, inputs: &Inputs<'_>) -> Option<Result<Ruling, Refusal>> {
        let seq = self.head.seq.next();
        let past = &inputs.past[..inputs.past.partition_point(|event| event.seq < seq)];
        if past.len() as u64 + 1 != seq.0 {
            return None;
        }
        let bench = Bench {
            now: &self.state,
            past,
            seq,
            secret: inputs.secret,
        };
        let open = |state, head| Self {
            account: self.account.clone(),
            ..Self::open(state, head, &self.laws)
        };
        Some(history::rule(&bench, named, open))
    }

    fn forget_answers(&mut self) {
        self.answers = Answers::default();
    }

    fn take(
        &mut self,
        command: Command,
        draft: EventDraft,
        salt: quorate_kernel::seal::Salt,
    ) -> Judged {
        let hidden = self.law.hides_author_of(&command.act);
        let seal = command
            .actor
            .player()
            .filter(|_| hidden)
            .map(|player| quorate_kernel::seal::Sealed::close(player, salt));
        let event = Event {
            seq: self.head.seq.next(),
            at: command.at,
            actor: if seal.is_some() {
                Actor::Hidden
            } else {
                command.actor
            },
            hidden_actor: seal,
            key: command.key,
            act: command.act,
            law: draft.law,
            outcome: draft.outcome,
            tape: draft.tape,
            steps: draft.steps,
            notes: draft.notes,
            previous: self.head.hash,
        };
        let open = record::encode(&event).open;
        if open.len() > record::EVENT_BYTES_MAX {
            self.forget_answers();
            let what = format!("changes of at most {} MiB", record::EVENT_BYTES_MAX >> 20);
            return Judged::Refused(Refusal::plain(what));
        }
        let hash = record::hash(&open);
        self.state = draft.state;
        self.head = Head {
            seq: event.seq,
            hash,
            at: event.at,
        };
        if let Some(law) = draft.new_law {
            self.law = law;
            self.forget_answers();
        }
        self.settle_silently();
        Judged::Event(Box::new(event))
    }

    /// Takes in an event that was judged elsewhere, as a follower of the log does.
    pub fn follow(&mut self, event: &Event) -> Result<(), Mismatch> {
        self.state
            .apply_all(event.steps.iter().map(|step| &step.effect))?;
        let hash = record::hash(&record::encode(event).open);
        self.head = Head {
            seq: event.seq,
            hash,
            at: event.at,
        };
        self.law = self.laws.law(&self.state);
        self.forget_answers();
        Ok(())
    }

    /// The first moment at which something falls due.
    pub fn next_due(&self) -> Option<Moment> {
        self.state.next_due().map(|(at, _)| at)
    }

    /// The command for what falls due first, if that is no later than a moment.
    pub fn due_command(&self, up_to: Moment) -> Option<Command> {
        due_command(&self.state, self.head, up_to)
    }

    /// A run over the present state that changes nothing, for questions about it.
    pub fn query<T>(&self, now: Moment, ask: impl FnOnce(&Tx) -> T) -> T {
        let position = Position {
            state: &self.state,
            seq: self.head.seq.next(),
            now: now.max(self.head.at),
            law: &self.law,
        };
        query::run_over(position, &self.answers, |tx| {
            tx.keep_laws_in(&self.laws);
            let answer = ask(tx);
            self.pay(tx.used());
            answer
        })
    }

    /// Asks the tests again that a refused command had stirred; nothing of it stands, so nothing follows.
    fn settle_silently(&mut self) {
        let mut caches = self.answers.take();
        if caches.is_stirred() {
            let stirred = caches.take_stirred();
            let tx = self.run_at(self.head.at, caches);
            conditions::ask_quietly(&tx, &stirred);
            self.pay(tx.used());
            caches = std::mem::take(&mut *tx.caches());
            let _ = caches.take_stirred();
        }
        self.answers.put_back(caches);
    }

    fn run_at(&self, at: Moment, caches: Caches) -> Rc<Tx> {
        let seq = self.head.seq.next();
        Tx::new(&self.state, seq, at, &self.law, Deck::nowhere(), caches)
    }
}

impl JudgeAgain for Judge {
    fn state(&self) -> &State {
        &self.state
    }

    fn head(&self) -> Head {
        self.head
    }

    fn judge_after(
        &mut self,
        before: EventSeq,
        command: &Command,
        inputs: &Inputs<'_>,
    ) -> (Judged, Remains) {
        self.head.seq = before;
        self.judge_on(command, inputs)
    }

    fn due_command(&self, up_to: Moment) -> Option<Command> {
        self.due_command(up_to)
    }

    fn stand_on(&mut self, state: State, head: Head) {
        self.state = state;
        self.head = head;
        self.law = self.laws.law(&self.state);
        self.forget_answers();
    }
}

/// The command for what falls due first in a state at the end of its log, if that is no later than a moment. No rule has a say
/// in it.
pub fn due_command(state: &State, head: Head, up_to: Moment) -> Option<Command> {
    let (at, mut keys) = state.next_due()?;
    if at > up_to {
        return None;
    }
    // The end of an open action is an event of its own, as it may roll dice of its own.
    if let Some(open) = keys.iter().find(|key| matches!(key, DueKey::Open(..))) {
        keys = vec![open.clone()];
    }
    let at = at.max(head.at);
    let key = Name::from(format!("due {} {}", at.0, head.seq.next()));
    Some(Command {
        at,
        actor: Actor::Game,
        key,
        act: Act::Due { keys },
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use quorate_kernel::Thing;
    use quorate_kernel::command::typed;
    use quorate_kernel::patch::{Clause, Patch};
    use quorate_kernel::seal::Sealed;
    use quorate_law::budget::Limits;

    use super::*;
    use crate::tiny_game::{COSTLY, game};

    #[test]
    fn copies_of_a_judge_pay_from_one_account_for_what_they_are_asked_and_told() {
        let game = game(COSTLY);
        let anna = Thing::Player(game.anna);
        let account = PageAccount::of_preview();
        let judge = game.judge.clone().paid_from(&account);
        let steps = || account.steps.load(Relaxed);
        judge
            .clone()
            .query(game.now, |tx| tx.attribute(&anna, "worth"))
            .expect("it is no more than a rule may use");
        let asked = steps();
        assert!(asked >= 40_000, "{asked}");
        let patch = Patch {
            clauses: vec![Clause::Script {
                code: "note(str(players()[0].worth))".into(),
            }],
        };
        let act = Act::Repair {
            patch: Sealed::close(patch, [0; 16]),
            reason: typed("a trial"),
        };
        let command = Command {
            at: game.now,
            actor: Actor::Operator,
            key: "trial".into(),
            act,
        };
        let judged = judge.clone().judge(&command, &Inputs::default());
        assert!(judged.event().is_ok(), "an operator may");
        assert!(steps() >= asked + 40_000, "{} after {asked}", steps());
        assert!(!judge.is_spent());
        account.steps.store(Limits::PREVIEW.steps, Relaxed);
        assert!(judge.is_spent() && !game.judge.is_spent());
    }
}
