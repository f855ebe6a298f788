//! What the ruleset asks of posts of a category, for whoever writes one.

use std::collections::BTreeSet;

use quorate_kernel::command::{Act, NewPost};
use quorate_kernel::{Name, PlayerId, Refusal};
use quorate_law::{RuleText, capital};

use crate::site::compose::page::RuleOfForm;
use crate::ui::Cite;
use crate::view::game::GameView;

/// How many letters of a clause on tags are shown.
const CLAUSE: usize = 400;

/// Why nobody like the reader can write in a category now, whatever they write.
pub(crate) fn closed(view: &GameView, category: &Name) -> Option<Refusal> {
    let decl = view.law().categories.get(category)?;
    let me = view.me()?;
    let barred = view.ask(|asked| asked.may_post(me, decl)).err();
    barred.or_else(|| for_them_alone(view, category, &decl.it.prefix, me))
}

/// Why the law refuses a post of the reader that it takes from somebody who has none open: what a rule counts, such as the
/// posts that they have open, and no matter of its words.
fn for_them_alone(view: &GameView, category: &Name, prefix: &str, me: PlayerId) -> Option<Refusal> {
    let post = NewPost::plain(category.clone(), &format!("{prefix}Untitled"), "A text.");
    let refused = |who| view.would_as(who, Act::Post(Box::new(post.clone()))).err();
    let refusal = refused(me)?;
    let has_open = |who| {
        let mut posts = view.posts().map(|(_, post)| post);
        posts.any(|post| {
            post.category == *category
                && view.is_open(post)
                && view.author_of(&post.author) == Some(who)
        })
    };
    let (active, _) = view.roster();
    let other = active
        .into_iter()
        .find(|who| *who != me && !has_open(*who))?;
    refused(other).is_none().then_some(refusal)
}

/// What the ruleset says of a category, beside its form: the clause that declares it, and why it refuses one now.
pub(crate) fn by_rules(view: &GameView, category: &Name) -> Vec<RuleOfForm> {
    let Some(decl) = view.law().categories.get(category) else {
        return Vec::new();
    };
    let (text, rest) = view.clause_in_two(&decl.site);
    let refusal = closed(view, category);
    let mut rules = vec![RuleOfForm {
        text,
        rest,
        is_kept: refusal.is_none(),
    }];
    let told = |text: String, is_kept: bool| RuleOfForm {
        text,
        rest: String::new(),
        is_kept,
    };
    if let Some(me) = view.me() {
        let name = Name::from(format!("post {category}"));
        let quotas = view.ask(|asked| asked.quotas(&name, &decl.it.limits, me));
        rules.extend(quotas.iter().map(|quota| {
            let is_kept = quota.used < quota.limit.times.max(1);
            told(format!("{}.", capital(&quota.words())), is_kept)
        }));
        rules.push(told(own_count(view, category, me), true));
    }
    if let Some(refusal) = refusal {
        let sentence = view.refusal(&decl.it.title, &refusal).sentence();
        rules.push(told(sentence, false));
    }
    rules.retain(|rule| !rule.text.is_empty());
    rules
}

/// How many posts of a category the reader has open, and how many they posted today, for limits that rules set in words.
fn own_count(view: &GameView, category: &Name, me: PlayerId) -> String {
    let posts = view.posts().map(|(_, row)| row);
    let own =
        posts.filter(|post| post.category == *category && view.author_of(&post.author) == Some(me));
    let (mut open, mut today) = (0, 0);
    for post in own {
        open += usize::from(view.is_open(post));
        today += usize::from(post.at.day_start() == view.now().day_start());
    }
    let none_or = |count: usize| match count {
        0 => "none".to_owned(),
        count => count.to_string(),
    };
    let (open, today) = (none_or(open), none_or(today));
    format!("You have {open} open, and posted {today} today (UTC).")
}

/// What the rules that look at posts of a category when they are posted say about tags: words in square brackets that a
/// title has to have.
pub(crate) fn tags(view: &GameView, category: &Name) -> Vec<(String, Option<Cite>)> {
    let hooks = view.law().on.iter();
    let looking =
        hooks.filter(|hook| hook.it.on == "posted" && hook.it.of.as_ref() == Some(category));
    let rules: BTreeSet<&Name> = looking.map(|hook| &hook.site.rule).collect();
    let rules = rules
        .into_iter()
        .filter_map(|name| Some((name, view.public().rules.get(name)?)));
    let told = rules.flat_map(|(name, rule)| {
        let clauses = RuleText::parse(&rule.text).clauses.into_iter();
        let on_tags = clauses.filter(|clause| names_a_tag(&clause.prose));
        on_tags.map(|clause| {
            let text = crate::ui::markup::excerpt(
                clause.prose.split("> Note").next().unwrap_or_default(),
                view.terms(),
                CLAUSE,
            );
            (text, view.cite(name, clause.number))
        })
    });
    told.collect()
}

/// Whether a text has words in square brackets that are no link.
fn names_a_tag(prose: &str) -> bool {
    let mut after_open = prose.split('[').skip(1);
    after_open.any(|after| {
        let Some((words, rest)) = after.split_once(']') else {
            return false;
        };
        let is_word = |letter: char| letter.is_alphanumeric() || letter == ' ';
        words.starts_with(char::is_uppercase)
            && words.chars().all(is_word)
            && !rest.starts_with(['(', '[', ':'])
    })
}

#[cfg(test)]
mod tests {
    use crate::site::compose::asked::names_a_tag;

    #[test]
    fn words_in_brackets_are_tags_and_links_are_none() {
        assert!(names_a_tag("needs the tag [Core] to change core rules"));
        assert!(names_a_tag("with [New Weapon] it may"));
        assert!(!names_a_tag("see [The rules](https://example.org)"));
        assert!(!names_a_tag("a list[int] of [none]"));
    }
}
