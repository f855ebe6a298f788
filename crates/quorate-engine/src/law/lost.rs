//! What a law lost with rules that went, and what its rules would lose with others.

use std::collections::BTreeSet;

use quorate_kernel::Name;
use quorate_kernel::state::State;
use quorate_law::declare::ActionDecl;
use quorate_law::stop::{Fault, FaultKind, Site, Stop};
use quorate_law::{Dependence, Lean, asked_together};

use super::Law;
use super::compiling::sources;
use crate::words::worded;

/// Where the code of each rule uses what others provide.
pub fn dependences(state: &State) -> BTreeSet<Dependence> {
    let (sources, edition) = sources(state);
    quorate_law::dependences(&sources, edition)
}

/// What a fault says. Where it names a rule that went, that rule's title has the words of the theme.
pub(crate) fn fault_words(state: &State, fault: &Fault) -> String {
    if fault.kind == FaultKind::Lost {
        worded(state, &fault.text)
    } else {
        fault.text.clone()
    }
}

impl Law {
    /// Where clauses use names that went with the law before, in document order.
    pub fn fresh_leans<'a>(&'a self, before: &'a Self) -> impl Iterator<Item = &'a Lean> {
        self.leans.iter().filter(|lean| {
            let mut old = before.leans.iter();
            !old.any(|old| {
                old.site.rule == lean.site.rule && old.name == lean.name && old.fate == lean.fate
            })
        })
    }

    /// What the log says as a law begins: which code falls asleep, and which clauses ask for names that went.
    pub fn losses_since(&self, before: &Self, state: &State) -> Vec<String> {
        let slept = self.fallen_asleep(before).map(|asleep| {
            let (title, clause) = (self.place(&asleep.rule).title, asleep.clause);
            let first = asleep.diagnostics.first();
            let why = first.map_or("", |first| first.text.as_str());
            format!("{title}, clause {clause}: its code sleeps: {why}")
        });
        let lines = slept.chain(self.newly_lost(before));
        lines.map(|line| worded(state, &line)).collect()
    }

    /// Clauses that ask for such names and break there, a line for each clause and rule that had them.
    fn newly_lost(&self, before: &Self) -> Vec<String> {
        let mut clauses: Vec<((&Name, u32), Vec<&Lean>)> = Vec::new();
        for lean in self.fresh_leans(before).filter(|lean| lean.breaks()) {
            let place = (&lean.site.rule, lean.site.clause);
            match clauses.iter_mut().find(|(known, _)| *known == place) {
                Some((_, leans)) => leans.push(lean),
                None => clauses.push((place, vec![lean])),
            }
        }
        let lines = clauses.into_iter().flat_map(|((rule, clause), leans)| {
            let title = self.place(rule).title;
            let told = asked_together(leans, &str::to_owned).into_iter();
            told.map(move |told| format!("{title}, clause {clause}: {told}"))
        });
        lines.collect()
    }

    /// Whether an action, or what is asked before it, can come to a name that nobody provides.
    pub fn comes_to_lost(&self, action: &ActionDecl) -> bool {
        let options = action.options.iter().map(|(_, function)| function);
        let mut asked = [&action.body].into_iter().chain(&action.by).chain(options);
        asked.any(|function| self.breaking.contains(function))
    }

    /// Why a value cannot be read or written that nothing provides: it went with its rule, or else what is said of one that
    /// there never was.
    pub(crate) fn nothing_called(&self, value: &str, else_said: impl FnOnce() -> String) -> Stop {
        match self.lost_values.get(&Name::from(value)) {
            Some(words) => Stop::lost(words.as_str()),
            None => Stop::fault(else_said()),
        }
    }

    /// Whether a clause uses a name that nobody provides any more, so that it breaks where it comes to it.
    pub fn asks_for_lost(&self, site: &Site) -> bool {
        let mut leans = self.leans.iter().filter(|lean| lean.breaks());
        leans.any(|lean| lean.site.rule == site.rule && lean.site.clause == site.clause)
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::patch::Clause;
    use quorate_kernel::{Id, Thing, Topic, Value};
    use quorate_law::LeanFate;

    use super::*;
    use crate::tiny_game::{TinyGame, game};

    fn rule(id: &str, code: &str) -> Clause {
        Clause::AddRule {
            id: id.into(),
            section: "rules".into(),
            parent: None,
            after: None,
            title: id.to_owned(),
            text: format!("1. So it is.\n\n```starlark\n{code}\n```\n").into(),
            tags: Vec::new(),
        }
    }

    fn repealed(id: &str) -> Clause {
        Clause::RepealRule { id: id.into() }
    }

    fn leans(game: &TinyGame) -> Vec<(String, String, LeanFate)> {
        let leans = game.judge.law().leans.iter();
        leans
            .map(|lean| (lean.site.rule.to_string(), lean.name.clone(), lean.fate))
            .collect()
    }

    fn lean(rule: &str, name: &str, fate: LeanFate) -> (String, String, LeanFate) {
        (rule.to_owned(), name.to_owned(), fate)
    }

    #[test]
    fn a_lost_value_is_nothing_to_whoever_says_what_to_take_instead() {
        let mut game = game("");
        let wounds = "blows = number(\"Blows\", of = player, default = 2)";
        let inn = "def rest(actor: Player):\n    require(((actor).blows or 7) == 7, \"no blows\")\n\n\
            def pay_up(actor: Player):\n    require((actor.blows or 7) + actor.blows > 0, \"blows\")\n\n\
            action(\"rest\", rest)\naction(\"pay-up\", pay_up)";
        game.change(vec![rule("wounds", wounds), rule("inn", inn)]);
        assert!(game.act("rest", &[]).is_err(), "two blows are no seven");
        assert!(game.act("pay-up", &[]).is_ok());
        game.change(vec![repealed("wounds")]);
        assert!(game.act("rest", &[]).is_ok(), "no blows are nothing");
        let refusal = game
            .act("pay-up", &[])
            .expect_err("it reads them plainly too");
        assert!(
            refusal.needs[0]
                .have
                .contains("`blows` of wounds, which was repealed"),
            "{refusal:?}"
        );
        assert_eq!(
            leans(&game),
            [
                lean("inn", "blows", LeanFate::FallsBack),
                lean("inn", "blows", LeanFate::Breaks)
            ]
        );
        let law = game.judge.law();
        assert!(!law.comes_to_lost(&law.actions[&Name::from("rest")].it));
        assert!(law.comes_to_lost(&law.actions[&Name::from("pay-up")].it));
        game.change(vec![rule("wounds", wounds)]);
        assert!(game.act("rest", &[]).is_err(), "they are back");
    }

    #[test]
    fn a_name_that_things_of_another_kind_have_is_lost_of_its_own_kind_alone() {
        let mut game = game("");
        let ranks = "status = text(\"Status\", of = player, default = \"plain\")";
        let desk = "category(\"Note\", title = \"Note\", statuses = [\"open\", \"shut\"])\n\n\
            def tidy(actor: Player, note_: Note | None = None):\n    require(note_ == None or note_.status == \"open\", \"open\")\n\n\
            def bow(actor: Player):\n    require(actor.status == \"plain\", \"plain\")\n\n\
            action(\"tidy\", tidy)\naction(\"bow\", bow)";
        game.change(vec![rule("ranks", ranks), rule("desk", desk)]);
        let asleep = &game.judge.law().asleep;
        assert!(asleep.is_empty(), "{asleep:?}");
        assert!(game.act("bow", &[]).is_ok());
        game.change(vec![repealed("ranks")]);
        assert_eq!(leans(&game), [lean("desk", "status", LeanFate::Breaks)]);
        let law = game.judge.law();
        assert!(!law.comes_to_lost(&law.actions[&Name::from("tidy")].it));
        assert!(law.comes_to_lost(&law.actions[&Name::from("bow")].it));
        assert!(game.act("tidy", &[]).is_ok());
        assert!(game.act("bow", &[]).is_err());
    }

    #[test]
    fn the_log_says_of_each_clause_what_it_asks_for_by_the_rules_that_had_it() {
        let mut game = game("");
        let bells = "def ring(p: Player):\n    note(str(roll(6, \"bell\")))\n\ndef toll(p: Player):\n    ring(p)";
        let drums = "def beat(p: Player):\n    note(str(roll(6, \"drum\")))";
        let hall = "def play(actor: Player):\n    ring(actor)\n    toll(actor)\n    beat(actor)\n    ring(actor)\n\naction(\"play\", play)";
        game.change(vec![
            rule("bells", bells),
            rule("drums", drums),
            rule("hall", hall),
        ]);
        let event = game.change(vec![repealed("bells"), repealed("drums")]);
        let notes: Vec<&str> = event.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(
            notes[1..],
            [
                "hall, clause 1: it asks for `ring` and `toll` of bells, which was repealed on 4 May 2031",
                "hall, clause 1: it asks for `beat` of drums, which was repealed on 4 May 2031"
            ]
        );
    }

    #[test]
    fn whoever_is_refused_reads_the_lost_rule_in_the_words_of_the_theme() {
        let mut game = game("");
        let bells = "def ring(p: Player):\n    note(str(roll(6, \"bell\")))";
        let hall = "def play(actor: Player):\n    ring(actor)\n\naction(\"play\", play)";
        let renamed = Clause::RenameRule {
            id: "bells".into(),
            title: "{gongs}".to_owned(),
        };
        let term = Clause::SetTerm {
            name: "gong".into(),
            one: "Drum".to_owned(),
            many: "Drums".to_owned(),
        };
        game.change(vec![rule("bells", bells), rule("hall", hall), term]);
        game.change(vec![renamed]);
        game.change(vec![repealed("bells")]);
        let refusal = game.act("play", &[]).expect_err("there are none");
        let words = "it asks for `ring` of Drums, which was repealed on 4 May 2031";
        assert!(refusal.needs[0].have.ends_with(words), "{refusal:?}");
        assert_eq!(refusal.needs[0].topic, Topic::BrokenCode { in_line: true });
    }

    #[test]
    fn whoever_calls_what_asks_for_a_lost_name_is_not_put_to_sleep() {
        let mut game = game("");
        let bells = "def ring(p: Player):\n    note(str(roll(6, \"bell\")))";
        let hall = "def play(p: Player):\n    ring(p)";
        let door = "def knock(actor: Player):\n    note(\"knock\")\n\n\
            def heard(actor: Player):\n    play(actor)\n\n\
            action(\"knock\", knock)\nafter(\"knock\", heard)";
        game.change(vec![
            rule("bells", bells),
            rule("hall", hall),
            rule("door", door),
        ]);
        game.change(vec![repealed("bells")]);
        for _ in 0..4 {
            let knocked = game.act("knock", &[]).expect("the hook is left out");
            let said = &knocked.notes.last().expect("a line on the hook").text;
            assert!(said.contains("it asks for `ring` of bells"), "{said}");
        }
        assert!(game.judge.state().breaks.is_empty());
        assert!(game.judge.law().asleep.is_empty());
    }

    #[test]
    fn things_of_a_lost_kind_are_given_to_nobody_until_it_comes_back() {
        let mut game = game("");
        let lions = "entity(\"Lion\")\nweight = number(\"Weight\", of = Lion, default = 5)\n\n\
            def tame(actor: Player):\n    lion = Lion.create()\n    actor.pet = lion\n    actor.herd += [lion]\n\naction(\"tame\", tame)";
        let zoo = "pet = reference(\"Pet\", Lion, of = player)\nherd = listing(\"Herd\", holds = Lion, of = player)\n\n\
            def weigh(actor: Player, least: int):\n    pet = actor.pet\n    \
            require(sum([lion.weight for lion in actor.herd]) + (pet.weight if pet != None else 0) == least, \"it\")\n\n\
            def feed(actor: Player, lion: Lion):\n    require(lion.weight > 0, \"it\")\n\n\
            action(\"weigh\", weigh)\naction(\"feed\", feed)";
        game.change(vec![rule("lions", lions), rule("zoo", zoo)]);
        let asleep = &game.judge.law().asleep;
        assert!(asleep.is_empty(), "{asleep:?}");
        let tamed = game.act("tame", &[]).expect("anybody may");
        let lion = Thing::Entity(quorate_kernel::EntityId(Id::new(tamed.seq, 0)));
        let weigh = |game: &mut TinyGame, least| game.act("weigh", &[("least", Value::Int(least))]);
        let feed = |game: &mut TinyGame| game.act("feed", &[("lion", Value::Thing(lion.clone()))]);
        assert!(weigh(&mut game, 10).is_ok() && feed(&mut game).is_ok());
        game.change(vec![repealed("lions")]);
        assert!(weigh(&mut game, 0).is_ok(), "there is no lion");
        let refusal = feed(&mut game).expect_err("there is no lion");
        assert_eq!(refusal.needs[0].have, "one that is gone");
        game.change(vec![rule("cats", lions)]);
        assert!(weigh(&mut game, 10).is_ok() && feed(&mut game).is_ok());
    }

    #[test]
    fn a_parameter_is_no_function_of_its_name() {
        let mut game = game("");
        let bells =
            "def call(actor: Player):\n    note(str(roll(6, \"bell\")))\n\naction(\"call\", call)";
        let desk = "def answer(actor: Player, call: int = 1):\n    require(call == 1, \"one\")\n\naction(\"answer\", answer)";
        let hall = "def ring(actor: Player):\n    call(actor)\n\naction(\"ring\", ring)";
        game.change(vec![
            rule("bells", bells),
            rule("desk", desk),
            rule("hall", hall),
        ]);
        game.change(vec![repealed("bells")]);
        let law = game.judge.law();
        assert!(law.comes_to_lost(&law.actions[&Name::from("ring")].it));
        assert!(!law.comes_to_lost(&law.actions[&Name::from("answer")].it));
        assert!(game.act("answer", &[]).is_ok());
    }

    #[test]
    fn a_lost_row_is_told_by_the_rule_that_had_it_and_things_of_a_lost_kind_come_back() {
        let mut game = game("");
        let salt = "row(Ware, \"Salt\", price = 3)\nentity(\"Sack\")\nweight = number(\"Weight\", of = Sack, default = 5)\n\n\
            def pack(actor: Player):\n    Sack.create(weight = 9)\n\naction(\"pack\", pack)";
        let shop = "table(\"Ware\", price = int)\n\n\
            def buy(actor: Player):\n    note(str(Ware.row(\"Salt\").price))\n\n\
            def count(actor: Player, sacks: int):\n    require(len(Sack.all()) == sacks, \"so many\")\n\n\
            def weigh(actor: Player, least: int):\n    for sack in Sack.all():\n        require(sack.weight >= least, \"heavy\")\n\n\
            action(\"buy\", buy)\naction(\"count\", count)\naction(\"weigh\", weigh)";
        game.change(vec![rule("shop", shop), rule("salt", salt)]);
        let asleep = &game.judge.law().asleep;
        assert!(asleep.is_empty(), "{asleep:?}");
        assert!(game.act("buy", &[]).is_ok() && game.act("pack", &[]).is_ok());
        game.change(vec![repealed("salt")]);
        let lost = lean("shop", "Ware.row(\"Salt\")", LeanFate::Breaks);
        assert!(leans(&game).contains(&lost), "{:?}", leans(&game));
        let refusal = game.act("buy", &[]).expect_err("there is no such row");
        let words = "it asks for `Ware.row(\"Salt\")` of salt, which was repealed on 4 May 2031";
        assert!(refusal.needs[0].have.ends_with(words), "{refusal:?}");
        let law = game.judge.law();
        assert!(law.comes_to_lost(&law.actions[&Name::from("buy")].it));
        assert!(game.act("count", &[("sacks", Value::Int(0))]).is_ok());
        game.change(vec![rule("salt", salt)]);
        assert!(game.act("buy", &[]).is_ok());
        assert!(game.act("count", &[("sacks", Value::Int(1))]).is_ok());
        assert!(game.act("weigh", &[("least", Value::Int(9))]).is_ok());
    }

    #[test]
    fn rules_lean_on_those_whose_names_they_use() {
        let mut game = game("");
        let eels = "SMOKED = 3\nentity(\"Eel\")\nlength = number(\"Length\", of = Eel)\nfed = number(\"Fed\", of = player)\n\n\
            def smoke(p: Player) -> int:\n    return roll(6, \"smoke\")";
        let inn = "def dine(actor: Player):\n    note(str(smoke(actor) + SMOKED + sum([eel.length for eel in Eel.all()])))\n    \
            actor.fed += 1\n\naction(\"dine\", dine)";
        game.change(vec![rule("eels", eels), rule("inn", inn)]);
        let found: Vec<_> = dependences(game.judge.state()).into_iter().collect();
        let found: Vec<_> = found
            .iter()
            .map(|it| {
                (
                    it.rule.as_str(),
                    it.name.as_str(),
                    it.of.as_str(),
                    it.lives_on,
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("inn", "Eel", "eels", true),
                ("inn", "SMOKED", "eels", true),
                ("inn", "fed", "eels", false),
                // There is no eel left that could be asked how long it is.
                ("inn", "length", "eels", true),
                ("inn", "smoke", "eels", false)
            ]
        );
    }

    #[test]
    fn a_lost_board_has_no_squares_and_lost_constants_live_on_one_by_one() {
        let mut game = game("");
        let field = "field = board(\"Field\", [\"A\", \"B\"], [\"1\"])\nLOW, HIGH = 2, 5";
        let walk = "def count(actor: Player, squares: int):\n    require(len(field.squares()) == squares, \"so many\")\n\n\
            def find(actor: Player, high: int):\n    require(high == HIGH and (field.square(\"A1\") == None) == (high > 5), \"it\")\n\n\
            action(\"count\", count)\naction(\"find\", find)";
        game.change(vec![rule("field", field), rule("walk", walk)]);
        assert!(game.act("count", &[("squares", Value::Int(2))]).is_ok());
        assert!(game.act("find", &[("high", Value::Int(5))]).is_ok());
        game.change(vec![repealed("field")]);
        let asleep = &game.judge.law().asleep;
        assert!(asleep.is_empty(), "{asleep:?}");
        let lives_on = |name| lean("walk", name, LeanFate::LivesOn);
        assert_eq!(
            leans(&game),
            [lives_on("field"), lives_on("HIGH"), lives_on("field")]
        );
        assert!(game.act("count", &[("squares", Value::Int(0))]).is_ok());
        let refusal = game.act("find", &[("high", Value::Int(5))]);
        assert!(
            refusal.is_err_and(|refusal| refusal.needs[0].what == "it"),
            "nothing is at A1"
        );
    }

    #[test]
    fn a_value_of_things_that_went_with_it_is_reached_by_nobody() {
        let mut game = game("");
        let sacks = "entity(\"Sack\")\nweight = number(\"Weight\", of = Sack, default = 5)\nburden = number(\"Burden\", of = player)";
        let scales = "def weigh(actor: Player):\n    for sack in Sack.all():\n        require(sack.weight == 5, \"five\")\n\n\
            def lift(actor: Player):\n    actor.burden += 1\n\naction(\"weigh\", weigh)\naction(\"lift\", lift)";
        game.change(vec![rule("sacks", sacks), rule("scales", scales)]);
        game.change(vec![repealed("sacks")]);
        let expected = [
            lean("scales", "Sack", LeanFate::LivesOn),
            lean("scales", "burden", LeanFate::Breaks),
        ];
        assert_eq!(leans(&game), expected);
        let law = game.judge.law();
        assert!(!law.comes_to_lost(&law.actions[&Name::from("weigh")].it));
        assert!(law.comes_to_lost(&law.actions[&Name::from("lift")].it));
        assert!(game.act("weigh", &[]).is_ok());
    }

    #[test]
    fn a_row_that_is_asked_for_by_a_name_is_lost_like_one_by_its_key() {
        let mut game = game("");
        let shop = "SALT = \"Salt\"\ntable(\"Ware\", price = int)\n\n\
            def buy(actor: Player):\n    note(str(Ware.row(SALT).price))\n\n\
            def pick(actor: Player, SALT: str):\n    note(str(Ware.row(SALT).price))\n\n\
            action(\"buy\", buy)\naction(\"pick\", pick)";
        let rows = "row(Ware, \"Salt\", price = 3)\nrow(Ware, \"Rye\", price = 2)";
        game.change(vec![rule("shop", shop), rule("rows", rows)]);
        assert!(game.act("buy", &[]).is_ok());
        game.change(vec![repealed("rows")]);
        let lost = lean("shop", "Ware.row(\"Salt\")", LeanFate::Breaks);
        assert_eq!(leans(&game), [lost]);
        let law = game.judge.law();
        assert!(law.comes_to_lost(&law.actions[&Name::from("buy")].it));
        assert!(!law.comes_to_lost(&law.actions[&Name::from("pick")].it));
    }
}
