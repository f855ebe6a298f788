//! Changes by hand as forms send them.

use quorate_kernel::Name;
use quorate_kernel::command::{Act, typed};
use quorate_kernel::patch::{Clause, Patch};
use quorate_kernel::seal::Sealed;

use crate::app::error::AppError;
use crate::app::posted::Posted;
use crate::requests::send;
use crate::view::game::GameView;

/// Sends a change by hand with the form's rule, or the one at home, and its reason.
pub(crate) async fn by_hand(
    view: &GameView,
    clause: Clause,
    home: &Name,
    form: &Posted,
) -> Result<(), AppError> {
    let patch = Patch {
        clauses: vec![clause],
    };
    let rule = form.filled("rule").map(Name::from);
    let act = Act::Claim {
        patch: Sealed::close(patch, [0; 16]),
        rule: rule.unwrap_or_else(|| home.clone()),
        reason: typed(form.filled("why").unwrap_or_default()),
    };
    send::send(view, form.key(), act).await.map(drop)
}
