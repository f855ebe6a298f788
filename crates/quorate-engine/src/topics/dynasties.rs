//! The list of dynasties, and the commitment to the dice of each.

use quorate_kernel::effect::Way;
use quorate_kernel::rows::Commitment;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{PlayerId, rows};

use crate::tx::Tx;

/// The row of a dynasty in the list of them; without a theme the one it has stays.
pub(crate) fn write(tx: &Tx, leader: Option<PlayerId>, theme: &str, begins: bool) {
    let last = tx.with_state(|state| {
        let last = state.dynasties.iter().next_back();
        last.map(|(number, dynasty)| (*number, dynasty.clone()))
    });
    let (number, old) = match last {
        Some((number, _)) if begins => (number + 1, None),
        Some((number, dynasty)) => (number, Some(dynasty)),
        None => (1, None),
    };
    if begins {
        commit_to_dice(tx);
    }
    let committed = tx.with_state(|state| {
        let newest = state.commitments.values().next_back();
        newest.map(|commitment| commitment.said).unwrap_or_default()
    });
    let (at, event, dice) = old.as_ref().map_or((tx.now, tx.seq, committed), |old| {
        (old.at, old.event, old.dice)
    });
    let title = match &old {
        Some(old) if theme.is_empty() => old.title.clone(),
        _ => Sealed::close(theme, tx.salt()),
    };
    let row = rows::Dynasty {
        title,
        leader,
        at,
        event,
        dice,
    };
    tx.put(number, row);
}

/// Shows the key that dice followed from so far, and says what those of the next event on will follow from.
pub(crate) fn commit_to_dice(tx: &Tx) {
    let Some((key, next)) = tx.deck().next_commitment(tx.seq) else {
        return;
    };
    let last = tx.with_state(|state| {
        let last = state.commitments.iter().next_back();
        last.map(|(event, commitment)| (*event, commitment.clone()))
    });
    let new = Some(Commitment::of(&next));
    match last {
        // There is one commitment an event, whatever begins in it.
        Some((event, _)) if event == tx.seq => return,
        // In a game that came here without its secret the key of the old commitment stayed behind.
        Some((_, old)) if key.commitment() != old.said => {}
        Some((event, old)) => {
            let shown = Some(key);
            tx.put(event, Commitment { shown, ..old });
        }
        None => {}
    }
    tx.write_row(tx.seq, new, Way::Put);
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Value;
    use quorate_kernel::rows::Commitment;

    use crate::tiny_game::{TinyGame, game};

    const THRONE: &str = r#"def lead(actor: Player, theme: str, begins: bool):
    chronicle(actor, theme, begins)

def vacate(actor: Player):
    chronicle(None)

def twice(actor: Player):
    chronicle(actor, "Sand", begins = True)
    chronicle(actor, "Snow", begins = True)

action("lead", lead)
action("vacate", vacate)
action("twice", twice)"#;

    fn lead(game: &mut TinyGame, theme: &str, begins: bool) {
        let theme = ("theme", Value::Word(theme.into()));
        game.act("lead", &[theme, ("begins", Value::Flag(begins))])
            .expect("anybody may");
    }

    #[test]
    fn a_dynasty_keeps_its_theme_and_its_beginning_until_another_begins() {
        let mut game = game(THRONE);
        lead(&mut game, "Sea", false);
        let first = game.judge.state().dynasties[&1].clone();
        assert_eq!(
            (first.title.as_str(), first.leader),
            ("Sea", Some(game.anna))
        );
        game.act("vacate", &[]).expect("anybody may");
        let now = game.judge.state().dynasties[&1].clone();
        assert_eq!((now.title.as_str(), now.leader), ("Sea", None));
        assert_eq!(now.event, first.event);
        lead(&mut game, "Land", true);
        let dynasties = &game.judge.state().dynasties;
        assert_eq!(dynasties.len(), 2);
        assert_eq!(dynasties[&1], now);
        assert_eq!(dynasties[&2].title.as_str(), "Land");
    }

    #[test]
    fn as_another_begins_the_key_of_the_dice_so_far_is_shown_and_one_is_committed_to() {
        let mut game = game(THRONE);
        lead(&mut game, "Sea", true);
        let kept = |game: &TinyGame| {
            let commitments = game.judge.state().commitments.values();
            commitments.map(Commitment::is_kept).collect::<Vec<_>>()
        };
        assert_eq!(kept(&game), [Some(true), None]);
        game.act("twice", &[]).expect("anybody may");
        assert_eq!(
            kept(&game),
            [Some(true), Some(true), None],
            "one an event, whatever begins in it"
        );
        let state = game.judge.state();
        let newest = state.commitments.values().next_back();
        let (_, last) = state.dynasties.iter().next_back().expect("there are some");
        assert_eq!(Some(last.dice), newest.map(|one| one.said));
    }
}
