//! The page on which somebody chooses what they hear of.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use quorate_kernel::{GameId, Moment};
use quorate_notices::choice::{Hours, ReaderZone};
use quorate_notices::kind::{NoticeKind, Pace};
use quorate_notices::outbox::{
    Channel, ChannelAudience, ChannelId, ChannelSort, Interest, LetterStanding, Outbox,
    OutboxLetter,
};
use quorate_runtime::ports::Account;

use crate::app::error::AppError;
use crate::app::inquiry::ask;
use crate::app::notice_words::{self, WordFor};
use crate::app::state::AppState;
use crate::app::visitor::Visitor;
use crate::app::{push, reply};
use crate::requests::forms::answer;
use crate::requests::named::NamedAsked;
use crate::site::notices::follow::page_of;
use crate::site::notices::page::Notices;
use crate::site::notices::reach::{failed, outbox};
use crate::ui::urls::Href;
use crate::ui::{
    Choice, Fact, Field, FieldKind, Form, Link, Send, SettingsBlock, SettingsLine, When, urls,
};

/// How many letters of a channel are shown beside it.
const LETTERS: usize = 5;

/// How many are shown on a page of their own.
const LETTERS_ALL: u32 = 200;

/// What the page tells beside what was chosen.
pub(super) enum NoticesTold {
    /// No more.
    Nothing,
    /// The secret of a webhook, or the addresses of a feed, shown once.
    Secret(Fact),
    /// What was wrong with a form.
    Wrong(String),
}

/// `GET /notices`.
pub async fn show(
    State(site): State<Arc<AppState>>,
    visitor: Visitor,
    Query(query): Query<BTreeMap<String, String>>,
) -> Response {
    let game = query.get("game").map(String::as_str);
    let result = match query.get("way") {
        Some(way) => left(&site, &visitor, way).await,
        None => shown(&site, &visitor, game, NoticesTold::Nothing).await,
    };
    answer(&site, &visitor, result)
}

pub(super) async fn shown(
    site: &Arc<AppState>,
    visitor: &Visitor,
    game: Option<&str>,
    told: NoticesTold,
) -> Result<Response, AppError> {
    let account = visitor.account.as_ref().ok_or(AppError::SignIn)?;
    let outbox = outbox(site)?;
    let seats = site.seats_of(account.id).await?;
    let game: Option<GameId> = match game {
        Some(word) => {
            let game: GameId = word.parse().map_err(|_| AppError::NotFound)?;
            let plays = seats.iter().any(|seat| seat.game == game);
            Some(plays.then_some(game).ok_or(AppError::NotFound)?)
        }
        None => None,
    };
    let choices = outbox.choices_of(account.id).await.map_err(failed)?;
    let (secret, error) = match told {
        NoticesTold::Nothing => (None, None),
        NoticesTold::Secret(secret) => (Some(secret), None),
        NoticesTold::Wrong(error) => (None, Some(error)),
    };
    let desk = NoticesDesk {
        site,
        visitor,
        game: game.as_ref(),
    };
    let mut ways = channels(&desk, &**outbox, account).await?;
    ways.shown_once = secret;
    let mut blocks = vec![ways];
    if desk.game.is_none() {
        blocks.push(hours(&desk, &choices.hours));
    }
    let pace = |kind: NoticeKind| {
        if let Some(game) = &game {
            return choices.pace(game, kind);
        }
        let chosen = choices.paces.get(&(None, kind));
        chosen.copied().unwrap_or_else(|| kind.usual_pace())
    };
    blocks.push(kinds(&desk, pace));
    if let Some(game) = &game {
        blocks.push(interests_block(&desk, &**outbox, account, game).await?);
    }
    let mut games = vec![Link::new("All games", urls::Notices)];
    games.extend(seats.iter().map(|seat| {
        let here = Href::from(urls::Notices).with("game", seat.game.as_str());
        Link::new(seat.game.to_string(), here)
    }));
    let status = match &error {
        Some(_) => StatusCode::BAD_REQUEST,
        None => StatusCode::OK,
    };
    let page = Notices {
        chrome: reply::chrome(site, visitor, "Notices"),
        about: match &game {
            Some(game) => format!(
                "What you hear about {game}. What you choose here overrides your choices for all games."
            ),
            None => "What you hear about your games while you’re away.".to_owned(),
        },
        error,
        ways: games,
        blocks,
    };
    Ok(reply::page(site, visitor, status, &page))
}

/// What left on one way of the reader's.
async fn left(site: &Arc<AppState>, visitor: &Visitor, way: &str) -> Result<Response, AppError> {
    let account = visitor.account.as_ref().ok_or(AppError::SignIn)?;
    let outbox = outbox(site)?;
    let id = ChannelId(way.parse().map_err(|_| AppError::NotFound)?);
    let channel = outbox.channel(id).await.map_err(failed)?;
    let own = channel.filter(|channel| channel.account == account.id);
    let channel = own.ok_or(AppError::NotFound)?;
    let desk = NoticesDesk {
        site,
        visitor,
        game: None,
    };
    let letters = letters(&**outbox, &channel).await?;
    let mut lines = vec![SettingsLine {
        more: None,
        ..channel_line(&desk, &channel)
    }];
    lines.extend(letters.iter().map(|letter| letter_line(&desk, letter)));
    let about = "Newest first. Each is kept for 30 days after it left.";
    let page = Notices {
        chrome: reply::chrome(site, visitor, "Notices"),
        about: "What left on one way, and what did not.".to_owned(),
        error: None,
        ways: vec![Link::new("All ways", urls::Notices)],
        blocks: vec![SettingsBlock {
            lines,
            ..SettingsBlock::new("left", "What left", about)
        }],
    };
    Ok(reply::page(site, visitor, StatusCode::OK, &page))
}

/// What was tried on a channel, newest first. What waits was not put into words yet: it may be about something that its
/// reader does not know, and then it is never tried.
async fn letters(outbox: &dyn Outbox, channel: &Channel) -> Result<Vec<OutboxLetter>, AppError> {
    let letters = outbox.letters_of(channel.id, LETTERS_ALL).await;
    let was_tried = |letter: &OutboxLetter| match letter.standing {
        LetterStanding::Sent | LetterStanding::Dead => true,
        LetterStanding::Waiting => letter.tries > 0,
        LetterStanding::Moot => false,
    };
    let mut letters = letters.map_err(failed)?;
    letters.retain(was_tried);
    Ok(letters)
}

/// Who chooses, and for what.
struct NoticesDesk<'a> {
    site: &'a Arc<AppState>,
    visitor: &'a Visitor,
    game: Option<&'a GameId>,
}

impl NoticesDesk<'_> {
    fn send(&self, what: &str) -> Send {
        let send = self.visitor.send(urls::NoticesDo { what });
        match self.game {
            Some(game) => send.with("game", game.as_str()),
            None => send,
        }
    }

    fn form(&self, what: &str, fields: Vec<Field>, button: &str) -> Form {
        Form {
            fields,
            ..Form::button(self.send(what), button)
        }
    }

    fn when(&self, at: Moment) -> String {
        When::new(reply::timestamp(at), reply::timestamp(self.site.now())).full()
    }
}

async fn channels(
    desk: &NoticesDesk<'_>,
    outbox: &dyn Outbox,
    account: &Account,
) -> Result<SettingsBlock, AppError> {
    let mut lines = Vec::new();
    for channel in outbox.channels_of(account.id).await.map_err(failed)? {
        let of_game = channel.audience.game();
        if desk.game.is_some() && of_game != desk.game {
            continue;
        }
        let letters = letters(outbox, &channel).await?;
        lines.push(channel_line(desk, &channel));
        let newest = letters.iter().take(LETTERS);
        lines.extend(newest.map(|letter| letter_line(desk, letter)));
    }
    let about = "What concerns you goes out on each of these. A room gets a game’s public news.";
    let mut forms = Vec::new();
    if desk.site.deps.config.mail.is_some() {
        let kept = account.mail.clone().unwrap_or_default();
        let field = Field::new("address", "address", "Mail address", FieldKind::Mail(kept))
            .hint("A message goes there first, for you to confirm it.");
        forms.push(desk.form("mail", vec![field], "Send me mail"));
    }
    if desk.site.deps.config.address.is_some() {
        forms.push(push_form(desk, outbox).await?);
        forms.push(web_form(desk));
        if desk.game.is_some() {
            forms.push(room_form(desk));
        }
    }
    forms.push(desk.form("feed", Vec::new(), "Make a private feed and calendar"));
    Ok(SettingsBlock {
        lines,
        forms,
        ..SettingsBlock::new("ways", "Ways to you", about)
    })
}

fn sorts(id: &str) -> Field {
    let sorts = ChannelSort::ALL.into_iter();
    let web = sorts.filter(|sort| sort.is_typed());
    let choices = web
        .map(|sort| Choice::new(sort.word(), sort.title()))
        .collect();
    Field::new(id, "sort", "What receives it", FieldKind::One(choices))
}

fn address_fields(prefix: &str) -> Vec<Field> {
    let id = |name: &str| format!("{prefix}-{name}");
    let address = Field::new(id("to"), "address", "Its address", FieldKind::Line(String::new()))
        .hint("It begins with https://. Of Matrix: …/_matrix/client/v3/rooms/!room:server; of ntfy: server and topic.");
    let secret = Field::new(
        id("secret"),
        "secret",
        "Access token",
        FieldKind::Password { fresh: true },
    )
    .optional()
    .hint("Of Matrix and ntfy alone. A webhook gets a secret of its own, by which it knows us.");
    vec![sorts(&id("sort")), address, secret]
}

/// What a script fills in with what this browser says of its subscription.
async fn push_form(desk: &NoticesDesk<'_>, outbox: &dyn Outbox) -> Result<Form, AppError> {
    let key = push::key(outbox).await?;
    let send = desk.send("push").with("server", key.public());
    let send = ["endpoint", "p256dh", "auth"]
        .into_iter()
        .fold(send, |send, name| send.with(name, ""));
    Ok(Form::button(send, "Notify me in this browser"))
}

fn web_form(desk: &NoticesDesk<'_>) -> Form {
    let mut fields = address_fields("web");
    let kinds = NoticeKind::of_readers().map(|kind| Choice {
        chosen: true,
        ..Choice::new(kind.word(), kind.title())
    });
    fields.push(kinds_field("web", kinds.collect()));
    desk.form("web", fields, "Send me messages there")
}

fn kinds_field(prefix: &str, kinds: Vec<Choice>) -> Field {
    let id = format!("{prefix}-kinds");
    Field::new(id, "kinds", "What it tells", FieldKind::Many(kinds))
}

fn room_form(desk: &NoticesDesk<'_>) -> Form {
    let mut fields = address_fields("room");
    let kinds = NoticeKind::of_rooms().map(|kind| Choice {
        chosen: kind != NoticeKind::RuleChanged,
        ..Choice::new(kind.word(), kind.title())
    });
    fields.push(kinds_field("room", kinds.to_vec()));
    desk.form("room", fields, "Tell a room the news of the game")
}

fn channel_line(desk: &NoticesDesk<'_>, channel: &Channel) -> SettingsLine {
    let of = |what: &str, button: &str| {
        Form::button(
            desk.send(what).with("channel", channel.id.0.to_string()),
            button,
        )
    };
    let audience = match &channel.audience {
        ChannelAudience::Own(None, _) => String::new(),
        ChannelAudience::Own(Some(game), _) => format!(", for {game} alone"),
        ChannelAudience::Room(game, _) => format!(", a room of {game}"),
    };
    let held_until = channel.held_until.filter(|at| *at > desk.site.now());
    let standing = match (&channel.paused, channel.confirmed_at, held_until) {
        (Some(why), ..) => format!("paused: {why}"),
        (None, None, _) => "not confirmed yet: look into your mail".to_owned(),
        (None, Some(_), Some(at)) => format!("takes nothing now; once more {}", desk.when(at)),
        (None, Some(at), None) => format!("since {}", desk.when(at)),
    };
    let standing = match told_kinds(&channel.audience) {
        Some(kinds) => format!("{standing}; tells: {kinds}"),
        None => standing,
    };
    let mut forms = Vec::new();
    if channel.paused.is_some() || held_until.is_some() {
        forms.push(of("open", "Try again"));
    }
    forms.push(of("drop", "Remove"));
    let shown = shown_address(desk.site, channel);
    SettingsLine {
        title: format!("{}{audience}: {shown}", channel.sort.title()),
        about: standing,
        forms,
        more: (channel.sort != ChannelSort::Feed).then(|| {
            let way = channel.id.0.to_string();
            Link::new("What left", Href::from(urls::Notices).with("way", &way))
        }),
    }
}

/// The kinds that a channel tells, where it doesn't tell all.
fn told_kinds(audience: &ChannelAudience) -> Option<String> {
    let (ChannelAudience::Own(_, Some(kinds)) | ChannelAudience::Room(_, kinds)) = audience else {
        return None;
    };
    let titles: Vec<&str> = kinds.iter().map(|kind| kind.title()).collect();
    Some(titles.join(" · "))
}

/// What of an address can be shown: what follows the host of a webhook is as good as a password.
fn shown_address(site: &AppState, channel: &Channel) -> String {
    match channel.sort {
        ChannelSort::Mail => channel.address.clone(),
        ChannelSort::Feed => own_feed(site, channel, "needs.atom"),
        ChannelSort::Webhook
        | ChannelSort::Discord
        | ChannelSort::Slack
        | ChannelSort::Matrix
        | ChannelSort::Push
        | ChannelSort::Ntfy => {
            let mut parts = channel.address.splitn(4, '/');
            let host = parts.nth(2).unwrap_or_default();
            format!("{host}/…")
        }
    }
}

/// The address of somebody's own feed.
pub(super) fn own_feed(site: &AppState, channel: &Channel, form: &str) -> String {
    let word = notice_words::write(site, &WordFor::Feed(channel.id));
    let link: Href = urls::OwnFeed { word: &word, form }.into();
    let base = site.deps.config.address.as_deref().unwrap_or_default();
    format!("{base}{}", link.as_str())
}

fn letter_line(desk: &NoticesDesk<'_>, letter: &OutboxLetter) -> SettingsLine {
    let about = match (letter.standing, letter.done_at) {
        (LetterStanding::Waiting, _) => {
            let again = desk.when(letter.due_at);
            format!("did not leave: {}; once more {again}", letter.error)
        }
        (LetterStanding::Sent, Some(at)) => format!("left {}", desk.when(at)),
        (LetterStanding::Sent | LetterStanding::Moot, _) => "left".to_owned(),
        (LetterStanding::Dead, _) => format!("did not leave: {}", letter.error),
    };
    let send = desk.send("again").with("letter", letter.id.0.to_string());
    SettingsLine {
        title: format!(
            "{}, {} event {}",
            letter.kind.title(),
            letter.game,
            letter.seq
        ),
        about,
        forms: vec![Form::button(send, "Send again")],
        more: None,
    }
}

fn hours(desk: &NoticesDesk<'_>, hours: &Hours) -> SettingsBlock {
    let hour_choices = |chosen: Option<u8>| -> Vec<Choice> {
        let all = (0..24_u8).map(|hour| Choice {
            chosen: chosen == Some(hour),
            ..Choice::new(hour.to_string(), format!("{hour:02}:00"))
        });
        all.collect()
    };
    let days = [
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
    ];
    let days = days.iter().zip(0_u8..).map(|(day, number)| Choice {
        chosen: hours.day.number() == number,
        ..Choice::new(number.to_string(), *day)
    });
    let quiet = hours.quiet;
    let one = |id: &str, label: &str, choices: Vec<Choice>| {
        Field::new(id, id, label, FieldKind::One(choices))
    };
    let mut zones: Vec<Choice> = ReaderZone::all()
        .map(|name| Choice {
            chosen: name == hours.zone.name(),
            ..Choice::new(name, name)
        })
        .collect();
    zones.sort_by(|a, b| a.value.cmp(&b.value));
    let fields = vec![
        one("zone", "Your time zone", zones),
        one(
            "hour",
            "Digests come at",
            hour_choices(Some(hours.hour.number())),
        ),
        one("day", "Weekly digests come on", days.collect()),
        one(
            "quiet-from",
            "Quiet from",
            hour_choices(quiet.map(|(from, _)| from.number())),
        )
        .blank("never"),
        one(
            "quiet-to",
            "Quiet until",
            hour_choices(quiet.map(|(_, to)| to.number())),
        )
        .blank("never"),
    ];
    let about = "What comes up in quiet hours reaches you when they end. What is due within hours doesn’t wait.";
    SettingsBlock {
        forms: vec![desk.form("hours", fields, "Save these hours")],
        ..SettingsBlock::new("hours", "When you read", about)
    }
}

fn kinds(desk: &NoticesDesk<'_>, pace: impl Fn(NoticeKind) -> Pace) -> SettingsBlock {
    let fields = NoticeKind::of_readers().map(|kind| {
        let now = pace(kind);
        let choices = Pace::ALL.map(|pace| Choice {
            chosen: pace == now,
            ..Choice::new(pace.word(), pace.title())
        });
        let kinds = FieldKind::One(choices.to_vec());
        Field::new(format!("pace-{kind}"), kind.word(), kind.title(), kinds)
    });
    let fields = fields.collect();
    SettingsBlock {
        forms: vec![desk.form("paces", fields, "Save these choices")],
        ..SettingsBlock::new(
            "kinds",
            "What you hear about",
            "How soon you hear about each.",
        )
    }
}

async fn interests_block(
    desk: &NoticesDesk<'_>,
    outbox: &dyn Outbox,
    account: &Account,
    game: &GameId,
) -> Result<SettingsBlock, AppError> {
    let interests = outbox
        .interests_of(account.id, game)
        .await
        .map_err(failed)?;
    let asked = NamedAsked {
        game: game.clone(),
        account: account.id,
        what: interests.keys().map(ToString::to_string).collect(),
    };
    let names = ask(desk.site, asked).await.unwrap_or_else(|error| {
        tracing::warn!(%game, error = %error.what(), "what is followed has no names");
        vec![None; interests.len()]
    });
    let lines = interests.iter().zip(names);
    let lines = lines.map(|((what, interest), name)| SettingsLine {
        more: name.as_ref().map(|_| Link {
            title: "See it".to_owned(),
            href: page_of(game.as_str(), what),
        }),
        title: name.unwrap_or_else(|| "Something that is gone".to_owned()),
        about: match interest {
            Interest::Follows => "followed".to_owned(),
            Interest::Mutes => "muted".to_owned(),
        },
        forms: vec![Form::button(
            desk.send("forget-interest").with("what", what.to_string()),
            "Neither",
        )],
    });
    let about = "You follow and mute posts, people and rules on their own pages.";
    Ok(SettingsBlock {
        lines: lines.collect(),
        ..SettingsBlock::new("follows", "What you follow and mute", about)
    })
}
