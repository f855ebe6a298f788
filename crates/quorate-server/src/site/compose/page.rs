//! Writing a post: category first, its rules beside the form, a preview before anything is published.

use askama::Template;

use crate::ui::markup::Markup;
use crate::ui::urls::Href;
use crate::ui::{Change, Chrome, Cite, EffectGroup, Field, Link, Refusal, Send, When};

/// A category to write in.
#[derive(Clone, Debug)]
pub struct PostKind {
    /// "Proposal".
    pub title: String,
    /// What it is for.
    pub about: String,
    /// Its form.
    pub href: Href,
    /// Whether its form is shown.
    pub is_chosen: bool,
    /// Why it cannot be written in now.
    pub closed: Option<Refusal>,
}

/// A draft of the reader's.
#[derive(Clone, Debug)]
pub struct DraftLine {
    /// "Proposal", "Comment".
    pub kind: String,
    /// Its title, and its form.
    pub to: Link,
    /// When it was last written.
    pub when: When,
    /// What deletes it.
    pub delete: Send,
}

/// A rule about posts of the chosen category, with how the writer stands to it.
#[derive(Clone, Debug)]
pub struct RuleOfForm {
    /// "1 of 2 pending", "needs a tag".
    pub text: String,
    /// What the clause goes on to say.
    pub rest: String,
    /// Whether it is kept as things stand.
    pub is_kept: bool,
}

/// A rule that the proposal changes, or a new one.
#[derive(Clone, Debug)]
pub struct RuleEdit {
    /// Its name in the form, unique on the page.
    pub id: String,
    /// "Rule 14, Activities", "A new rule in Dynastic rules".
    pub place: String,
    /// Its title.
    pub title: Field,
    /// Its clauses.
    pub clauses: Vec<ClauseEdit>,
    /// The box that repeals it; a new rule has none.
    pub repeal: Option<Field>,
    /// What the check says of it, with line and caret; empty where it finds nothing wrong, none before it has run.
    pub report: Option<String>,
    /// What changes, once the check has run.
    pub changes: Vec<Change>,
}

/// A clause as the form shows it: its words and its code apart, and together.
#[derive(Clone, Debug)]
pub struct ClauseEdit {
    /// Its number; 0 for what stands before the first one.
    pub number: u32,
    /// Its first words.
    pub words: String,
    /// Whether it is unfolded.
    pub is_open: bool,
    /// Its words and its code, in their order.
    pub fields: Vec<Field>,
}

/// A change of another kind that the proposal makes.
#[derive(Clone, Debug)]
pub struct PickEdit {
    /// Its name in the form, unique on the page.
    pub id: String,
    /// "Set a value".
    pub title: String,
    /// Whether all its fields are there; the others appear once the first is picked.
    pub is_begun: bool,
    /// What is picked and typed.
    pub fields: Vec<Field>,
    /// What it changes, where no fields show it.
    pub told: Vec<Change>,
}

/// The form of a category.
#[derive(Clone, Debug)]
pub struct Writing {
    /// "New proposal".
    pub title: String,
    /// The word of its draft.
    pub draft: String,
    /// Where it is kept as a draft, where its draft is deleted, and where a picture is put into it.
    pub keeps: (Href, Href, Href),
    /// When it was written, where a draft is shown.
    pub kept: Option<When>,
    /// Where it goes.
    pub send: Send,
    /// Title, text, and what the category declares.
    pub fields: Vec<Field>,
    /// Below the changes: one-off code, what people do by hand, flavour text.
    pub more: Vec<Field>,
    /// Rules that it changes; only for categories that carry changes.
    pub edits: Vec<RuleEdit>,
    /// Its changes of other kinds.
    pub picks: Vec<PickEdit>,
    /// The choice of one more clause to change.
    pub add: Option<Field>,
    /// Whether changes are folded away: such posts are not voted on and seldom carry any.
    pub folds_changes: bool,
    /// What the law asks of such posts.
    pub rules: Vec<RuleOfForm>,
    /// What it says about tags in their titles, and where.
    pub tags: Vec<(String, Option<Cite>)>,
    /// The post as it would stand, after "Preview".
    pub preview: Option<(String, Markup, Vec<Change>)>,
    /// What it would do, after "Preview".
    pub effects: Vec<EffectGroup>,
    /// What the check says beside the edited rules; none before it has run.
    pub check: Option<Vec<String>>,
    /// Whether it may be published as it stands; the button appears after a preview only.
    pub refusal: Option<Refusal>,
    /// "Post the proposal"; the published post can be edited for so long.
    pub button: String,
    /// "You can edit it for 15 minutes after that, or until the first comment."
    pub afterwards: String,
}

impl Writing {
    /// What happens once at the enactment: code, and what people do by hand.
    fn once(&self) -> Vec<&Field> {
        let fields = self.more.iter();
        fields.filter(|field| field.name != "flavour").collect()
    }

    /// Whether anything happens once.
    fn has_once(&self) -> bool {
        self.once().iter().any(|field| field.is_filled())
    }

    /// The words of the button that takes up one more change.
    fn add_words(&self) -> &'static str {
        if self.edits.is_empty() && self.picks.is_empty() {
            "Add this change"
        } else {
            "Add another change"
        }
    }
}

/// Writing a post.
#[derive(Clone, Debug, Template)]
#[template(path = "site/compose/compose.html")]
pub struct Compose {
    /// Around it.
    pub chrome: Chrome,
    /// The categories that the law declares.
    pub kinds: Vec<PostKind>,
    /// The chosen one's form.
    pub writing: Option<Writing>,
    /// What the reader was writing, beside the choice of a category.
    pub drafts: Vec<DraftLine>,
}

impl Compose {
    /// The categories that cannot be written in now, those of one reason together.
    fn closed(&self) -> Vec<(String, &Refusal)> {
        let mut found: Vec<(String, &Refusal)> = Vec::new();
        for kind in &self.kinds {
            let Some(no) = &kind.closed else { continue };
            let alike = |other: &&mut (String, &Refusal)| other.1.reason() == no.reason();
            match found.iter_mut().find(alike) {
                Some((titles, _)) => {
                    titles.push_str(", ");
                    titles.push_str(&kind.title);
                }
                None => found.push((kind.title.clone(), no)),
            }
        }
        found
    }
}
