//! Samples of the pages beside this file.

use crate::site::home::page::{GameCard, Home};
use crate::ui::sample::world::{GAME, as_stranger, bare};
use crate::ui::sample::{Sample, Samples};
use crate::ui::{Link, urls};

impl Samples for Home {
    fn samples() -> Vec<Sample<Self>> {
        let card = |name: &str, game: &str, about: &str, waiting, is_joined| GameCard {
            name: name.into(),
            game: game.into(),
            about: about.into(),
            dynasty: "Third Dynasty of Oriel, day 12".into(),
            players: "11 players, 4 idle".into(),
            doing: "3 proposals pending, last post 7 h ago.".into(),
            waiting,
            is_joined,
        };
        let games = vec![
            card(
                "Saltmarsh",
                GAME,
                "Keepers mind lamps over a tidal flat and lose boats to it, by rules that they change as they go.",
                5,
                true,
            ),
            card(
                "Knucklebones",
                "knucklebones",
                "An arena of eight by eight, where the floor has opinions.",
                0,
                true,
            ),
            card(
                "The Quiet Ministry",
                "ministry",
                "A bureau writes its own forms. Nobody has seen the minister.",
                0,
                false,
            ),
        ];
        let home = Home {
            chrome: bare("Games of Nomic"),
            welcome: "Games whose players change the rules by voting. Read along freely; play with an account.".into(),
            games,
            found: Some(Link::new("Found a game", urls::Found)),
            panel: Some(Link::new("Operator’s panel", urls::Operator)),
            ways_in: vec![],
        };
        let stranger = Home {
            chrome: as_stranger(bare("Games of Nomic")),
            games: vec![],
            found: None,
            panel: None,
            ways_in: vec![
                Link::new("Make an account", urls::SignUp),
                Link::new("Sign in", urls::SignIn),
            ],
            ..home.clone()
        };
        vec![
            Sample {
                name: "player",
                page: home,
            },
            Sample {
                name: "stranger, no games",
                page: stranger,
            },
        ]
    }
}
