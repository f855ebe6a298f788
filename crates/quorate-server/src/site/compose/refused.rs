//! What the law says against a post that is being written, beside the field that it is about.

use quorate_kernel::{Refusal, Topic};

use crate::site::compose::draft::Draft;
use crate::site::compose::page::Writing;
use crate::ui;
use crate::view::game::GameView;

impl Draft {
    /// Whether there is anything of it to preview.
    pub(crate) fn says_something(&self) -> bool {
        !self.title.trim().is_empty() || !self.body.trim().is_empty()
    }

    /// The refusal as the page shows it, with the field that it is about, where it names one.
    pub(crate) fn refused(&self, view: &GameView, refusal: &Refusal) -> ui::Refusal {
        let mut shown = view.refusal("This post", refusal);
        let fields = self.fields(view);
        let more = self.more_fields(view);
        for need in &mut shown.needs {
            let (Topic::Argument(name) | Topic::Range { value: name, .. }) = &need.topic else {
                continue;
            };
            let mut all = fields.iter().chain(&more);
            let Some(field) = all.find(|field| *name == *field.name.as_str()) else {
                continue;
            };
            // There is only this post yet: whose value it is goes without saying.
            if let Topic::Range { of, .. } = &mut need.topic {
                of.clone_from(&field.label);
            }
            shown.field.get_or_insert_with(|| {
                let id = field.id.clone();
                (id, field.label.clone())
            });
        }
        shown
    }
}

/// Says at the field what the law says against it.
pub(crate) fn mark(writing: &mut Writing) {
    let Some(refusal) = &writing.refusal else {
        return;
    };
    let Some((id, _)) = &refusal.field else {
        return;
    };
    let mut fields = writing.fields.iter_mut().chain(&mut writing.more);
    if let Some(field) = fields.find(|field| field.id == *id) {
        field.error = Some(refusal.reason());
    }
}
