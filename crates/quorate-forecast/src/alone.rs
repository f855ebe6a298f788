//! What a patch changes by itself, without heed of the queue and of who could do what: one pass over the steps of its trial.

use std::collections::BTreeSet;

use quorate_engine::Law;
use quorate_engine::conventions;
use quorate_kernel::effect::Effect;
use quorate_kernel::law::Rule;
use quorate_kernel::rows::{Cell, CellKey, DueKey};
use quorate_kernel::{Name, Thing, Value};
use quorate_law::datum::Datum;

use crate::breaks::broken;
use crate::consequence::{ActionTitle, Consequence, Headline, LostName, PageFate, RuleFate};
use crate::fork::Fork;
use crate::losses::losses;
use crate::machinery::machinery;
use crate::trial::{PatchTrial, by_rule, left_out_words};

/// How many changed values are listed.
const VALUES: usize = 40;

/// What rulesets call who has won, who leads, and whether the game pauses.
const HEADLINES: [(Headline, &str); 3] = [
    (Headline::Winner, "winner"),
    (Headline::Leader, conventions::LEADER),
    (Headline::Pause, conventions::PAUSED),
];

/// Everything that a trial changed, the gravest first.
pub(crate) fn consequences(fork: &Fork<'_>, trial: &PatchTrial) -> Vec<Consequence> {
    let mut consequences = lost(fork, trial);
    let left_out = trial.left_out.iter().map(|note| Consequence::LeftOut {
        rule: note.rule.clone(),
        why: left_out_words(note),
    });
    consequences.extend(left_out);
    consequences.extend(by_rule(&trial.asleep).into_iter().map(|(first, more)| {
        Consequence::CodeSleeps {
            rule: first.rule.clone(),
            title: rule_title(fork, trial, &first.rule),
            clause: first.clause,
            finding: first.text.clone(),
            more,
        }
    }));
    consequences.extend(trial.merged.iter().map(|merged| Consequence::Merged {
        rule: merged.rule.clone(),
        title: rule_title(fork, trial, &merged.rule),
        line: merged.line.clone(),
    }));
    consequences.extend(breaks(fork, trial));
    consequences.extend(headlines(fork, trial));
    consequences.extend(each_step(trial, |effect| texts(fork, effect)));
    consequences.extend(declared(fork, trial));
    consequences.extend(each_step(trial, |effect| {
        comings(fork, trial, effect).into_iter().collect()
    }));
    consequences.extend(values(fork, trial));
    consequences.extend(actions(fork, trial));
    consequences.extend(machinery(fork, trial));
    consequences.extend(each_step(trial, |effect| {
        clock(fork, trial, effect).into_iter().collect()
    }));
    consequences.extend(each_step(trial, |effect| {
        flipped(fork, trial, effect).into_iter().collect()
    }));
    consequences
}

/// What rules would lose with others.
fn lost(fork: &Fork<'_>, trial: &PatchTrial) -> Vec<Consequence> {
    let after = &trial.judge;
    let losses = losses(fork.judge.law(), after.law(), after.state()).into_iter();
    let themed = |mut names: Vec<LostName>| {
        for name in &mut names {
            name.of = fork.themed(&name.of);
        }
        names
    };
    let told = losses.map(|(rule, loss)| Consequence::Loses {
        title: rule_title(fork, trial, &rule),
        rule,
        lost: themed(loss.lost),
        kept: themed(loss.kept),
        actions: loss
            .actions
            .into_iter()
            .map(|it| ActionTitle {
                title: fork.themed(&it.title),
                ..it
            })
            .collect(),
    });
    told.collect()
}

/// The title of a rule as it would be.
fn rule_title(fork: &Fork<'_>, trial: &PatchTrial, rule: &Name) -> String {
    let rule = trial.judge.state().rules.get(rule);
    rule.map_or(String::new(), |rule| fork.themed(&rule.title))
}

/// Code of the touched rules that breaks when it is tried, and did not before.
fn breaks(fork: &Fork<'_>, trial: &PatchTrial) -> Vec<Consequence> {
    let touched = trial.touched_rules();
    if touched.is_empty() {
        return Vec::new();
    }
    let known = broken(fork, &fork.judge, &touched);
    let now = broken(fork, &trial.judge, &touched);
    let fresh = now.into_iter().filter(|broken| !known.contains(broken));
    let fresh = fresh.map(|(rule, clause, why)| Consequence::Breaks {
        title: rule_title(fork, trial, &rule),
        rule,
        clause,
        why,
    });
    fresh.collect()
}

fn each_step<'t>(
    trial: &'t PatchTrial,
    consequences: impl Fn(&'t Effect) -> Vec<Consequence>,
) -> impl Iterator<Item = Consequence> {
    trial
        .event
        .steps
        .iter()
        .flat_map(move |step| consequences(&step.effect))
}

/// Who would win or lead at once, and whether the game would pause, by the names that rulesets share for it.
fn headlines(fork: &Fork<'_>, trial: &PatchTrial) -> Vec<Consequence> {
    let view = fork.view();
    let asked = |name: &str| {
        let key = CellKey {
            thing: Thing::Game,
            name: name.into(),
        };
        let shown = view.shown(&key) && view.computed(&Thing::Game, name);
        let old = fork.ask(&fork.judge, |tx| tx.attribute(&Thing::Game, name).ok());
        let new = fork.ask(&trial.judge, |tx| tx.attribute(&Thing::Game, name).ok())?;
        let is_news = new != Datum::None && (!shown || Some(&new) != old.as_ref());
        is_news.then(|| (fork.ask(&trial.judge, |tx| tx.label(&new)), new))
    };
    let found = HEADLINES.iter().filter_map(|(about, name)| {
        let (is, datum) = asked(name)?;
        let begins = *about != Headline::Pause || datum == Datum::Bool(true) || is == "yes";
        begins.then(|| Consequence::Headline {
            about: *about,
            word: fork.word(name),
            is,
        })
    });
    found.collect()
}

/// Rules, terms, pages and people's names as they would be.
fn texts(fork: &Fork<'_>, effect: &Effect) -> Vec<Consequence> {
    match effect {
        Effect::Rule { key, old, new } => rule(fork, key, old.as_ref(), new.as_ref()),
        Effect::Term { key, old, new } if old != new => vec![Consequence::Term {
            name: key.clone(),
            old: old.clone(),
            new: new.clone(),
        }],
        Effect::Page { key, old, new } if old != new => vec![Consequence::Page {
            name: key.clone(),
            becomes: match (old, new) {
                (None, _) => PageFate::Written,
                (_, None) => PageFate::Removed,
                _ => PageFate::Rewritten,
            },
        }],
        Effect::Person {
            key,
            old: Some(old),
            new: Some(new),
        } if old.name.as_str() != new.name.as_str() => vec![Consequence::Player {
            player: fork.player(*key),
            renamed: Some(new.name.as_str().to_owned()),
        }],
        _ => Vec::new(),
    }
}

fn rule(fork: &Fork<'_>, id: &Name, old: Option<&Rule>, new: Option<&Rule>) -> Vec<Consequence> {
    let titled = |rule: &Rule| {
        let title = fork.themed(&rule.title);
        if title.is_empty() {
            id.to_string()
        } else {
            title
        }
    };
    let Some(rule) = new.or(old) else {
        return Vec::new();
    };
    let mut changes = Vec::new();
    match (old, new) {
        (None, _) => changes.push(RuleFate::Added(section_title(fork, rule))),
        (_, None) => changes.push(RuleFate::Repealed),
        (Some(old), Some(new)) => {
            let all = [
                (old.title != new.title).then(|| RuleFate::Renamed(titled(old))),
                (old.text != new.text).then_some(RuleFate::Amended),
                (old.active != new.active).then_some(RuleFate::Switched(new.active)),
                (old.section != new.section || old.parent != new.parent)
                    .then(|| RuleFate::Moved(section_title(fork, new))),
            ];
            changes.extend(all.into_iter().flatten());
        }
    }
    let consequences = changes.into_iter().map(|becomes| Consequence::Rule {
        rule: id.clone(),
        title: titled(rule),
        becomes,
    });
    consequences.collect()
}

/// The title of the section in which a rule stands.
fn section_title(fork: &Fork<'_>, rule: &Rule) -> String {
    let state = fork.judge.state();
    let about = state.about.get(&()).filter(|_| rule.section.is_empty());
    let id = about.map_or(&rule.section, |about| &about.new_rules);
    let section = state.sections.get(id);
    section.map_or_else(|| id.to_string(), |section| fork.themed(&section.title))
}

/// Values that the law would track, and values that it would no longer know, with how many hold something.
fn declared(fork: &Fork<'_>, trial: &PatchTrial) -> Vec<Consequence> {
    let (old, new) = (fork.judge.law(), trial.judge.law());
    let keys = |law: &Law| -> BTreeSet<(Name, Name)> {
        let known = law.values.keys().chain(law.derived.keys());
        known.cloned().collect()
    };
    let title = |law: &Law, key: &(Name, Name)| {
        let kept = law.values.get(key).map(|decl| &decl.it.title);
        let title = kept.or_else(|| law.derived.get(key).map(|decl| &decl.it.title));
        fork.themed(title.map_or(key.1.as_str(), String::as_str))
    };
    let of = |kind: &Name| match kind.as_str() {
        "Game" => "the game".to_owned(),
        "Player" => fork.word("player"),
        _ => fork.kind_title(kind),
    };
    let (had, has) = (keys(old), keys(new));
    let consequence = |law: &Law, key: &(Name, Name), dropped| Consequence::Declared {
        kind: key.0.clone(),
        of: of(&key.0),
        name: key.1.clone(),
        title: title(law, key),
        dropped,
    };
    let come = has.difference(&had).map(|key| consequence(new, key, None));
    let gone = had.difference(&has);
    let gone = gone.map(|key| consequence(old, key, Some(held(fork, trial, key))));
    come.chain(gone).collect()
}

/// How many cells of a value leave for the archive.
fn held(fork: &Fork<'_>, trial: &PatchTrial, (kind, name): &(Name, Name)) -> usize {
    let kind_of = |thing: &Thing| {
        fork.ask(&fork.judge, |tx| {
            tx.exists(thing).then(|| tx.kind_of(thing).ok()).flatten()
        })
    };
    let gone = trial.event.steps.iter().filter(|step| match &step.effect {
        Effect::Cell {
            key,
            old: Some(_),
            new: None,
        } => key.name == *name && kind_of(&key.thing).as_ref() == Some(kind),
        _ => false,
    });
    gone.count()
}

/// Things and people that would come or go.
fn comings(fork: &Fork<'_>, trial: &PatchTrial, effect: &Effect) -> Option<Consequence> {
    let (judge, key, row, comes) = match effect {
        Effect::Entity {
            key,
            old: None,
            new: Some(row),
        } => (&trial.judge, key, row, true),
        Effect::Entity {
            key,
            old: Some(row),
            new: None,
        } => (&fork.judge, key, row, false),
        Effect::Person {
            key,
            old: Some(old),
            new,
        } => {
            let stays = new.as_ref().is_some_and(|new| new.standing == old.standing);
            return (!stays).then(|| Consequence::Player {
                player: fork.player(*key),
                renamed: None,
            });
        }
        _ => return None,
    };
    Some(Consequence::Thing {
        thing: fork.called(judge, &Thing::Entity(*key)),
        kind: row.kind.clone(),
        of: fork.kind_title(&row.kind),
        comes,
    })
}

/// Each value that ends otherwise than it began, as far as the reader may see it both before and after.
fn values(fork: &Fork<'_>, trial: &PatchTrial) -> Vec<Consequence> {
    let (before, after) = (fork.view(), fork.view_of(&trial.judge));
    let mut consequences = Vec::new();
    let mut more = 0;
    for (key, old, new) in net(trial) {
        let is_gone = new.is_none() && !exists(trial, &key.thing);
        let is_seen = before.shown(key) && after.shown(key);
        let is_dropped = is_dropped(fork, trial, key, new);
        let (old, new) = (content(old), content(new));
        if is_gone || !is_seen || is_dropped || telling(old.as_ref()) == telling(new.as_ref()) {
            continue;
        }
        if consequences.len() >= VALUES {
            more += 1;
            continue;
        }
        consequences.push(Consequence::Value {
            of: fork.called(&trial.judge, &key.thing),
            name: key.name.clone(),
            title: title_after(fork, trial, key),
            old,
            new,
        });
    }
    if more > 0 {
        consequences.push(Consequence::MoreValues { count: more });
    }
    consequences
}

/// What a cell holds.
pub(crate) fn content(cell: Option<&Cell>) -> Option<Value> {
    cell.map(|cell| cell.value.open().clone())
}

/// A value, unless it says nothing.
fn telling(value: Option<&Value>) -> Option<&Value> {
    value.filter(|value| match value {
        Value::Text(text) => !text.as_str().is_empty(),
        Value::Word(word) => !word.is_empty(),
        Value::List(items) => !items.is_empty(),
        _ => true,
    })
}

/// The title of a value as the law that would be has it, for one that is new has none today.
fn title_after(fork: &Fork<'_>, trial: &PatchTrial, key: &CellKey) -> String {
    let state = trial.judge.state();
    let kind = match &key.thing {
        Thing::Game => Some("Game".into()),
        Thing::Player(_) => Some("Player".into()),
        Thing::Entity(id) => state.entities.get(id).map(|row| row.kind.clone()),
        _ => None,
    };
    let values = &trial.judge.law().values;
    let decl = kind.and_then(|kind: Name| values.get(&(kind, key.name.clone())));
    decl.map_or_else(|| fork.value_title(key), |decl| fork.themed(&decl.it.title))
}

type Ends<'a> = (&'a CellKey, Option<&'a Cell>, Option<&'a Cell>);

/// What each changed value was at first and is at last, in the order in which they were first touched.
fn net(trial: &PatchTrial) -> Vec<Ends<'_>> {
    let mut places = std::collections::BTreeMap::new();
    let mut ends: Vec<Ends<'_>> = Vec::new();
    for step in &trial.event.steps {
        if let Effect::Cell { key, old, new } = &step.effect {
            let place = *places.entry(key).or_insert(ends.len());
            match ends.get_mut(place) {
                Some((_, _, last)) => *last = new.as_ref(),
                None => ends.push((key, old.as_ref(), new.as_ref())),
            }
        }
    }
    ends
}

/// Whether a thing is there afterwards: that it goes is told once, not of each of its values.
fn exists(trial: &PatchTrial, thing: &Thing) -> bool {
    match thing {
        Thing::Entity(id) => trial.judge.state().entities.contains_key(id),
        _ => true,
    }
}

/// Whether a value goes because its declaration does, which is a consequence of its own.
fn is_dropped(fork: &Fork<'_>, trial: &PatchTrial, key: &CellKey, after: Option<&Cell>) -> bool {
    let knows = |law: &Law| law.values.keys().any(|(_, name)| *name == key.name);
    after.is_none() && knows(fork.judge.law()) && !knows(trial.judge.law())
}

/// Actions that only one of the two laws knows.
fn actions(fork: &Fork<'_>, trial: &PatchTrial) -> Vec<Consequence> {
    let (old, new) = (fork.judge.law(), trial.judge.law());
    let only_in = |law: &Law, other: &Law, comes| {
        let names = law.action_order.iter();
        let names = names.filter(|name| !other.actions.contains_key(*name));
        let decls = names.filter_map(|name| law.actions.get(name));
        let titled = decls.map(|decl| ActionTitle {
            action: decl.it.name.clone(),
            title: fork.themed(&decl.it.title),
        });
        let actions: Vec<_> = titled.collect();
        (!actions.is_empty()).then_some(Consequence::Actions { actions, comes })
    };
    let both = [only_in(new, old, true), only_in(old, new, false)];
    both.into_iter().flatten().collect()
}

/// What would begin to run by the clock, or cease to.
fn clock(fork: &Fork<'_>, trial: &PatchTrial, effect: &Effect) -> Option<Consequence> {
    let Effect::Due {
        key: DueKey::Automatic(name, thing),
        old,
        new,
    } = effect
    else {
        return None;
    };
    let (old, new) = (
        old.as_ref().map(|due| due.at),
        new.as_ref().map(|due| due.at),
    );
    (old != new).then(|| Consequence::Clock {
        name: name.clone(),
        of: fork.called(&trial.judge, thing),
        old,
        new,
    })
}

/// Another post that would change its status by it at once.
fn flipped(fork: &Fork<'_>, trial: &PatchTrial, effect: &Effect) -> Option<Consequence> {
    let Effect::Post {
        key,
        old: Some(old),
        new: Some(new),
    } = effect
    else {
        return None;
    };
    let is_other = *key != trial.post && old.status != new.status;
    (is_other && fork.view().post(old)).then(|| Consequence::Post {
        post: fork.called(&fork.judge, &Thing::Post(*key)),
        old: old.status.clone(),
        new: new.status.clone(),
    })
}
