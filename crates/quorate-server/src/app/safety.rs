//! What accounts are kept safe by: the security log, and who is told of its entries.

use quorate_notices::outbox::{ChannelAudience, ChannelSort};
use quorate_runtime::OperatingError;
use quorate_runtime::ports::{Account, AccountId, SecurityEntry, SecurityEvent};

use crate::app::error::AppError;
use crate::app::metrics;
use crate::app::state::AppState;
use crate::app::visitor::Visitor;

/// What the security log says was done: to which account, with what else to say.
pub struct Happened {
    /// What.
    pub event: SecurityEvent,
    /// Whose account it is about, if one's.
    pub account: Option<AccountId>,
    /// What else there is to say; no secret, and nothing that a stranger typed.
    pub about: String,
}

impl Happened {
    /// Something that happened to an account.
    pub fn to(account: AccountId, event: SecurityEvent) -> Self {
        Self {
            event,
            account: Some(account),
            about: String::new(),
        }
    }
}

/// Writes into the security log. Where that fails, what was done stands, and the server's log says so.
pub async fn note(site: &AppState, visitor: &Visitor, happened: Happened) {
    let entry = entry(site, visitor, happened);
    tracing::info!(
        target: "security", event = entry.event.word(), account = entry.account.map(|id| id.0),
        by = entry.by.map(|id| id.0), place = %entry.place, about = %entry.about, "noted"
    );
    ::metrics::counter!(metrics::SECURITY_EVENTS, "event" => entry.event.word()).increment(1);
    if let Err(error) = site.deps.safety.note(&entry).await {
        tracing::error!(%error, event = entry.event.word(), "the security log could not be written");
    }
    if let Some(id) = entry.account.filter(|_| is_mailed(entry.event)) {
        match site.deps.accounts.account(id).await {
            Ok(Some(account)) => tell_owner(site, &account, &entry),
            Ok(None) => {}
            Err(error) => tracing::error!(%error, "the owner of an account was not told"),
        }
    }
}

/// Ends every way in to an account: sessions, tokens, links, and the places to which its notices go, private feeds among them,
/// for whoever was in it may have chosen those. What goes to the account's own mail address stays, and so does a room, which
/// hears what everybody may.
///
/// # Errors
/// Fails where the store does.
pub async fn close_ways(site: &AppState, account: &Account) -> Result<(), AppError> {
    site.deps.safety.close_ways(account.id).await?;
    let Some(outbox) = &site.deps.outbox else {
        return Ok(());
    };
    let channels = outbox.channels_of(account.id).await;
    for channel in channels.map_err(OperatingError::from)? {
        let is_own_mail = channel.sort == ChannelSort::Mail
            && (account.mail.as_deref())
                .is_some_and(|mail| mail.eq_ignore_ascii_case(&channel.address));
        let is_room = matches!(channel.audience, ChannelAudience::Room(..));
        if !is_own_mail && !is_room {
            let dropped = outbox.drop_channel(channel.id).await;
            dropped.map_err(OperatingError::from)?;
        }
    }
    Ok(())
}

/// Whether an owner is told by mail: of what opens an account or closes it, and of nothing that happens every day.
fn is_mailed(event: SecurityEvent) -> bool {
    match event {
        SecurityEvent::PasswordChanged
        | SecurityEvent::Recovered
        | SecurityEvent::FactorOn
        | SecurityEvent::FactorOff
        | SecurityEvent::MailChanged
        | SecurityEvent::TokenMade
        | SecurityEvent::PlaceAdded
        | SecurityEvent::OutsideLinked
        | SecurityEvent::OutsideUnlinked
        | SecurityEvent::PasskeyAdded
        | SecurityEvent::PasskeyRemoved
        | SecurityEvent::Muted
        | SecurityEvent::Suspended
        | SecurityEvent::Lifted
        | SecurityEvent::Ended => true,
        SecurityEvent::SignedIn
        | SecurityEvent::SignInFailed
        | SecurityEvent::CheckFailed
        | SecurityEvent::SignedUp
        | SecurityEvent::RecoveryMailed
        | SecurityEvent::RecoveryMade
        | SecurityEvent::TokenRevoked
        | SecurityEvent::SessionEnded
        | SecurityEvent::OperatorMarked
        | SecurityEvent::OperatorUnmarked
        | SecurityEvent::Invited
        | SecurityEvent::ClockTrusted
        | SecurityEvent::Withheld
        | SecurityEvent::ReportSettled
        | SecurityEvent::CopyTaken
        | SecurityEvent::GameRemoved
        | SecurityEvent::GamePutBack => false,
    }
}

/// Mails the owner of an account what happened to it, where the server sends mail and has their address. The answer does not
/// wait for that.
fn tell_owner(site: &AppState, account: &Account, entry: &SecurityEntry) {
    let (Some(mail), Some(to)) = (site.deps.config.mail.clone(), account.mail.clone()) else {
        return;
    };
    let about = match entry.event {
        _ if entry.about.is_empty() => String::new(),
        SecurityEvent::OutsideLinked | SecurityEvent::OutsideUnlinked => {
            format!("\n\nWhere: {}", entry.about)
        }
        SecurityEvent::PasskeyAdded => format!("\n\nIt is called: {}", entry.about),
        SecurityEvent::PlaceAdded => format!("\n\nWhat it is: {}", entry.about),
        _ => format!("\n\nThe reason given: {}", entry.about),
    };
    let text = format!(
        "{}: your account {} at {}, {}.{about}\n\nIf that was not you, set a new password: {}/recover\n",
        describe(entry.event),
        account.name,
        mail.address,
        place_for_owner(entry),
        mail.address
    );
    tokio::spawn(async move {
        if let Err(error) = mail.send(&to, "Your account", text).await {
            tracing::error!(%error, "a mail about an account did not leave");
        }
    });
}

/// From where something was done, as the owner of the account may know it: an operator's own place is none of theirs.
pub fn place_for_owner(entry: &SecurityEntry) -> &str {
    if entry.by.is_none() || entry.by == entry.account {
        &entry.place
    } else {
        "by the operator"
    }
}

/// Tells the owner of an account at the address that it has now, which what happened takes away.
pub fn tell_before(site: &AppState, visitor: &Visitor, before: &Account, happened: Happened) {
    let entry = entry(site, visitor, happened);
    tell_owner(site, before, &entry);
}

fn entry(site: &AppState, visitor: &Visitor, happened: Happened) -> SecurityEntry {
    SecurityEntry {
        at: site.now(),
        event: happened.event,
        account: happened.account,
        by: visitor.id().filter(|_| visitor.is_operator()),
        about: happened.about,
        place: visitor.place(),
    }
}

/// An event in words.
pub fn describe(event: SecurityEvent) -> &'static str {
    match event {
        SecurityEvent::SignedIn => "Signed in",
        SecurityEvent::SignInFailed => "Signing in failed",
        SecurityEvent::CheckFailed => "A wrong password or code was typed in the settings",
        SecurityEvent::SignedUp => "The account was made",
        SecurityEvent::PasswordChanged => "The password was changed",
        SecurityEvent::RecoveryMailed => "A link for a new password was mailed",
        SecurityEvent::RecoveryMade => "An operator made a link for a new password",
        SecurityEvent::Recovered => "A new password was set by a link",
        SecurityEvent::FactorOn => "The second factor was turned on",
        SecurityEvent::FactorOff => "The second factor was turned off",
        SecurityEvent::MailChanged => "The mail address was changed",
        SecurityEvent::TokenMade => "A token was made",
        SecurityEvent::TokenRevoked => "A token was revoked",
        SecurityEvent::SessionEnded => "A browser was signed out from another",
        SecurityEvent::PlaceAdded => "Notices go to another place too",
        SecurityEvent::OperatorMarked => "The account was made an operator\u{2019}s",
        SecurityEvent::OperatorUnmarked => "The account is an operator\u{2019}s no longer",
        SecurityEvent::Invited => "An operator made an invitation",
        SecurityEvent::Muted => "An operator muted the account",
        SecurityEvent::Suspended => "An operator suspended the account",
        SecurityEvent::Lifted => "An operator lifted what the account was kept from",
        SecurityEvent::Withheld => "An operator withheld a text or picture",
        SecurityEvent::ClockTrusted => "An operator said that the machine\u{2019}s clock is right",
        SecurityEvent::CopyTaken => "An operator took a copy",
        SecurityEvent::GameRemoved => "An operator removed a game",
        SecurityEvent::GamePutBack => "An operator put a removed game back",
        SecurityEvent::OutsideLinked => "A way to sign in from elsewhere was added",
        SecurityEvent::OutsideUnlinked => "A way to sign in from elsewhere was removed",
        SecurityEvent::PasskeyAdded => "A passkey was added",
        SecurityEvent::PasskeyRemoved => "A passkey was removed",
        SecurityEvent::Ended => "An operator ended the account",
        SecurityEvent::ReportSettled => "An operator settled a report",
    }
}
