//! Commands as they are asked for: an action of the law or a built-in act by its name, with named arguments.

use std::sync::Arc;

use crate::view::questions::Questions;
use quorate_engine::changes::Change;
use quorate_engine::fields::Typed;
use quorate_engine::{changes, fields, offers};
use quorate_kernel::command::{Act, typed};
use quorate_kernel::event::Event;
use quorate_kernel::ids::DutyId;
use quorate_kernel::patch::Patch;
use quorate_kernel::rows::{CellKey, ClauseKey};
use quorate_kernel::seal::Sealed;
use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, Name, PlayerId, PostId, Thing, Value, command as kernel};
use quorate_law::datum::{Datum, Type};
use serde_json::{Map, Value as Json};

use crate::api::asked::{arguments, blocking};
use crate::api::problem::Problem;
use crate::api::wishes::{
    Application, ByHand, DiceLine, EditedPost, Mending, Named, NewComment, NewMessage, NewPost,
    Nothing, Objection, Pick, Reply, Sorted, Undoing, Waking, Wish, Word,
};
use crate::api::{data, events};
use crate::app::send;
use crate::view::game::GameView;

/// What only an operator, or only a program, asks for.
const BESIDE: [&str; 2] = ["repair", "roll"];

/// Events of the past that a command is about: the one that it undoes.
pub(crate) async fn past(look: &GameView, wish: &Wish) -> Result<Vec<Event>, Problem> {
    let number = match (wish.action.as_str(), wish.arguments.get("event")) {
        ("undo", Some(Json::Number(number))) => number.to_string(),
        _ => return Ok(Vec::new()),
    };
    let event = events::find(look, &number).await;
    let nowhere = |_| Problem::bad("arguments.event", format!("there is no event {number}"));
    event.map(|event| vec![event]).map_err(nowhere)
}

/// The command that a wish stands for, read against the game as it is.
pub(crate) async fn act(
    look: &Arc<GameView>,
    wish: Wish,
    past: Vec<Event>,
) -> Result<Act, Problem> {
    let look = Arc::clone(look);
    blocking(look, move |look| Reading { look }.act(wish, &past)).await
}

struct Reading<'a> {
    look: &'a GameView,
}

impl Reading<'_> {
    fn act(&self, wish: Wish, past: &[Event]) -> Result<Act, Problem> {
        let mut given = wish.arguments;
        let action = wish.action.as_str();
        if self.look.law().actions.contains_key(action) {
            return self.law_action(&Name::from(action), &given);
        }
        Ok(match action {
            "post" => self.post(arguments(given)?)?,
            "edit" => self.edit(self.post_id(&mut given)?, arguments(given)?)?,
            "withdraw" => {
                let post = self.post_id(&mut given)?;
                let Nothing {} = arguments(given)?;
                Act::Withdraw { post }
            }
            "recategorise" => {
                let post = self.post_id(&mut given)?;
                let sorted: Sorted = arguments(given)?;
                let category = self.category(&sorted.category)?;
                Act::Recategorise { post, category }
            }
            "comment" => comment(self.post_id(&mut given)?, &arguments(given)?),
            "vote" => {
                let post = self.post_id(&mut given)?;
                let icon = given.remove("icon");
                given.insert("vote".to_owned(), icon.unwrap_or_default());
                let vote: NewComment = arguments(given)?;
                if vote.vote.is_none() {
                    return Err(Problem::bad("arguments.icon", "a vote needs its icon"));
                }
                comment(post, &vote)
            }
            "message" => self.message(&arguments(given)?)?,
            "apply-to-join" => self.application(arguments(given)?),
            "answer" => self.answer(&arguments(given)?)?,
            "dice" | "roll" => {
                let line: DiceLine = arguments(given)?;
                Act::Dice {
                    line: typed(&line.line),
                }
            }
            "undo" => self.undo(&arguments(given)?, past)?,
            _ => self.rarer(action, given)?,
        })
    }

    fn rarer(&self, action: &str, given: Map<String, Json>) -> Result<Act, Problem> {
        Ok(match action {
            "leave" => {
                let word: Word = arguments(given)?;
                let text = typed(&word.text);
                Act::Leave { text }
            }
            "abandon" => {
                let named: Named = arguments(given)?;
                let action = named.action.into();
                Act::Abandon { action }
            }
            "claim" => {
                let claim: ByHand = arguments(given)?;
                Act::Claim {
                    rule: self.rule(&claim.rule)?,
                    reason: typed(&claim.reason),
                    patch: self.patch(&claim.changes)?.unwrap_or_else(empty),
                }
            }
            "repair" => {
                let mending: Mending = arguments(given)?;
                Act::Repair {
                    reason: typed(&mending.reason),
                    patch: self.patch(&mending.changes)?.unwrap_or_else(empty),
                }
            }
            "dispute" => {
                let objection: Objection = arguments(given)?;
                let claim = objection.claim.parse();
                Act::Dispute {
                    claim: claim.map_err(|error| Problem::bad("arguments.claim", error))?,
                    reason: typed(&objection.reason),
                }
            }
            "wake" => {
                let waking: Waking = arguments(given)?;
                let (rule, fence) = (self.rule(&waking.rule)?, waking.fence);
                Act::Wake {
                    clause: ClauseKey { rule, fence },
                }
            }
            _ => return Err(self.no_action(action)),
        })
    }

    fn no_action(&self, action: &str) -> Problem {
        let law = self.look.law().action_order.iter().map(Name::as_str);
        let known: Vec<&str> = law.chain(kernel::BUILT_IN).chain(BESIDE).collect();
        let known = known.join(", ");
        Problem::bad(
            "action",
            format!("there is no action called \"{action}\": there are {known}"),
        )
    }

    fn law_action(&self, action: &Name, given: &Map<String, Json>) -> Result<Act, Problem> {
        let look = self.look;
        let decl = &look.law().actions[action];
        look.ask(|asked| {
            let offer = look.me().map(|me| asked.offer(me, decl));
            let mut args = Vec::new();
            for (name, json) in given {
                let place = format!("arguments.{name}");
                let mut typed = changes::typed(json).map_err(|text| Problem::bad(&place, text))?;
                by_label(offer.as_ref(), name, &mut typed);
                let one = [(Name::from(name.as_str()), typed)];
                let read = asked.arguments(action, &one);
                args.extend(read.map_err(|refusal| Problem::bad(&place, refusal))?);
            }
            for param in &decl.it.params {
                let is_given = args.iter().any(|(name, _)| *name == param.name);
                let is_free = param.default.is_some() || matches!(param.ty, Type::Optional(_));
                if !is_given && !is_free {
                    let what = quorate_engine::convert::type_name(&param.ty);
                    let place = format!("arguments.{}", param.name);
                    return Err(Problem::bad(place, format!("it is missing: {what}")));
                }
            }
            Ok(Act::Do {
                action: action.clone(),
                args,
            })
        })
    }

    /// The post that `post` names among the arguments, by its id or address.
    fn post_id(&self, given: &mut Map<String, Json>) -> Result<PostId, Problem> {
        let place = "arguments.post";
        match given.remove("post") {
            Some(Json::String(word)) => seen_post(self.look, &word, place),
            Some(Json::Number(number)) => seen_post(self.look, &number.to_string(), place),
            Some(_) => Err(Problem::bad(place, "a post is named by its id, as a text")),
            None => Err(Problem::bad(place, "it is missing: a post's id")),
        }
    }

    fn rule(&self, word: &str) -> Result<Name, Problem> {
        let rule = Name::from(word);
        if self.look.public().rules.contains_key(&rule) {
            Ok(rule)
        } else {
            let what = format!("there is no rule {word}");
            Err(Problem::bad("arguments.rule", what))
        }
    }

    /// A category by its code name or title, whatever the case; nothing, or `Post`, for posts in none.
    fn category(&self, word: &str) -> Result<Name, Problem> {
        if word.is_empty() || word.eq_ignore_ascii_case("post") {
            return Ok(Name::default());
        }
        let known = &self.look.law().categories;
        let found = known.iter().find(|(name, decl)| {
            name.as_str().eq_ignore_ascii_case(word) || decl.it.title.eq_ignore_ascii_case(word)
        });
        let found = found.map(|(name, _)| name.clone());
        found.ok_or_else(|| {
            let names: Vec<_> = known.keys().map(Name::as_str).collect();
            let names = names.join(", ");
            let what = format!("there is no category {word}: there are {names}");
            Problem::bad("arguments.category", what)
        })
    }

    fn patch(&self, listed: &[Change]) -> Result<Option<Sealed<Patch>>, Problem> {
        if listed.is_empty() {
            return Ok(None);
        }
        let patch = self.look.ask(|asked| asked.patch(listed));
        let patch = patch.map_err(|bad| Problem::bad(format!("arguments.{}", bad.place), bad.text));
        Ok(Some(Sealed::close(patch?, [0; 16])))
    }

    fn post(&self, new: NewPost) -> Result<Act, Problem> {
        let category = self.category(&new.category)?;
        let patch = self.patch(&new.changes)?;
        let own = self.look.ask(|asked| {
            let own = new.fields.iter().map(|(name, json)| {
                let value = field(asked, &category, name, json)?;
                Ok((Name::from(name.as_str()), value))
            });
            own.collect::<Result<Vec<_>, Problem>>()
        });
        Ok(Act::Post(Box::new(kernel::NewPost {
            title: typed(&new.title),
            body: typed(&new.body),
            flavour: typed(&new.flavour),
            fields: own?,
            patch,
            category,
        })))
    }

    fn edit(&self, post: PostId, new: EditedPost) -> Result<Act, Problem> {
        let old = self.look.post(post).cloned();
        let old = old.ok_or_else(|| Problem::bad("arguments.post", "there is no such post"))?;
        let or_old = |new: Option<String>, old: Sealed<str>| new.map_or(old, |text| typed(&text));
        let patch = match &new.changes {
            Some(listed) => self.patch(listed)?,
            None => old.patch,
        };
        Ok(Act::EditPost {
            post,
            title: or_old(new.title, old.title),
            body: or_old(new.body, old.body),
            flavour: or_old(new.flavour, old.flavour),
            patch,
        })
    }

    fn message(&self, new: &NewMessage) -> Result<Act, Problem> {
        let to = self.look.ask(|asked| {
            let to = new
                .to
                .iter()
                .enumerate()
                .map(|(nth, word)| match asked.player(word) {
                    Some(Thing::Player(id)) => Ok(id),
                    _ => Err(Problem::bad(
                        format!("arguments.to[{nth}]"),
                        format!("nobody here is called {word}"),
                    )),
                });
            to.collect::<Result<Vec<PlayerId>, Problem>>()
        });
        let text = typed(&new.text);
        Ok(Act::Message { to: to?, text })
    }

    fn application(&self, new: Application) -> Act {
        let account = self.look.visitor().account.as_ref();
        let own = || account.map(|account| account.name.clone());
        let name = new.name.or_else(own).unwrap_or_default();
        Act::Apply {
            name: typed(&name),
            text: typed(&new.text),
        }
    }

    /// An answer to what waits: an open action of theirs, or a duty.
    fn answer(&self, reply: &Reply) -> Result<Act, Problem> {
        let look = self.look;
        send::player(look)?;
        let open = look.my_open();
        let open =
            open.map(|(key, open)| (format!("open:{}", key.action), Waiting::Open(key, open)));
        let duties = look.my_duties();
        let duties =
            duties.map(|(id, duty)| (format!("duty:{id}"), Waiting::Duty(DutyId(*id), duty)));
        let mut waiting: Vec<_> = open.chain(duties).collect();
        if let Some(wanted) = &reply.question {
            waiting.retain(|(name, _)| name == wanted);
        }
        let question = match waiting.as_slice() {
            [(_, question)] => question,
            [] => {
                let what = "nothing of that name waits for an answer of yours";
                return Err(Problem::bad("arguments.question", what));
            }
            several => {
                let names: Vec<_> = several.iter().map(|(name, _)| name.as_str()).collect();
                let what = format!("several wait: name one of {}", names.join(", "));
                return Err(Problem::bad("arguments.question", what));
            }
        };
        look.ask(|asked| question.answered(asked, &reply.value))
    }

    fn undo(&self, undoing: &Undoing, past: &[Event]) -> Result<Act, Problem> {
        let steps = past.iter().flat_map(|event| &event.steps);
        let cells: Vec<_> = steps
            .filter_map(|step| match &step.effect {
                Effect::Cell { key, old, .. } => Some((key, old)),
                _ => None,
            })
            .filter(|(key, _)| self.look.sees_cell(key))
            .collect();
        let mut picks = Vec::new();
        for (label, pick) in &undoing.picks {
            let named = |key: &CellKey| format!("{} {}", key.thing, key.name) == *label;
            let Some((key, old)) = cells.iter().find(|(key, _)| named(key)) else {
                let what = "the event did not change that value";
                return Err(Problem::bad(format!("arguments.picks.{label}"), what));
            };
            let cell = match pick {
                Pick::Back => old.as_ref(),
                Pick::Now => self.look.cell(key),
            };
            let value = cell.map(|cell| cell.value.open().clone());
            picks.push((label.clone(), value.unwrap_or_default()));
        }
        Ok(Act::Undo {
            event: EventSeq(undoing.event),
            reason: typed(&undoing.reason),
            picks,
        })
    }
}

/// A question that waits.
enum Waiting<'a> {
    Open(
        &'a quorate_kernel::rows::OpenKey,
        &'a quorate_kernel::rows::Open,
    ),
    Duty(DutyId, &'a quorate_kernel::rows::Duty),
}

impl Waiting<'_> {
    fn answered(&self, asked: &Questions<'_>, answer: &Json) -> Result<Act, Problem> {
        let no_option = || Problem::bad("arguments.value", "it is none of the options");
        match self {
            Self::Open(key, open) => {
                let value = match answer {
                    Json::Null if open.question.may_decline => Value::None,
                    answer => {
                        option(asked, &open.question.options, answer).ok_or_else(no_option)?
                    }
                };
                let action = key.action.clone();
                Ok(Act::Answer { action, value })
            }
            Self::Duty(id, duty) => {
                let value = match answer {
                    Json::String(text) if duty.options.is_empty() => Value::Text(typed(text)),
                    answer => option(asked, &duty.options, answer).ok_or_else(no_option)?,
                };
                Ok(Act::Decide { duty: *id, value })
            }
        }
    }
}

/// The option that an answer names: by its value, or by what it is called.
fn option(asked: &Questions<'_>, options: &[Value], answer: &Json) -> Option<Value> {
    let by_value = options
        .iter()
        .find(|option| data::value(asked, option) == *answer);
    let called = |option: &&Value| {
        let label = asked.label(&quorate_engine::convert::datum(option));
        answer
            .as_str()
            .is_some_and(|text| label.eq_ignore_ascii_case(text))
    };
    by_value.or_else(|| options.iter().find(called)).cloned()
}

/// What was typed as one of the field's options, if it is called so.
fn by_label(offer: Option<&offers::Offer>, name: &str, typed: &mut Typed) {
    let fields = offer.map_or(&[][..], |offer| &offer.fields);
    let Some(field) = fields.iter().find(|field| field.name == *name) else {
        return;
    };
    let options = field.options.as_deref().unwrap_or_default();
    let known = |typed: &Typed| match typed {
        Typed::Text(text) => options
            .iter()
            .find(|(_, label)| label.eq_ignore_ascii_case(text))
            .map(|(datum, _)| Typed::Known(datum.clone())),
        _ => None,
    };
    match typed {
        Typed::List(items) => {
            for item in items {
                if let Some(found) = known(item) {
                    *item = found;
                }
            }
        }
        one if !matches!(field.ty, Type::List(_)) => {
            if let Some(found) = known(one) {
                *one = found;
            }
        }
        _ => {}
    }
}

/// A post that the reader may see, by its id or address.
pub(crate) fn seen_post(look: &GameView, word: &str, place: &str) -> Result<PostId, Problem> {
    let id = word.trim_start_matches("post:").parse();
    let id: PostId = id.map_err(|error| Problem::bad(place, error))?;
    let seen = look.post(id).map(|_| id);
    seen.ok_or_else(|| Problem::bad(place, format!("there is no post {word}")))
}

fn comment(post: PostId, new: &NewComment) -> Act {
    let text = match &new.vote {
        Some(icon) => format!(":{}: {}", icon.trim_matches(':'), new.text),
        None => new.text.clone(),
    };
    Act::Comment {
        post,
        text: typed(text.trim_end()),
    }
}

fn empty() -> Sealed<Patch> {
    Sealed::close(Patch::default(), [0; 16])
}

fn field(
    asked: &Questions<'_>,
    category: &Name,
    name: &str,
    json: &Json,
) -> Result<Value, Problem> {
    let place = format!("arguments.fields.{name}");
    let ty = asked.attribute_type(category.as_str(), name);
    let ty = ty.ok_or_else(|| {
        Problem::bad(
            &place,
            format!(
                "{} has no {name}",
                quorate_law::with_article(category.as_str())
            ),
        )
    })?;
    let typed = changes::typed(json).map_err(|text| Problem::bad(&place, text))?;
    let datum: Datum = asked
        .read(name, &ty, &typed)
        .map_err(|refusal| Problem::bad(&place, refusal))?;
    Ok(fields::as_typed(&ty, &datum))
}
