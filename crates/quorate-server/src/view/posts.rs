//! Posts by the words of their addresses.

use quorate_kernel::PostId;
use quorate_kernel::patch::Patch;
use quorate_kernel::rows::Post;
use quorate_kernel::seal::Sealed;

use crate::app::error::AppError;
use crate::view::game::GameView;

/// The post that an address names, if the reader may see it.
pub fn post_id(view: &GameView, word: &str) -> Result<PostId, AppError> {
    let id: PostId = word.parse().map_err(|_| AppError::NotFound)?;
    view.post(id).map(|_| id).ok_or(AppError::NotFound)
}

/// A post that carries changes, by the word of its address.
pub(crate) fn carrying<'a>(
    view: &'a GameView,
    word: &str,
) -> Result<(PostId, &'a Post, &'a Patch), AppError> {
    let id = post_id(view, word)?;
    let row = view.post(id).ok_or(AppError::NotFound)?;
    let patch = row.patch.as_ref().and_then(Sealed::plain);
    Ok((id, row, patch.ok_or(AppError::NotFound)?))
}
