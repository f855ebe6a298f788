//! Acts that every game has, whatever its law: posting, commenting, voting. Guards may forbid them.

use quorate_kernel::event::{NoteKind, NoteTopic};
use quorate_kernel::rows::IconUse;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, PlayerId, PostId, Refusal, Thing, Topic};
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Site, Stop};

use super::posts::PostToMake;
use super::{first_edition, guards, lengths, limits, permission, posts, things, values};
use crate::icons::{self, IconWords};
use crate::reads::ReadKey;
use crate::tx::Tx;

/// How many icons one comment may have. Rules go through all of them to count votes.
const ICONS_MAX: usize = 20;

/// A built-in act by its name, as `perform` and `allowed` take it.
pub(crate) fn attempt(
    tx: &Tx,
    action: &Name,
    actor: PlayerId,
    args: Vec<(Name, Datum)>,
) -> Answer<()> {
    let arg = |name: &str| {
        args.iter()
            .find(|(key, _)| *key == name)
            .map(|(_, datum)| datum)
    };
    let post = match arg("post") {
        Some(Datum::Thing(Thing::Post(id))) => Some(*id),
        _ => None,
    };
    let text = |name: &str| match arg(name) {
        Some(Datum::Text(text)) => text.to_string(),
        _ => String::new(),
    };
    if let Some(category) = action.as_str().strip_prefix("post ") {
        let draft = PostToMake {
            category: Name::from(category),
            author: Some(actor),
            // Whoever only asks whether they may post has no title yet.
            title: Sealed::close(
                if arg("title").is_some() {
                    text("title")
                } else {
                    "…".to_owned()
                },
                tx.salt(),
            ),
            body: Sealed::close(text("body"), tx.salt()),
            flavour: Sealed::close("", tx.salt()),
            patch: None,
        };
        return post_by(tx, actor, draft, Vec::new()).map(|_| ());
    }
    match (action.as_str(), post) {
        ("vote", Some(post)) => {
            let category = things::kind_of(tx, &Thing::Post(post))
                .map_err(|_| Stop::no("a post that exists"))?;
            let words = icon_words(tx, post);
            let (icon, said) = (text("icon"), text("text"));
            let name = words.meaning(&icon).cloned();
            if first_edition::is_judged(tx) {
                let line = Sealed::close(format!(":{icon}:"), tx.salt());
                return comment_by(tx, actor, post, line);
            }
            // One who makes somebody vote, or who asks whether they may, wants a vote that counts.
            can_cast(
                tx,
                actor,
                post,
                &category,
                &name.unwrap_or_else(|| icon.as_str().into()),
            )?;
            let line = icons::ballot(&icon, &said, &words);
            comment_by(tx, actor, post, Sealed::close(line, tx.salt()))
        }
        ("comment", Some(post)) => {
            comment_by(tx, actor, post, Sealed::close(text("text"), tx.salt()))
        }
        (
            "message" | "claim" | "dispute" | "undo" | "answer" | "leave" | "apply-to-join"
            | "dice",
            _,
        ) => guards::check(tx, &guards::built_in(tx, action, actor, post, args.clone())),
        _ => Err(Stop::refused(Refusal::no_action(action))),
    }
}

/// A post by a player: who may, guards, limits, then the post, its fields and the hooks.
pub(crate) fn post_by(
    tx: &Tx,
    actor: PlayerId,
    draft: PostToMake,
    fields: Vec<(Name, Datum)>,
) -> Answer<PostId> {
    lengths::of_post(
        draft.title.as_str(),
        draft.body.as_str(),
        draft.flavour.as_str(),
    )?;
    let law = tx.frame().law;
    let category = draft.category.clone();
    if category.is_empty() {
        guards::check(
            tx,
            &guards::built_in(tx, &"post".into(), actor, None, vec![]),
        )?;
    } else {
        let Some(decl) = law.categories.get(&category).cloned() else {
            return Err(Stop::no(format!("a category called \"{category}\"")));
        };
        let name = Name::from(format!("post {category}"));
        let mut args = vec![(
            Name::from("title"),
            Datum::Text(draft.title.as_str().into()),
        )];
        args.extend(fields.iter().cloned());
        let attempt = guards::built_in(tx, &name, actor, None, args);
        permission::who(tx, &attempt, decl.it.by.as_ref(), &decl.it.admits)?;
        guards::check(tx, &attempt)?;
        limits::check(tx, &name, &decl.it.limits, actor, &decl.site)?;
        if tx.frame().trial {
            return Ok(PostId(tx.make_id()?));
        }
        if draft.title.as_str().trim().is_empty() {
            let refusal = tx.refusal_at(&decl.site, "a title");
            return Err(Stop::refused(refusal.about(argument("title"))));
        }
        limits::use_up(tx, &name, &decl.it.limits, actor);
    }
    let id = posts::make(tx, draft)?;
    fill_in(tx, id, &category, fields)?;
    posts::announce(tx, id);
    Ok(id)
}

/// Writes the fields of a category's form, and no others.
fn fill_in(tx: &Tx, id: PostId, category: &Name, fields: Vec<(Name, Datum)>) -> Answer<()> {
    let law = tx.frame().law;
    let form = law
        .categories
        .get(category)
        .map(|decl| decl.it.form.clone())
        .unwrap_or_default();
    for (name, datum) in fields {
        if !form.contains(&name) {
            let known: Vec<_> = form.iter().map(Name::as_str).collect();
            let what = format!("only the fields of its form: {}", known.join(", "));
            let refusal = Refusal::plain(what).about(Topic::Argument(name));
            return Err(Stop::refused(refusal));
        }
        match values::set_attribute(tx, &Thing::Post(id), name.as_str(), datum) {
            Err(Stop::Broken(fault)) => {
                let refusal = Refusal::plain(fault.text).about(Topic::Argument(name));
                return Err(Stop::refused(refusal));
            }
            other => other?,
        }
    }
    Ok(())
}

/// A comment by a player, with the votes in it.
pub(crate) fn comment_by(tx: &Tx, actor: PlayerId, post: PostId, text: Sealed<str>) -> Answer<()> {
    lengths::of_comment(text.as_str())?;
    if text.as_str().trim().is_empty() {
        return Err(Stop::no("a comment with words or an icon"));
    }
    let category =
        things::kind_of(tx, &Thing::Post(post)).map_err(|_| Stop::no("a post that exists"))?;
    guards::check(
        tx,
        &guards::built_in(tx, &"comment".into(), actor, Some(post), vec![]),
    )?;
    let uses = if first_edition::is_judged(tx) {
        first_edition::votes_in(tx, actor, post, &category, text.as_str())?
    } else {
        votes_in(tx, actor, post, &category, text.as_str())?
    };
    if tx.frame().trial {
        return Ok(());
    }
    posts::make_comment(tx, post, Some(actor), text, uses).map(|_| ())
}

/// The icons of a comment, and which of them count. One that begins the text is a vote: if it cannot count, the law refuses
/// it. One further on stands in words: if it cannot count, the comment stands, and the log says why it is no vote.
fn votes_in(
    tx: &Tx,
    actor: PlayerId,
    post: PostId,
    category: &Name,
    text: &str,
) -> Answer<Vec<IconUse>> {
    let reading = icons::read(text, &icon_words(tx, post));
    let count = reading.icons.len();
    if count > ICONS_MAX {
        let refusal = Refusal::plain("at most 20 icons in one comment");
        return Err(Stop::refused(
            refusal.about(argument("text")).having(count.to_string()),
        ));
    }
    let mut uses = Vec::with_capacity(count);
    for (index, name) in reading.icons.into_iter().enumerate() {
        if is_repeated(tx, actor, post, &name) {
            let why = "it stands already, and could not be cast again";
            say_no_vote(tx, &name, why.to_owned());
            uses.push(IconUse {
                name,
                counted: false,
            });
            continue;
        }
        let counted = match can_cast(tx, actor, post, category, &name) {
            Err(Stop::Refused(refusal)) if index > 0 || !reading.opens_with_one => {
                say_no_vote(tx, &name, refusal.to_string());
                false
            }
            cast => cast.map(|()| true)?,
        };
        uses.push(IconUse { name, counted });
    }
    Ok(uses)
}

fn say_no_vote(tx: &Tx, icon: &Name, why: String) {
    let icon = icon.clone();
    tx.say_of(NoteKind::Said, NoteTopic::Uncounted { icon, why });
}

/// The words that are icons under a post: those of its category, then those that only other categories know.
pub(crate) fn icon_words(tx: &Tx, post: PostId) -> IconWords {
    let law = tx.frame().law;
    let own = things::kind_of(tx, &Thing::Post(post)).unwrap_or_default();
    let own = law.categories.get(&own);
    let categories = own.into_iter().chain(law.categories.values());
    categories
        .map(|category| IconWords::of(&category.it))
        .fold(IconWords::default(), IconWords::and)
}

/// Whether the vote is the one that stands already, and could not be cast again: to say so once more is no offence.
fn is_repeated(tx: &Tx, actor: PlayerId, post: PostId, icon: &Name) -> bool {
    tx.read(ReadKey::Comments(post));
    let stands = tx.with_state(|state| {
        let theirs = state
            .comments_of(post)
            .filter(|(_, comment)| comment.author.shown() == Some(actor));
        let uses = theirs.flat_map(|(_, comment)| comment.icons.iter());
        let last = uses.filter(|icon| icon.counted).last();
        last.is_some_and(|last| last.name == *icon)
    });
    stands && {
        let category = things::kind_of(tx, &Thing::Post(post)).unwrap_or_default();
        tx.trial(tx.frame(), || {
            can_cast(tx, actor, post, &category, icon).is_err()
        })
    }
}

/// Whether an icon is a vote: the matter takes it, its author is a player for the rule of votes, and no guard forbids it.
fn can_cast(tx: &Tx, actor: PlayerId, post: PostId, category: &Name, icon: &Name) -> Answer<()> {
    let law = tx.frame().law;
    let args = vec![(Name::from("icon"), Datum::Text(icon.as_str().into()))];
    let mut attempt = guards::built_in(tx, &"vote".into(), actor, Some(post), args);
    let decl = law.categories.get(category);
    // Where no rule takes votes for its own, they belong to the rule whose posts they are cast on.
    if attempt.site.rule.is_empty()
        && let Some(decl) = decl
    {
        attempt.site = decl.site.clone();
    }
    if !decl.is_some_and(|decl| decl.it.icons.contains(icon)) {
        let site = decl.map_or_else(Site::default, |decl| decl.site.clone());
        let taken: Vec<String> = decl
            .iter()
            .flat_map(|decl| &decl.it.icons)
            .map(|icon| icon.as_str().to_uppercase())
            .collect();
        let what = if taken.is_empty() {
            "a post that is voted on".to_owned()
        } else {
            format!("one of its votes: {}", taken.join(", "))
        };
        let mut refusal = tx.refusal_at(&site, &what);
        refusal.needs[0].have = icon.as_str().to_uppercase();
        return Err(Stop::refused(refusal));
    }
    permission::who(tx, &attempt, None, &[])?;
    guards::check(tx, &attempt)
}

fn argument(name: &str) -> Topic {
    Topic::Argument(name.into())
}

#[cfg(test)]
mod tests {
    use quorate_kernel::command::NewPost;
    use quorate_kernel::event::{Event, NoteTopic};
    use quorate_kernel::state::Effect;
    use quorate_kernel::{Name, Topic, Value, record};

    use crate::tiny_game::{game, new_post};

    const LETTERS: &str = r#"category("Letter")
category("Poll", icons = ["aye"], form = ["stake"])
category("Bill", icons = ["for"])
stake = number("Stake", of = "Poll")"#;

    fn counted(event: &Event) -> Vec<(&str, bool)> {
        let row = event.steps.iter().find_map(|step| match &step.effect {
            Effect::Comment { new: Some(row), .. } => Some(row),
            _ => None,
        });
        let icons = row.into_iter().flat_map(|row| &row.icons);
        icons
            .map(|icon| (icon.name.as_str(), icon.counted))
            .collect()
    }

    #[test]
    fn an_icon_that_opens_a_comment_is_a_vote_and_refused_where_the_matter_takes_none() {
        let mut game = game(LETTERS);
        let letter = game
            .post(new_post("Letter", "Dear all"))
            .expect("anybody may");
        let refused = game
            .comment(letter, ":for: it")
            .expect_err("no vote counts there");
        assert_eq!(refused.what(), "a post that is voted on");
        let poll = game.post(new_post("Poll", "Who?")).expect("anybody may");
        let refused = game
            .comment(poll, ":for: it")
            .expect_err("another vote counts there");
        assert_eq!(refused.what(), "one of its votes: AYE");
        assert_eq!(refused.needs[0].have, "FOR");
        let event = game
            .comment(poll, ":aye: with pleasure")
            .expect("that one does");
        assert_eq!(counted(&event), [("aye", true)]);
    }

    #[test]
    fn a_comment_has_no_more_icons_than_rules_can_count() {
        let mut game = game(LETTERS);
        let poll = game.post(new_post("Poll", "Who?")).expect("anybody may");
        let votes = |count: usize| ":aye: ".repeat(count);
        let refused = game.comment(poll, &votes(21)).expect_err("one too many");
        assert_eq!(refused.what(), "at most 20 icons in one comment");
        assert_eq!(refused.needs[0].have, "21");
        game.comment(poll, &votes(20)).expect("as many as can be");
    }

    #[test]
    fn an_icon_in_the_middle_of_words_is_told_to_be_no_vote_and_the_comment_stands() {
        let mut game = game(LETTERS);
        let letter = game
            .post(new_post("Letter", "Dear all"))
            .expect("anybody may");
        let event = game
            .comment(letter, "I would be :for: it")
            .expect("it has words");
        assert_eq!(counted(&event), [("for", false)]);
        let (icon, why) = (
            Name::from("for"),
            "needs a post that is voted on (now: FOR) [House, clause 1]",
        );
        let why = why.to_owned();
        assert_eq!(event.notes[0].topic, NoteTopic::Uncounted { icon, why });
        let kept = record::decode(&record::encode(&event).open).expect("it reads back");
        assert_eq!(kept.notes[0].topic, event.notes[0].topic);
    }

    #[test]
    fn a_post_has_a_title_of_no_more_than_a_thousand_bytes_and_the_fields_of_its_form() {
        let mut game = game(LETTERS);
        let long = "x".repeat(1_001);
        let refused = game.post(new_post("Letter", &long)).expect_err("too long");
        assert_eq!(refused.what(), "a title of at most 1,000 bytes");
        assert_eq!(refused.needs[0].have, "1001 bytes");
        game.post(new_post("Letter", &long[1..]))
            .expect("as long as can be");
        let refused = game.post(new_post("Letter", " ")).expect_err("no title");
        assert_eq!(refused.needs[0].topic, Topic::Argument("title".into()));
        let with = |field: &str| NewPost {
            fields: vec![(field.into(), Value::Int(3))],
            ..new_post("Poll", "Who?")
        };
        let refused = game.post(with("size")).expect_err("no such field");
        assert_eq!(refused.what(), "only the fields of its form: stake");
        assert_eq!(refused.argument(), Some(&"size".into()));
        game.post(with("stake")).expect("that is one");
    }

    const BILLS: &str = "category(\"Bill\", icons = [\"for\", \"against\", \"deferential\", \"veto\"], aliases = {\"def\": \"deferential\"}, statuses = [\"pending\", \"enacted\"])";

    #[test]
    fn the_law_counts_the_votes_that_the_table_of_comments_reads() {
        let mut game = game(BILLS);
        let post = game.post(new_post("Bill", "A bill")).expect("anybody may");
        let mut wrong = Vec::new();
        let rows = include_str!("../icons/comments.txt").lines();
        for row in rows.filter(|line| !line.starts_with("# What")) {
            let (text, icons) = row.rsplit_once("=>").expect("a text and its icons");
            let text = text.strip_suffix(' ').unwrap_or(text);
            let text = text.replace("\\n", "\n").replace("\\\\", "\\");
            if text.trim().is_empty() {
                continue;
            }
            let event = game.comment(post, &text).expect("it has words");
            let cast = event.steps.iter().find_map(|step| match &step.effect {
                Effect::Comment { new: Some(row), .. } => Some(&row.icons),
                _ => None,
            });
            let cast = cast.into_iter().flatten();
            let cast: Vec<&str> = cast.map(|icon| icon.name.as_str()).collect();
            if cast.join(" ") != icons.trim() {
                wrong.push(format!("{text}: counted {cast:?}, not \"{icons}\""));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
