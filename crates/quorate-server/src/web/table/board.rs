//! A board that the law declares: who and what stands where, and the squares that an action may pick.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::Response;
use quorate_engine::law::{At, BoardDecl};
use quorate_engine::offers::{Field as LawField, Offer as LawOffer};
use quorate_kernel::rows::CellKey;
use quorate_kernel::{Name, Square as Spot, Thing, Value};
use quorate_law::datum::{Datum, Type};
use quorate_law::declare::Holds;

use crate::pages::{BoardPage, Moves, Tab};
use crate::parts::{self, Glyph, LegendLine, Piece, Square, Target, plural};
use crate::urls::{self, Href};
use crate::web::forms::{drawn, page};
use crate::web::look::Look;
use crate::web::look::offers::sent;
use crate::web::look::people::Part;
use crate::web::reply;
use crate::web::site::Site;
use crate::web::trouble::Trouble;
use crate::web::visitor::Visitor;

/// The form whose squares are those of the drawing.
const FORM: &str = "moves";

/// `GET /g/{game}/board/{board}`.
pub(crate) async fn show(
    State(site): State<Arc<Site>>,
    visitor: Visitor,
    Path((game, board)): Path<(String, String)>,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let at = query.get("at").map(String::as_str);
    match Look::then(&site, &visitor, &game, at).await {
        Ok(look) => {
            drawn(look, move |look| {
                let decl = look.law.boards.get(board.as_str()).ok_or(Trouble::NotFound)?;
                let drawn = whole(look, &Name::from(board), decl, &query);
                Ok(page(look, &drawn))
            })
            .await
        }
        Err(trouble) => reply::failed(&site, &visitor, None, trouble),
    }
}

fn whole(
    look: &Look,
    name: &Name,
    decl: &At<BoardDecl>,
    query: &BTreeMap<String, String>,
) -> BoardPage {
    let chosen = query.get("do").map(String::as_str);
    let offers: Vec<LawOffer> = if look.is_past { Vec::new() } else { look.law_offers() };
    let on_board: Vec<(&LawOffer, &LawField)> = offers
        .iter()
        .filter_map(|offer| Some((offer, spot_field(look, name, offer)?)))
        .collect();
    let current = on_board
        .iter()
        .find(|(offer, _)| chosen == Some(offer.action.as_str()))
        .or_else(|| on_board.iter().find(|(offer, _)| chosen.is_none() && offer.open.is_ok()));
    let mut board = drawing(look, name, decl);
    let mut moves = None;
    if let Some((offer, field)) = current
        && offer.open.is_ok()
    {
        board.targets = targets(look, name, decl, offer, field, query.get("square"));
        board.form = Some(FORM.to_owned());
        moves = Some(moves_of(look, name, offer, field, board.targets.len()));
    }
    let title = look.themed(&decl.it.title);
    BoardPage {
        chrome: look.chrome(&title, Part::Boards),
        title,
        about: look.about_clause(&decl.site.rule, decl.site.clause),
        tabs: on_board.iter().map(|(offer, _)| tab(look, name, offer, current.map(|(offer, _)| *offer))).collect(),
        board,
        moves,
        results: Vec::new(),
        table: None,
    }
}

/// The field of an action that takes a square of this board, or something that stands on one, if that is all it needs.
fn spot_field<'o>(look: &Look, board: &Name, offer: &'o LawOffer) -> Option<&'o LawField> {
    let mut needed = offer
        .fields
        .iter()
        .filter(|field| field.default.is_none() && !matches!(field.ty, Type::Optional(_)));
    let only = needed.next()?;
    if needed.next().is_some() {
        return None;
    }
    let options = only.options.as_ref()?;
    let stands = options.iter().any(|(datum, _)| spot_of(look, board, datum).is_some());
    let takes = only.ty == Type::Square || stands;
    takes.then_some(only)
}

/// Where something stands on a board.
fn spot_of(look: &Look, board: &Name, datum: &Datum) -> Option<Spot> {
    match datum {
        Datum::Square(spot) => (spot.board == *board).then(|| spot.clone()),
        Datum::Thing(thing) => place_of(look, board, thing),
        _ => None,
    }
}

fn place_of(look: &Look, board: &Name, thing: &Thing) -> Option<Spot> {
    let kind = look.ask(|tx| tx.kind_of(thing)).ok()?;
    places_of(look, board, &kind).iter().find_map(|name| match look.kept(thing, name.as_str()) {
        Some(Value::Square(spot)) if spot.board == *board => Some(spot.clone()),
        _ => None,
    })
}

/// The values of a kind that hold a place on a board.
fn places_of(look: &Look, board: &Name, kind: &Name) -> Vec<Name> {
    let values = look.law.values.iter().filter(|((of, _), decl)| {
        of == kind && matches!(&decl.it.holds, Holds::Place { board: on } if on == board)
    });
    values.map(|((_, name), _)| name.clone()).collect()
}

/// A square's place in the drawing, which counts its rows from the bottom.
fn at(decl: &BoardDecl, spot: &Spot) -> (usize, usize) {
    let row = decl.rows.len().saturating_sub(usize::from(spot.row) + 1);
    (usize::from(spot.column), row)
}

/// The board with all that stands on it, as far as the reader may see.
pub(crate) fn drawing(look: &Look, name: &Name, decl: &At<BoardDecl>) -> parts::Board {
    let mut squares = Vec::new();
    let mut pieces = Vec::new();
    let mut legend: Vec<LegendLine> = Vec::new();
    for (key, cell) in &look.state().cells {
        let Value::Square(spot) = cell.value.open() else {
            continue;
        };
        if spot.board != *name || !look.view().shown(key) || !is_place(look, name, key) {
            continue;
        }
        let (column, row) = at(&decl.it, spot);
        match &key.thing {
            Thing::Player(id) => pieces.push(Piece {
                column,
                row,
                name: look.name(*id),
                is_you: look.me == Some(*id),
            }),
            thing => {
                let called = look.ask(|tx| tx.label(&Datum::Thing(thing.clone())));
                let glyph = glyph_of(&called);
                if !legend.iter().any(|line| line.words == called) {
                    legend.push(LegendLine {
                        glyph: Some(glyph.clone()),
                        words: called.clone(),
                    });
                }
                squares.push(Square {
                    column,
                    row,
                    glyph,
                    name: called,
                });
            }
        }
    }
    if !pieces.is_empty() {
        legend.push(LegendLine {
            glyph: None,
            words: look.word("Player"),
        });
    }
    parts::Board {
        id: format!("board-{name}"),
        title: look.themed(&decl.it.title),
        columns: decl.it.columns.clone(),
        rows: decl.it.rows.iter().rev().cloned().collect(),
        squares,
        pieces,
        targets: Vec::new(),
        form: None,
        legend,
    }
}

fn is_place(look: &Look, board: &Name, key: &CellKey) -> bool {
    look.law.values.iter().any(|((_, name), decl)| {
        *name == key.name && matches!(&decl.it.holds, Holds::Place { board: on } if on == board)
    })
}

/// The drawing that one of a name's words calls for, or its letters.
fn glyph_of(name: &str) -> Glyph {
    let lower = name.to_lowercase();
    let drawn = lower
        .split(|letter: char| !letter.is_alphanumeric())
        .map(Glyph::named)
        .find(|glyph| !matches!(glyph, Glyph::Letters(_)));
    drawn.unwrap_or_else(|| Glyph::named(name))
}

fn targets(
    look: &Look,
    name: &Name,
    decl: &At<BoardDecl>,
    offer: &LawOffer,
    field: &LawField,
    chosen: Option<&String>,
) -> Vec<Target> {
    let here = board_href(look, name).with("do", offer.action.as_str());
    let options = field.options.iter().flatten();
    let found = options.filter_map(|(datum, label)| {
        let spot = spot_of(look, name, datum)?;
        let (column, row) = at(&decl.it, &spot);
        let value = sent(datum, label);
        Some(Target {
            column,
            row,
            words: occupants(look, name, &spot),
            is_risky: false,
            is_chosen: chosen == Some(&value),
            href: here.with("square", &value).at("moves"),
            value,
        })
    });
    found.collect()
}

/// What stands on a square, in words.
fn occupants(look: &Look, board: &Name, spot: &Spot) -> String {
    let here = look.state().cells.iter().filter(|(key, cell)| {
        matches!(cell.value.open(), Value::Square(at) if at == spot)
            && look.view().shown(key)
            && is_place(look, board, key)
    });
    let names: Vec<String> = here
        .map(|(key, _)| match &key.thing {
            Thing::Player(id) => look.name(*id),
            thing => look.ask(|tx| tx.label(&Datum::Thing(thing.clone()))),
        })
        .collect();
    if names.is_empty() { "an empty square".to_owned() } else { names.join(", ") }
}

fn board_href(look: &Look, board: &Name) -> Href {
    urls::Board {
        game: look.game.as_str(),
        board: board.as_str(),
    }
    .into()
}

fn tab(look: &Look, board: &Name, offer: &LawOffer, current: Option<&LawOffer>) -> Tab {
    let is_closed = offer.open.is_err();
    let note = match &offer.open {
        Err(refusal) => refusal.next_at.map(|at| look.when(at).brief()).unwrap_or_default(),
        Ok(()) => String::new(),
    };
    let act = Href::from(urls::Act {
        game: look.game.as_str(),
    });
    Tab {
        title: look.themed(&offer.title),
        note,
        href: if is_closed {
            act.at(&format!("act-{}", offer.action))
        } else {
            board_href(look, board).with("do", offer.action.as_str())
        },
        is_current: current.is_some_and(|current| current.action == offer.action),
        is_closed,
    }
}

fn moves_of(look: &Look, board: &Name, offer: &LawOffer, field: &LawField, count: usize) -> Moves {
    let action = offer.action.as_str();
    let to = urls::Action {
        game: look.game.as_str(),
        action,
    };
    let title = look.themed(&offer.title);
    Moves {
        count: plural(count, "square", "squares"),
        about: look.about_clause(&offer.site.rule, offer.site.clause),
        send: look.send(to).with("back", board_href(look, board).as_str()),
        name: field.name.to_string(),
        button: format!("{title}: {{}}"),
        note: String::new(),
        title,
    }
}
