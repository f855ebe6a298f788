//! The methods of a game in a test.

use quorate_kernel::command::{Act, Actor, Command, Founding, typed};
use quorate_kernel::event::Outcome;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::rows::{CellKey, Standing};
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::Effect;
use quorate_kernel::{Moment, Name, PlayerId, PostId, Refusal, Span, Thing, Value};
use quorate_law::datum::{Datum, Record};
use quorate_law::objects::Member;
use quorate_law::stop::Stop;
use quorate_law::with_article;
use quorate_law::world::Named;

use super::changes::Given;
use super::{Game, NAMES, Object, Stage, fail, nothing};
use crate::fields;
use crate::judge::{Inputs, Judge, Judged};
use crate::offers;
use crate::topics::ledgers;
use crate::tx::Tx;

impl Stage {
    /// A function of the test language.
    pub(super) fn function(
        &self,
        name: &str,
        mut args: Vec<Datum>,
        named: Named,
    ) -> Result<Datum, Stop> {
        match name {
            "game" => self.found(Given::new(args, named)),
            "eq" => match args.as_slice() {
                [actual, expected] if self.same(actual, expected) => Ok(Datum::None),
                [actual, expected] => Err(fail(format!(
                    "expected {}, but there was {}",
                    self.words(expected),
                    self.words(actual)
                ))),
                _ => Err(fail("eq compares two values: eq(actual, expected)")),
            },
            "check" => match (args.first(), args.get(1)) {
                (Some(Datum::Bool(true)), _) => Ok(Datum::None),
                (_, Some(Datum::Text(why))) => Err(fail(format!("does not hold: {why}"))),
                _ => Err(fail("what is checked does not hold")),
            },
            "moment" => match args.first() {
                Some(Datum::Text(text)) => self.moment(text).map(Datum::Moment),
                _ => Err(fail("a moment is written moment(\"2031-05-04T09:00Z\")")),
            },
            "hours" | "minutes" | "days" => match args.pop() {
                Some(Datum::Int(n)) => Ok(Datum::Span(match name {
                    "hours" => Span::hours(n),
                    "minutes" => Span::minutes(n),
                    _ => Span::days(n),
                })),
                _ => Err(fail(format!("{name} takes a whole number"))),
            },
            "picture" => Given::new(args, named).picture().ok_or_else(|| {
                fail("a picture is drawn by picture(width, height, seed), three whole numbers")
            }),
            _ => self
                .change(name, args, named)?
                .ok_or_else(|| fail(format!("there is no function {name}"))),
        }
    }

    fn found(&self, mut given: Given) -> Result<Datum, Stop> {
        let book = given.text("book")?;
        let players = match given.named("players") {
            Some(Datum::Int(n))
                if usize::try_from(n).is_ok_and(|n| (1..=NAMES.len()).contains(&n)) =>
            {
                n
            }
            None => 5,
            _ => return Err(fail("a game has 1 to 12 players")),
        };
        let at = match given.named("at") {
            Some(Datum::Moment(at)) => at,
            Some(Datum::Text(text)) => self.moment(&text)?,
            _ => self.moment("2031-05-04T09:00Z")?,
        };
        let book = self.law.as_ref().map_or(book, |_| String::new());
        let key = (book.clone(), players, at.0);
        let known = self.begun.borrow().get(&key).cloned();
        let number = self.games.borrow().len();
        if let Some((state, head, events)) = known {
            let judge = Judge::open(state, head, &self.laws);
            self.games.borrow_mut().push(Game {
                judge,
                now: at,
                dictated: nothing(),
                events,
                keys: 1_000,
                secret: self.recording.secret,
                is_over: self.is_over.clone(),
            });
            return Ok(self.number(Object::Game(number)));
        }
        let founding = self.founding(&book)?;
        let judge = Judge::unfounded(&self.laws);
        self.games.borrow_mut().push(Game {
            judge,
            now: at,
            dictated: nothing(),
            events: vec![],
            keys: 0,
            secret: self.recording.secret,
            is_over: self.is_over.clone(),
        });
        self.must(number, Actor::Operator, Act::Found(Box::new(founding)))?;
        for name in NAMES
            .iter()
            .take(usize::try_from(players).unwrap_or(1))
            .skip(1)
        {
            self.join(number, name)?;
        }
        let saved = self.with(number, |game| {
            (
                game.judge.state().clone(),
                game.judge.head(),
                game.events.clone(),
            )
        });
        self.begun.borrow_mut().insert(key, saved);
        Ok(self.number(Object::Game(number)))
    }

    /// What a game begins with: the rulebook's texts, or those that all games begin with here.
    fn founding(&self, book: &str) -> Result<Founding, Stop> {
        if let Some(law) = &self.law {
            return Ok(Founding::clone(law));
        }
        let rulebook = self.books.get(book).cloned();
        let rulebook = rulebook.ok_or_else(|| fail(format!("there is no rulebook {book}")))?;
        let founding = rulebook.founding(&rulebook.manifest.title, NAMES[0]);
        founding.map_err(|bad| fail(bad.to_string()))
    }

    /// A moment as a test writes it, moved as the play is.
    fn moment(&self, text: &str) -> Result<Moment, Stop> {
        let written = text.parse::<Moment>();
        let written = written.map_err(|error| fail(error.to_string()))?;
        Ok(written + self.recording.later)
    }

    /// Judges a command, after what is due before it.
    pub(super) fn send(&self, game: usize, actor: Actor, act: Act) -> Judged {
        self.with(game, |game| {
            run_due(game);
            game.keys += 1;
            let command = Command {
                at: game.now,
                actor,
                key: Name::from(format!("t{}", game.keys)),
                act,
            };
            judge(game, &command)
        })
    }

    /// A command that must succeed.
    pub(super) fn must(&self, game: usize, actor: Actor, act: Act) -> Result<(), Stop> {
        let name = act.name();
        let done = self.send(game, actor, act).event();
        match done.map(|event| event.outcome) {
            Ok(Outcome::Done | Outcome::Opened(_)) => Ok(()),
            Ok(Outcome::Refused(refusal) | Outcome::Lapsed(refusal)) | Err(refusal) => {
                Err(fail(format!("{name} was refused: it {refusal}")))
            }
        }
    }

    fn join(&self, game: usize, name: &str) -> Result<Datum, Stop> {
        let who = self.apply(game, name)?;
        let admit = self.with(game, |game| {
            game.judge
                .law()
                .action_order
                .iter()
                .find(|action| action.as_str().starts_with("admit"))
                .cloned()
        });
        let standing = |stage: &Self| {
            stage.with(game, |game| {
                game.judge.state().people.get(&who).map(|p| p.standing)
            })
        };
        if standing(self) == Some(Standing::Applicant)
            && let Some(action) = admit
        {
            let admin = self.admin(game)?;
            let param = self.with(game, |game| {
                game.judge.law().actions[&action]
                    .it
                    .params
                    .first()
                    .map(|p| p.name.clone())
            });
            let param = param.ok_or_else(|| fail(format!("{action} asks for nobody to admit")))?;
            let args = vec![(param, Value::Thing(Thing::Player(who)))];
            self.must(game, Actor::Player(admin), Act::Do { action, args })?;
        }
        if standing(self) != Some(Standing::Member) {
            return Err(fail(format!(
                "{name} could not be admitted: no action of the law does it"
            )));
        }
        Ok(self.number(Object::Thing(game, Thing::Player(who))))
    }

    fn apply(&self, game: usize, name: &str) -> Result<PlayerId, Stop> {
        let known = self.with(game, |game| {
            let people = &game.judge.state().people;
            people
                .iter()
                .find(|(_, person)| person.name.as_str() == name)
                .map(|(id, _)| *id)
        });
        let actor = known.map_or(Actor::Newcomer, Actor::Player);
        self.must(
            game,
            actor,
            Act::Apply {
                name: typed(name),
                text: typed("I should like to join."),
            },
        )?;
        let found = self.with(game, |game| {
            let people = &game.judge.state().people;
            people
                .iter()
                .find(|(_, person)| person.name.as_str() == name)
                .map(|(id, _)| *id)
        });
        found.ok_or_else(|| fail(format!("{name} is not on the roster after applying")))
    }

    fn admin(&self, game: usize) -> Result<PlayerId, Stop> {
        let flagged = |game: &Game, id: &PlayerId| {
            let key = CellKey {
                thing: Thing::Player(*id),
                name: "admin".into(),
            };
            game.judge
                .state()
                .cells
                .get(&key)
                .is_some_and(|cell| *cell.value.open() == Value::Flag(true))
        };
        self.with(game, |game| {
            let people = &game.judge.state().people;
            people
                .iter()
                .filter(|(_, p)| p.standing == Standing::Member)
                .map(|(id, _)| *id)
                .find(|id| flagged(game, id))
        })
        .ok_or_else(|| fail("the game has no admin"))
    }

    pub(super) fn method(
        &self,
        game: usize,
        name: &str,
        args: Vec<Datum>,
        named: Named,
    ) -> Result<Datum, Stop> {
        let mut given = Given::new(args, named);
        match name {
            "at" => self.move_clock(game, &given.take("at").unwrap_or_default()),
            "advance" => self.advance(game, &mut given),
            "dice" | "choose" => {
                let (values, _) = given.rest();
                self.dictate(game, name, &values)
            }
            "answer" => self.answer(game, &mut given),
            "post" => self.post(game, given),
            "comment" => {
                let (who, post) = (self.player(&mut given)?, self.post_of(&mut given)?);
                let text = given.text("text")?;
                self.comment(game, who, post, &text)
            }
            "vote" => {
                let (who, post) = (self.player(&mut given)?, self.post_of(&mut given)?);
                let icon = given.text("icon")?;
                self.comment(game, who, post, &format!(":{icon}:"))
            }
            "act" => {
                let (actor, act) = self.act_of(game, given)?;
                self.must(game, actor, act)?;
                Ok(self.last_event(game))
            }
            "refused" => self.refused(game, given),
            "can" => self.can(game, given).map(Datum::Bool),
            "set" => self.set(game, given),
            "create" => self.create(game, given),
            "join" => {
                let name = given.text("name")?;
                self.join(game, &name)
            }
            "apply" => {
                let name = given.text("name")?;
                Ok(self.number(Object::Thing(game, Thing::Player(self.apply(game, &name)?))))
            }
            "idle" => {
                let who = self.player(&mut given)?;
                self.repair(
                    game,
                    vec![Clause::SetValue {
                        thing: Thing::Player(who),
                        name: "idle".into(),
                        value: Value::Flag(true),
                    }],
                )
            }
            "enact" | "fail" => self.close(game, name, given),
            _ => self.question(game, name, given),
        }
    }

    /// Methods that only look.
    fn question(&self, game: usize, name: &str, mut given: Given) -> Result<Datum, Stop> {
        match name {
            "status" => {
                let post = self.post_of(&mut given)?;
                Ok(self.with(game, |game| {
                    Datum::Text(
                        game.judge
                            .state()
                            .posts
                            .get(&post)
                            .map_or("", |post| post.status.as_str())
                            .into(),
                    )
                }))
            }
            "tally" => {
                let post = self.post_of(&mut given)?;
                self.call_law(game, "tally", vec![Datum::Thing(Thing::Post(post))], vec![])
            }
            "call" => {
                let function = given.text("function")?;
                let (args, named) = given.rest();
                self.call_law(game, &function, args, named)
            }
            "moves" => {
                let who = self.player(&mut given)?;
                self.run_due(game);
                let open: Vec<Datum> = self.look(game, |tx| {
                    let offers = offers::offers(tx, who);
                    offers
                        .into_iter()
                        .filter(|offer| offer.open.is_ok())
                        .map(|offer| Datum::Text(offer.action.as_str().into()))
                        .collect()
                });
                Ok(Datum::List(open.into()))
            }
            "all" => {
                let kind = given.text("kind")?;
                let (_, named) = given.rest();
                let filters: Named = named
                    .into_iter()
                    .map(|(name, datum)| (name, self.unwrap(&datum)))
                    .collect();
                self.run_due(game);
                let found = self.look(game, |tx| {
                    let world: &dyn quorate_law::world::World = tx;
                    world.all(&kind, filters, &quorate_law::stop::Site::default())
                })?;
                Ok(Datum::List(
                    found
                        .into_iter()
                        .map(|thing| self.wrap(game, &Datum::Thing(thing)))
                        .collect(),
                ))
            }
            "rules" => {
                let section = given.text("section").ok();
                let found = self.look(game, |tx| {
                    let world: &dyn quorate_law::world::World = tx;
                    world.rules(section.as_deref(), vec![])
                })?;
                Ok(Datum::List(
                    found
                        .into_iter()
                        .map(|thing| self.wrap(game, &Datum::Thing(thing)))
                        .collect(),
                ))
            }
            "row" => {
                let (kind, key) = (given.text("kind")?, given.text("key")?);
                let found = self.look(game, |tx| {
                    let world: &dyn quorate_law::world::World = tx;
                    world.row(&kind, &key)
                })?;
                Ok(self.wrap(game, &Datum::Thing(found)))
            }
            "messages" => {
                let who = self.player(&mut given)?;
                Ok(self.with(game, |game| {
                    let messages = game
                        .judge
                        .state()
                        .messages
                        .values()
                        .filter(|message| message.to.contains(&who));
                    Datum::List(
                        messages
                            .map(|message| Datum::Text(message.text.as_str().into()))
                            .collect(),
                    )
                }))
            }
            "dynasties" => Ok(self.dynasties(game)),
            "log" => Ok(Datum::List(
                self.log()
                    .into_iter()
                    .map(|line| Datum::Text(line.into()))
                    .collect(),
            )),
            "square" => {
                let name = given.text("name")?;
                self.look(game, |tx| fields::square(tx, &name))
                    .map(Datum::Square)
                    .ok_or_else(|| fail(format!("there is no square {name}")))
            }
            _ => Err(fail(format!(
                "a game has no method {name}: it has {}",
                super::METHODS.join(", ")
            ))),
        }
    }

    fn run_due(&self, game: usize) {
        self.with(game, run_due);
    }

    fn look<T>(&self, game: usize, ask: impl FnOnce(&Tx) -> T) -> T {
        self.with(game, |game| game.judge.look(game.now, ask))
    }

    fn move_clock(&self, game: usize, to: &Datum) -> Result<Datum, Stop> {
        let to = match to {
            Datum::Moment(to) => *to,
            Datum::Text(text) => self.moment(text)?,
            other => return Err(fail(format!("{} is no moment", self.words(other)))),
        };
        if to > self.recording.until {
            self.is_cut.set(true);
            self.with(game, |game| {
                game.now = game.now.max(self.recording.until);
                run_due(game);
            });
            return Err(fail("the play has come to the present"));
        }
        self.with(game, |game| {
            if to < game.now {
                return Err(fail(format!(
                    "the clock stands at {} and does not go back to {to}",
                    game.now
                )));
            }
            game.now = to;
            run_due(game);
            Ok(Datum::None)
        })
    }

    fn advance(&self, game: usize, given: &mut Given) -> Result<Datum, Stop> {
        let span = match (
            given.named("hours"),
            given.named("days"),
            given.named("minutes"),
        ) {
            (Some(Datum::Int(n)), ..) => Span::hours(n),
            (_, Some(Datum::Int(n)), _) => Span::days(n),
            (_, _, Some(Datum::Int(n))) => Span::minutes(n),
            _ => match given.take("span") {
                Some(Datum::Span(span)) => span,
                _ => return Err(fail("advance takes a span: advance(hours(12))")),
            },
        };
        let to = self.with(game, |game| game.now) + span;
        self.move_clock(game, &Datum::Moment(to))
    }

    fn dictate(&self, game: usize, what: &str, values: &[Datum]) -> Result<Datum, Stop> {
        for value in values {
            match (what, self.unwrap(value)) {
                ("dice", Datum::Int(n)) => self.with(game, |game| game.dictated.dice.push_back(n)),
                ("dice", other) => {
                    return Err(fail(format!(
                        "a die shows a number, not {}",
                        self.words(&other)
                    )));
                }
                (_, choice) => self.with(game, |game| game.dictated.choices.push_back(choice)),
            }
        }
        Ok(Datum::None)
    }

    /// The dynasties so far, in order, as records.
    fn dynasties(&self, game: usize) -> Datum {
        let rows = self.with(game, |game| game.judge.state().dynasties.clone());
        let records = rows.iter().map(|(number, row)| {
            let leader = row.leader.map(Thing::Player);
            let record = Record {
                kind: "Dynasty",
                fields: vec![
                    ("number", Datum::Int(i64::from(*number))),
                    ("theme", Datum::Text(row.title.as_str().into())),
                    ("leader", leader.map_or(Datum::None, Datum::Thing)),
                    ("at", Datum::Moment(row.at)),
                ],
            };
            self.wrap(game, &Datum::Record(std::sync::Arc::new(record)))
        });
        Datum::List(records.collect())
    }

    fn answer(&self, game: usize, given: &mut Given) -> Result<Datum, Stop> {
        let who = self.player(given)?;
        let datum = self.unwrap(&given.take("value").unwrap_or_default());
        let value = crate::convert::plain_value(&datum)
            .ok_or_else(|| fail("an answer is a plain value"))?;
        self.run_due(game);
        let (open, duty) = self.with(game, |game| {
            let state = game.judge.state();
            let open = state
                .open
                .keys()
                .find(|key| key.who == who)
                .map(|key| key.action.clone());
            let duty = state
                .duties
                .iter()
                .find(|(_, duty)| duty.to == who)
                .map(|(id, _)| quorate_kernel::ids::DutyId(*id));
            (open, duty)
        });
        let act = match (open, duty) {
            (Some(action), _) => Act::Answer { action, value },
            (None, Some(duty)) => Act::Decide { duty, value },
            (None, None) => return Err(fail("nothing waits for an answer of theirs")),
        };
        self.must(game, Actor::Player(who), act)?;
        Ok(self.last_event(game))
    }

    fn post(&self, game: usize, mut given: Given) -> Result<Datum, Stop> {
        let who = self.player(&mut given)?;
        let act = self.act_by(game, who, "post", given)?;
        self.must(game, Actor::Player(who), act)?;
        self.newest(game, |effect| match effect {
            Effect::Post { key, old: None, .. } => Some(Thing::Post(*key)),
            _ => None,
        })
    }

    pub(super) fn comment(
        &self,
        game: usize,
        who: PlayerId,
        post: PostId,
        text: &str,
    ) -> Result<Datum, Stop> {
        self.must(
            game,
            Actor::Player(who),
            Act::Comment {
                post,
                text: typed(text),
            },
        )?;
        self.newest(game, |effect| match effect {
            Effect::Comment { key, old: None, .. } => Some(Thing::Comment(key.post, key.id)),
            _ => None,
        })
    }

    /// The first thing of a sort that the last event made.
    fn newest(&self, game: usize, of: impl Fn(&Effect) -> Option<Thing>) -> Result<Datum, Stop> {
        let thing = self.with(game, |game| {
            game.events
                .last()
                .and_then(|event| event.steps.iter().find_map(|step| of(&step.effect)))
        });
        thing
            .map(|thing| self.number(Object::Thing(game, thing)))
            .ok_or_else(|| fail("the event made nothing of the sort"))
    }

    fn last_event(&self, game: usize) -> Datum {
        let seq = self.with(game, |game| game.judge.head().seq);
        self.number(Object::Event(game, seq))
    }

    fn refused(&self, game: usize, given: Given) -> Result<Datum, Stop> {
        let (actor, act) = match self.act_of(game, given) {
            Ok(built) => built,
            Err(Stop::Refused(refusal)) => return Ok(self.number(Object::Refusal(refusal))),
            Err(stop) => return Err(stop),
        };
        let name = act.name();
        let done = self.send(game, actor, act).event();
        let refusal: Refusal = match done.map(|event| event.outcome) {
            Ok(Outcome::Refused(refusal) | Outcome::Lapsed(refusal)) | Err(refusal) => refusal,
            Ok(Outcome::Done | Outcome::Opened(_)) => {
                return Err(fail(format!(
                    "{name} should have been refused, and was done"
                )));
            }
        };
        Ok(self.number(Object::Refusal(Box::new(refusal))))
    }

    fn can(&self, game: usize, given: Given) -> Result<bool, Stop> {
        let (actor, act) = match self.act_of(game, given) {
            Ok(built) => built,
            Err(Stop::Refused(_)) => return Ok(false),
            Err(stop) => return Err(stop),
        };
        let laws = std::sync::Arc::clone(&self.laws);
        Ok(self.with(game, |game| {
            run_due(game);
            let mut fork = Judge::open(game.judge.state().clone(), game.judge.head(), &laws);
            let command = Command {
                at: game.now,
                actor,
                key: "can".into(),
                act,
            };
            let inputs = Inputs {
                secret: game.secret,
                dictated: game.dictated.clone(),
                past: &game.events,
                ..Inputs::default()
            };
            let done = fork.judge(&command, &inputs).event();
            matches!(
                done.map(|event| event.outcome),
                Ok(Outcome::Done | Outcome::Opened(_))
            )
        }))
    }

    fn set(&self, game: usize, mut given: Given) -> Result<Datum, Stop> {
        let thing = match given.take("thing") {
            Some(thing) => self.thing_of(&thing)?,
            None => return Err(fail("set(thing, value = …)")),
        };
        let (_, named) = given.rest();
        let mut clauses = Vec::new();
        for (name, datum) in named {
            let value = self.typed_value(game, &thing, &name, &datum)?;
            clauses.push(Clause::SetValue {
                thing: thing.clone(),
                name,
                value,
            });
        }
        self.repair(game, clauses)
    }

    /// A value for an attribute: squares and rows may be written as text.
    fn typed_value(
        &self,
        game: usize,
        thing: &Thing,
        name: &Name,
        datum: &Datum,
    ) -> Result<Value, Stop> {
        let datum = self.unwrap(datum);
        let world_type = self.look(game, |tx| {
            let kind = tx.kind_of(thing).ok()?;
            let world: &dyn quorate_law::world::World = tx;
            world.attribute_type(kind.as_str(), name.as_str())
        });
        let Some(ty) = world_type else {
            return self.kept(&datum);
        };
        self.kept(&self.look(game, |tx| fields::by_text(tx, &ty, &datum)))
    }

    fn create(&self, game: usize, mut given: Given) -> Result<Datum, Stop> {
        let kind = Name::from(given.text("kind")?);
        let (_, named) = given.rest();
        let mut values = Vec::new();
        for (name, datum) in named {
            let datum = self.unwrap(&datum);
            let ty = self.look(game, |tx| {
                let world: &dyn quorate_law::world::World = tx;
                world.attribute_type(kind.as_str(), name.as_str())
            });
            let datum = match ty {
                Some(ty) => self.look(game, |tx| fields::by_text(tx, &ty, &datum)),
                None => datum,
            };
            values.push((name, self.kept(&datum)?));
        }
        self.repair(game, vec![Clause::CreateThing { kind, values }])?;
        self.newest(game, |effect| match effect {
            Effect::Entity { key, old: None, .. } => Some(Thing::Entity(*key)),
            _ => None,
        })
    }

    fn repair(&self, game: usize, clauses: Vec<Clause>) -> Result<Datum, Stop> {
        let patch = Sealed::close(Patch { clauses }, [0; 16]);
        self.must(
            game,
            Actor::Operator,
            Act::Repair {
                patch,
                reason: typed("set up by a test"),
            },
        )?;
        let skipped = self.with(game, |game| {
            let notes = game
                .events
                .last()
                .map(|event| event.notes.clone())
                .unwrap_or_default();
            notes
                .into_iter()
                .find(|note| note.kind == quorate_kernel::event::NoteKind::Skipped)
        });
        match skipped {
            Some(note) => Err(fail(format!("could not be set: {}", note.text))),
            None => Ok(Datum::None),
        }
    }

    fn close(&self, game: usize, how: &str, mut given: Given) -> Result<Datum, Stop> {
        let post = self.post_of(&mut given)?;
        let by = match given.take("by") {
            Some(by) if by != Datum::None => match self.thing_of(&by)? {
                Thing::Player(id) => id,
                _ => return Err(fail("by is a player")),
            },
            _ => self.admin(game)?,
        };
        let (_, named) = given.rest();
        let (action, param) = self.closing_action(game, how, post)?;
        let mut args = vec![(param, Value::Thing(Thing::Post(post)))];
        for (name, datum) in named {
            args.push((name, self.kept(&datum)?));
        }
        self.must(game, Actor::Player(by), Act::Do { action, args })?;
        Ok(self.last_event(game))
    }

    /// The action whose name begins so and whose first post parameter is of that post's kind.
    fn closing_action(&self, game: usize, how: &str, post: PostId) -> Result<(Name, Name), Stop> {
        self.with(game, |game| {
            let kind = game.judge.state().posts.get(&post).map(|post| post.category.clone()).unwrap_or_default();
            let law = game.judge.law();
            law.action_order
                .iter()
                .filter(|name| name.as_str() == how || name.as_str().starts_with(&format!("{how}-")))
                .find_map(|name| {
                    let decl = law.actions.get(name)?;
                    let param = decl.it.params.iter().find(|param| {
                        matches!(&param.ty, quorate_law::datum::Type::Kind(of) if *of == kind || *of == "Post")
                    })?;
                    Some((name.clone(), param.name.clone()))
                })
                .ok_or_else(|| {
                    let kind = with_article(kind.as_str());
                    fail(format!("no action of the law can {how} {kind}"))
                })
        })
    }

    fn call_law(
        &self,
        game: usize,
        function: &str,
        args: Vec<Datum>,
        named: Named,
    ) -> Result<Datum, Stop> {
        self.run_due(game);
        let args: Vec<Datum> = args.iter().map(|datum| self.unwrap(datum)).collect();
        let named: Named = named
            .into_iter()
            .map(|(name, datum)| (name, self.unwrap(&datum)))
            .collect();
        let answer = self.look(game, |tx| {
            let law = tx.frame().law;
            let site = law.code.site_of(function).cloned().unwrap_or_default();
            let args = match law.code.signature(function) {
                Some(signature) => {
                    args.iter().enumerate().map(|(i, datum)| signature.params.get(i).map_or(datum.clone(), |p| fields::by_text(tx, &p.ty, datum))).collect()
                }
                None => args.clone(),
            };
            let frame = crate::tx::Frame { site, ..tx.frame() };
            if law.code.signature(function).is_some() {
                return tx.within(frame, || tx.call_named(&Name::from(function), args, named));
            }
            // A function of the library is called through a line of code.
            let keywords: Vec<String> = named.iter().map(|(name, _)| name.to_string()).collect();
            let places: Vec<String> = (0..args.len()).map(|n| format!("a{n}")).collect();
            let mut params = places.clone();
            params.extend(keywords.iter().cloned());
            let kinds = |at: &usize| matches!(&args[*at], Datum::Text(text) if function == "values" && text.starts_with(|c: char| c.is_ascii_uppercase()));
            let placed = places.iter().enumerate().map(|(at, name)| match &args[at] {
                Datum::Text(text) if kinds(&at) => text.to_string(),
                _ => name.clone(),
            });
            let passed: Vec<String> = placed.chain(keywords.iter().map(|name| format!("{name} = {name}"))).collect();
            let code = format!("def run({}):\n    return {function}({})\n", params.join(", "), passed.join(", "));
            let script = law.code.script("call", &code).map_err(|found| fail(found.first().map_or("", |d| &d.text)))?;
            let mut all = args;
            all.extend(named.into_iter().map(|(_, datum)| datum));
            tx.within(frame, || tx.call_script(&script, all))
        })?;
        Ok(self.wrap(game, &answer))
    }

    pub(super) fn game_attribute(&self, game: usize, attribute: &str) -> Result<Member, Stop> {
        let thing = |id: PlayerId| self.number(Object::Thing(game, Thing::Player(id)));
        Ok(match attribute {
            "players" => {
                let mut people: Vec<_> = self.with(game, |game| {
                    let people = game.judge.state().people.iter();
                    people
                        .filter(|(_, p)| p.standing == Standing::Member)
                        .map(|(id, p)| (p.joined_at, *id))
                        .collect()
                });
                people.sort();
                Member::Value(Datum::List(
                    people.into_iter().map(|(_, id)| thing(id)).collect(),
                ))
            }
            "admin" => Member::Value(thing(self.admin(game)?)),
            "emperor" => Member::Value(self.thing_attribute(game, &Thing::Game, "emperor")?),
            "now" => Member::Value(Datum::Moment(self.with(game, |game| game.now))),
            "state" => Member::Value(self.number(Object::Thing(game, Thing::Game))),
            _ => Member::Method,
        })
    }

    pub(super) fn thing_attribute(
        &self,
        game: usize,
        thing: &Thing,
        attribute: &str,
    ) -> Result<Datum, Stop> {
        self.run_due(game);
        let datum = match (thing, attribute) {
            (Thing::Post(post), "sticky") => self.is_sticky(game, *post),
            _ => self.look(game, |tx| tx.attribute(thing, attribute))?,
        };
        Ok(self.wrap(game, &datum))
    }

    /// Whether the front page keeps a post on top now.
    fn is_sticky(&self, game: usize, post: PostId) -> Datum {
        Datum::Bool(self.with(game, |game| {
            let post = game.judge.state().posts.get(&post);
            post.is_some_and(|post| game.judge.law().is_sticky(post))
        }))
    }

    pub(super) fn event_attribute(
        &self,
        game: usize,
        seq: quorate_kernel::EventSeq,
        attribute: &str,
    ) -> Result<Datum, Stop> {
        let event = self.with(game, |game| {
            game.events.iter().find(|event| event.seq == seq).cloned()
        });
        let event = event.ok_or_else(|| fail(format!("there is no event {seq}")))?;
        Ok(match attribute {
            "dice" => {
                let generators = self.with(game, |game| game.judge.law().generators.clone());
                let shown = |die: &quorate_kernel::tape::Die| {
                    let index = usize::try_from(die.result - 1).unwrap_or(usize::MAX);
                    let word = generators
                        .iter()
                        .find(|g| g.it.word == die.what.as_str())
                        .and_then(|g| g.it.outcomes.get(index));
                    match word {
                        Some(word) => Datum::Text(word.as_str().into()),
                        None => i64::try_from(die.result).map_or_else(
                            |_| Datum::Text(die.result.to_string().into()),
                            Datum::Int,
                        ),
                    }
                };
                Datum::List(event.tape.dice.iter().map(shown).collect())
            }
            "notes" => Datum::List(
                event
                    .notes
                    .iter()
                    .map(|note| Datum::Text(note.text.as_str().into()))
                    .collect(),
            ),
            "seq" => Datum::Int(i64::try_from(seq.0).unwrap_or(i64::MAX)),
            "open" => Datum::Bool(matches!(
                event.outcome,
                quorate_kernel::event::Outcome::Opened(_)
            )),
            "hidden" => Datum::Bool(event.act.is_given_hidden()),
            _ => {
                return Err(fail(format!(
                    "an event has no {attribute}: it has dice, notes, seq, open, hidden"
                )));
            }
        })
    }

    pub(super) fn ledger(
        &self,
        game: usize,
        thing: &Thing,
        ledger: &Name,
        method: &str,
        args: &[Datum],
        named: &Named,
    ) -> Result<Datum, Stop> {
        let arg = |name: &str, index: usize| {
            named
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, datum)| datum.clone())
                .or_else(|| args.get(index).cloned())
                .map(|d| self.unwrap(&d))
        };
        let who = match arg("who", 0) {
            Some(Datum::Thing(thing)) => Some(thing),
            _ => None,
        };
        let since = match arg("since", 1) {
            Some(Datum::Moment(at)) => Some(at),
            _ => None,
        };
        let lines = self.look(game, |tx| {
            ledgers::line_records(tx, thing, ledger.as_str(), who.as_ref(), since)
        });
        match method {
            "lines" => Ok(Datum::List(
                lines.iter().map(|line| self.wrap(game, line)).collect(),
            )),
            "total" => {
                let amount = |line: &Datum| match line {
                    Datum::Record(record) => match record.get("amount") {
                        Some(Datum::Int(n)) => *n,
                        _ => 0,
                    },
                    _ => 0,
                };
                Ok(Datum::Int(lines.iter().map(amount).sum()))
            }
            _ => Err(fail(format!(
                "a ledger in a test has lines and total, not {method}"
            ))),
        }
    }

    pub(super) fn player(&self, given: &mut Given) -> Result<PlayerId, Stop> {
        let datum = given.take("who").ok_or_else(|| fail("who does it?"))?;
        match self.thing_of(&datum)? {
            Thing::Player(id) => Ok(id),
            other => Err(fail(format!("{other} is no player"))),
        }
    }

    pub(super) fn post_of(&self, given: &mut Given) -> Result<PostId, Stop> {
        let datum = given.take("post").ok_or_else(|| fail("which post?"))?;
        match self.thing_of(&datum)? {
            Thing::Post(id) => Ok(id),
            _ => Err(Stop::no("a post")),
        }
    }
}

fn judge(game: &mut Game, command: &Command) -> Judged {
    let inputs = Inputs {
        secret: game.secret,
        past: &game.events,
        dictated: std::mem::take(&mut game.dictated),
        ..Inputs::default()
    };
    let (judged, remains) = game.judge.judge_on(command, &inputs);
    game.dictated = remains.dictated;
    if let Judged::Event(event) = &judged {
        game.events.push((**event).clone());
    }
    judged
}

/// Runs all that is due up to the game's clock, each at its own moment.
fn run_due(game: &mut Game) {
    // A law that sets itself off at one moment for ever would hold the test; the engine's own cap ends each event.
    let mut before = None;
    for _ in 0..100_000 {
        if game.is_over.as_ref().is_some_and(|is_over| is_over()) {
            return;
        }
        let Some(command) = game.judge.due_command(game.now) else {
            return;
        };
        if before.as_ref() == Some(&command) {
            return;
        }
        judge(game, &command);
        before = Some(command);
    }
}
