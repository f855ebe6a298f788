//! Votes as games of the first edition of the library read them: an icon is its bare name between colons, wherever it stands.

use quorate_kernel::rows::IconUse;
use quorate_kernel::{Name, PlayerId, PostId};
use quorate_law::datum::Datum;
use quorate_law::stop::Answer;

use super::{guards, people};
use crate::tx::Tx;

/// Whether a game is still judged under the first edition.
pub(crate) fn is_judged(tx: &Tx) -> bool {
    tx.law.code.edition() < 2
}

/// The icons of a comment, and which of them count. A guard that forbids a vote refuses the whole comment.
pub(crate) fn votes_in(
    tx: &Tx,
    actor: PlayerId,
    post: PostId,
    category: &Name,
    text: &str,
) -> Answer<Vec<IconUse>> {
    let law = tx.frame().law;
    let categories = law.categories.values();
    let known: Vec<&Name> = categories.flat_map(|decl| &decl.it.icons).collect();
    let own = law.categories.get(category);
    let mut uses = Vec::new();
    for name in icons_in(text, &known) {
        let args = vec![(Name::from("icon"), Datum::Text(name.as_str().into()))];
        let attempt = guards::built_in(tx, &"vote".into(), actor, Some(post), args);
        let counted = own.is_some_and(|decl| decl.it.icons.contains(&name))
            && people::counts_for(tx, actor, &attempt.site.rule, &[])?;
        if counted {
            guards::check(tx, &attempt)?;
        }
        uses.push(IconUse { name, counted });
    }
    Ok(uses)
}

fn icons_in(text: &str, known: &[&Name]) -> Vec<Name> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(':') {
        let Some((word, beyond)) = after.split_once(':') else {
            break;
        };
        let icon = known.iter().find(|name| **name == word);
        found.extend(icon.map(|name| (*name).clone()));
        rest = if icon.is_some() { beyond } else { after };
    }
    found
}

#[cfg(test)]
mod tests {
    use quorate_kernel::patch::Patch;
    use quorate_kernel::state::Effect;
    use quorate_kernel::{PostId, Thing, Value};
    use quorate_law::datum::Datum;

    use crate::tiny_game::{TinyGame, game_of_edition, new_post};

    const BILLS: &str = r#"category("Bill", icons = ["for", "against"], aliases = {"aye": "for"}, statuses = ["pending", "enacted"])
fish = number("Fish", of = player, min = 0, max = 9, outside = "refuse")
cats = number("Cats", of = player)

def enact(actor: Player, bill: Bill):
    apply(bill)
    close(bill, "enacted", "")

action("enact", enact)"#;

    fn with_a_bill(edition: u16) -> (TinyGame, PostId) {
        let mut game = game_of_edition(BILLS, edition);
        let patch = Patch {
            clauses: vec![game.set("fish", 12), game.set("cats", 1)],
        };
        let post = new_post("Bill", "A bill").with_patch(patch);
        let bill = game.post(post).expect("anybody may");
        (game, bill)
    }

    fn cast(game: &mut TinyGame, post: PostId, text: &str) -> Vec<String> {
        let event = game.comment(post, text).expect("it has words");
        let icons = event.steps.iter().find_map(|step| match &step.effect {
            Effect::Comment { new: Some(row), .. } => Some(row.icons.clone()),
            _ => None,
        });
        let counted = icons.into_iter().flatten().filter(|icon| icon.counted);
        counted.map(|icon| icon.name.to_string()).collect()
    }

    #[test]
    fn each_game_reads_votes_and_enacts_as_its_edition_has_it() {
        let (mut game, bill) = with_a_bill(1);
        let text = "> :against:\n\n:FOR: :aye: `:for:`";
        assert_eq!(cast(&mut game, bill, text), ["against", "for"]);
        let args = [("bill", Value::Thing(Thing::Post(bill)))];
        let refused = game.act("enact", &args).expect_err("twelve are too many");
        assert!(refused.what().contains("within its range"), "{refused}");

        let (mut game, bill) = with_a_bill(2);
        assert_eq!(cast(&mut game, bill, text), ["for", "for"]);
        let args = [("bill", Value::Thing(Thing::Post(bill)))];
        game.act("enact", &args).expect("what can be done is done");
        assert_eq!(game.value("cats"), Datum::Int(1));
    }
}
