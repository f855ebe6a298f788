//! The methods of a game in a test.

use quorate_kernel::command::{Act, Actor, Command, typed};
use quorate_kernel::event::Outcome;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::Effect;
use quorate_kernel::{Moment, Name, PlayerId, PostId, Refusal, Span, Thing, Value};
use quorate_law::datum::{Datum, Type};
use quorate_law::stop::Stop;
use quorate_law::with_article;
use quorate_law::world::Named;

use super::changes::Given;
use super::names::Naming;
use super::{Object, Stage, StagedGame, fail};
use crate::conventions;
use crate::fields;
use crate::judge::{Inputs, Judge, Judged};
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
            "print" => {
                let shown = args.iter().map(|datum| match datum {
                    Datum::Text(text) => text.to_string(),
                    other => self.words(other),
                });
                let line = shown.collect::<Vec<_>>().join(" ");
                self.printed.borrow_mut().push(line);
                Ok(Datum::None)
            }
            "moment" => match args.first() {
                Some(Datum::Text(text)) => self.moment(text).map(Datum::Moment),
                _ => Err(fail("a moment is written moment(\"2031-05-04T09:00Z\")")),
            },
            "hours" | "minutes" | "days" | "seconds" => match args.pop() {
                Some(Datum::Int(n)) => match span_of(n, name) {
                    None => Err(fail("a number leaves 64 bits")),
                    Some(span) => Ok(Datum::Span(span)),
                },
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

    /// A moment as a test writes it, moved as the play is.
    pub(super) fn moment(&self, text: &str) -> Result<Moment, Stop> {
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

    /// Sends a command, and gives the refusal if it is not done.
    fn answer_to(&self, game: usize, actor: Actor, act: Act) -> Option<Refusal> {
        let gives_up = matches!(act, Act::Abandon { .. });
        refusal_of(gives_up, self.send(game, actor, act))
    }

    /// A command that must succeed.
    pub(super) fn must(&self, game: usize, actor: Actor, act: Act) -> Result<(), Stop> {
        let name = act.name();
        match self.answer_to(game, actor, act) {
            None => Ok(()),
            Some(refusal) => Err(fail(format!("{name} was refused: it {refusal}"))),
        }
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
                let is_known = self.with(game, |game| {
                    game.judge.query(game.now, |tx| tx.knows_icon(post, &icon))
                });
                if !is_known {
                    return Err(fail(format!("no matter has a vote \"{icon}\"")));
                }
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
            "remove" => {
                let thing = self.thing_of(&given.take("thing").unwrap_or_default())?;
                self.repair(game, vec![Clause::RemoveThing { thing }])
            }
            "join" => {
                let name = given.text("name")?;
                self.join(game, &name)
            }
            "apply" => {
                let name = given.text("name")?;
                Ok(self.number(Object::Thing(game, Thing::Player(self.apply(game, &name)?))))
            }
            conventions::IDLE => {
                let who = self.player(&mut given)?;
                self.repair(
                    game,
                    vec![Clause::SetValue {
                        thing: Thing::Player(who),
                        name: conventions::IDLE.into(),
                        value: Value::Flag(true),
                    }],
                )
            }
            "enact" | "fail" => self.close(game, name, given),
            _ => self.question(game, name, given),
        }
    }

    pub(super) fn run_due(&self, game: usize) {
        self.with(game, run_due);
    }

    pub(super) fn look<T>(&self, game: usize, ask: impl FnOnce(&Tx) -> T) -> T {
        self.with(game, |game| game.judge.query(game.now, ask))
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
        let mut spans = Vec::new();
        for name in ["days", "hours", "minutes", "seconds"] {
            match given.named(name) {
                Some(Datum::Int(n)) => spans.push(span_of(n, name).ok_or_else(too_far)?),
                Some(_) => return Err(fail(format!("{name} is a whole number"))),
                None => {}
            }
        }
        if let Some(Datum::Span(span)) = given.take("span") {
            spans.push(span);
        }
        if spans.is_empty() {
            return Err(fail("advance takes a span: advance(hours(12))"));
        }
        let now = self.with(game, |game| game.now);
        let mut spans = spans.into_iter();
        let to = spans.try_fold(now.0, |to, span| to.checked_add(span.0));
        self.move_clock(game, &Datum::Moment(Moment(to.ok_or_else(too_far)?)))
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
        let act = self.act_by(game, Actor::Player(who), "post", given)?;
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
        let refusal = self.answer_to(game, actor, act);
        let refusal = refusal
            .ok_or_else(|| fail(format!("{name} should have been refused, and was done")))?;
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
            let gives_up = matches!(command.act, Act::Abandon { .. });
            refusal_of(gives_up, fork.judge(&command, &inputs)).is_none()
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
            self.must_have(game, &thing, &name)?;
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
        let is_moment = match &ty {
            Type::Optional(inner) => **inner == Type::Moment,
            ty => *ty == Type::Moment,
        };
        if let (true, Datum::Text(text)) = (is_moment, &datum) {
            return self.moment(text).map(Value::Moment);
        }
        self.kept(&self.look(game, |tx| fields::by_text(tx, &ty, &datum)))
    }

    fn create(&self, game: usize, mut given: Given) -> Result<Datum, Stop> {
        let kind = Name::from(given.text("kind")?);
        self.must_know(game, Naming::Kind, kind.as_str())?;
        let (_, named) = given.rest();
        let mut values = Vec::new();
        for (name, datum) in named {
            self.must_know(game, Naming::Value(kind.as_str()), name.as_str())?;
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

    pub(super) fn repair(&self, game: usize, clauses: Vec<Clause>) -> Result<Datum, Stop> {
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

/// So many of a unit of time; none beyond 64 bits.
fn span_of(n: i64, unit: &str) -> Option<Span> {
    let unit = match unit {
        "seconds" => Span::seconds(1),
        "minutes" => Span::minutes(1),
        "hours" => Span::hours(1),
        _ => Span::days(1),
    };
    unit.0.checked_mul(n).map(Span)
}

fn too_far() -> Stop {
    fail("the clock does not go that far: a number leaves 64 bits")
}

/// Why a command was not done. One that gives up an open action is done when the action lapses.
fn refusal_of(gives_up: bool, judged: Judged) -> Option<Refusal> {
    match judged.event().map(|event| event.outcome) {
        Ok(Outcome::Done | Outcome::Opened(_)) => None,
        Ok(Outcome::Lapsed(_)) if gives_up => None,
        Ok(Outcome::Refused(refusal) | Outcome::Lapsed(refusal)) | Err(refusal) => Some(refusal),
    }
}

fn judge(game: &mut StagedGame, command: &Command) -> Judged {
    let inputs = Inputs {
        secret: game.secret,
        past: &game.events,
        dictated: std::mem::take(&mut game.dictated),
        ..Inputs::default()
    };
    let (judged, remains) = game.judge.judge_on(command, &inputs);
    game.dictated = remains.dictated;
    game.misfit = game.misfit.take().or(remains.misfit);
    game.note_law();
    if let Judged::Event(event) = &judged {
        game.events.push((**event).clone());
    }
    judged
}

/// Runs all that is due up to the game's clock, each at its own moment.
fn run_due(game: &mut StagedGame) {
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
