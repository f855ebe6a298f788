//! Changes that proposals and claims carry: of values, rules and code, whole and broken.

use std::sync::Arc;

use quorate_kernel::ids::EventSeq;
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::{Name, Thing, Value};
use quorate_law::datum::Type;
use quorate_law::world::World;

use super::game::SimulatedGame;

/// Rules with code that works, `N` standing for a number that makes its names new.
const WHOLE_RULES: [&str; 5] = [
    "1. Every {player} has a number of Pebbles.\n\n```starlark\npebblesN = number(\"Pebbles N\", of = player, default = 3, min = 0, max = 20)\n```\n\n2. A {player} may throw one Pebble a day at the die.\n\n```starlark\ndef throw_N(actor: Player):\n    pay(actor, \"Pebbles N\", 1)\n    if roll(6, 1, \"throw\") > 3:\n        actor.pebblesN += 2\n\naction(\"throw-N\", throw_N, title = \"Throw a Pebble\", limit = daily())\n```\n",
    "1. The game counts its days.\n\n```starlark\ndaysN = number(\"Days N\", of = game, default = 0)\n\ndef dawn_N():\n    state.daysN += 1\n\nautomatic(\"dawn-N\", dawn_N, every = daily_at(\"06:00\"))\n```\n",
    "1. Each {player} is Merry or Grim.\n\n```starlark\nmoodN = choice(\"Mood N\", of = player, options = [\"Merry\", \"Grim\"], default = \"Grim\")\n\ndef cheer_N(actor: Player, whom: Player):\n    whom.moodN = \"Merry\"\n\naction(\"cheer-N\", cheer_N, title = \"Cheer somebody up\")\n```\n",
    "1. A {player} may draw a straw.\n\n```starlark\ndef straw_N(actor: Player):\n    picked = choose(\"which straw\", [\"long\", \"short\"])\n    note(\"a \" + picked + \" straw, and \" + str(roll(20, 1, \"luck\")))\n\naction(\"straw-N\", straw_N, title = \"Draw a straw\")\n```\n",
    "Nothing but prose, with a number: 12.\n",
];

/// Rules whose code does not check, breaks as it runs, or does not end.
const BROKEN_RULES: [&str; 8] = [
    "1. Nothing.\n\n```starlark\ndef broken(:\n```\n",
    "1. Nothing.\n\n```starlark\nspeedN = number(\"Speed\", of = nobody_knows)\n```\n",
    "1. Nothing.\n\n```starlark\ndef never_N(actor: Player):\n    x = 1 // 0\n\naction(\"never-N\", never_N, title = \"Never\")\n```\n",
    "1. Nothing.\n\n```starlark\ndef breaks_N(a: Attempt) -> bool:\n    return 1 // 0 == 1\n\nforbid(breaks_N, why = \"a guard that works\")\n```\n",
    "1. Nothing.\n\n```starlark\ndef spin_N(actor: Player):\n    for i in range(1000000000):\n        actor.name\n\naction(\"spin-N\", spin_N, title = \"Spin\")\n```\n",
    "1. Nothing.\n\n```starlark\ndef deep_N(n: int) -> int:\n    return deep_N(n + 1)\n\ndef dig_N():\n    deep_N(0)\n\nautomatic(\"dig-N\", dig_N, every = daily_at(\"03:00\"))\n```\n",
    "1. Nothing.\n\n```starlark\ndef swell_N(actor: Player):\n    text = \"x\"\n    for i in range(200):\n        text = text + text\n\naction(\"swell-N\", swell_N, title = \"Swell\")\n```\n",
    "1. An unended fence.\n\n```starlark\nx = 1\n",
];

/// What the ids of rules begin with that are added here, and how many of them are many.
const ADDED: &str = "added-";
const ADDED_MANY: usize = 20;

/// How many events back what rulings name lies at most.
const LOOKS_BACK: usize = 200;

/// One-off code.
const SCRIPTS: [&str; 11] = [
    "rename_player(players()[0], \"Zed\")",
    "rename(\"player\", \"Newt\", \"Newts\")",
    "retitle(rules()[-1], \"Anew\")",
    "depart(players()[-1])",
    "if roll(2, \"a coin\") == 1:\n    rename_player(players()[0], \"Heads\")",
    "note(\"done\")",
    "for p in players():\n    note(p.name)",
    "x = 1 // 0",
    "nobody_knows()",
    "note(str(roll(6, 1, \"a die\")))",
    "def (",
];

impl SimulatedGame {
    /// A patch of one to four changes.
    pub(super) fn patch(&mut self) -> Patch {
        if self.keeps_law {
            return self.values_patch();
        }
        let count = 1 + self.chance.below(4);
        Patch {
            clauses: (0..count).map(|_| self.clause()).collect(),
        }
    }

    /// A patch that touches values alone.
    pub(super) fn values_patch(&mut self) -> Patch {
        let count = 1 + self.chance.below(2);
        Patch {
            clauses: (0..count).map(|_| self.value_clause()).collect(),
        }
    }

    fn clause(&mut self) -> Clause {
        match self.chance.below(30) {
            0..=6 => self.value_clause(),
            7..=10 => self.add_or_repeal_rule(),
            11..=15 => self.amend_rule(),
            16 if self.chance.one_in(3) => Clause::RepealRule { id: self.rule() },
            16 | 17 => self.rename_rule(),
            18 => self.move_rule(),
            19 => self.switch_rule(),
            20 => self.create_thing(),
            21 => self.remove_thing(),
            22 => self.term(),
            23 => Clause::SetPage {
                name: "annals".into(),
                text: self.text().to_owned(),
            },
            24 => Clause::Script {
                code: self.chance.word(&SCRIPTS).into(),
            },
            25 => Clause::Prose {
                text: "Everybody claps.".to_owned(),
            },
            26 => Clause::When {
                test: self
                    .chance
                    .word(&[
                        "True",
                        "False",
                        "1 // 0",
                        "len(players()) > 3",
                        "len(icons(post)) > 7",
                        "def",
                    ])
                    .into(),
                clauses: vec![self.value_clause()],
            },
            27 => self.person(),
            28 => match self.any_post() {
                Some(post) => Clause::SetStatus {
                    post,
                    status: self
                        .chance
                        .word(&["enacted", "failed", "pending", "nonsense"])
                        .into(),
                },
                None => Clause::Prose {
                    text: String::new(),
                },
            },
            _ => self.strike(),
        }
    }

    /// A ruling on one of the latest events; now and then on one of the first, or on none that there is.
    fn strike(&mut self) -> Clause {
        let events = match self.chance.below(20) {
            0 => vec![EventSeq(0)],
            1 => vec![EventSeq(5)],
            _ => vec![self.latest()],
        };
        let uphold = if self.chance.one_in(4) {
            vec![self.latest()]
        } else {
            vec![]
        };
        Clause::Strike { events, uphold }
    }

    /// One of the latest events.
    fn latest(&mut self) -> EventSeq {
        let back = self.chance.below(LOOKS_BACK);
        EventSeq(self.events.len().saturating_sub(back) as u64)
    }

    pub(super) fn rename_rule(&mut self) -> Clause {
        Clause::RenameRule {
            id: self.rule(),
            title: self.text().to_owned(),
        }
    }

    pub(super) fn move_rule(&mut self) -> Clause {
        Clause::MoveRule {
            id: self.rule(),
            section: self.section(),
            parent: None,
            after: Some(self.rule()),
        }
    }

    pub(super) fn switch_rule(&mut self) -> Clause {
        Clause::SwitchRule {
            id: self.rule(),
            on: !self.chance.one_in(3),
        }
    }

    pub(super) fn rule(&mut self) -> Name {
        let rules: Vec<Name> = self.state().rules.keys().cloned().collect();
        let known = self.chance.pick(&rules);
        known
            .filter(|_| !self.chance.one_in(15))
            .unwrap_or_else(|| "no-such-rule".into())
    }

    fn section(&mut self) -> Name {
        let sections: Vec<Name> = self.state().sections.keys().cloned().collect();
        let known = self.chance.pick(&sections);
        known
            .filter(|_| !self.chance.one_in(10))
            .unwrap_or_else(|| "nowhere".into())
    }

    /// A value that the law declares, set or changed by so much; mostly as declared.
    fn value_clause(&mut self) -> Clause {
        let law = Arc::clone(self.judge.law());
        let Some((kind, name)) = self.chance.pick(&law.value_order) else {
            return Clause::Prose {
                text: String::new(),
            };
        };
        let thing = match kind.as_str() {
            "Game" => Some(Thing::Game),
            "Player" => self.members().first().copied().map(Thing::Player),
            _ => {
                let things: Vec<_> = self.state().entities_of(&kind).map(Thing::Entity).collect();
                self.chance.pick(&things)
            }
        };
        let thing = thing
            .filter(|_| !self.chance.one_in(20))
            .unwrap_or_else(|| self.any_thing());
        if self.chance.one_in(4) {
            return Clause::AddToValue {
                thing,
                name,
                amount: self.chance.between(-3, 40),
            };
        }
        let value = match law.values.get(&(kind, name.clone())) {
            Some(decl) if !self.chance.one_in(8) => self.declared_value(&decl.it),
            _ => self.nonsense(),
        };
        Clause::SetValue { thing, name, value }
    }

    pub(super) fn declared_value(&mut self, decl: &quorate_law::declare::ValueDecl) -> Value {
        if let quorate_law::declare::Holds::Choice(options) = &decl.holds {
            self.chance.pick(options).map_or(Value::None, Value::Word)
        } else {
            let ty = self.judge.query(self.now, |tx| {
                let world: &dyn World = tx;
                world.attribute_type(decl.of.as_str(), decl.name.as_str())
            });
            self.of_type(&ty.unwrap_or(Type::Any))
        }
    }

    /// Adds a rule. Once there are many, more are repealed than added: nobody plays a law that only grows, and compiling it would take
    /// most of a long run.
    fn add_or_repeal_rule(&mut self) -> Clause {
        let rules = self.state().rules.keys();
        let added = rules.filter(|id| id.as_str().starts_with(ADDED));
        let added: Vec<Name> = added.cloned().collect();
        if added.len() < ADDED_MANY || self.chance.one_in(3) {
            return self.add_rule();
        }
        let id = self.chance.pick(&added).unwrap_or_default();
        Clause::RepealRule { id }
    }

    fn add_rule(&mut self) -> Clause {
        let text = if self.chance.one_in(3) {
            self.chance.word(&BROKEN_RULES)
        } else {
            self.chance.word(&WHOLE_RULES)
        };
        let number = self.keys.to_string();
        let text = text
            .replace('N', &number)
            .replace(&format!("{number}othing"), "Nothing");
        self.rule_added(text.into())
    }

    /// A rule of that text, somewhere; now and then under the name of another, or without a title.
    pub(super) fn rule_added(&mut self, text: Arc<str>) -> Clause {
        let number = self.keys.to_string();
        let id = if self.chance.one_in(12) {
            self.rule()
        } else {
            format!("{ADDED}{number}").into()
        };
        let section = if self.chance.one_in(2) {
            Name::default()
        } else {
            self.section()
        };
        Clause::AddRule {
            id,
            section,
            parent: self.chance.one_in(6).then(|| self.rule()),
            after: self.chance.one_in(6).then(|| self.rule()),
            title: if self.chance.one_in(10) {
                String::new()
            } else {
                format!("Added {number}")
            },
            text,
            tags: vec![],
        }
    }

    /// Another text for a rule: a clause more, another number, a fence less, written against the text of now or of before.
    pub(super) fn amend_rule(&mut self) -> Clause {
        let id = self.rule();
        let base: Arc<str> = self
            .state()
            .rules
            .get(&id)
            .map_or_else(|| "".into(), |rule| Arc::clone(&rule.text));
        let text = match self.chance.below(6) {
            0 => format!("{base}\n99. And so it is.\n"),
            1 => without_a_fence(&base),
            2 => format!("{base}\n```starlark\ndef oops(:\n```\n"),
            3 => format!("A word before.\n\n{base}"),
            _ => self.another_digit(&base),
        };
        let base = if self.chance.one_in(6) {
            base.replacen("may", "shall", 1).into()
        } else {
            base
        };
        Clause::AmendRule {
            id,
            base,
            text: text.into(),
        }
    }

    fn another_digit(&mut self, text: &str) -> String {
        let digits: Vec<usize> = text
            .char_indices()
            .filter(|(_, c)| c.is_ascii_digit())
            .map(|(at, _)| at)
            .collect();
        let Some(at) = self.chance.pick(&digits) else {
            return text.to_owned();
        };
        let digit = self.chance.below(10);
        format!("{}{digit}{}", &text[..at], &text[at + 1..])
    }

    fn create_thing(&mut self) -> Clause {
        let law = Arc::clone(self.judge.law());
        let kinds: Vec<Name> = law.entities.keys().cloned().collect();
        let kind = self.chance.pick(&kinds).unwrap_or_else(|| "Nothing".into());
        let mut values = Vec::new();
        for decl in law.values_of(&kind) {
            if self.chance.one_in(2) {
                values.push((decl.it.name.clone(), self.declared_value(&decl.it)));
            }
        }
        Clause::CreateThing { kind, values }
    }

    fn remove_thing(&mut self) -> Clause {
        let things: Vec<Thing> = self
            .state()
            .entities
            .keys()
            .map(|id| Thing::Entity(*id))
            .collect();
        let thing = self
            .chance
            .pick(&things)
            .unwrap_or_else(|| self.any_thing());
        Clause::RemoveThing { thing }
    }

    fn term(&mut self) -> Clause {
        let name = self.chance.word(&["player", "emperor", "gold", ""]).into();
        Clause::SetTerm {
            name,
            one: "Newt".to_owned(),
            many: self.chance.word(&["Newts", ""]).to_owned(),
        }
    }

    fn person(&mut self) -> Clause {
        let members = self.members();
        let thing = self
            .chance
            .pick(&members)
            .map_or_else(|| self.any_thing(), Thing::Player);
        match self.chance.below(8) {
            0 if members.len() > 6 => Clause::RemovePlayer {
                thing,
                bar: self.chance.one_in(2),
            },
            _ => Clause::RenamePlayer {
                thing,
                name: self
                    .chance
                    .word(&["Quirin", "Anna", "", "Bertha\u{200b}", "Zoe"])
                    .to_owned(),
            },
        }
    }
}

fn without_a_fence(text: &str) -> String {
    let Some(begin) = text.find("```starlark") else {
        return text.to_owned();
    };
    let after = begin + "```starlark".len();
    let end = text[after..]
        .find("```")
        .map_or(text.len(), |end| after + end + 3);
    format!("{}{}", &text[..begin], &text[end..])
}
