//! What somebody asks for on the command line: an action of the law or a built-in act, with its arguments.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};
use quorate_engine::fields::{self, Typed};
use quorate_engine::judge::Judge;
use quorate_engine::offers;
use quorate_kernel::command::{self, Act, Actor, NewPost, typed};
use quorate_kernel::ids::{ClaimId, DutyId};
use quorate_kernel::patch::Patch;
use quorate_kernel::rows::ClauseKey;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{EventSeq, Moment, Name, PlayerId, PostId, Refusal, Value};
use quorate_law::datum::Type;
use quorate_law::world::World;

use crate::changes;
use crate::home;

/// The built-in acts, as the help names them.
pub(crate) const BUILT_IN_HELP: &str = "post CATEGORY title=… [body=… flavour=… changes=FILE FIELD=…] · comment POST TEXT · vote POST ICON · \
    edit POST [title=… body=… flavour=… changes=FILE] · withdraw POST · recategorise POST CATEGORY · apply-to-join [TEXT] · \
    leave · message NAME TEXT · claim rule=… reason=… changes=FILE · dispute CLAIM reason=… · undo EVENT reason=… [VALUE=…] · \
    answer VALUE [duty=…] · abandon ACTION · dice LINE · wake RULE FENCE";

/// Why no command came of the words.
pub(crate) enum NoAct {
    /// They are no words for a command.
    Words(anyhow::Error),
    /// The law says already that what is given does not fit.
    Refused(Refusal),
}

impl From<anyhow::Error> for NoAct {
    fn from(error: anyhow::Error) -> Self {
        Self::Words(error)
    }
}

impl From<Refusal> for NoAct {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The words after the action's name: `name=value` pairs, and plain words that fill in what is missing, in order.
struct Words {
    named: Vec<(String, String)>,
    plain: std::collections::VecDeque<String>,
}

impl Words {
    fn new(words: &[String]) -> Self {
        let mut named = Vec::new();
        let mut plain = std::collections::VecDeque::new();
        for word in words {
            match word.split_once('=').filter(|(name, _)| is_name(name)) {
                Some((name, value)) => named.push((name.to_owned(), value.to_owned())),
                None => plain.push_back(word.clone()),
            }
        }
        Self { named, plain }
    }

    fn named(&mut self, name: &str) -> Option<String> {
        let at = self.named.iter().position(|(key, _)| key == name)?;
        Some(self.named.remove(at).1)
    }

    fn may(&mut self, name: &str) -> Option<String> {
        self.named(name).or_else(|| self.plain.pop_front())
    }

    fn must(&mut self, name: &str) -> Result<String> {
        self.may(name)
            .with_context(|| format!("{name} is missing: give it as {name}=…"))
    }

    fn done(self) -> Result<()> {
        let left: Vec<_> = self
            .named
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .chain(self.plain)
            .collect();
        if left.is_empty() {
            Ok(())
        } else {
            Err(anyhow!("nothing asks for {}", left.join(", ")))
        }
    }
}

fn is_name(word: &str) -> bool {
    !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | ' ' | '/'))
}

/// A game and somebody who asks for something in it.
pub(crate) struct Asker<'a> {
    /// The game.
    pub judge: &'a Judge,
    /// The moment.
    pub now: Moment,
    /// Who asks.
    pub actor: Actor,
    /// The name they gave, which somebody new asks to join under.
    pub name: &'a str,
}

impl Asker<'_> {
    /// The command that an action's name and the words after it stand for.
    pub(crate) fn act(&self, action: &str, words: &[String]) -> Result<Act, NoAct> {
        let mut words = Words::new(words);
        if self.judge.law().actions.contains_key(action) {
            return self.law_action(&Name::from(action), words);
        }
        let act = match action {
            "post" => self.post(&mut words)?,
            "comment" => Act::Comment {
                post: self.post_id(&mut words)?,
                text: typed(&words.must("text")?),
            },
            "vote" => {
                let (post, icon) = (self.post_id(&mut words)?, words.must("icon")?);
                let word = words
                    .named("text")
                    .map(|text| format!(" {text}"))
                    .unwrap_or_default();
                Act::Comment {
                    post,
                    text: typed(&format!(":{}:{word}", icon.trim_matches(':'))),
                }
            }
            "edit" => self.edit(&mut words)?,
            "withdraw" => Act::Withdraw {
                post: self.post_id(&mut words)?,
            },
            "recategorise" => Act::Recategorise {
                post: self.post_id(&mut words)?,
                category: words.must("category")?.into(),
            },
            "apply-to-join" => {
                let name = words.named("name").unwrap_or_else(|| self.name.to_owned());
                Act::Apply {
                    name: typed(&name),
                    text: typed(&words.may("text").unwrap_or_default()),
                }
            }
            "leave" => Act::Leave {
                text: typed(&words.may("text").unwrap_or_default()),
            },
            "message" => {
                let to = words.must("to")?;
                let to = to
                    .split(',')
                    .map(|name| home::player(self.judge.state(), name.trim()));
                Act::Message {
                    to: to.collect::<Result<_>>()?,
                    text: typed(&words.must("text")?),
                }
            }
            "answer" => self.answer(&mut words)?,
            "abandon" => Act::Abandon {
                action: words.must("action")?.into(),
            },
            "dice" | "roll" => Act::Dice {
                line: typed(&words.must("line")?),
            },
            _ => match self.by_hand(action, &mut words)? {
                Some(act) => act,
                None => {
                    return Err(self.unknown(action).into());
                }
            },
        };
        words.done()?;
        Ok(act)
    }

    /// What changes or corrects the game by hand; nothing if the action is none of these.
    fn by_hand(&self, action: &str, words: &mut Words) -> Result<Option<Act>, NoAct> {
        Ok(Some(match action {
            "claim" => Act::Claim {
                rule: words.must("rule")?.into(),
                reason: typed(&words.must("reason")?),
                patch: Sealed::close(self.patch(words)?.unwrap_or_default(), [0; 16]),
            },
            "dispute" => {
                let claim = words.must("claim")?;
                let claim = claim.parse::<ClaimId>().map_err(anyhow::Error::from)?;
                Act::Dispute {
                    claim,
                    reason: typed(&words.may("reason").unwrap_or_default()),
                }
            }
            "undo" => undo(words)?,
            "wake" => {
                let rule = words.must("rule")?.into();
                let fence = words
                    .must("fence")?
                    .parse()
                    .context("a fence is a number, counted from 1")?;
                Act::Wake {
                    clause: ClauseKey { rule, fence },
                }
            }
            "repair" => Act::Repair {
                reason: typed(&words.must("reason")?),
                patch: Sealed::close(self.patch(words)?.unwrap_or_default(), [0; 16]),
            },
            _ => return Ok(None),
        }))
    }

    /// The post that a number or a title names; of several with one title the newest.
    fn post_id(&self, words: &mut Words) -> Result<PostId> {
        let word = words.must("post")?;
        if let Ok(id) = word.trim_start_matches("post:").parse() {
            return Ok(id);
        }
        let posts = self.judge.state().posts.iter().rev();
        let wanted = word.to_lowercase();
        let mut titled = posts.filter(|(_, post)| post.title.as_str().to_lowercase() == wanted);
        titled
            .next()
            .map(|(id, _)| *id)
            .with_context(|| format!("no post is called \"{word}\": give its title or its number"))
    }

    /// The refusal of an action that there is not, with the one that is spelt most like it.
    fn unknown(&self, action: &str) -> Refusal {
        let law = self.judge.law();
        let known = law
            .actions
            .keys()
            .map(Name::as_str)
            .chain(command::BUILT_IN);
        let near = known
            .map(|name| (strsim::jaro_winkler(name, action), name))
            .filter(|(likeness, _)| *likeness > 0.8)
            .max_by(|one, other| one.0.total_cmp(&other.0));
        let mut refusal = Refusal::plain(format!("an action called \"{action}\""));
        if let Some((_, name)) = near {
            refusal.needs[0].need = format!("one that there is, such as {name}");
        }
        refusal
    }

    fn law_action(&self, action: &Name, mut words: Words) -> Result<Act, NoAct> {
        let decl = &self.judge.law().actions[action].it;
        let mut given: Vec<(Name, Typed)> = words
            .named
            .drain(..)
            .map(|(name, value)| (name.into(), Typed::Text(value)))
            .collect();
        for param in &decl.params {
            if !given.iter().any(|(name, _)| *name == param.name)
                && let Some(word) = words.plain.pop_front()
            {
                given.push((param.name.clone(), Typed::Text(word)));
            }
        }
        words.done()?;
        let args = self.judge.look(self.now, |tx| {
            let pickable = self
                .actor
                .player()
                .map(|player| offers::offer(tx, player, &self.judge.law().actions[action]));
            for (name, typed) in &mut given {
                by_label(pickable.as_ref(), name, typed);
            }
            fields::arguments(tx, action, &given)
        })?;
        Ok(Act::Do {
            action: action.clone(),
            args,
        })
    }

    fn post(&self, words: &mut Words) -> Result<Act> {
        let category = words.must("category")?;
        let category = self.category(&category)?;
        let title = words.must("title")?;
        let [body, flavour] = ["body", "flavour"].map(|name| words.named(name).unwrap_or_default());
        let patch = self.patch(words)?;
        let mut fields = Vec::new();
        for (name, text) in std::mem::take(&mut words.named) {
            fields.push((
                Name::from(name.as_str()),
                self.field(&category, &name, text)?,
            ));
        }
        Ok(Act::Post(Box::new(NewPost {
            category,
            title: typed(&title),
            body: typed(&body),
            flavour: typed(&flavour),
            fields,
            patch: patch.map(|patch| Sealed::close(patch, [0; 16])),
        })))
    }

    /// A category by its code name or title, whatever the case; `Post` for a post in none.
    fn category(&self, word: &str) -> Result<Name> {
        if word.eq_ignore_ascii_case("post") {
            return Ok(Name::default());
        }
        let known = &self.judge.law().categories;
        let found = known.iter().find(|(name, decl)| {
            name.as_str().eq_ignore_ascii_case(word) || decl.it.title.eq_ignore_ascii_case(word)
        });
        let names = || {
            known
                .keys()
                .map(Name::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        };
        found.map(|(name, _)| name.clone()).with_context(|| {
            format!(
                "there is no category {word}: there are {} and Post",
                names()
            )
        })
    }

    fn field(&self, category: &Name, name: &str, text: String) -> Result<Value> {
        self.judge.look(self.now, |tx| {
            let world: &dyn World = tx;
            let ty = world
                .attribute_type(category.as_str(), name)
                .with_context(|| {
                    format!(
                        "{} has no {name}",
                        quorate_law::with_article(category.as_str())
                    )
                })?;
            let datum = fields::read(tx, name, &ty, &Typed::Text(text));
            let datum = datum.map_err(|refusal| anyhow!("{refusal}"))?;
            Ok(fields::as_typed(&ty, &datum))
        })
    }

    fn patch(&self, words: &mut Words) -> Result<Option<Patch>> {
        let file = words.named("changes");
        file.map(|file| changes::read(Path::new(&file), self.judge, self.now))
            .transpose()
    }

    fn edit(&self, words: &mut Words) -> Result<Act> {
        let post = self.post_id(words)?;
        let old = self
            .judge
            .state()
            .posts
            .get(&post)
            .with_context(|| format!("there is no post {post}"))?
            .clone();
        let mut or_old = |name: &str, old: &Sealed<str>| {
            words
                .named(name)
                .map_or_else(|| old.clone(), |text| typed(&text))
        };
        let (title, body, flavour) = (
            or_old("title", &old.title),
            or_old("body", &old.body),
            or_old("flavour", &old.flavour),
        );
        let patch = self
            .patch(words)?
            .map(|patch| Sealed::close(patch, [0; 16]))
            .or(old.patch);
        Ok(Act::EditPost {
            post,
            title,
            body,
            flavour,
            patch,
        })
    }

    /// An answer to what waits: an open action of theirs, or a duty.
    fn answer(&self, words: &mut Words) -> Result<Act> {
        let Some(who) = self.actor.player() else {
            bail!("only a player is asked something")
        };
        let state = self.judge.state();
        let (duty, action) = (words.named("duty"), words.named("action"));
        let answer = words.must("value")?;
        let open = state.open.iter().find(|(key, _)| {
            key.who == who
                && action
                    .as_ref()
                    .is_none_or(|action| key.action == *action.as_str())
        });
        if let (None, Some((key, open))) = (&duty, open) {
            let value = self.pick(&open.question.options, &answer, open.question.may_decline);
            return Ok(Act::Answer {
                action: key.action.clone(),
                value,
            });
        }
        let wanted = duty.map(|duty| duty.parse::<DutyId>()).transpose()?;
        let found = state
            .duties
            .iter()
            .find(|(id, duty)| duty.to == who && wanted.is_none_or(|wanted| wanted.0 == **id));
        let (id, duty) = found.context("nothing waits for an answer of theirs")?;
        Ok(Act::Decide {
            duty: DutyId(*id),
            value: self.pick(&duty.options, &answer, false),
        })
    }

    /// The option that a word stands for: by what it is called, by its number in the list, or as it is written.
    fn pick(&self, options: &[Value], word: &str, may_decline: bool) -> Value {
        if may_decline && matches!(word, "none" | "nothing") {
            return Value::None;
        }
        let label = |value: &Value| {
            self.judge.look(self.now, |tx| {
                tx.label(&quorate_engine::convert::datum(value))
            })
        };
        let called = options
            .iter()
            .find(|option| label(option).eq_ignore_ascii_case(word));
        let numbered = || {
            word.parse::<usize>()
                .ok()
                .and_then(|n| options.get(n.checked_sub(1)?))
        };
        match called.or_else(numbered) {
            Some(option) => option.clone(),
            None => word
                .parse()
                .map_or_else(|_| Value::Word(word.into()), Value::Int),
        }
    }
}

/// What was typed as one of the field's options, if it is called so.
fn by_label(offer: Option<&offers::Offer>, name: &Name, typed: &mut Typed) {
    let Some(field) = offer.and_then(|offer| offer.fields.iter().find(|field| field.name == *name))
    else {
        return;
    };
    let (Some(options), Typed::Text(text)) = (&field.options, &*typed) else {
        return;
    };
    if matches!(field.ty, Type::List(_)) {
        return;
    }
    if let Some((datum, _)) = options
        .iter()
        .find(|(_, label)| label.eq_ignore_ascii_case(text))
    {
        *typed = Typed::Known(datum.clone());
    }
}

/// Whose offers are asked for.
pub(crate) fn as_player(actor: Actor, name: &str) -> Result<PlayerId> {
    actor
        .player()
        .with_context(|| format!("{name} is no player"))
}

fn undo(words: &mut Words) -> Result<Act> {
    let event = words.must("event")?;
    let event = EventSeq(
        event
            .trim_start_matches('#')
            .parse()
            .context("an event is a number, as the log shows it")?,
    );
    let reason = typed(&words.named("reason").unwrap_or_default());
    let mut picks = Vec::new();
    for (label, text) in std::mem::take(&mut words.named) {
        let value = match (text.parse::<i64>(), text.as_str()) {
            (Ok(n), _) => Value::Int(n),
            (_, "yes") => Value::Flag(true),
            (_, "no") => Value::Flag(false),
            (_, "none") => Value::None,
            (_, word) => word
                .parse()
                .map_or_else(|_| Value::Word(word.into()), Value::Thing),
        };
        picks.push((label, value));
    }
    Ok(Act::Undo {
        event,
        reason,
        picks,
    })
}
