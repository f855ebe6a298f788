//! Notices in words, as their reader may see them.

use quorate_engine::conventions;
use quorate_kernel::event::Event;
use quorate_kernel::ids::MessageId;
use quorate_kernel::rows::{ClaimStanding, Comment, Post, Standing};
use quorate_kernel::state::Effect;
use quorate_kernel::{EventSeq, Name, PlayerId, PostId};
use quorate_notices::concern::{Whom, owners};
use quorate_notices::dispatch::NoticeText;
use quorate_notices::kind::NoticeKind;
use quorate_notices::topic::NoticeTopic;

use crate::ui::urls::Href;
use crate::ui::{Cite, markup, urls};
use crate::view::game::GameView;
use crate::view::{dynasties, messages, needs, waiting};

/// How many letters of what somebody wrote go into a notice.
const EXCERPT: usize = 600;

/// How many changes of the reader's own values a notice tells.
const CHANGES: usize = 8;

/// What a notice is about.
#[derive(Clone, Copy)]
pub(crate) struct NoticeAsked<'a> {
    /// As what it is told.
    pub(crate) kind: NoticeKind,
    /// What it is about.
    pub(crate) topic: &'a NoticeTopic,
    /// The event that led to it, where the words need it.
    pub(crate) event: Option<&'a Event>,
}

/// Whether the words of a kind are made from its event.
pub(crate) fn needs_event(kind: NoticeKind) -> bool {
    matches!(
        kind,
        NoticeKind::Closed
            | NoticeKind::Touched
            | NoticeKind::RuleChanged
            | NoticeKind::Message
            | NoticeKind::AsksToJoin
            | NoticeKind::DynastyEnded
    )
}

impl GameView {
    /// A notice in words; none where the reader may not see what it is about, or it no longer stands. `base` is how
    /// addresses of the site begin.
    pub(crate) fn notice(&self, asked: NoticeAsked<'_>, base: &str) -> Option<NoticeText> {
        let mut text = self.worded(asked)?;
        text.answered = self.answered(asked.topic);
        text.heading = one_line(&text.heading);
        text.link = format!("{base}{}", text.link);
        text.clause = text
            .clause
            .map(|(title, address)| (title, format!("{base}{address}")));
        Some(text)
    }

    fn worded(&self, asked: NoticeAsked<'_>) -> Option<NoticeText> {
        match (asked.kind, asked.topic) {
            (NoticeKind::VoteWanted, NoticeTopic::Post(id)) => self.vote_wanted(*id),
            (NoticeKind::CanClose, NoticeTopic::Post(id)) => self.can_close(*id),
            (NoticeKind::Closed, NoticeTopic::Post(id)) => self.closing(*id, asked.event),
            (NoticeKind::YourMove, NoticeTopic::Line(digest)) => self.your_move(digest),
            (NoticeKind::Question | NoticeKind::DueSoon, topic) => self.question(asked.kind, topic),
            (
                NoticeKind::Mentioned
                | NoticeKind::Answered
                | NoticeKind::Followed
                | NoticeKind::Posted,
                topic,
            ) => self.written(asked.kind, topic),
            (NoticeKind::Touched, NoticeTopic::Event(_)) => self.touched(asked.event?),
            (NoticeKind::Message, NoticeTopic::Message(id)) => self.letter(*id, asked.event),
            (NoticeKind::Disputed, NoticeTopic::Claim(seq)) => self.disputed(*seq),
            (NoticeKind::AsksToJoin, NoticeTopic::Person(id)) => {
                self.asks_to_join(*id, asked.event)
            }
            (NoticeKind::DynastyEnded, NoticeTopic::Dynasty(number)) => {
                self.new_dynasty(*number, asked.event)
            }
            (NoticeKind::RuleChanged, NoticeTopic::Rule(rule)) => {
                self.rule_changed(rule, asked.event?)
            }
            _ => None,
        }
    }

    /// What an answer by mail to something does; empty where there is nothing to answer.
    fn answered(&self, topic: &NoticeTopic) -> String {
        if let NoticeTopic::Message(id) = topic {
            let message = self.state().messages.get(id);
            let from = message.and_then(|message| message.from);
            return from.map_or_else(String::new, |_| "to write back".to_owned());
        }
        let Some(post) = topic.post().and_then(|id| self.state().posts.get(&id)) else {
            return String::new();
        };
        let category = self.law.categories.get(&post.category);
        let icons = category.map_or(&[][..], |category| category.it.icons.as_slice());
        let icons = icons.iter().take(2);
        let icons: Vec<String> = icons.map(|icon| icon.as_str().to_uppercase()).collect();
        match icons.as_slice() {
            [] => "to comment on it".to_owned(),
            icons if self.is_open(post) => format!(
                "to comment on it; with an icon such as {} alone on the first line it is a vote",
                icons.join(" or ")
            ),
            _ => "to comment on it".to_owned(),
        }
    }

    fn text(
        &self,
        heading: String,
        to: impl Into<Href>,
        to_do: &str,
        thread: String,
    ) -> NoticeText {
        NoticeText {
            heading,
            body: String::new(),
            reason: format!("You play in {}.", self.title()),
            clause: None,
            link: to.into().as_str().to_owned(),
            to_do: to_do.to_owned(),
            thread: format!("{}.{thread}", self.game),
            answered: String::new(),
            answer_to: None,
        }
    }

    fn excerpt(&self, text: &str) -> String {
        markup::excerpt(text, &self.terms, EXCERPT)
    }

    /// A post that the reader may see.
    fn visible_post(&self, id: PostId) -> Option<&Post> {
        let post = self.state().posts.get(&id)?;
        self.sight().post(post).then_some(post)
    }

    fn href_of(&self, id: PostId) -> Href {
        let post = id.to_string();
        urls::Post {
            game: self.game.as_str(),
            post: &post,
        }
        .into()
    }

    fn vote_wanted(&self, id: PostId) -> Option<NoticeText> {
        let post = self.visible_post(id)?;
        if !needs::lacks_my_vote(self, id, post) {
            return None;
        }
        let heading = format!("Your vote is wanted: {}", self.themed(post.title.as_str()));
        let mut text = self.text(heading, self.href_of(id).at("vote"), "Vote", thread(id));
        let author = self.author(&post.author).name;
        text.body = format!("{}\n\nBy {author}.", self.excerpt(post.body.as_str()));
        let category = self.law.categories.get(&post.category)?;
        let reason = format!(
            "You are a player of {}, in which a {} is voted on.",
            self.title(),
            self.category_title(post)
        );
        Some(because(text, reason, self.cite_site(&category.site)))
    }

    fn can_close(&self, id: PostId) -> Option<NoticeText> {
        let post = self.visible_post(id)?;
        let me = self.me?;
        let decl = waiting::ripe(self, me, id, post)?;
        let heading = format!("Can be closed: {}", self.themed(post.title.as_str()));
        let to_do = self.themed(&decl.it.title);
        let mut text = self.text(heading, self.href_of(id), &to_do, thread(id));
        text.body = self
            .verdict(id)
            .map_or_else(String::new, |verdict| verdict.sentence().trim().to_owned());
        let reason = format!("Your office in {} lets you close it.", self.title());
        Some(because(text, reason, self.cite_site(&decl.site)))
    }

    fn closing(&self, id: PostId, event: Option<&Event>) -> Option<NoticeText> {
        let post = self.visible_post(id)?;
        post.closed_at?;
        let status = self
            .status(post)
            .map_or_else(|| "closed".to_owned(), |it| it.word);
        let heading = format!("{status}: {}", self.themed(post.title.as_str()));
        let mut text = self.text(heading, self.href_of(id), "See what it did", thread(id));
        let mut parts = vec![self.closing_note(post)];
        parts.extend(event.map(|event| self.done_by(event)));
        parts.retain(|part| !part.is_empty());
        text.body = parts.join("\n\n");
        let is_closing = |effect: &Effect| matches!(effect, Effect::Post { key, .. } if *key == id);
        let cite = event.and_then(|event| self.cause(event, is_closing));
        let reason = format!("You play in {}, whose matter it was.", self.title());
        Some(because(text, reason, cite))
    }

    /// What an event did: to the law, and to the reader.
    fn done_by(&self, event: &Event) -> String {
        let mut rules: Vec<String> = event
            .steps
            .iter()
            .filter_map(|step| self.rule_of(step))
            .collect();
        rules.dedup();
        let mut lines = Vec::new();
        if !rules.is_empty() {
            lines.push(format!("Rules changed: {}.", rules.join(", ")));
        }
        let mine = self.changes_of_mine(event);
        if !mine.is_empty() {
            lines.push("What it changed for you:".to_owned());
            lines.extend(mine);
        }
        lines.join("\n")
    }

    /// The clause whose code led to the first effect of a kind, where the reader may know what was done.
    fn cause(&self, event: &Event, is_it: impl Fn(&Effect) -> bool) -> Option<Cite> {
        let step = event.steps.iter().find(|step| is_it(&step.effect))?;
        let cite = self.cite(&step.rule, step.clause);
        cite.filter(|_| self.may_know(event))
    }

    fn rule_of(&self, step: &quorate_kernel::effect::Step) -> Option<String> {
        let Effect::Rule { old, new, .. } = &step.effect else {
            return None;
        };
        let rule = new.as_ref().or(old.as_ref())?;
        Some(self.themed(&rule.title))
    }

    /// What an event changed of the reader's own, as far as they may see it.
    fn changes_of_mine(&self, event: &Event) -> Vec<String> {
        let Some(me) = self.me else {
            return Vec::new();
        };
        let name = self.name(me);
        let (changed, _) = self.values_of(event);
        let is_mine = |(whose, _, old, new): &(String, String, String, String)| {
            *whose == name || *old == name || *new == name
        };
        let mine: Vec<_> = changed.into_iter().filter(is_mine).collect();
        let more = mine.len().saturating_sub(CHANGES);
        let told = mine.into_iter().take(CHANGES);
        let mut lines: Vec<String> = told
            .map(|(whose, title, old, new)| {
                let of = match whose.as_str() {
                    "" => title,
                    whose if whose == name => title,
                    whose => format!("{whose}, {title}"),
                };
                format!("{of}: {old} → {new}")
            })
            .collect();
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        lines
    }

    fn your_move(&self, digest: &str) -> Option<NoticeText> {
        let lines = needs::asked_by_law(self);
        let line = lines
            .iter()
            .find(|line| line_digest(&line.title) == digest)?;
        let heading = line.title.clone();
        let text = self.text(
            heading,
            line.href.clone(),
            "Do it",
            format!("line-{digest}"),
        );
        let reason = format!("In {}, {}.", self.title(), line.note);
        let list = self
            .law
            .derived(&Name::from("Game"), conventions::OBLIGATIONS);
        Some(because(
            text,
            reason,
            list.and_then(|list| self.cite_site(&list.site)),
        ))
    }

    fn question(&self, kind: NoticeKind, topic: &NoticeTopic) -> Option<NoticeText> {
        let me = self.me?;
        let act: Href = urls::Act {
            game: self.game.as_str(),
        }
        .into();
        let (title, deadline, default, href, cite) = match topic {
            NoticeTopic::Duty(id) => {
                let duty = self
                    .state()
                    .duties
                    .get(&id.0)
                    .filter(|duty| duty.to == me)?;
                let decl = self.law.decisions.get(&duty.decision);
                let cite = decl.and_then(|decl| self.cite_site(&decl.site));
                let href = act.at(&format!("duty-{}", id.0));
                (
                    self.duty_title(duty),
                    duty.deadline,
                    &duty.default,
                    href,
                    cite,
                )
            }
            NoticeTopic::Open(player, action) if *player == me => {
                let (key, open) = self
                    .state()
                    .open
                    .iter()
                    .find(|(key, _)| key.who == me && key.action == *action)?;
                let decl = self.law.actions.get(&key.action);
                let cite = decl.and_then(|decl| self.cite_site(&decl.site));
                let href = act.at(&format!("ask-{}", key.action));
                let question = &open.question;
                (
                    question.what.clone(),
                    open.deadline,
                    &question.default,
                    href,
                    cite,
                )
            }
            _ => return None,
        };
        let heading = match kind {
            NoticeKind::DueSoon => format!("Due {}: {title}", self.when(deadline).full()),
            _ => format!("A question waits for you: {title}"),
        };
        let mut text = self.text(heading, href, "Answer", topic.to_string().replace(':', "-"));
        text.body = format!(
            "It waits until {}. Without your answer it is: {}.",
            self.when(deadline).full(),
            self.label(default)
        );
        let reason = format!("It was left to you in {}.", self.title());
        Some(because(text, reason, cite))
    }

    fn comment_seen(&self, topic: &NoticeTopic) -> Option<(PostId, Option<&Comment>)> {
        match topic {
            NoticeTopic::Post(id) => Some((*id, None)),
            NoticeTopic::Comment(post, id) => {
                let mut under = self.state().comments_of(*post);
                let (_, comment) = under.find(|(key, _)| key.id == *id)?;
                self.sight()
                    .comment(comment)
                    .then_some((*post, Some(comment)))
            }
            _ => None,
        }
    }

    /// Something that somebody wrote: a post or a comment.
    fn written(&self, kind: NoticeKind, topic: &NoticeTopic) -> Option<NoticeText> {
        let (id, comment) = self.comment_seen(topic)?;
        let post = self.visible_post(id)?;
        let title = self.themed(post.title.as_str());
        let (author, words) = match comment {
            Some(comment) => (&comment.author, comment.text.as_str()),
            None => (&post.author, post.body.as_str()),
        };
        let by = self.author(author).name;
        let heading = match (kind, comment) {
            (NoticeKind::Mentioned, _) => format!("{by} names you: {title}"),
            (_, Some(_)) => format!("{by} commented: {title}"),
            (NoticeKind::Posted, None) => format!("{}: {title}", self.category_title(post)),
            (_, None) => format!("{by} posted: {title}"),
        };
        let href = match (topic, comment) {
            (NoticeTopic::Comment(_, comment), Some(_)) => {
                self.href_of(id).at(&format!("c{comment}"))
            }
            _ => self.href_of(id),
        };
        let mut text = self.text(heading, href, "Read and answer", thread(id));
        text.body = self.excerpt(words);
        if kind == NoticeKind::Posted {
            text.body = format!("{}\n\nBy {by}.", text.body);
        }
        text.reason = match kind {
            NoticeKind::Mentioned => format!("Your name stands in it, in {}.", self.title()),
            NoticeKind::Answered => format!("You wrote the post, in {}.", self.title()),
            NoticeKind::Posted => format!("New in {}.", self.title()),
            _ => format!("You follow it in {}.", self.title()),
        };
        Some(text)
    }

    fn touched(&self, event: &Event) -> Option<NoticeText> {
        let mine = self.changes_of_mine(event);
        if mine.is_empty() {
            return None;
        }
        let heading = if self.may_know(event) {
            self.event_line(event)
        } else {
            "Somebody changed something of yours".to_owned()
        };
        let number = event.seq.to_string();
        let link = urls::Event {
            game: self.game.as_str(),
            event: &number,
        };
        let mut text = self.text(
            heading,
            link,
            "See what happened",
            format!("event-{number}"),
        );
        text.body = mine.join("\n");
        let me = self.me?;
        let is_mine = |effect: &Effect| match effect {
            Effect::Cell { key, old, new } => owners(key, old.as_ref(), new.as_ref()).contains(&me),
            _ => false,
        };
        let cite = self.cause(event, is_mine);
        let reason = format!("It changed something of yours in {}.", self.title());
        Some(because(text, reason, cite))
    }

    fn letter(&self, id: MessageId, event: Option<&Event>) -> Option<NoticeText> {
        let me = self.me?;
        let message = self.state().messages.get(&id)?;
        if !self.sight().message(message) || !self.has_unread(id, message) {
            return None;
        }
        let circle = messages::circle(message, me);
        let from = message
            .from
            .map_or_else(|| self.title(), |from| self.name(from));
        let word = messages::word(&circle);
        let link = urls::Thread {
            game: self.game.as_str(),
            thread: &word,
        };
        let heading = format!("{from} wrote to you");
        let mut text = self.text(heading, link, "Read and answer", format!("thread-{word}"));
        text.body = self.excerpt(message.text.plain()?);
        if message.from.is_some() {
            text.reason = format!("It is a private message in {}.", self.title());
            return Some(text);
        }
        let is_it = |effect: &Effect| matches!(effect, Effect::Message { key, .. } if *key == id);
        let cite = event.and_then(|event| self.cause(event, is_it));
        let reason = format!("A rule of {} sent it to you.", self.title());
        Some(because(text, reason, cite))
    }

    fn disputed(&self, seq: EventSeq) -> Option<NoticeText> {
        let me = self.me?;
        let claims = self.state().claims.iter();
        let (_, claim) = claims
            .filter(|(_, claim)| claim.by == me && claim.standing == ClaimStanding::Disputed)
            .find(|(id, _)| id.event() == seq)?;
        let names: Vec<String> = claim.disputed_by.iter().map(|id| self.name(*id)).collect();
        let number = seq.to_string();
        let link = urls::Event {
            game: self.game.as_str(),
            event: &number,
        };
        let heading = format!("{} disputes a change that you recorded", names.join(", "));
        let mut text = self.text(heading, link, "See it", format!("event-{number}"));
        text.body = format!("You gave as the reason: {}", claim.reason.as_str());
        let cite = self.cite(&claim.rule, 0);
        let reason = "You recorded it by hand, resting on this rule.".to_owned();
        Some(because(text, reason, cite))
    }

    fn asks_to_join(&self, id: PlayerId, event: Option<&Event>) -> Option<NoticeText> {
        let person = self.state().people.get(&id)?;
        let is_admin = self.me.is_some_and(|me| self.has_flag(me, "admin"));
        let is_meant = self
            .me
            .is_none_or(|me| self.standings(&[me]).is_meant(&Whom::Admins, me));
        if person.standing != Standing::Applicant || !is_meant {
            return None;
        }
        let game = self.game.as_str();
        let link: Href = if is_admin {
            urls::Desk { game }.into()
        } else {
            urls::Players { game }.into()
        };
        let heading = format!("{} asks to join", self.name(id));
        let text = self.text(heading, link, "See who asks", format!("person-{id}"));
        let is_it = |effect: &Effect| matches!(effect, Effect::Person { key, .. } if *key == id);
        let cite = event.and_then(|event| self.cause(event, is_it));
        let reason = if is_admin {
            format!("You are an admin of {}.", self.title())
        } else {
            format!("{} has somebody new.", self.title())
        };
        Some(because(text, reason, cite))
    }

    fn new_dynasty(&self, number: u32, event: Option<&Event>) -> Option<NoticeText> {
        let dynasty = self.state().dynasties.get(&number)?;
        let word = number.to_string();
        let link = urls::Dynasty {
            game: self.game.as_str(),
            dynasty: &word,
        };
        let title = dynasties::title(self, number, dynasty);
        let heading = format!("A dynasty ended; now: {title}");
        let text = self.text(heading, link, "See it", format!("dynasty-{word}"));
        let is_it =
            |effect: &Effect| matches!(effect, Effect::Dynasty { key, .. } if *key == number);
        let cite = event.and_then(|event| self.cause(event, is_it));
        let reason = format!("You play in {}.", self.title());
        Some(because(text, reason, cite))
    }

    fn rule_changed(&self, rule: &quorate_kernel::Name, event: &Event) -> Option<NoticeText> {
        let step = event
            .steps
            .iter()
            .find(|step| matches!(&step.effect, Effect::Rule { key, .. } if key == rule))?;
        let title = self.rule_of(step)?;
        let Effect::Rule { new, .. } = &step.effect else {
            return None;
        };
        let game = self.game.as_str();
        let (what, link): (&str, Href) = if new.is_some() {
            let rule = rule.as_str();
            ("changed", urls::RuleHistory { game, rule }.into())
        } else {
            let event = &event.seq.to_string();
            ("was repealed", urls::Event { game, event }.into())
        };
        let heading = format!("The rule {title} {what}");
        let text = self.text(heading, link, "See what changed", format!("rule-{rule}"));
        let cite = self.cite(&step.rule, step.clause);
        let reason = if self.me.is_some() {
            format!("You follow it in {}.", self.title())
        } else {
            format!("The law of {} changed.", self.title())
        };
        Some(because(text, reason, cite))
    }
}

/// With why, and the clause that it rests on.
fn because(mut text: NoticeText, reason: String, cite: Option<Cite>) -> NoticeText {
    text.reason = reason;
    text.clause = cite.and_then(|cite| {
        let href = cite.href?;
        Some((cite.text, href.as_str().to_owned()))
    });
    text
}

/// What mail about a post has in common.
fn thread(id: PostId) -> String {
    format!("post-{id}")
}

/// A text on one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// By what a line of the law is known without its words.
pub(crate) fn line_digest(line: &str) -> String {
    blake3::hash(line.as_bytes()).to_hex()[..16].to_owned()
}
