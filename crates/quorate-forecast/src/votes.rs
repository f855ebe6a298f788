//! How everybody votes FOR in a round that is played on a copy: by an icon in a comment, and where the law counts none of
//! those, by what else it lets players do, and by the questions that it then asks them.

use quorate_engine::convert;
use quorate_engine::judge::Judge;
use quorate_engine::law::{At, Law};
use quorate_engine::offers::{self, Field};
use quorate_kernel::command::{Act, Actor, typed};
use quorate_kernel::ids::DutyId;
use quorate_kernel::{Moment, Name, PlayerId, PostId, Thing, Value};
use quorate_law::datum::Type;
use quorate_law::declare::{ActionDecl, CategoryDecl};

use crate::fork::send;
use crate::matters;

/// The words by which sides are known that are in favour, the likeliest first.
const FOR: [&str; 9] = [
    "for", "yes", "aye", "yea", "favour", "favor", "support", "approve", "accept",
];

/// How many questions one way of voting may ask a player.
const QUESTIONS: usize = 6;

/// What came of one way of voting.
#[derive(Default)]
pub(crate) struct Cast {
    /// How many words in favour the law took.
    pub(crate) said: usize,
    /// Whether something was asked that a trial cannot answer.
    pub(crate) is_beyond: bool,
}

/// Which of some words is in favour: one of those that mean it, whole or as one of several words.
fn in_favour<'a>(words: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let means = |text: &str, sign: &str| {
        let mut parts = text.split(|c: char| !c.is_alphabetic());
        parts.any(|part| part.eq_ignore_ascii_case(sign))
    };
    let mut signs = FOR.iter();
    signs.find_map(|sign| words.clone().find(|text| means(text, sign)))
}

/// The icon of a category that is in favour; where none says so, its first.
fn icon(decl: &CategoryDecl) -> Option<&str> {
    let icons = decl.icons.iter().map(Name::as_str);
    in_favour(icons.clone()).or_else(|| icons.clone().next())
}

/// The icon in favour of matters of a category.
pub(crate) fn in_favour_of_category(law: &Law, category: &Name) -> Option<String> {
    let decl = law.categories.get(category)?;
    icon(&decl.it).map(str::to_owned)
}

/// A round in which votes are cast.
pub(crate) struct Poll<'a> {
    pub(crate) post: PostId,
    pub(crate) category: Name,
    pub(crate) players: &'a [PlayerId],
    pub(crate) at: Moment,
}

impl Poll<'_> {
    /// Everybody comments with the icon, and answers what the law may ask of them.
    pub(crate) fn by_icon(&self, judge: &mut Judge) -> Cast {
        let icon = in_favour_of_category(judge.law(), &self.category);
        let mut cast = Cast::default();
        for player in self.players {
            if let Some(icon) = &icon {
                let act = Act::Comment {
                    post: self.post,
                    text: typed(&format!(":{icon}:")),
                };
                // Who may not vote does not; whether the rest is enough is what the round finds out.
                let sent = send(judge, self.at, Actor::Player(*player), act);
                cast.said += usize::from(sent.is_ok());
            }
            self.answer(judge, *player, &mut cast);
        }
        cast
    }

    /// How many votes in favour the law counts; none where it counts in secret.
    pub(crate) fn count(&self, judge: &Judge) -> i64 {
        let side = in_favour_of_category(judge.law(), &self.category);
        let side = side.unwrap_or_else(|| FOR[0].to_owned());
        let count = judge.query(self.at, |tx| matters::votes(tx, self.post, &side));
        count.unwrap_or(0)
    }

    /// What players may do beside commenting that could be a vote: with the matter, or what only this law knows.
    pub(crate) fn ways(
        &self,
        judge: &Judge,
        is_new: &dyn Fn(&ActionDecl) -> bool,
    ) -> Vec<At<ActionDecl>> {
        let law = judge.law();
        let decls = law.action_order.iter();
        let decls = decls.filter_map(|name| law.actions.get(name));
        let fits = |decl: &&At<ActionDecl>| {
            let mut params = decl.it.params.iter();
            params.any(|param| takes(&param.ty, &self.category)) || is_new(&decl.it)
        };
        decls.filter(fits).cloned().collect()
    }

    /// Everybody takes such a way.
    pub(crate) fn by_act(&self, judge: &mut Judge, decl: &At<ActionDecl>) -> Cast {
        let mut cast = Cast::default();
        for player in self.players {
            let offer = judge.query(self.at, |tx| offers::offer(tx, *player, decl));
            let Some(args) = self.filled(&offer.fields, &mut cast) else {
                cast.is_beyond = true;
                continue;
            };
            let chosen = args.iter().filter(|(_, value)| !is_thing(value)).count();
            let act = Act::Do {
                action: decl.it.name.clone(),
                args,
            };
            if send(judge, self.at, Actor::Player(*player), act).is_ok() {
                cast.said += chosen;
                self.answer(judge, *player, &mut cast);
            }
        }
        cast
    }

    /// The fields of an action: the matter where it fits, and else what is in favour. None where a field needs something
    /// else.
    fn filled(&self, fields: &[Field], cast: &mut Cast) -> Option<Vec<(Name, Value)>> {
        let mut args = Vec::new();
        for field in fields {
            let value = if takes(&field.ty, &self.category) {
                Some(Value::Thing(Thing::Post(self.post)))
            } else {
                in_favour_of(field)
            };
            match value {
                Some(value) => args.push((field.name.clone(), value)),
                None if field.default.is_some() || matches!(field.ty, Type::Optional(_)) => {}
                None if field.options.is_none() && field.ty == Type::Text => {
                    // Whether the law understands the word is not known from its being taken.
                    cast.is_beyond = true;
                    args.push((field.name.clone(), Value::Text(typed(FOR[0]))));
                }
                None => return None,
            }
        }
        Some(args)
    }

    /// Answers in favour what waits for a player.
    fn answer(&self, judge: &mut Judge, player: PlayerId, cast: &mut Cast) {
        for _ in 0..QUESTIONS {
            let Some((options, asked)) = question(judge, player) else {
                return;
            };
            let words: Vec<String> = judge.query(self.at, |tx| {
                let data = options.iter().map(convert::datum);
                data.map(|datum| tx.label(&datum)).collect()
            });
            let favoured = in_favour(words.iter().map(String::as_str));
            let place = favoured.and_then(|word| words.iter().position(|known| known == word));
            let Some(value) = place.and_then(|place| options.get(place)) else {
                cast.is_beyond = true;
                return;
            };
            let value = value.open().clone();
            let act = match asked {
                VoterQuestion::Open(action) => Act::Answer { action, value },
                VoterQuestion::Duty(duty) => Act::Decide { duty, value },
            };
            if send(judge, self.at, Actor::Player(player), act).is_err() {
                return;
            }
            cast.said += 1;
        }
    }
}

/// Which question waits.
enum VoterQuestion {
    Open(Name),
    Duty(DutyId),
}

/// The newest question that waits for a player, and what may be answered.
fn question(judge: &Judge, player: PlayerId) -> Option<(Vec<Value>, VoterQuestion)> {
    let state = judge.state();
    let mut open = state.open.iter().filter(|(key, _)| key.who == player);
    if let Some((key, open)) = open.next() {
        let options = open.question.options.clone();
        return Some((options, VoterQuestion::Open(key.action.clone())));
    }
    let duties = state.duties.iter().filter(|(_, duty)| duty.to == player);
    let newest = duties.max_by_key(|(id, duty)| (duty.at, **id));
    newest.map(|(id, duty)| (duty.options.clone(), VoterQuestion::Duty(DutyId(*id))))
}

/// Whether a parameter takes a matter of a category.
fn takes(ty: &Type, category: &Name) -> bool {
    match ty {
        Type::Kind(kind) => kind == category || *kind == "Post",
        Type::Optional(inner) => takes(inner, category),
        _ => false,
    }
}

fn is_thing(value: &Value) -> bool {
    matches!(value, Value::Thing(Thing::Post(_)))
}

/// What is in favour of all that a field takes.
fn in_favour_of(field: &Field) -> Option<Value> {
    if field.ty == Type::Bool {
        return Some(Value::Flag(true));
    }
    let options = field.options.as_ref()?;
    let word = in_favour(options.iter().map(|(_, word)| word.as_str()))?;
    let (datum, _) = options.iter().find(|(_, known)| known == word)?;
    convert::plain_value(datum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_side_in_favour_is_found_by_its_word() {
        let found = |words: &[&'static str]| in_favour(words.iter().copied());
        assert_eq!(found(&["against", "for"]), Some("for"));
        assert_eq!(found(&["Nay", "Aye"]), Some("Aye"));
        assert_eq!(
            found(&["In favour of it", "against"]),
            Some("In favour of it")
        );
        assert_eq!(found(&["forty", "against"]), None);
    }
}
