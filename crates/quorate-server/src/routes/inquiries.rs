//! The questions of the server's own that a worker answers, by their words.

use std::sync::Arc;

use crate::api::events::ToldEvent;
use crate::app::inquiry::{Inquiry, answered as answered_as};
use crate::app::state::AppState;
use crate::delivery::reading::{NewsAsked, WordsAsked};
use crate::requests::mail_in::MailedAnswer;
use crate::requests::named::NamedAsked;
use crate::site::discord::play::DiscordPlay;
use crate::site::feeds::own::{DatesAsked, NeedsAsked};
use crate::site::home::handler::CardAsked;
use crate::site::operator::handler::AsleepAsked;
use crate::site::operator::moderation::AdminsAsked;
use crate::site::picture::upload::NamedPicture;
use crate::view::indexing::IndexAsked;

/// A worker's side: answers a question; with nothing where it is none of these.
///
/// # Errors
/// Fails where the bytes are no such question, or the answer no bytes.
pub(super) async fn answered(
    site: &Arc<AppState>,
    word: &str,
    asks: &[u8],
) -> postcard::Result<Vec<u8>> {
    match word {
        NewsAsked::WORD => answered_as::<NewsAsked>(site, asks).await,
        WordsAsked::WORD => answered_as::<WordsAsked>(site, asks).await,
        NeedsAsked::WORD => answered_as::<NeedsAsked>(site, asks).await,
        DatesAsked::WORD => answered_as::<DatesAsked>(site, asks).await,
        MailedAnswer::WORD => answered_as::<MailedAnswer>(site, asks).await,
        DiscordPlay::WORD => answered_as::<DiscordPlay>(site, asks).await,
        CardAsked::WORD => answered_as::<CardAsked>(site, asks).await,
        AdminsAsked::WORD => answered_as::<AdminsAsked>(site, asks).await,
        AsleepAsked::WORD => answered_as::<AsleepAsked>(site, asks).await,
        ToldEvent::WORD => answered_as::<ToldEvent>(site, asks).await,
        NamedAsked::WORD => answered_as::<NamedAsked>(site, asks).await,
        IndexAsked::WORD => answered_as::<IndexAsked>(site, asks).await,
        NamedPicture::WORD => answered_as::<NamedPicture>(site, asks).await,
        _ => Ok(Vec::new()),
    }
}
