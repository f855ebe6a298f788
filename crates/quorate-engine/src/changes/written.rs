//! Patches and values written as data.

use quorate_kernel::patch::Clause;
use quorate_kernel::{EventSeq, Name, Value};
use quorate_law::datum::Datum;
use serde_json::Value as Json;

use super::Change;
use crate::convert;

/// The changes that a patch makes: what [`super::patch`] reads back, but for texts that were amended, which stand there whole.
pub fn changes(clauses: &[Clause]) -> Vec<Change> {
    clauses.iter().map(written).collect()
}

/// What a value is as data: numbers, yes and no, texts, lists; moments and things by how they are written.
pub fn json(datum: &Datum) -> Json {
    match datum {
        Datum::None => Json::Null,
        Datum::Bool(flag) => Json::Bool(*flag),
        Datum::Int(n) => Json::from(*n),
        Datum::Text(text) => Json::from(&**text),
        Datum::Moment(at) => Json::from(at.to_string()),
        Datum::Thing(thing) => Json::from(thing.to_string()),
        Datum::List(items) => items.iter().map(json).collect(),
        Datum::Dict(items) => {
            let key = |datum: &Datum| match json(datum) {
                Json::String(text) => text,
                other => other.to_string(),
            };
            let pairs = items.iter().map(|(name, value)| (key(name), json(value)));
            Json::Object(pairs.collect())
        }
        Datum::Record(record) => {
            let pairs = record.fields.iter();
            Json::Object(
                pairs
                    .map(|(name, value)| ((*name).to_owned(), json(value)))
                    .collect(),
            )
        }
        Datum::Ledger(thing, name) => Json::from(format!("{thing} {name}")),
        Datum::Function(name) => Json::from(name.as_str()),
        Datum::Picture(picture) => serde_json::json!({
            "width": picture.width,
            "height": picture.height,
            "digest": picture.digest.to_string(),
        }),
        Datum::Span(_) | Datum::Square(_) | Datum::Object(_) => {
            Json::from(convert::describe(datum))
        }
    }
}

fn written(clause: &Clause) -> Change {
    let words = |name: &Option<Name>| name.as_ref().map(ToString::to_string);
    match clause {
        Clause::AddRule {
            id,
            section,
            parent,
            after,
            title,
            text,
            tags,
        } => Change::AddRule {
            id: id.to_string(),
            section: section.to_string(),
            parent: words(parent),
            after: words(after),
            text: format!("# {title}\n\n{text}"),
            tags: tags.iter().map(ToString::to_string).collect(),
        },
        Clause::AmendRule { id, text, .. } => Change::ReplaceRule {
            id: id.to_string(),
            text: text.to_string(),
        },
        Clause::RepealRule { id } => Change::RepealRule { id: id.to_string() },
        Clause::RenameRule { id, title } => Change::RenameRule {
            id: id.to_string(),
            title: title.clone(),
        },
        Clause::MoveRule {
            id,
            section,
            parent,
            after,
        } => Change::MoveRule {
            id: id.to_string(),
            section: section.to_string(),
            parent: words(parent),
            after: words(after),
        },
        Clause::SwitchRule { id, on } => Change::SwitchRule {
            id: id.to_string(),
            on: *on,
        },
        other => written_of_things(other),
    }
}

fn written_of_things(clause: &Clause) -> Change {
    let value = |value: &Value| json(&convert::datum(value));
    let seqs = |events: &[EventSeq]| events.iter().map(|seq| seq.0).collect();
    match clause {
        Clause::SetValue {
            thing,
            name,
            value: to,
        } => Change::SetValue {
            thing: thing.to_string(),
            name: name.to_string(),
            value: value(to),
        },
        Clause::AddToValue {
            thing,
            name,
            amount,
        } => Change::AddToValue {
            thing: thing.to_string(),
            name: name.to_string(),
            amount: *amount,
        },
        Clause::CreateThing { kind, values } => Change::CreateThing {
            kind: kind.to_string(),
            values: values
                .iter()
                .map(|(name, held)| (name.to_string(), value(held)))
                .collect(),
        },
        Clause::RemoveThing { thing } => Change::RemoveThing {
            thing: thing.to_string(),
        },
        Clause::RenamePlayer { thing, name } => Change::RenamePlayer {
            player: thing.to_string(),
            name: name.clone(),
        },
        Clause::RemovePlayer { thing, bar } => Change::RemovePlayer {
            player: thing.to_string(),
            bar: *bar,
        },
        Clause::SetTerm { name, one, many } => Change::SetTerm {
            name: name.to_string(),
            one: one.clone(),
            many: many.clone(),
        },
        Clause::SetPage { name, text } => Change::SetPage {
            name: name.to_string(),
            text: text.clone(),
        },
        Clause::SetStatus { post, status } => Change::SetStatus {
            post: post.to_string(),
            status: status.to_string(),
        },
        Clause::Strike { events, uphold } => Change::Strike {
            events: seqs(events),
            uphold: seqs(uphold),
        },
        Clause::Script { code } => Change::Script {
            code: code.to_string(),
        },
        Clause::When { test, clauses } => Change::When {
            test: test.to_string(),
            changes: changes(clauses),
        },
        Clause::Prose { text } => Change::Prose { text: text.clone() },
        Clause::ChangeEdition { edition } => Change::ChangeEdition { edition: *edition },
        Clause::AddRule { .. }
        | Clause::AmendRule { .. }
        | Clause::RepealRule { .. }
        | Clause::RenameRule { .. }
        | Clause::MoveRule { .. }
        | Clause::SwitchRule { .. } => written(clause),
    }
}

#[cfg(test)]
mod tests {
    use quorate_kernel::Thing;
    use serde_json::json;

    use super::*;
    use crate::changes::patch;
    use crate::tiny_game::{game, new_post};

    #[test]
    fn what_is_written_as_data_reads_back_to_the_same_changes() {
        let mut game = game(
            "category(\"Bill\", statuses = [\"pending\", \"done\"])\nboat = entity(\"Boat\")\n\
             length = number(\"Length\", of = boat)\ngold = number(\"Gold\", of = player)\n\n\
             def launch(actor: Player):\n    boat.create()\n\naction(\"launch\", launch)",
        );
        game.act("launch", &[]).expect("anybody may");
        let bill = game.post(new_post("Bill", "More boats"));
        let bill = bill.expect("anybody may");
        let mut boats = game.judge.state().entities.keys();
        let boat = boats.next().map(|id| Thing::Entity(*id).to_string());
        let anna = Thing::Player(game.anna).to_string();
        let all = json!([
            {"do": "add_rule", "id": "inn", "section": "rules", "parent": "house", "text": "# Inn\n\n1. So.\n", "tags": ["calm"]},
            {"do": "replace_rule", "id": "house", "text": "1. Now.\n"},
            {"do": "rename_rule", "id": "house", "title": "Home"},
            {"do": "move_rule", "id": "inn", "section": "rules", "after": "house"},
            {"do": "switch_rule", "id": "inn", "on": false},
            {"do": "repeal_rule", "id": "inn"},
            {"do": "set_value", "thing": anna, "name": "gold", "value": 3},
            {"do": "add_to_value", "thing": anna, "name": "gold", "amount": -1},
            {"do": "create_thing", "kind": "Boat", "values": {"length": 4}},
            {"do": "remove_thing", "thing": boat},
            {"do": "set_term", "name": "player", "one": "sailor", "many": "sailors"},
            {"do": "rename_player", "player": anna, "name": "Annie"},
            {"do": "remove_player", "player": anna, "bar": true},
            {"do": "set_page", "name": "front", "text": "Welcome."},
            {"do": "set_status", "post": bill.to_string(), "status": "done"},
            {"do": "strike", "events": [2], "uphold": [3]},
            {"do": "script", "code": "note(\"so\")"},
            {"do": "prose", "text": "Be kind."},
            {"do": "when", "test": "True", "changes": [{"do": "prose", "text": "Or not."}]},
            {"do": "change_edition", "edition": 2},
        ]);
        let all: Vec<Change> = serde_json::from_value(all).expect("they are changes");
        let clauses = game.ask(|tx| patch(tx, &all)).expect("they fit").clauses;
        assert_eq!(changes(&clauses), all);
    }

    #[test]
    fn a_value_is_told_as_data_or_in_words() {
        let square = quorate_kernel::Square {
            board: "sea".into(),
            column: 2,
            row: 0,
        };
        let told = json(&Datum::List(
            [Datum::None, Datum::Int(3), Datum::Square(square)].into(),
        ));
        assert_eq!(told, json!([null, 3, "column 3, row 1 of sea"]));
        let pairs = vec![(Datum::Int(1), Datum::Bool(true))];
        assert_eq!(json(&Datum::Dict(pairs.into())), json!({"1": true}));
    }
}
