//! The ruleset as one readable document, of today or of another moment.

use std::collections::BTreeMap;

use axum::extract::Query;
use axum::response::Response;
use quorate_kernel::law::{LIBRARY, Rule, Section};
use quorate_kernel::{EventSeq, Name};
use quorate_law::RuleText as Text;

use crate::app::kept::EnactedPosts;
use crate::requests::forms::{OpenedThen, drawn, page};
use crate::site::ruleset::page::{
    Beside, Missed, Ruleset, RulesetPart, ShownClause, ShownRule, TocRule,
};
use crate::ui::code::CodeHtml;
use crate::ui::urls::Href;
use crate::ui::{Field, FieldKind, Link, urls};
use crate::view::enactments;
use crate::view::game::GameView;
use crate::view::people::Part;
use crate::view::rules::{numbers, ordered_sections};

/// `GET /g/{game}/rules`.
pub(crate) async fn show(
    OpenedThen(view): OpenedThen,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let unfolded = Unfolded {
        code: query.get("code").cloned(),
        at: query.get("at").cloned(),
    };
    let enacted = enactments::of_rules(&view).await;
    drawn(view, move |view| {
        Ok(page(view, &ruleset(view, &unfolded, &enacted)))
    })
    .await
}

/// What of the ruleset was asked for. All of its code would weigh more than its prose, so a rule's comes on demand, and that of
/// all stands in the text of [`crate::site::ruleset::source`].
struct Unfolded {
    /// The rule whose code is shown.
    code: Option<String>,
    /// The moment of which it is read, if not today.
    at: Option<String>,
}

impl Unfolded {
    fn shows(&self, rule: &Name) -> bool {
        self.code.as_deref().is_some_and(|code| *rule == *code)
    }

    /// The ruleset with the code of a rule.
    fn with(&self, view: &GameView, code: &str) -> Href {
        let game = view.game().as_str();
        self.then(urls::Ruleset { game }.into()).with("code", code)
    }

    /// The same of the moment of which the ruleset is read.
    fn then(&self, href: Href) -> Href {
        match &self.at {
            Some(at) => href.with("at", at),
            None => href,
        }
    }
}

fn ruleset(view: &GameView, unfolded: &Unfolded, enacted: &EnactedPosts) -> Ruleset {
    let game = view.game().as_str();
    let parts = parts(view, unfolded, enacted);
    let rules = view.public().rules.values();
    let last = rules
        .map(|rule| rule.changed_by)
        .max()
        .unwrap_or(EventSeq(1));
    let closed = || view.post(*enacted.get(&last)?)?.closed_at;
    let since = closed().or_else(|| view.moment_of(last));
    let as_of = Field::new(
        "as-of",
        "at",
        "A day, or an event's number",
        FieldKind::Line(String::new()),
    );
    Ruleset {
        chrome: view.chrome("Ruleset", Part::Rules),
        fresh: view.fresh_with_button("rules"),
        since: since.map(|at| view.when(at)),
        stood: view.is_past().then(|| view.when(view.now())),
        compare: urls::Compare { game }.into(),
        source: unfolded.then(urls::RulesetSource { game }.into()),
        as_of: as_of.hint("2027-05-14, or 41"),
        search: urls::Search { game }.into(),
        parts,
    }
}

fn parts(view: &GameView, unfolded: &Unfolded, enacted: &EnactedPosts) -> Vec<RulesetPart> {
    let numbers = numbers(view);
    let parts = ordered_sections(view).into_iter().map(|(id, section)| {
        let rules: Vec<_> = view
            .rules_in_order()
            .into_iter()
            .filter(|(_, rule)| rule.section == *id)
            .collect();
        RulesetPart {
            title: section_title(view, id, section),
            toc: rules
                .iter()
                .map(|(id, rule)| toc(view, id, rule, &numbers))
                .collect(),
            rules: rules
                .iter()
                .map(|(id, rule)| text(view, id, rule, &numbers, (unfolded, enacted)))
                .collect(),
        }
    });
    parts.filter(|part| !part.rules.is_empty()).collect()
}

pub(crate) fn section_title(view: &GameView, id: &Name, section: &Section) -> String {
    if *id == LIBRARY {
        "Library: code that rules share".to_owned()
    } else {
        view.themed(&section.title)
    }
}

fn toc(view: &GameView, id: &Name, rule: &Rule, numbers: &BTreeMap<Name, String>) -> TocRule {
    TocRule {
        number: numbers.get(id).cloned().unwrap_or_default(),
        title: view.themed(&rule.title),
        href: Href::fragment(&format!("rule-{id}")),
        is_off: !rule.active,
        is_new: view.is_fresh_rule(id),
    }
}

fn text(
    view: &GameView,
    id: &Name,
    rule: &Rule,
    numbers: &BTreeMap<Name, String>,
    (unfolded, enacted): (&Unfolded, &EnactedPosts),
) -> ShownRule {
    let game = view.game().as_str();
    let number = numbers.get(id).cloned().unwrap_or_default();
    let history = urls::RuleHistory {
        game,
        rule: id.as_str(),
    };
    let (changed, by, how) = changed(view, rule.changed_by, enacted);
    let propose = view.mending(id, 0).filter(|_| rule.section != LIBRARY);
    ShownRule {
        id: format!("rule-{id}"),
        title: view.themed(&rule.title),
        is_sub: rule.parent.is_some(),
        changed,
        by,
        how,
        history: Link::new("history", history),
        propose,
        pending: pending(view, id),
        off: (!rule.active).then(|| {
            "Switched off: it stands here and means nothing until it is switched on.".to_owned()
        }),
        clauses: clauses(view, id, rule, &number, unfolded),
        number,
    }
}

/// What changed a rule last: its words, the way to it, and what is told of it behind that.
fn changed(
    view: &GameView,
    by: EventSeq,
    enacted: &EnactedPosts,
) -> (String, Option<Link>, String) {
    let when = view.moment_of(by).map(|at| view.when(at).full());
    if by == EventSeq(1) {
        let when = when.map_or_else(String::new, |when| format!(", {when}"));
        return (format!("As at the founding{when}"), None, String::new());
    }
    if let Some((id, post)) = enacted.get(&by).and_then(|id| Some((*id, view.post(*id)?))) {
        let on = post.closed_at.map(|at| view.when(at).brief_day());
        let on = on.map_or_else(String::new, |on| format!(", {on}"));
        let how = format!("({}){on}", view.author(&post.author).name);
        return ("Changed by".to_owned(), view.link_to(id), how);
    }
    let event = by.to_string();
    let link = urls::Event {
        game: view.game().as_str(),
        event: &event,
    };
    let title = when.unwrap_or_else(|| "an action".to_owned());
    (
        "Changed on".to_owned(),
        Some(Link::new(title, link)),
        String::new(),
    )
}

/// Open posts that would change a rule.
fn pending(view: &GameView, id: &Name) -> Vec<Link> {
    let posts = view.open_posts().filter(|(_, post)| {
        let patch = post.patch.as_ref().and_then(|patch| patch.plain());
        patch.is_some_and(|patch| patch.clauses.iter().any(|clause| clause.rule() == Some(id)))
    });
    posts
        .map(|(post_id, post)| {
            let word = post_id.to_string();
            let link = urls::Post {
                game: view.game().as_str(),
                post: &word,
            };
            Link::new(view.themed(post.title.as_str()), link)
        })
        .collect()
}

fn clauses(
    view: &GameView,
    id: &Name,
    rule: &Rule,
    number_of: &str,
    unfolded: &Unfolded,
) -> Vec<ShownClause> {
    let clause = |number: u32, prose: &str, code: Vec<(usize, String)>| {
        clause(view, id, number_of, number, prose, code, unfolded)
    };
    if rule.section == LIBRARY {
        return vec![clause(0, "", vec![(0, rule.text.to_string())])];
    }
    let text = Text::parse(&rule.text);
    let mut clauses = Vec::new();
    for one in &text.clauses {
        let fences = text
            .fences
            .iter()
            .enumerate()
            .filter(|(_, fence)| fence.clause == one.number);
        let code = fences
            .map(|(nth, fence)| (nth, fence.code.clone()))
            .collect();
        clauses.push(clause(one.number, &one.prose, code));
    }
    let orphans = text
        .fences
        .iter()
        .enumerate()
        .filter(|(_, fence)| !text.clauses.iter().any(|one| one.number == fence.clause));
    let code: Vec<_> = orphans
        .map(|(nth, fence)| (nth, fence.code.clone()))
        .collect();
    if !code.is_empty() {
        clauses.insert(0, clause(0, "", code));
    }
    clauses
}

fn clause(
    view: &GameView,
    id: &Name,
    rule_number: &str,
    number: u32,
    prose: &str,
    code: Vec<(usize, String)>,
    unfolded: &Unfolded,
) -> ShownClause {
    let called = match number {
        0 => rule_number.to_owned(),
        n => format!("{rule_number}, clause {n}"),
    };
    let place = format!("rule-{id}.{number}");
    ShownClause {
        beside: beside(view, id, number, &code, unfolded),
        misses: missed(view, id, number),
        id: place,
        number: if number == 0 {
            String::new()
        } else {
            number.to_string()
        },
        called,
        prose: view.clause_prose(prose),
        is_new: view.is_fresh_rule(id),
    }
}

/// What a clause misses, with the way to mend it.
fn missed(view: &GameView, id: &Name, clause: u32) -> Option<Missed> {
    let told = view.missed_by(id, clause);
    (!told.is_empty()).then(|| Missed {
        text: told.join("; "),
        mend: view.mending(id, clause),
    })
}

fn beside(
    view: &GameView,
    id: &Name,
    clause: u32,
    code: &[(usize, String)],
    unfolded: &Unfolded,
) -> Beside {
    if code.is_empty() {
        return Beside::Nothing;
    }
    for (nth, _) in code {
        if let Some(reason) = asleep(view, id, *nth) {
            let mend = view.mending(id, clause);
            return Beside::Asleep { reason, mend };
        }
    }
    if unfolded.shows(id) {
        let all: Vec<&str> = code.iter().map(|(_, text)| text.trim_end()).collect();
        let all = all.join("\n\n");
        return Beside::Code {
            code: CodeHtml::new(&all),
            is_open: true,
        };
    }
    Beside::Elsewhere {
        words: "code".to_owned(),
        href: unfolded
            .with(view, id.as_str())
            .at(&format!("rule-{id}.{clause}")),
    }
}

/// Why a fence sleeps, if it does: it does not check, or it broke too often.
fn asleep(view: &GameView, id: &Name, nth: usize) -> Option<String> {
    let unchecked = view
        .law()
        .asleep
        .iter()
        .find(|asleep| asleep.rule == *id && asleep.fence == nth);
    if let Some(asleep) = unchecked {
        let first = asleep.diagnostics.first();
        return Some(first.map_or_else(
            || "it does not check".to_owned(),
            |finding| format!("{} (line {})", finding.text, finding.line),
        ));
    }
    let broken =
        view.public().breaks.iter().find(|(key, breaks)| {
            key.rule == *id && key.fence as usize == nth + 1 && breaks.asleep
        });
    broken.map(|(_, breaks)| format!("it broke {} times: {}", breaks.times, breaks.last))
}
