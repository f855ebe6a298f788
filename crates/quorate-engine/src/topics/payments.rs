//! Payments: amounts that are taken of one thing, and given to another.

use quorate_kernel::{Name, Thing};
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Site, Stop};
use quorate_law::world::Named;

use super::{things, values};
use crate::tx::Tx;

/// Takes an amount of a number; refuses where there is not as much. Gives the amount.
fn take_amount(tx: &Tx, who: &Thing, name: &Name, amount: &Datum, site: &Site) -> Answer<i64> {
    let (Datum::Int(amount), Datum::Int(have)) =
        (amount, values::attribute(tx, who, name.as_str())?)
    else {
        return Err(Stop::fault(format!("{name} is paid in whole numbers")));
    };
    let kind = things::kind_of(tx, who)?;
    let title = tx
        .frame()
        .law
        .value(&kind, name.as_str())
        .map_or_else(|| name.to_string(), |decl| decl.it.title.clone());
    if *amount < 0 {
        let what = format!("an amount of {title} that is not negative");
        return Err(tx.refusal_at(site, &what).having(amount.to_string()).into());
    }
    if have < *amount {
        let refusal = tx.refusal_at(site, &title).having(have.to_string());
        return Err(refusal.wanting(amount.to_string()).into());
    }
    values::set_attribute(tx, who, name.as_str(), Datum::Int(have - amount))?;
    Ok(*amount)
}

/// Takes amounts of a thing; refuses if short.
pub(crate) fn pay(tx: &Tx, who: &Thing, costs: &Named, site: &Site) -> Answer<()> {
    for (name, amount) in costs {
        take_amount(tx, who, name, amount, site)?;
    }
    Ok(())
}

/// Code that would make a number which is none.
pub(super) fn beyond_numbers() -> Stop {
    Stop::fault("a number leaves 64 bits".to_owned())
}

/// Moves amounts from one thing to another.
pub(crate) fn transfer(
    tx: &Tx,
    from: &Thing,
    to: &Thing,
    amounts: &Named,
    site: &Site,
) -> Answer<()> {
    for (name, amount) in amounts {
        let amount = take_amount(tx, from, name, amount, site)?;
        let Datum::Int(now) = values::attribute(tx, to, name.as_str())? else {
            return Err(Stop::fault(format!("{name} holds no number")));
        };
        let more = now.checked_add(amount).ok_or_else(beyond_numbers)?;
        values::set_attribute(tx, to, name.as_str(), Datum::Int(more))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Value;
    use quorate_law::datum::Datum;

    use crate::tiny_game::game;

    const CODE: &str = "gold = number(\"Gold\", of = player, default = 5)\n\n\
        def spend(actor: Player, amount: int):\n    pay(actor, gold = amount)\n\n\
        action(\"spend\", spend)";

    #[test]
    fn what_is_paid_is_gone_and_nobody_pays_more_than_they_have() {
        let mut game = game(CODE);
        let three = [("amount", Value::Int(3))];
        game.act("spend", &three).expect("there is enough");
        assert_eq!(game.value("gold"), Datum::Int(2));
        let short = game.act("spend", &three).expect_err("there is not");
        let need = &short.needs[0];
        assert_eq!(
            (short.what(), need.have.as_str(), need.need.as_str()),
            ("Gold", "2", "3")
        );
        assert_eq!(game.value("gold"), Datum::Int(2));
    }

    #[test]
    fn less_than_nothing_is_no_payment() {
        let mut game = game(CODE);
        let refused = game.act("spend", &[("amount", Value::Int(-1))]);
        let refused = refused.expect_err("it would be a gift");
        assert_eq!(refused.what(), "an amount of Gold that is not negative");
    }
}
