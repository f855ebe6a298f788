//! Posts, comments, votes and claims.

use std::sync::Arc;

use quorate_engine::Law;
use quorate_kernel::command::{Act, NewPost, typed};
use quorate_kernel::ids::{EventSeq, Id};
use quorate_kernel::seal::Sealed;
use quorate_kernel::{Name, PostId};
use quorate_law::datum::Type;
use quorate_law::world::World;

use super::commands::OPEN_MAX;
use super::game::SimulatedGame;

impl SimulatedGame {
    /// The matters that are open, the oldest first.
    pub(super) fn open_matters(&self) -> Vec<PostId> {
        let law = self.judge.law();
        let posts = self.state().posts.iter();
        let open =
            posts.filter(|(_, post)| post.closed_at.is_none() && is_votable(law, &post.category));
        open.map(|(id, _)| *id).collect()
    }

    /// Whether so many matters are open that nobody brings another.
    pub(super) fn is_full(&self) -> bool {
        self.open_matters().len() >= OPEN_MAX
    }

    /// The oldest matter that is open, or now and then any of them.
    pub(super) fn open_matter(&mut self) -> Option<PostId> {
        let open = self.open_matters();
        if self.chance.one_in(4) {
            self.chance.pick(&open)
        } else {
            open.first().copied()
        }
    }

    /// A comment: mostly a vote on an open matter, and mostly for it.
    pub(super) fn comment(&mut self) -> Act {
        let matter = if self.chance.one_in(6) {
            self.any_post()
        } else {
            self.open_matter()
        };
        let post = matter.unwrap_or(PostId(Id::new(EventSeq(2), 9)));
        let law = Arc::clone(self.judge.law());
        let category = self
            .state()
            .posts
            .get(&post)
            .map(|post| post.category.clone())
            .unwrap_or_default();
        let icons: Vec<Name> = law
            .categories
            .get(&category)
            .map(|decl| decl.it.icons.clone())
            .unwrap_or_default();
        let icon = self.chance.pick(&icons).unwrap_or_else(|| "for".into());
        let text = match self.chance.below(20) {
            0..=9 => ":for:".to_owned(),
            10..=13 => format!(":{icon}:"),
            14 => format!("I was :for: it, and now I am :{icon}:, {}", self.text()),
            15 => format!("`:{icon}:` in code, and :nonsense: and ::"),
            16 if self.chance.one_in(20) => "x".repeat(300_000),
            17 => format!(":{icon}: :{icon}: imperial"),
            _ => self.text().to_owned(),
        };
        Act::Comment {
            post,
            text: typed(&text),
        }
    }

    /// A post of any category, with or without changes.
    pub(super) fn new_post(&mut self) -> Act {
        let law = Arc::clone(self.judge.law());
        let votable = law.category_order.iter();
        let votable: Vec<Name> = votable
            .filter(|name| is_votable(&law, name))
            .cloned()
            .collect();
        let category = match self.chance.below(20) {
            0 => Name::default(),
            1 => Name::from("Nonsense"),
            2..=11 if !votable.is_empty() => self.chance.pick(&votable).unwrap_or_default(),
            _ => self.chance.pick(&law.category_order).unwrap_or_default(),
        };
        let tag = if self.chance.one_in(2) {
            self.tag()
        } else {
            String::new()
        };
        let title = if self.chance.one_in(12) {
            self.text().to_owned()
        } else {
            format!("{tag}Matter {}", self.keys)
        };
        let body = if self.chance.one_in(6) {
            self.text().to_owned()
        } else {
            "Let it be so.".to_owned()
        };
        let patch = (!self.chance.one_in(4)).then(|| Sealed::close(self.patch(), [0; 16]));
        let mut fields = Vec::new();
        for name in law
            .categories
            .get(&category)
            .map(|decl| decl.it.form.clone())
            .unwrap_or_default()
        {
            if self.chance.one_in(8) {
                continue;
            }
            let ty = self.judge.query(self.now, |tx| {
                let world: &dyn World = tx;
                world.attribute_type(category.as_str(), name.as_str())
            });
            let value = self.of_type(&ty.unwrap_or(Type::Any));
            fields.push((name, value));
        }
        Act::Post(Box::new(NewPost {
            category,
            title: typed(&title),
            body: typed(&body),
            flavour: typed(self.text()),
            fields,
            patch,
        }))
    }

    /// The bracketed word of a section, as some rulesets want it in a title.
    fn tag(&mut self) -> String {
        let titles: Vec<String> = self
            .state()
            .sections
            .values()
            .map(|section| section.title.clone())
            .collect();
        self.chance
            .pick(&titles)
            .map(|title| format!("[{title}] "))
            .unwrap_or_default()
    }

    pub(super) fn edit(&mut self) -> Act {
        let Some(post) = self.any_post() else {
            return self.new_post();
        };
        let patch = self
            .chance
            .one_in(2)
            .then(|| Sealed::close(self.patch(), [0; 16]));
        let title = if self.chance.one_in(6) {
            ""
        } else {
            "Another title"
        };
        Act::EditPost {
            post,
            title: typed(title),
            body: typed(self.text()),
            flavour: typed(""),
            patch,
        }
    }

    pub(super) fn claim(&mut self) -> Act {
        let rules: Vec<Name> = self.state().rules.keys().cloned().collect();
        let rule = self.chance.pick(&rules).unwrap_or_default();
        let patch = if self.chance.one_in(5) {
            self.patch()
        } else {
            self.values_patch()
        };
        let reason = if self.chance.one_in(8) {
            ""
        } else {
            "as the rule says"
        };
        Act::Claim {
            patch: Sealed::close(patch, [0; 16]),
            rule,
            reason: typed(reason),
        }
    }
}

fn is_votable(law: &Law, category: &Name) -> bool {
    let decl = law.categories.get(category);
    decl.is_some_and(|decl| !decl.it.icons.is_empty())
}
