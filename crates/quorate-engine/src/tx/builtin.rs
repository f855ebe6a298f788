//! Acts that every game has, whatever its law: posting, commenting, voting, messages. Guards may forbid them.

use quorate_kernel::rows::IconUse;
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, PlayerId, PostId, Refusal, Thing, Topic};
use quorate_law::datum::Datum;
use quorate_law::stop::{Answer, Site, Stop};

use super::Tx;
use super::actions::Attempt;
use super::posts::Draft;

/// The acts that every game has and that guards may forbid.
pub const NAMES: [&str; 13] = [
    "vote",
    "comment",
    "post",
    "message",
    "claim",
    "dispute",
    "undo",
    "answer",
    "apply-to-join",
    "leave",
    "edit",
    "withdraw",
    "recategorise",
];

/// The largest text that a person may post, in bytes.
pub const TEXT_MAX: usize = 256 * 1024;

impl Tx {
    /// A built-in act by its name, as `perform` and `allowed` take it.
    pub fn builtin_attempt(
        &self,
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
            let draft = Draft {
                category: Name::from(category),
                author: Some(actor),
                // Whoever only asks whether they may post has no title yet.
                title: Sealed::close(
                    if arg("title").is_some() {
                        text("title")
                    } else {
                        "…".to_owned()
                    },
                    self.salt(),
                ),
                body: Sealed::close(text("body"), self.salt()),
                flavour: Sealed::close("", self.salt()),
                patch: None,
            };
            return self.post_by(actor, draft, Vec::new()).map(|_| ());
        }
        match (action.as_str(), post) {
            ("vote", Some(post)) => {
                let line = format!(":{}:", text("icon"));
                self.comment_by(actor, post, Sealed::close(line, self.salt()))
            }
            ("comment", Some(post)) => {
                self.comment_by(actor, post, Sealed::close(text("text"), self.salt()))
            }
            (
                "message" | "claim" | "dispute" | "undo" | "answer" | "leave" | "apply-to-join"
                | "dice",
                _,
            ) => self.guards(&self.builtin_act(action, actor, post, args.clone())),
            _ => Err(Stop::Refused(Box::new(Refusal::plain(format!(
                "an action called \"{action}\""
            ))))),
        }
    }

    /// An attempt at a built-in act. It belongs to the rule that permits it by name, or that declares the category.
    pub fn builtin_act(
        &self,
        action: &Name,
        actor: PlayerId,
        post: Option<PostId>,
        args: Vec<(Name, Datum)>,
    ) -> Attempt {
        Attempt {
            actor,
            action: action.clone(),
            site: self.home_of(action),
            post,
            args,
            tags: Vec::new(),
            body: None,
        }
    }

    /// The clause to which a built-in act belongs; no clause where no rule claims it.
    pub fn home_of(&self, action: &Name) -> Site {
        let law = self.frame().law;
        if let Some(category) = action.as_str().strip_prefix("post ")
            && let Some(category) = law.categories.get(category)
        {
            return category.site.clone();
        }
        // A later rule that permits it too does not take the act away from the one that was there first.
        law.guards
            .iter()
            .filter(|guard| !guard.it.forbids && guard.it.scope.actions.contains(action))
            .min_by_key(|guard| law.place(&guard.site.rule).since)
            .map(|guard| guard.site.clone())
            .unwrap_or_default()
    }

    /// A post by a player: who may, guards, limits, then the post, its fields and the hooks.
    pub fn post_by(
        &self,
        actor: PlayerId,
        draft: Draft,
        fields: Vec<(Name, Datum)>,
    ) -> Answer<PostId> {
        fits_in(
            draft.title.as_str(),
            1_000,
            "title",
            "a title of at most 1,000 bytes",
        )?;
        fits_in(
            draft.body.as_str(),
            TEXT_MAX,
            "body",
            "a text of at most 256 KiB",
        )?;
        fits_in(
            draft.flavour.as_str(),
            TEXT_MAX,
            "flavour",
            "a flavour text of at most 256 KiB",
        )?;
        let law = self.frame().law;
        let category = draft.category.clone();
        if category.is_empty() {
            self.guards(&self.builtin_act(&"post".into(), actor, None, vec![]))?;
        } else {
            let Some(decl) = law.categories.get(&category).cloned() else {
                return Err(Stop::Refused(Box::new(Refusal::plain(format!(
                    "a category called \"{category}\""
                )))));
            };
            let name = Name::from(format!("post {category}"));
            let mut args = vec![(
                Name::from("title"),
                Datum::Text(draft.title.as_str().into()),
            )];
            args.extend(fields.iter().cloned());
            let attempt = self.builtin_act(&name, actor, None, args);
            self.who(&attempt, decl.it.by.as_ref(), &decl.it.admits)?;
            self.guards(&attempt)?;
            self.limits(&name, &decl.it.limits, actor, &decl.site)?;
            if self.frame().trial {
                return Ok(PostId(self.make_id()));
            }
            if draft.title.as_str().trim().is_empty() {
                let refusal = self.refusal_at(&decl.site, "a title");
                return Err(Stop::refused(refusal.about(argument("title"))));
            }
            self.use_up(&name, &decl.it.limits, actor);
        }
        let id = self.make_post(draft);
        self.fill_in(id, &category, fields)?;
        self.announce_post(id);
        Ok(id)
    }

    /// Writes the fields of a category's form, and no others.
    fn fill_in(&self, id: PostId, category: &Name, fields: Vec<(Name, Datum)>) -> Answer<()> {
        let law = self.frame().law;
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
            match self.set_attribute(&Thing::Post(id), name.as_str(), datum) {
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
    pub fn comment_by(&self, actor: PlayerId, post: PostId, text: Sealed<str>) -> Answer<()> {
        fits_in(
            text.as_str(),
            TEXT_MAX,
            "text",
            "a comment of at most 256 KiB",
        )?;
        if text.as_str().trim().is_empty() {
            return Err(Stop::Refused(Box::new(Refusal::plain(
                "a comment with words or an icon",
            ))));
        }
        let category = self
            .kind_of(&Thing::Post(post))
            .map_err(|_| Stop::Refused(Box::new(Refusal::plain("a post that exists"))))?;
        self.guards(&self.builtin_act(&"comment".into(), actor, Some(post), vec![]))?;
        let known = self.icon_names();
        let icons =
            super::posts::icons_in(text.as_str(), &|word| known.iter().any(|name| name == word));
        let mut uses = Vec::with_capacity(icons.len());
        for icon in icons {
            let counted = self.can_cast(actor, post, &category, &icon)?;
            uses.push(IconUse {
                name: icon,
                counted,
            });
        }
        if self.frame().trial {
            return Ok(());
        }
        self.make_comment(post, Some(actor), text, uses).map(|_| ())
    }

    /// Whether an icon is a vote: the matter takes it, its author is a player for the rule of votes. A guard that
    /// forbids the vote refuses the comment.
    fn can_cast(
        &self,
        actor: PlayerId,
        post: PostId,
        category: &Name,
        icon: &Name,
    ) -> Answer<bool> {
        let law = self.frame().law;
        let usable = law
            .categories
            .get(category)
            .is_some_and(|decl| decl.it.icons.contains(icon));
        if !usable {
            return Ok(false);
        }
        let args = vec![(Name::from("icon"), Datum::Text(icon.as_str().into()))];
        let attempt = self.builtin_act(&"vote".into(), actor, Some(post), args);
        if !self.counts_for(actor, &attempt.site.rule, &[])? {
            return Ok(false);
        }
        self.guards(&attempt)?;
        Ok(true)
    }
}

fn argument(name: &str) -> Topic {
    Topic::Argument(name.into())
}

fn fits_in(text: &str, bytes_max: usize, name: &str, what: &str) -> Answer<()> {
    if text.len() <= bytes_max {
        return Ok(());
    }
    let mut refusal = Refusal::plain(what).about(argument(name));
    refusal.needs[0].have = format!("{} bytes", text.len());
    Err(Stop::Refused(Box::new(refusal)))
}
