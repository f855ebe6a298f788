//! Drafts: what somebody writes in a form, kept on the server for them alone until it is posted.

use quorate_kernel::{GameId, PostId};
use quorate_runtime::ports::{AccountId, DRAFTS_MAX, DraftKept, KeptDraft};

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::app::state::AppState;
use crate::ui::urls::{self, Href};
use crate::view::game::{GameContext, GameView};

/// The fields of a form's own that are no part of what was written.
const NOT_WRITTEN: [&str; 7] = ["do", "draft", "quiet", "rule", "back", "picture", "shows"];

/// The longest word of a form, in bytes.
const WORD_MAX: usize = 300;

/// A form that has a draft.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum DraftForm {
    /// A new post of a category, as addresses name it, begun with something: another post, a rule, an event.
    New {
        /// The category.
        category: String,
        /// What it was begun with, by the names of the address.
        begun: Vec<(String, String)>,
    },
    /// Another text for a post.
    Edit(PostId),
    /// A comment under a post.
    Comment(PostId),
}

impl DraftForm {
    /// The word by which pages and the store know it.
    pub(crate) fn word(&self) -> String {
        match self {
            Self::New { category, begun } => {
                let mut line = form_urlencoded::Serializer::new(String::new());
                line.append_pair("new", category);
                line.extend_pairs(begun);
                line.finish()
            }
            Self::Edit(post) => format!("edit={post}"),
            Self::Comment(post) => format!("comment={post}"),
        }
    }

    /// The form of that word.
    pub(crate) fn read(word: &str) -> Option<Self> {
        if word.len() > WORD_MAX {
            return None;
        }
        let mut pairs = form_urlencoded::parse(word.as_bytes()).into_owned();
        let (kind, of) = pairs.next()?;
        match kind.as_str() {
            "new" => {
                let begun: Vec<_> = pairs.collect();
                let is_known = |name: &str| ["from", "rule", "strike"].contains(&name);
                let are_known = begun.iter().all(|(name, _)| is_known(name));
                are_known.then_some(Self::New {
                    category: of,
                    begun,
                })
            }
            "edit" => of.parse().ok().map(Self::Edit),
            "comment" => of.parse().ok().map(Self::Comment),
            _ => None,
        }
    }

    /// Where the form is.
    pub(crate) fn href(&self, game: &str) -> Href {
        match self {
            Self::New { category, begun } => {
                let mut href: Href = urls::ComposeIn { game, category }.into();
                for (name, value) in begun {
                    href = href.with(name, value);
                }
                href
            }
            Self::Edit(post) => {
                let post = post.to_string();
                urls::PostEdit { game, post: &post }.into()
            }
            Self::Comment(post) => {
                let post = post.to_string();
                Href::from(urls::Post { game, post: &post }).at("vote")
            }
        }
    }

    /// The form that a page sent along.
    pub(crate) fn of(form: &Posted) -> Option<Self> {
        Self::read(form.one("draft")?)
    }
}

/// A draft as it is shown to whoever writes it.
pub(crate) struct OwnDraft {
    /// The form.
    pub(crate) form: DraftForm,
    /// What was written.
    pub(crate) kept: KeptDraft,
}

impl OwnDraft {
    /// The form as it was sent.
    pub(crate) fn fields(&self) -> Posted {
        Posted::of_draft(&self.kept.fields)
    }

    /// The words of a comment, and others that are to follow them.
    pub(crate) fn text_with(&self, more: &str) -> String {
        let fields = self.fields();
        let written = fields.one("text").unwrap_or_default();
        let between = if more.is_empty() { "" } else { "\n\n" };
        [written, more].join(between)
    }
}

/// Where forms are kept as drafts, where drafts are deleted, and where pictures are put into them.
pub(crate) fn ways(game: &str) -> (Href, Href, Href) {
    let (keep, delete) = (urls::DraftKeep { game }, urls::DraftDelete { game });
    let upload = urls::UploadTake { game };
    (keep.into(), delete.into(), upload.into())
}

/// The draft that the reader has for a form about a post, by the word of its address.
pub(crate) async fn own_of(
    view: &GameView,
    post: &str,
    form: fn(PostId) -> DraftForm,
) -> Result<Option<OwnDraft>, AppError> {
    match post.parse() {
        Ok(id) => own(view, form(id)).await,
        Err(_) => Ok(None),
    }
}

/// The draft that the reader has for a form.
pub(crate) async fn own(view: &GameView, form: DraftForm) -> Result<Option<OwnDraft>, AppError> {
    let Some(id) = view.visitor().id() else {
        return Ok(None);
    };
    let drafts = &view.app().deps.drafts;
    let kept = drafts.draft(id, view.game(), &form.word()).await?;
    Ok(kept.map(|kept| OwnDraft { form, kept }))
}

/// All drafts that the reader has in the game, the last written first.
pub(crate) async fn all(view: &GameView) -> Result<Vec<OwnDraft>, AppError> {
    let Some(id) = view.visitor().id() else {
        return Ok(Vec::new());
    };
    let drafts = &view.app().deps.drafts;
    let all = drafts.drafts(id, view.game()).await?.into_iter();
    let all = all.filter_map(|kept| {
        let form = DraftForm::read(&kept.form)?;
        Some(OwnDraft { form, kept })
    });
    Ok(all.collect())
}

/// The fields of a form that somebody filled in, in one line.
fn written(sent: &Posted) -> String {
    let mut fields = form_urlencoded::Serializer::new(String::new());
    for (name, values) in sent.given().filter(|(name, _)| !NOT_WRITTEN.contains(name)) {
        for value in values {
            fields.append_pair(name, value);
        }
    }
    fields.finish()
}

/// Keeps what was sent; a form in which nothing is written has no draft.
pub(crate) async fn keep(
    context: &GameContext,
    form: &DraftForm,
    sent: &Posted,
) -> Result<(), AppError> {
    let is_written = [
        "title", "body", "text", "flavour", "script", "manual", "edit", "pick",
    ];
    if is_written.iter().all(|name| sent.filled(name).is_none()) {
        return drop_own(context, form).await;
    }
    let Some(id) = context.visitor().id() else {
        return Err(AppError::NotFound);
    };
    let title = match (sent.filled("title"), sent.filled("text")) {
        (Some(title), _) => title,
        (None, Some(text)) => text,
        (None, None) => sent.filled("body").unwrap_or_default(),
    };
    let title: String = title
        .chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .take(80)
        .collect();
    let draft = KeptDraft {
        game: context.game().clone(),
        form: form.word(),
        title,
        at: context.now(),
        fields: written(sent),
    };
    let site = context.app();
    let kept = site.deps.drafts.keep_draft(id, &draft).await?;
    site.note_draft(id);
    match kept {
        DraftKept::Kept => Ok(()),
        DraftKept::TooMany => Err(AppError::Form(format!(
            "You have {DRAFTS_MAX} drafts, and no room for more. Delete one first."
        ))),
        DraftKept::TooLong => Err(AppError::Form(
            "Your drafts are too long to keep this one. Delete one first.".to_owned(),
        )),
    }
}

/// Drops the reader's draft for a form.
pub(crate) async fn drop_own(context: &GameContext, form: &DraftForm) -> Result<(), AppError> {
    let id = context.visitor().id();
    dropped(context.app(), id, context.game(), form).await
}

async fn dropped(
    site: &AppState,
    account: Option<AccountId>,
    game: &GameId,
    form: &DraftForm,
) -> Result<(), AppError> {
    if let Some(id) = account {
        let drafts = &site.deps.drafts;
        drafts.drop_draft(id, game, &form.word()).await?;
        site.note_draft(id);
    }
    Ok(())
}

/// The same after something was posted, which stands whatever becomes of the draft.
pub(crate) async fn posted(view: &GameView, form: &DraftForm) {
    let id = view.visitor().id();
    if let Err(error) = dropped(view.app(), id, view.game(), form).await {
        tracing::warn!(error = %error.what(), "a draft stayed after it was posted");
    }
}

/// The same after a form was sent that says whose draft it was. A vote by one click does not, and leaves what is written.
pub(crate) async fn sent(view: &GameView, form: &Posted) {
    if let Some(of) = DraftForm::of(form) {
        posted(view, &of).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_reads_back_from_its_word_and_leads_nowhere_else() {
        let forms = [
            DraftForm::New {
                category: "Story Post".to_owned(),
                begun: vec![("rule".to_owned(), "a&b".to_owned())],
            },
            DraftForm::Edit("12".parse().unwrap()),
            DraftForm::Comment("12-3".parse().unwrap()),
        ];
        for form in forms {
            assert_eq!(DraftForm::read(&form.word()), Some(form));
        }
        for word in ["", "new=A&do=post", "edit=x", "//evil.example", "other=1"] {
            assert_eq!(DraftForm::read(word), None, "{word}");
        }
        let form = DraftForm::read("new=..%2F..%2Foperator").unwrap();
        assert_eq!(form.href("reef").as_str(), "/g/reef/new/..%2F..%2Foperator");
    }
}
