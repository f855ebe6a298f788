//! What somebody chooses: ways, hours, kinds.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::response::Response;
use quorate_kernel::GameId;
use quorate_notices::choice::{Hour, Hours, ReaderZone, WeekDay};
use quorate_notices::kind::NoticeKind;
use quorate_notices::outbox::{
    Channel, ChannelAudience, ChannelId, ChannelSort, LetterId, NewChannel,
};
use quorate_notices::push::PushSeal;
use quorate_notices::signature::WebhookSecret;
use quorate_runtime::ports::{Account, SecurityEvent};

use crate::app::error::AppError;
use crate::app::mail::is_address;
use crate::app::notice_words::{self, WordFor};
use crate::app::posted::Posted;
use crate::app::reply;
use crate::app::safety::{self, Happened};
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::app::web_reach::WebReach;
use crate::requests::forms::{Sent, answer};
use crate::requests::send;
use crate::security::chance;
use crate::security::rate::Who;
use crate::site::notices::handler::{NoticesTold, own_feed, shown};
use crate::site::notices::reach::{failed, outbox};
use crate::ui::urls::Href;
use crate::ui::{Fact, urls};

/// How many ways somebody may have.
const CHANNELS_MAX: usize = 20;

fn wrong<T>(what: &str) -> Result<T, AppError> {
    Err(AppError::Form(what.to_owned()))
}

/// `POST /notices/{what}`.
pub async fn change(
    State(site): State<Arc<AppState>>,
    Path(what): Path<String>,
    sent: Sent,
) -> Response {
    let game = sent.form.filled("game").map(str::to_owned);
    let result = match changed(&site, &sent.visitor, &what, &sent.form).await {
        Err(AppError::Form(error)) => {
            shown(
                &site,
                &sent.visitor,
                game.as_deref(),
                NoticesTold::Wrong(error),
            )
            .await
        }
        other => other,
    };
    answer(&site, &sent.visitor, result)
}

async fn changed(
    site: &Arc<AppState>,
    visitor: &Visitor,
    what: &str,
    form: &Posted,
) -> Result<Response, AppError> {
    let account = visitor.account.as_ref().ok_or(AppError::SignIn)?;
    send::count_write(site, visitor).await?;
    let game = own_game(site, account, form).await?;
    let done = match what {
        "mail" => by_mail(site, visitor, account, game.clone(), form).await?,
        "web" => {
            let all = NoticeKind::of_readers().count();
            let kinds = Some(kinds(form)?).filter(|kinds| kinds.len() < all);
            let audience = ChannelAudience::Own(game.clone(), kinds);
            return by_web(site, visitor, account, audience, form).await;
        }
        "room" => {
            let Some(game) = game else {
                return wrong("A room is told the news of one game: choose it first.");
            };
            let audience = ChannelAudience::Room(game, kinds(form)?);
            return by_web(site, visitor, account, audience, form).await;
        }
        "feed" => return feed(site, visitor, account, game, form).await,
        "push" => by_push(site, visitor, account, game.clone(), form).await?,
        "drop" => {
            let channel = own_channel(site, account, form).await?;
            outbox(site)?
                .drop_channel(channel.id)
                .await
                .map_err(failed)?;
            "It is removed."
        }
        "open" => {
            let channel = own_channel(site, account, form).await?;
            outbox(site)?
                .pause_channel(channel.id, None)
                .await
                .map_err(failed)?;
            "What waits leaves now."
        }
        "again" => again(site, account, form).await?,
        "hours" => {
            let hours = hours(form)?;
            outbox(site)?
                .set_hours(account.id, &hours)
                .await
                .map_err(failed)?;
            "Kept."
        }
        "paces" => paces(site, account, game.as_ref(), form).await?,
        "forget-interest" => {
            let game = game.as_ref().ok_or(AppError::NotFound)?;
            let what = form.one("what").unwrap_or_default();
            let what = what.parse().map_err(|_| AppError::NotFound)?;
            let forgotten = outbox(site)?.take_interest(account.id, game, &what, None);
            forgotten.await.map_err(failed)?;
            "You hear of it as of everything else."
        }
        _ => return Err(AppError::NotFound),
    };
    let mut back = Href::from(urls::Notices);
    if let Some(game) = form.filled("game") {
        back = back.with("game", game);
    }
    Ok(reply::see_with(&back, done))
}

/// The game that a form is about: one in which its sender plays.
async fn own_game(
    site: &AppState,
    account: &Account,
    form: &Posted,
) -> Result<Option<GameId>, AppError> {
    let Some(word) = form.filled("game") else {
        return Ok(None);
    };
    let game: GameId = word.parse().map_err(|_| AppError::NotFound)?;
    let seat = site.deps.accounts.seat(account.id, &game).await?;
    seat.map(|_| Some(game)).ok_or(AppError::NotFound)
}

async fn own_channel(
    site: &AppState,
    account: &Account,
    form: &Posted,
) -> Result<Channel, AppError> {
    let number = form.one("channel").and_then(|number| number.parse().ok());
    let id = ChannelId(number.ok_or(AppError::NotFound)?);
    let channel = outbox(site)?.channel(id).await.map_err(failed)?;
    let own = channel.filter(|channel| channel.account == account.id);
    own.ok_or(AppError::NotFound)
}

/// The kinds that a channel is to tell.
fn kinds(form: &Posted) -> Result<Vec<NoticeKind>, AppError> {
    let words = form.all("kinds");
    let is_ticked = |kind: &NoticeKind| words.iter().any(|word| *word == kind.word());
    let kinds: Vec<NoticeKind> = NoticeKind::all().filter(is_ticked).collect();
    if kinds.is_empty() {
        return wrong("Choose at least one thing that it tells.");
    }
    Ok(kinds)
}

async fn again(
    site: &AppState,
    account: &Account,
    form: &Posted,
) -> Result<&'static str, AppError> {
    let number = form.one("letter").and_then(|number| number.parse().ok());
    let id = LetterId(number.ok_or(AppError::NotFound)?);
    let outbox = outbox(site)?;
    let letter = outbox
        .letter(id)
        .await
        .map_err(failed)?
        .ok_or(AppError::NotFound)?;
    let channel = outbox.channel(letter.channel).await.map_err(failed)?;
    if channel.is_none_or(|channel| channel.account != account.id) {
        return Err(AppError::NotFound);
    }
    outbox.send_again(id, site.now()).await.map_err(failed)?;
    Ok("It leaves once more.")
}

/// Keeps a channel, unless there are too many.
async fn keep(
    site: &AppState,
    visitor: &Visitor,
    account: &Account,
    channel: NewChannel,
) -> Result<Channel, AppError> {
    let outbox = outbox(site)?;
    let all = outbox.channels_of(account.id).await.map_err(failed)?;
    let same = |known: &&Channel| {
        known.sort == channel.sort
            && known.address == channel.address
            && known.audience == channel.audience
            && channel.sort != ChannelSort::Feed
    };
    if all.iter().any(|known| same(&known)) {
        return wrong("You have that one already.");
    }
    if all.len() >= CHANNELS_MAX {
        return wrong("That would be too many: remove one that you no longer use.");
    }
    let id = outbox.make_channel(&channel).await.map_err(failed)?;
    let kept = outbox.channel(id).await.map_err(failed)?;
    let happened = Happened {
        about: channel.sort.title().to_owned(),
        ..Happened::to(account.id, SecurityEvent::PlaceAdded)
    };
    safety::note(site, visitor, happened).await;
    kept.ok_or(AppError::NotFound)
}

async fn by_mail(
    site: &Arc<AppState>,
    visitor: &Visitor,
    account: &Account,
    game: Option<GameId>,
    form: &Posted,
) -> Result<&'static str, AppError> {
    let mail = site.deps.config.mail.clone().ok_or(AppError::NotFound)?;
    let address = form.filled("address").unwrap_or_default().trim().to_owned();
    if !is_address(&address) {
        return wrong("That is no mail address.");
    }
    // Anybody's address can be typed here, so that few messages go to it.
    let now = site.now_ms();
    let own = Who::address(visitor.address);
    site.sign_ups.take(own, now).await?;
    let to = Who::Account(format!("mail {}", address.to_lowercase()));
    site.sign_ups.take(to, now).await?;
    let channel = NewChannel {
        account: account.id,
        audience: ChannelAudience::Own(game, None),
        sort: ChannelSort::Mail,
        address: address.clone(),
        secret: String::new(),
        made_at: site.now(),
        confirmed_at: None,
    };
    let channel = keep(site, visitor, account, channel).await?;
    let word = notice_words::write(site, &WordFor::Confirm(channel.id));
    let link: Href = urls::NoticeConfirm { word: &word }.into();
    let text = format!(
        "{} at {} wants notices of games to come to this address.\n\nIf that is you, confirm it here:\n\n{}{}\n\nIf it is \
         not, do nothing: no other message comes.\n",
        account.name,
        mail.address,
        mail.address,
        link.as_str()
    );
    tokio::spawn(async move {
        if let Err(error) = mail.send(&address, "Confirm this address", text).await {
            tracing::error!(error = %error, "a mail to confirm an address did not leave");
        }
    });
    Ok("A message is on its way there. Follow its link to confirm the address.")
}

async fn by_web(
    site: &Arc<AppState>,
    visitor: &Visitor,
    account: &Account,
    audience: ChannelAudience,
    form: &Posted,
) -> Result<Response, AppError> {
    let sort = form
        .filled("sort")
        .and_then(|word| word.parse::<ChannelSort>().ok());
    let Some(sort) = sort.filter(|sort| sort.is_typed()) else {
        return wrong("Choose what receives it.");
    };
    let address = form.filled("address").unwrap_or_default().trim().to_owned();
    let reach = WebReach {
        loopback: site.deps.config.hooks_to_loopback,
        ..WebReach::default()
    };
    if let Err(why) = reach.check(&address) {
        return wrong(&format!("The address cannot be used: {why}."));
    }
    let given = form.filled("secret").unwrap_or_default().to_owned();
    let secret = match sort {
        ChannelSort::Webhook => WebhookSecret::new(&chance::bytes::<24>()?).written(),
        _ => given,
    };
    let channel = NewChannel {
        account: account.id,
        audience,
        sort,
        address,
        secret: secret.clone(),
        made_at: site.now(),
        confirmed_at: Some(site.now()),
    };
    keep(site, visitor, account, channel).await?;
    let game = form.filled("game");
    if sort == ChannelSort::Webhook {
        let fact = Fact::new("The webhook's secret", secret)
            .note("shown this once and never again; each request is signed with it");
        return shown(site, visitor, game, NoticesTold::Secret(fact)).await;
    }
    let mut back = Href::from(urls::Notices);
    if let Some(game) = game {
        back = back.with("game", game);
    }
    Ok(reply::see_with(&back, "Messages go there from now on."))
}

/// The browser that sends this, by what it says of its subscription.
async fn by_push(
    site: &Arc<AppState>,
    visitor: &Visitor,
    account: &Account,
    game: Option<GameId>,
    form: &Posted,
) -> Result<&'static str, AppError> {
    let text = |name: &str| form.filled(name).unwrap_or_default();
    let address = text("endpoint").to_owned();
    if address.is_empty() {
        return wrong("This browser takes no notices, or its scripts are off.");
    }
    let Ok(seal) = PushSeal::read(text("p256dh"), text("auth")) else {
        return wrong("That is no key of a browser.");
    };
    let reach = WebReach {
        loopback: site.deps.config.hooks_to_loopback,
        ..WebReach::default()
    };
    if let Err(why) = reach.check(&address) {
        return wrong(&format!("The address cannot be used: {why}."));
    }
    let channel = NewChannel {
        account: account.id,
        audience: ChannelAudience::Own(game, None),
        sort: ChannelSort::Push,
        address,
        secret: seal.to_string(),
        made_at: site.now(),
        confirmed_at: Some(site.now()),
    };
    keep(site, visitor, account, channel).await?;
    Ok("Notices come to this browser from now on.")
}

async fn feed(
    site: &Arc<AppState>,
    visitor: &Visitor,
    account: &Account,
    game: Option<GameId>,
    form: &Posted,
) -> Result<Response, AppError> {
    let channel = NewChannel {
        account: account.id,
        audience: ChannelAudience::Own(game, None),
        sort: ChannelSort::Feed,
        address: String::new(),
        secret: String::new(),
        made_at: site.now(),
        confirmed_at: Some(site.now()),
    };
    let channel = keep(site, visitor, account, channel).await?;
    let all =
        ["needs.atom", "needs.json", "calendar.ics"].map(|form| own_feed(site, &channel, form));
    let fact = Fact::new("What waits for you", all.join(" ")).note(
        "anyone who knows these addresses can read it; remove the feed to make them worthless",
    );
    shown(
        site,
        visitor,
        form.filled("game"),
        NoticesTold::Secret(fact),
    )
    .await
}

fn hours(form: &Posted) -> Result<Hours, AppError> {
    let number = |name: &str| form.filled(name).and_then(|text| text.parse().ok());
    let Some(zone) = ReaderZone::named(form.filled("zone").unwrap_or_default()) else {
        return wrong("There is no such time zone.");
    };
    let hour = number("hour").and_then(Hour::new);
    let day = number("day").and_then(WeekDay::new);
    let (Some(hour), Some(day)) = (hour, day) else {
        return wrong("Choose an hour and a day.");
    };
    let quiet = number("quiet-from").and_then(Hour::new);
    let quiet = quiet.zip(number("quiet-to").and_then(Hour::new));
    Ok(Hours {
        zone,
        hour,
        day,
        quiet,
    })
}

async fn paces(
    site: &AppState,
    account: &Account,
    game: Option<&GameId>,
    form: &Posted,
) -> Result<&'static str, AppError> {
    let outbox = outbox(site)?;
    for kind in NoticeKind::all() {
        if let Some(pace) = form.filled(kind.word()) {
            let pace = pace.parse().map_err(|_| AppError::NotFound)?;
            let chosen = outbox.choose(account.id, game, kind, pace);
            chosen.await.map_err(failed)?;
        }
    }
    Ok("Kept.")
}
