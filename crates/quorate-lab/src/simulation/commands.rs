//! What somebody tries: an action of the law or a built-in act, mostly sensible, sometimes not.

use std::sync::Arc;

use quorate_engine::law::At;
use quorate_engine::offers::{self, Offer};
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::ids::{ClaimId, DutyId, EventSeq, Id};
use quorate_kernel::rows::{ClauseKey, Standing};
use quorate_kernel::{Name, PlayerId, Span, Thing, Value};
use quorate_law::declare::ActionDecl;

use super::game::SimulatedGame;

/// Lines for the tracker's comment field.
const DICE_LINES: [&str; 10] = [
    "DICE6",
    "DICE20 and DICE20, then FRUIT",
    "COLOUR",
    "DICE0",
    "3DICE6 YDICE4",
    "DICE999999999999999999999",
    "DICE9999999999999999999999",
    "DICE-5 dice6",
    "no dice at all",
    "",
];

/// How many matters may be open before people comment on those instead of posting more. Each look closes all that are open, so
/// games in which nobody closes any would take longer and longer.
pub(super) const OPEN_MAX: usize = 30;

impl SimulatedGame {
    /// The next command: whose, and what.
    pub(super) fn next_command(&mut self) -> (Actor, Act) {
        if self.chance.one_in(60) {
            return self.outsider();
        }
        let Some(player) = self.somebody() else {
            return self.outsider();
        };
        let act = match self.chance.below(100) {
            0..=37 => self.law_action(player),
            38..=57 => self.comment(),
            58..=65 if !self.is_full() => self.new_post(),
            58..=65 => self.comment(),
            66..=77 => {
                return self
                    .closing()
                    .unwrap_or_else(|| (Actor::Player(player), self.comment()));
            }
            78..=83 => self.answer(player),
            84..=86 => self.undo(),
            87..=89 => self.claim(),
            _ => self.odds_and_ends(player),
        };
        (Actor::Player(player), act)
    }

    /// Somebody on the roster, in whatever standing; mostly a member.
    fn somebody(&mut self) -> Option<PlayerId> {
        let members = self.members();
        let all: Vec<PlayerId> = self.state().people.keys().copied().collect();
        if members.is_empty() || self.chance.one_in(25) {
            self.chance.pick(&all)
        } else {
            self.chance.pick(&members)
        }
    }

    /// Commands of those who are no players.
    fn outsider(&mut self) -> (Actor, Act) {
        let names = [
            "Mona",
            "Nils",
            "Anna",
            "anna",
            "",
            "Αnna",
            "A\u{7}b",
            "Olga the very long-winded who cannot stop when the sixty-four letters are over",
            "Paul",
        ];
        let name = self.chance.word(&names);
        match self.chance.below(6) {
            0..=2 => (
                Actor::Newcomer,
                Act::Apply {
                    name: typed(name),
                    text: typed("May I?"),
                },
            ),
            3 => (Actor::Newcomer, self.comment()),
            4 => {
                let since = self.now + Span::hours(-self.chance.between(1, 48));
                (Actor::Game, Act::Downtime { since })
            }
            _ => (Actor::Operator, self.comment()),
        }
    }

    /// An action of the law, under its own form.
    fn law_action(&mut self, player: PlayerId) -> Act {
        let law = Arc::clone(self.judge.law());
        let Some(name) = self.chance.pick(&law.action_order) else {
            return self.comment();
        };
        let Some(decl) = law.actions.get(&name) else {
            return self.comment();
        };
        if self.chance.one_in(40) {
            return Act::Do {
                action: "no-such-action".into(),
                args: vec![],
            };
        }
        self.action_of(player, decl)
    }

    /// An action, its form filled in at random.
    fn action_of(&mut self, player: PlayerId, decl: &At<ActionDecl>) -> Act {
        let offer = self
            .judge
            .query(self.now, |tx| offers::offer(tx, player, decl));
        self.filled_in(&offer)
    }

    /// The form of an offer, filled in at random.
    pub(super) fn filled_in(&mut self, offer: &Offer) -> Act {
        if let Err(refusal) = &offer.open {
            self.note_break(refusal);
        }
        let mut args: Vec<(Name, Value)> = Vec::new();
        for field in &offer.fields {
            if field.default.is_some() && self.chance.one_in(2) || self.chance.one_in(40) {
                continue;
            }
            let value = self.field_value(field);
            args.push((field.name.clone(), value));
        }
        if self.chance.one_in(40) {
            let value = self.nonsense();
            args.push(("surplus".into(), value));
        }
        Act::Do {
            action: offer.action.clone(),
            args,
        }
    }

    /// An action with what it must be given and nothing else.
    pub(super) fn needed_alone(&mut self, offer: &Offer) -> Act {
        let needed = offer.fields.iter().filter(|field| field.default.is_none());
        let args = needed.map(|field| (field.name.clone(), self.field_value(field)));
        Act::Do {
            action: offer.action.clone(),
            args: args.collect(),
        }
    }

    /// An answer to what waits for this player, or to nothing.
    fn answer(&mut self, player: PlayerId) -> Act {
        let open = self.state().open.iter().find(|(key, _)| key.who == player);
        if let Some((key, open)) = open.map(|(key, open)| (key.clone(), open.clone())) {
            if self.chance.one_in(10) {
                return Act::Abandon { action: key.action };
            }
            let value = self.one_of(&open.question.options);
            return Act::Answer {
                action: key.action,
                value,
            };
        }
        let duties: Vec<_> = self
            .state()
            .duties
            .iter()
            .map(|(id, duty)| (*id, duty.to, duty.options.clone()))
            .collect();
        let own = duties.iter().find(|(_, to, _)| *to == player).cloned();
        match own.or_else(|| self.chance.pick(&duties)) {
            Some((id, _, options)) => Act::Decide {
                duty: DutyId(id),
                value: self.one_of(&options),
            },
            None if self.chance.one_in(10) => Act::Answer {
                action: "nothing".into(),
                value: Value::None,
            },
            None => self.law_action(player),
        }
    }

    fn one_of(&mut self, options: &[Value]) -> Value {
        if self.chance.one_in(10) {
            return self.nonsense();
        }
        self.chance.pick(options).unwrap_or_default()
    }

    fn undo(&mut self) -> Act {
        let last = self.judge.head().seq.0;
        let back = u64::try_from(self.chance.between(0, 25)).unwrap_or(0);
        let event = if self.chance.one_in(12) {
            last + 7
        } else {
            last.saturating_sub(back)
        };
        let mut picks = Vec::new();
        if self.chance.one_in(5) {
            let keys: Vec<_> = self.state().cells.keys().cloned().collect();
            if let Some(key) = self.chance.pick(&keys) {
                picks.push((format!("{} {}", key.thing, key.name), self.nonsense()));
            }
        }
        Act::Undo {
            event: EventSeq(event),
            reason: typed("it was not right"),
            picks,
        }
    }

    fn odds_and_ends(&mut self, player: PlayerId) -> Act {
        match self.chance.below(11) {
            0 => Act::Dice {
                line: typed(self.chance.word(&DICE_LINES)),
            },
            1 => {
                let to = (0..self.chance.below(3))
                    .filter_map(|_| self.somebody())
                    .collect();
                Act::Message {
                    to,
                    text: typed(self.text()),
                }
            }
            2 if self.members().len() > 5 && self.chance.one_in(4) => Act::Leave {
                text: typed("Goodbye."),
            },
            2 | 3 => self.come_back(player),
            4 => self.edit(),
            5 => match self.any_post() {
                Some(post) if self.chance.one_in(3) => Act::Withdraw { post },
                Some(post) => {
                    let categories = self.judge.law().category_order.clone();
                    Act::Recategorise {
                        post,
                        category: self
                            .chance
                            .pick(&categories)
                            .unwrap_or_else(|| "Nothing".into()),
                    }
                }
                None => self.comment(),
            },
            6 | 7 => {
                let claims: Vec<Id> = self.state().claims.keys().copied().collect();
                let nowhere = Id::new(EventSeq(3), 5);
                let claim = ClaimId(self.chance.pick(&claims).unwrap_or(nowhere));
                Act::Dispute {
                    claim,
                    reason: typed("I doubt it"),
                }
            }
            8 => {
                let asleep: Vec<ClauseKey> = self.state().breaks.keys().cloned().collect();
                let nowhere = ClauseKey {
                    rule: "no-such-rule".into(),
                    fence: 1,
                };
                Act::Wake {
                    clause: self.chance.pick(&asleep).unwrap_or(nowhere),
                }
            }
            9 => Act::Abandon {
                action: "nothing".into(),
            },
            _ => self.law_action(player),
        }
    }

    /// Somebody who left asks to join again, or a member does who should not.
    fn come_back(&mut self, player: PlayerId) -> Act {
        let left = self
            .state()
            .people
            .iter()
            .find(|(_, person)| person.standing == Standing::Left)
            .map(|(id, _)| *id);
        let who = left.unwrap_or(player);
        let name = self
            .state()
            .people
            .get(&who)
            .map(|person| person.name.as_str().to_owned())
            .unwrap_or_default();
        Act::Apply {
            name: typed(&name),
            text: typed("I am back."),
        }
    }

    /// Somebody who may closes the oldest matter, by an action of the law that takes a matter of its kind.
    fn closing(&mut self) -> Option<(Actor, Act)> {
        let law = Arc::clone(self.judge.law());
        let post = self.open_matter()?;
        let kind = self.state().posts.get(&post)?.category.clone();
        let closes = |name: &&Name| {
            let params = law
                .actions
                .get(*name)
                .map(|decl| &decl.it.params[..])
                .unwrap_or_default();
            params.first().is_some_and(|param| matches!(&param.ty, quorate_law::datum::Type::Kind(of) if *of == kind || *of == "Post"))
        };
        let known: Vec<Name> = law.action_order.iter().filter(closes).cloned().collect();
        let action = self.chance.pick(&known)?;
        let player = self
            .members()
            .first()
            .copied()
            .filter(|_| !self.chance.one_in(5))
            .or_else(|| self.somebody())?;
        let decl = law.actions.get(&action)?;
        let offer = self
            .judge
            .query(self.now, |tx| offers::offer(tx, player, decl));
        let mut args = Vec::new();
        for (at, field) in offer.fields.iter().enumerate() {
            let value = if at == 0 {
                Value::Thing(Thing::Post(post))
            } else {
                self.field_value(field)
            };
            args.push((field.name.clone(), value));
        }
        Some((Actor::Player(player), Act::Do { action, args }))
    }
}
