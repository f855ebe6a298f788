//! The methods of a game in a test that only look, and what things have.

use quorate_kernel::rows::Standing;
use quorate_kernel::{Name, PlayerId, PostId, Thing};
use quorate_law::datum::{Datum, Record};
use quorate_law::objects::Member;
use quorate_law::stop::Stop;
use quorate_law::world::Named;

use super::changes::Given;
use super::names::Naming;
use super::{Object, Stage, fail};
use crate::conventions::LEADER;
use crate::fields;
use crate::offers;
use crate::topics::ledgers;

impl Stage {
    /// Things of a game, as a test has them.
    fn list_of(&self, game: usize, things: impl IntoIterator<Item = Thing>) -> Datum {
        let things = things.into_iter().map(Datum::Thing);
        Datum::List(things.map(|thing| self.wrap(game, &thing)).collect())
    }

    /// Methods that only look.
    pub(super) fn question(
        &self,
        game: usize,
        name: &str,
        mut given: Given,
    ) -> Result<Datum, Stop> {
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
                self.must_know(game, Naming::Kind, &kind)?;
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
                Ok(self.list_of(game, found))
            }
            "rules" => {
                let section = given.text("section").ok();
                let found = self.look(game, |tx| {
                    let world: &dyn quorate_law::world::World = tx;
                    world.rules(section.as_deref(), vec![])
                })?;
                Ok(self.list_of(game, found))
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
            "log_of" | "page_of" | "post_of" => self.sight(game, name, given),
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

    /// The dynasties so far, in order, as records.
    pub(super) fn dynasties(&self, game: usize) -> Datum {
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

    pub(super) fn call_law(
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
            LEADER => Member::Value(self.thing_attribute(game, &Thing::Game, LEADER)?),
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
    pub(super) fn is_sticky(&self, game: usize, post: PostId) -> Datum {
        Datum::Bool(self.with(game, |game| {
            let post = game.judge.state().posts.get(&post);
            post.is_some_and(|post| game.judge.law().is_sticky(post))
        }))
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
        })?;
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
}
