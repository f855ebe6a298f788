//! Games as tests found them, and people who join.

use quorate_kernel::command::{Act, Actor, Founding, typed};
use quorate_kernel::patch::Clause;
use quorate_kernel::rows::{CellKey, Standing};
use quorate_kernel::{Name, PlayerId, Thing, Value};
use quorate_law::datum::Datum;
use quorate_law::stop::Stop;

use super::changes::Given;
use super::{NAMES, Object, Stage, StagedGame, fail};
use crate::conventions::LEADER;
use crate::judge::Judge;
use crate::lookup;

impl Stage {
    pub(super) fn found(&self, mut given: Given) -> Result<Datum, Stop> {
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
        let leader = given.named_text("leader");
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
            let game = StagedGame {
                events,
                keys: 1_000,
                ..StagedGame::new(judge, at, self)
            };
            self.games.borrow_mut().push(game);
            return self.led_by(number, leader);
        }
        let founding = self.founding(&book)?;
        let judge = Judge::unfounded(&self.laws);
        let game = StagedGame::new(judge, at, self);
        self.games.borrow_mut().push(game);
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
        self.led_by(number, leader)
    }

    /// A game that has begun, with somebody other than the founder as its leader, if that is asked for.
    pub(super) fn led_by(&self, game: usize, leader: Option<String>) -> Result<Datum, Stop> {
        if let Some(leader) = leader {
            let id = self.with(game, |game| lookup::player(game.judge.state(), &leader));
            let id = id.ok_or_else(|| fail(format!("nobody in the game is called {leader}")))?;
            let name = Name::from(LEADER);
            self.must_have(game, &Thing::Game, &name)?;
            let value = Value::Thing(Thing::Player(id));
            let thing = Thing::Game;
            self.repair(game, vec![Clause::SetValue { thing, name, value }])?;
        }
        Ok(self.number(Object::Game(game)))
    }

    /// What a game begins with: the rulebook's texts, or those that all games begin with here.
    pub(super) fn founding(&self, book: &str) -> Result<Founding, Stop> {
        if let Some(law) = &self.law {
            return Ok(Founding::clone(law));
        }
        let rulebook = self.books.get(book).cloned();
        let rulebook = rulebook.ok_or_else(|| fail(format!("there is no rulebook {book}")))?;
        let founding = rulebook.founding(&rulebook.manifest.title, NAMES[0]);
        founding.map_err(|bad| fail(bad.to_string()))
    }

    pub(super) fn join(&self, game: usize, name: &str) -> Result<Datum, Stop> {
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

    pub(super) fn apply(&self, game: usize, name: &str) -> Result<PlayerId, Stop> {
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

    pub(super) fn admin(&self, game: usize) -> Result<PlayerId, Stop> {
        let flagged = |game: &StagedGame, id: &PlayerId| {
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
}
