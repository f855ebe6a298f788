//! What can be done on a board: actions that take a square of it, or something that stands on one.

use std::collections::BTreeMap;

use quorate_engine::law::{At, BoardDecl};
use quorate_engine::offers::{Field as LawField, Offer as LawOffer};
use quorate_kernel::{Name, PlayerId, Square, Thing};
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::{ActionDecl, Holds};

use crate::site::board::page::{Moves, Tab};
use crate::ui::urls::Href;
use crate::ui::{Target, plural, urls};
use crate::view::alarms::BoardStanding;
use crate::view::boards::{place, square_name};
use crate::view::game::GameView;
use crate::view::offers::sent;

/// Up to how many squares it is told what would happen on each.
const FORESEEN: usize = 24;

/// How many tries of the law a page may cost at most.
const TRIES: usize = 400;

/// A board on which something is chosen.
pub(crate) struct Choosing<'a> {
    pub(crate) view: &'a GameView,
    pub(crate) board: &'a Name,
    pub(crate) decl: &'a BoardDecl,
    pub(crate) standing: &'a [BoardStanding],
    pub(crate) here: &'a Href,
    pub(crate) query: &'a BTreeMap<String, String>,
}

/// What a board offers.
#[derive(Default)]
pub(crate) struct Offered {
    /// Its actions.
    pub(crate) tabs: Vec<Tab>,
    /// The chosen one.
    pub(crate) moves: Option<ChosenOnBoard>,
}

/// The chosen action.
pub(crate) struct ChosenOnBoard {
    /// Beside the board.
    pub(crate) list: Moves,
    /// On it.
    pub(crate) targets: Vec<Target>,
}

/// Something on the board that may be picked.
struct BoardPick<'a> {
    datum: &'a Datum,
    label: &'a String,
    square: Square,
    /// What the law says of it.
    remark: &'a str,
}

/// An action that can be done on the board.
struct OnBoard<'a> {
    decl: &'a At<ActionDecl>,
    offer: LawOffer,
    /// Which of its fields is picked on the board.
    field: usize,
}

impl Choosing<'_> {
    /// The board's actions for the reader, and the one they chose or the first that is open.
    pub(crate) fn offered(&self) -> Offered {
        let view = self.view;
        let Some(me) = view.me().filter(|_| !view.is_past() && view.is_member()) else {
            return Offered::default();
        };
        let actions = self.actions(me);
        let asked = self.query.get("do").map(String::as_str);
        let chosen = actions
            .iter()
            .find(|action| asked == Some(action.offer.action.as_str()))
            .or_else(|| actions.iter().find(|action| action.offer.open.is_ok()));
        let name = chosen.map(|action| action.offer.action.clone());
        let tabs = actions.iter().map(|action| {
            let next = action.offer.open.as_ref().err().and_then(|no| no.next_at);
            Tab {
                title: view.themed(&action.offer.title),
                note: next.map_or(String::new(), |at| view.when(at).brief()),
                href: self.here.with("do", action.offer.action.as_str()),
                is_current: name.as_ref() == Some(&action.offer.action),
                is_closed: action.offer.open.is_err(),
            }
        });
        Offered {
            tabs: tabs.collect(),
            moves: chosen.map(|action| self.chosen(me, action)),
        }
    }

    /// Actions with a parameter that takes a square; else those that take something that stands on one, where the
    /// action looks at where it stands.
    fn actions(&self, me: PlayerId) -> Vec<OnBoard<'_>> {
        let law = self.view.law();
        let wanted: Vec<(&At<ActionDecl>, usize)> = law
            .action_order
            .iter()
            .filter_map(|name| law.actions.get(name))
            .filter_map(|decl| Some((decl, self.picked(&decl.it)?)))
            .collect();
        self.view.ask(|asked| {
            wanted
                .iter()
                .map(|(decl, field)| OnBoard {
                    decl,
                    offer: asked.offer(me, decl),
                    field: *field,
                })
                .collect()
        })
    }

    fn picked(&self, decl: &ActionDecl) -> Option<usize> {
        let is_square = |ty: &Type| *inner(ty) == Type::Square;
        let square = decl.params.iter().position(|param| is_square(&param.ty));
        square.or_else(|| {
            let reads = self.view.law().reads.get(&decl.body)?;
            decl.params.iter().position(|param| match inner(&param.ty) {
                Type::Kind(kind) => self.places_of(kind).any(|name| reads.contains(name)),
                _ => false,
            })
        })
    }

    /// The values of a kind that hold a square of this board.
    fn places_of(&self, kind: &Name) -> impl Iterator<Item = &Name> {
        let board = self.board;
        let values = self.view.law().values.iter();
        values
            .filter(move |((of, _), decl)| {
                of == kind && matches!(&decl.it.holds, Holds::Place { board: on } if on == board)
            })
            .map(|((_, name), _)| name)
    }

    fn chosen(&self, me: PlayerId, action: &OnBoard<'_>) -> ChosenOnBoard {
        let view = self.view;
        let offer = &action.offer;
        let (with, companion) = self.companion(me, action);
        let (targets, everywhere) = self.targets(me, action, companion.as_ref());
        let game = view.game().as_str();
        let to = urls::Action {
            game,
            action: offer.action.as_str(),
        };
        let mut send = view.send(to).with("back", self.here_with(action).as_str());
        let field = &offer.fields[action.field];
        let mut skipped = vec![field.name.clone()];
        if let Some((name, datum)) = &companion {
            let label = view.ask(|asked| asked.label(datum));
            send = send.with(name.as_str(), sent(datum, &label));
            skipped.push(name.clone());
        }
        let rest = offer
            .fields
            .iter()
            .filter(|field| !skipped.contains(&field.name));
        let title = view.themed(&offer.title);
        let note = match &offer.open {
            Err(refusal) => view.refusal(&title, refusal).sentence(),
            Ok(()) if targets.is_empty() => "You can’t pick any square now.".to_owned(),
            Ok(()) => String::new(),
        };
        let squares = plural(targets.len(), "possibility", "possibilities");
        ChosenOnBoard {
            list: Moves {
                button: format!("{title}: {{}}"),
                title,
                count: squares,
                about: view.clause_in_two(&offer.site).0,
                says: says(&view.themed(&offer.says), &everywhere),
                send,
                with,
                name: field.name.to_string(),
                fields: rest.map(|field| view.field(field, "move")).collect(),
                note,
            },
            targets,
        }
    }

    fn here_with(&self, action: &OnBoard<'_>) -> Href {
        self.here.with("do", action.offer.action.as_str())
    }

    /// Where the action needs one thing more than the square, that thing: each as a tab, and the one chosen, by default
    /// the first with which some square is possible.
    fn companion(&self, me: PlayerId, action: &OnBoard<'_>) -> (Vec<Tab>, Option<(Name, Datum)>) {
        let others = needed(&action.offer)
            .filter(|(place, _)| *place != action.field)
            .map(|(_, field)| field);
        let [field] = others.collect::<Vec<_>>()[..] else {
            return (Vec::new(), None);
        };
        let Some(options) = field.options.as_ref().filter(|all| !all.is_empty()) else {
            return (Vec::new(), None);
        };
        let asked = self.query.get("with");
        let by_hand = options
            .iter()
            .find(|(datum, label)| asked.is_some_and(|asked| sent(datum, label) == *asked));
        let squares = self.options(action).len().max(1);
        let tries = (TRIES / squares).max(1);
        let chosen = by_hand.or_else(|| {
            options.iter().take(tries).find(|(datum, _)| {
                let with = (field.name.clone(), datum.clone());
                !self.targets(me, action, Some(&with)).0.is_empty()
            })
        });
        let chosen = chosen.or_else(|| options.first());
        let tabs = options.iter().map(|option| {
            let (datum, label) = option;
            Tab {
                title: label.clone(),
                note: String::new(),
                href: self.here_with(action).with("with", &sent(datum, label)),
                is_current: chosen == Some(option),
                is_closed: false,
            }
        });
        let tabs = tabs.collect();
        let chosen = chosen.map(|(datum, _)| (field.name.clone(), datum.clone()));
        (tabs, chosen)
    }

    /// What may be picked on this board.
    fn options<'a>(&self, action: &'a OnBoard<'_>) -> Vec<BoardPick<'a>> {
        let field: &LawField = &action.offer.fields[action.field];
        let remarks = field.remarks.iter().map(String::as_str);
        let remarks = remarks.chain(std::iter::repeat(""));
        let options = field.options.iter().flatten().zip(remarks);
        let on_board = options.filter_map(|((datum, label), remark)| {
            Some(BoardPick {
                datum,
                label,
                square: self.square_of(datum)?,
                remark,
            })
        });
        on_board.collect()
    }

    fn square_of(&self, datum: &Datum) -> Option<Square> {
        match datum {
            Datum::Square(square) => (square.board == *self.board).then(|| square.clone()),
            Datum::Thing(thing) => {
                let found = self.standing.iter().find(|one| one.thing == *thing);
                found.map(|one| one.square.clone())
            }
            _ => None,
        }
    }

    /// The squares that the law lets be picked, and what the action does on every one of them, which none says again. Where
    /// more is needed than this page can try, all that are offered.
    fn targets(
        &self,
        me: PlayerId,
        action: &OnBoard<'_>,
        companion: Option<&(Name, Datum)>,
    ) -> (Vec<Target>, Vec<String>) {
        let field = &action.offer.fields[action.field];
        let missing = needed(&action.offer)
            .filter(|(place, field)| {
                *place != action.field && companion.is_none_or(|(name, _)| *name != field.name)
            })
            .count();
        let mut options = self.options(action);
        if missing == 0 && options.len() <= TRIES {
            self.view.ask(|asked| {
                options.retain(|pick| {
                    let mut args = vec![(field.name.clone(), pick.datum.clone())];
                    args.extend(companion.cloned());
                    asked.tried(me, action.decl, args).is_ok()
                });
            });
        }
        let asked = self.query.get("to");
        let tells = missing == 0 && options.len() <= FORESEEN && action.offer.open.is_ok();
        let does = |pick: &BoardPick<'_>| {
            let mut args = vec![(field.name.clone(), pick.datum.clone())];
            args.extend(companion.cloned());
            self.view.act_does(&action.offer.action, &args)
        };
        let told: Vec<Vec<String>> = if tells {
            let told = options.iter().map(|pick| does(pick).unwrap_or_default());
            told.collect()
        } else {
            vec![Vec::new(); options.len()]
        };
        let everywhere = shared(&told);
        let targets = options.into_iter().zip(&told).filter_map(|(pick, told)| {
            let (column, row) = place(self.decl, &pick.square)?;
            let value = sent(pick.datum, pick.label);
            let mut href = self.here_with(action);
            if let Some((_, with)) = companion {
                let label = self.view.ask(|asked| asked.label(with));
                href = href.with("with", &sent(with, &label));
            }
            Some(Target {
                column,
                row,
                title: square_name(self.decl, &pick.square),
                words: std::iter::once(self.words(&pick))
                    .chain(told.iter().filter(|one| !everywhere.contains(one)).cloned())
                    .collect::<Vec<_>>()
                    .join("; "),
                is_risky: false,
                is_chosen: asked == Some(&value),
                href: href.with("to", &value).at("moves"),
                value,
            })
        });
        let targets = targets.collect();
        (targets, everywhere)
    }

    /// What is there, and what the law says of it.
    fn words(&self, pick: &BoardPick<'_>) -> String {
        let there = self.there(pick);
        if pick.remark.is_empty() {
            there
        } else {
            format!("{there}: {}", self.view.themed(pick.remark))
        }
    }

    fn there(&self, pick: &BoardPick<'_>) -> String {
        if let Datum::Thing(thing) = pick.datum {
            return match thing {
                Thing::Player(id) if self.view.me() == Some(*id) => "yourself".to_owned(),
                _ => pick.label.clone(),
            };
        }
        let there: Vec<&str> = self
            .standing
            .iter()
            .filter(|one| one.square == pick.square)
            .map(|one| one.sort.as_str())
            .collect();
        if there.is_empty() {
            "empty".to_owned()
        } else {
            there.join(", ")
        }
    }
}

/// What each of several says.
fn shared(told: &[Vec<String>]) -> Vec<String> {
    let Some((first, others)) = told.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Vec::new();
    };
    let is_shared = |one: &&String| others.iter().all(|other| other.contains(one));
    first.iter().filter(is_shared).cloned().collect()
}

/// What the law says of an action, and what it does wherever it is done.
fn says(law: &str, everywhere: &[String]) -> String {
    if everywhere.is_empty() {
        return law.to_owned();
    }
    let always = format!("On any of these: {}.", everywhere.join("; "));
    format!("{law} {always}").trim_start().to_owned()
}

/// The fields that must be filled in, each with its place.
fn needed(offer: &LawOffer) -> impl Iterator<Item = (usize, &LawField)> {
    offer.fields.iter().enumerate().filter(|(_, field)| {
        field.default.is_none() && !matches!(field.ty, Type::Optional(_) | Type::List(_))
    })
}

fn inner(ty: &Type) -> &Type {
    match ty {
        Type::Optional(inner) => inner,
        ty => ty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_square_says_is_said_once() {
        let of =
            |words: &[&str]| -> Vec<String> { words.iter().map(ToString::to_string).collect() };
        let told = [of(&["AP 2 → 1", "Frags 1 → 2"]), of(&["AP 2 → 1"])];
        assert_eq!(shared(&told), ["AP 2 → 1"]);
        assert!(shared(&told[..1]).is_empty(), "one alone keeps its words");
        assert_eq!(
            says("By die.", &shared(&told)),
            "By die. On any of these: AP 2 → 1."
        );
        assert_eq!(says("By die.", &[]), "By die.");
    }
}
