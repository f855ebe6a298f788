//! Pages of one form, and the field that most of them share.

use crate::app::reply;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::ui::{Field, FieldKind, Form, FormPage};

/// A page of one form, or of what was done.
pub(crate) fn form_page(
    site: &AppState,
    visitor: &Visitor,
    title: &str,
    about: &str,
    error: Option<String>,
    form: Option<Form>,
) -> FormPage {
    FormPage {
        chrome: reply::chrome(site, visitor, title),
        title: title.to_owned(),
        about: about.to_owned(),
        error,
        form,
        ways: Vec::new(),
    }
}

/// The field of a password, old or new.
pub(crate) fn password_field(fresh: bool) -> Field {
    let field = Field::new(
        "password",
        "password",
        "Password",
        FieldKind::Password { fresh },
    );
    if fresh {
        field.hint("At least ten letters. A few unrelated words do well.")
    } else {
        field
    }
}
