//! What the law says against a post that is being written, beside the field that it is about.

use quorate_kernel::Refusal;

use crate::site::compose::draft::Draft;
use crate::site::compose::page::Writing;
use crate::ui;
use crate::view::game::GameView;

/// How a refusal ends that is about what a value may be.
const RANGE: &str = " within its range";

impl Draft {
    /// Whether there is anything of it to preview.
    pub(crate) fn says_something(&self) -> bool {
        !self.title.trim().is_empty() || !self.body.trim().is_empty()
    }

    /// The refusal as the page shows it, with the field that it is about, where it names one.
    pub(crate) fn refused(&self, look: &GameView, refusal: &Refusal) -> ui::Refusal {
        let mut shown = look.refusal("This post", refusal);
        let fields = self.fields(look);
        let more = self.more_fields(look);
        for need in &mut shown.needs {
            let mut all = fields.iter().chain(&more);
            let about = all.find(|field| names(&need.what, &field.label));
            let Some(field) = about else { continue };
            // There is only this post yet: whose value it is goes without saying.
            if need.what.ends_with(RANGE) {
                need.what = format!("{}{RANGE}", field.label);
            }
            shown.field.get_or_insert_with(|| {
                let id = field.id.clone();
                (id, field.label.clone())
            });
        }
        shown
    }
}

/// Whether what is needed is about the field of a label: "Hours of … within its range", "a whole number as Hours", "a title".
fn names(what: &str, label: &str) -> bool {
    let of_value = what.strip_prefix(label);
    of_value.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        || what.ends_with(&format!(" as {label}"))
        || label == "Title" && (what == "a title" || what.starts_with("a title of "))
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

#[cfg(test)]
mod tests {
    use crate::site::compose::refused::names;

    #[test]
    fn a_refusal_is_about_the_field_that_it_names() {
        assert!(names("Hours of Fweep within its range", "Hours"));
        assert!(names("a whole number as Hours", "Hours"));
        assert!(names("a title", "Title"));
        assert!(!names("Hourses of Fweep", "Hours"));
        assert!(!names("a title page", "Title"));
    }
}
