//! Charts: what happened week by week, and any tracked value over time.

use std::collections::BTreeMap;

use axum::extract::Query;
use axum::response::Response;
use quorate_kernel::event::Event;
use quorate_kernel::rows::{CellKey, Comment};
use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, Moment, Span, Thing, Value};
use quorate_law::declare::Holds;

use crate::app::error::AppError;
use crate::requests::forms::{Opened, answer_in, drawn, page};
use crate::site::charts::page::Charts;
use crate::ui::{Chart, Choice, Field, FieldKind, Point, urls};
use crate::view::game::GameView;
use crate::view::history::changes;
use crate::view::people::Part;

/// How many weeks back the bars go.
const WEEKS: usize = 26;

/// How many owners of a value are drawn at once.
const OWNERS: usize = 12;

/// How many changes of a value are read, where one is drawn and where several are.
const CHANGES: (usize, usize) = (400, 80);

/// How many points a line has.
const POINTS: i64 = 60;

/// A value over time: whose, and each change, newest first.
struct Course {
    key: CellKey,
    events: Vec<Event>,
}

/// `GET /g/{game}/charts`.
pub(crate) async fn show(
    Opened(view): Opened,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let gathered = async {
        let weeks = weeks(&view);
        let activity = activity(&view, &weeks).await?;
        Ok::<_, AppError>((weeks, activity, courses(&view, &query).await?))
    };
    match gathered.await {
        Ok((weeks, activity, courses)) => {
            drawn(view, move |view| {
                let charts = whole(view, &weeks, activity, &courses);
                Ok(page(
                    view,
                    &Charts {
                        chrome: view.chrome("Charts", Part::Log),
                        here: urls::Charts {
                            game: view.game().as_str(),
                        }
                        .into(),
                        pick: pick(view, &query),
                        charts,
                    },
                ))
            })
            .await
        }
        Err(error) => answer_in(&view, Err(error)),
    }
}

/// The beginnings of the weeks that are drawn, oldest first: those since the founding, as far back as the bars go. A week
/// begins on Monday at midnight.
fn weeks(view: &GameView) -> Vec<Moment> {
    let week = Span::days(7);
    // The first of January 1970 was a Thursday.
    let into = (view.now().0 + 3 * 86_400_000).rem_euclid(week.0);
    let mut begin = Moment(view.now().0 - into);
    let first = view.posts().map(|(_, row)| row).map(|post| post.at);
    let joined = view
        .public()
        .people
        .values()
        .filter_map(|person| person.joined_at);
    let first = first.chain(joined).min().unwrap_or(view.now());
    let mut weeks = vec![begin];
    while begin > first && weeks.len() < WEEKS {
        begin = Moment(begin.0 - week.0);
        weeks.push(begin);
    }
    weeks.reverse();
    weeks
}

/// How many events there were in each week, by the numbers of the first ones.
async fn activity(view: &GameView, weeks: &[Moment]) -> Result<Vec<i64>, AppError> {
    let head = view.head().seq.0;
    let mut bounds = Vec::new();
    let mut low = 1;
    for week in weeks {
        let mut high = head + 1;
        while low < high {
            let middle = low + (high - low) / 2;
            if view.event_moment(EventSeq(middle)).await? < *week {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        bounds.push(low);
    }
    bounds.push(head + 1);
    let counts = bounds.windows(2).map(|pair| match pair {
        [from, to] => i64::try_from(to.saturating_sub(*from)).unwrap_or(i64::MAX),
        _ => 0,
    });
    Ok(counts.collect())
}

/// The courses of the value that is asked for: of its one owner, or of as many as are drawn at once.
async fn courses(
    view: &GameView,
    query: &BTreeMap<String, String>,
) -> Result<Vec<Course>, AppError> {
    let Some((kind, name)) = query.get("value").and_then(|word| word.split_once('.')) else {
        return Ok(Vec::new());
    };
    let whose = query.get("whose").filter(|whose| !whose.is_empty());
    let mut owners = owners(view, kind);
    if let Some(whose) = whose {
        owners.retain(|owner| owner.to_string() == *whose);
    }
    owners.truncate(OWNERS);
    let most = if owners.len() == 1 {
        CHANGES.0
    } else {
        CHANGES.1
    };
    let mut courses = Vec::new();
    for thing in owners {
        let key = CellKey {
            thing,
            name: name.into(),
        };
        let events = changes(view, &key, most).await?;
        if !events.is_empty() {
            courses.push(Course { key, events });
        }
    }
    Ok(courses)
}

/// Who or what has values of a kind, by name.
fn owners(view: &GameView, kind: &str) -> Vec<Thing> {
    match kind {
        "Game" => vec![Thing::Game],
        "Player" => {
            let (mut all, idle) = view.roster();
            all.extend(idle);
            all.into_iter().map(Thing::Player).collect()
        }
        kind => {
            let entities = view.public().entities.iter();
            let of_kind = entities.filter(|(_, row)| row.kind == kind);
            of_kind.map(|(id, _)| Thing::Entity(*id)).collect()
        }
    }
}

/// The values that can be drawn, as the word of an address and a title: numbers, flags as 1 and 0, and how many a list has.
fn drawable(view: &GameView) -> Vec<(String, String)> {
    let values = view.law().value_order.iter();
    let numbers = values.filter_map(|(kind, name)| {
        let decl = view.law().values.get(&(kind.clone(), name.clone()))?;
        let counted = match decl.it.holds {
            Holds::Number { .. } => "",
            Holds::Flag => " (1 is yes)",
            Holds::Listing { .. } => " (how many)",
            _ => return None,
        };
        let of_thing = owners(view, kind.as_str()).into_iter().next()?;
        let key = CellKey {
            thing: of_thing,
            name: name.clone(),
        };
        let is_seen = view.sees_cell(&key) && !decl.it.tracked.is_empty();
        is_seen.then(|| {
            let of = match kind.as_str() {
                "Game" => "of the game".to_owned(),
                _ => format!("of each {}", view.singular_of(kind).to_lowercase()),
            };
            let title = format!("{}{counted}, {of}", view.themed(&decl.it.title));
            (format!("{kind}.{name}"), title)
        })
    });
    numbers.collect()
}

fn pick(view: &GameView, query: &BTreeMap<String, String>) -> Vec<Field> {
    let asked = |name: &str| query.get(name).cloned().unwrap_or_default();
    let choice = |value: String, title: String, asked: &str| Choice {
        chosen: value == asked,
        ..Choice::new(value, title)
    };
    let (value, whose) = (asked("value"), asked("whose"));
    let values = drawable(view);
    let values = values
        .into_iter()
        .map(|(word, title)| choice(word, title, &value));
    let kind = value.split_once('.').map_or("Player", |(kind, _)| kind);
    let kind = if kind == "Game" { "Player" } else { kind };
    let owners = owners(view, kind).into_iter();
    let owners = owners.map(|thing| choice(thing.to_string(), view.called(&thing), &whose));
    vec![
        Field::new("value", "value", "Value", FieldKind::One(values.collect()))
            .optional()
            .blank("pick one"),
        Field::new("whose", "whose", "Whose", FieldKind::One(owners.collect()))
            .optional()
            .blank("everybody’s"),
    ]
}

fn whole(view: &GameView, weeks: &[Moment], activity: Vec<i64>, courses: &[Course]) -> Vec<Chart> {
    let mut charts: Vec<Chart> = courses
        .iter()
        .enumerate()
        .map(|(nth, course)| drawn_course(view, nth, course))
        .collect();
    let bars = |id: &str, title: &str, counts: Vec<i64>| {
        let points = weeks.iter().zip(counts);
        let points = points.map(|(week, value)| Point {
            label: view.when(*week).brief_day(),
            value,
        });
        Chart {
            id: id.to_owned(),
            title: title.to_owned(),
            points: points.collect(),
            as_line: false,
        }
    };
    let mut add = |id: &str, title: &str, moments: Vec<Moment>| {
        charts.push(bars(id, title, by_week(weeks, moments.into_iter())));
    };
    let posts: Vec<_> = view.posts().map(|(_, post)| post).collect();
    let matters = posts.iter().filter(|post| view.is_matter(post));
    let matters = matters.map(|post| post.at).collect();
    add("matters", "Matters put to the vote, a week", matters);
    let comments: Vec<_> = view.comments().map(|(_, comment)| comment).collect();
    let is_vote = |comment: &&&Comment| comment.icons.iter().any(|icon| icon.counted);
    let votes = comments.iter().filter(is_vote);
    let votes = votes.map(|comment| comment.at).collect();
    add("votes", "Votes, a week", votes);
    let words = posts.iter().map(|post| post.at);
    let words = words
        .chain(comments.iter().map(|comment| comment.at))
        .collect();
    add("words", "Posts and comments, a week", words);
    charts.push(bars("events", "Events in the log, a week", activity));
    charts
}

/// How many moments fall into each week.
fn by_week(weeks: &[Moment], moments: impl Iterator<Item = Moment>) -> Vec<i64> {
    let mut counts = vec![0; weeks.len()];
    for moment in moments {
        let after = weeks.partition_point(|week| *week <= moment);
        if let Some(count) = after.checked_sub(1).and_then(|week| counts.get_mut(week)) {
            *count += 1;
        }
    }
    counts
}

/// A value's course as a line over time, its points at equal distances.
fn drawn_course(view: &GameView, nth: usize, course: &Course) -> Chart {
    let mut known: Vec<(Moment, i64)> = course
        .events
        .iter()
        .filter_map(|event| Some((event.at, after(event, &course.key)?)))
        .collect();
    known.reverse();
    let title = format!(
        "{}, {}",
        view.called(&course.key.thing),
        view.value_title(&course.key)
    );
    Chart {
        id: format!("course-{nth}"),
        title,
        points: resampled(&known, view.now())
            .into_iter()
            .map(|(at, value)| Point {
                label: view.when(at).brief_day(),
                value,
            })
            .collect(),
        as_line: true,
    }
}

/// What an event left in a cell, as a number.
fn after(event: &Event, key: &CellKey) -> Option<i64> {
    let mut steps = event.steps.iter().rev();
    steps.find_map(|step| match &step.effect {
        Effect::Cell { key: of, new, .. } if of == key => match new.as_ref()?.value.open() {
            Value::Int(number) => Some(*number),
            Value::Flag(is_set) => Some(i64::from(*is_set)),
            Value::List(items) => i64::try_from(items.len()).ok(),
            _ => None,
        },
        _ => None,
    })
}

/// What stood at equal distances of time from the first known moment to the last, oldest first.
fn resampled(known: &[(Moment, i64)], now: Moment) -> Vec<(Moment, i64)> {
    let Some((first, begin)) = known.first().copied() else {
        return Vec::new();
    };
    let long = (now - first).0.max(1);
    let mut points = vec![(first, begin)];
    for nth in 1..=POINTS {
        let at = Moment(first.0 + long / POINTS * nth);
        let before = known.partition_point(|(moment, _)| *moment <= at);
        let value = known
            .get(before.saturating_sub(1))
            .map_or(begin, |(_, value)| *value);
        points.push((at, value));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_counts_for_the_week_it_falls_into() {
        let weeks = [Moment(0), Moment(10), Moment(20)];
        let moments = [0, 9, 10, 25].map(Moment);
        assert_eq!(by_week(&weeks, moments.into_iter()), [2, 1, 1]);
    }

    #[test]
    fn what_was_before_the_first_week_is_left_out() {
        assert_eq!(by_week(&[Moment(10)], [Moment(3)].into_iter()), [0]);
    }

    #[test]
    fn a_course_holds_its_value_until_the_next_change() {
        let known = [(Moment(0), 3), (Moment(600), 7)];
        let points = resampled(&known, Moment(1_200));
        assert_eq!(points.first(), Some(&(Moment(0), 3)));
        assert_eq!(points.get(29), Some(&(Moment(580), 3)));
        assert_eq!(points.get(30), Some(&(Moment(600), 7)));
        assert_eq!(points.last(), Some(&(Moment(1_200), 7)));
    }
}
