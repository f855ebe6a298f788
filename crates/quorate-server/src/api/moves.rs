//! What you can do: now, later with the time, or not and why; and what waits for your answer.

use std::sync::Arc;

use crate::view::questions::Questions;
use axum::Json;
use axum::extract::{Path, State};
use quorate_engine::convert;
use quorate_engine::offers::{Field, Offer};
use quorate_kernel::{PlayerId, Refusal, Value};
use quorate_law::datum::Datum;
use serde::Serialize;
use serde_json::Value as AnyJson;
use utoipa::ToSchema;

use crate::api::asked::blocking;
use crate::api::caller::Signed;
use crate::api::data;
use crate::api::data::{PlayerRef, moment};
use crate::api::problem::{Problem, RefusalData};
use crate::app::state::AppState;
use crate::requests::send;
use crate::view::game::GameView;

/// What you can do.
#[derive(Serialize, ToSchema)]
#[schema(as = Moves)]
pub(crate) struct MovesData {
    /// The moment that it is asked for.
    #[schema(format = DateTime)]
    at: String,
    /// Whom you play.
    you: PlayerRef,
    /// What waits for your answer, nearest deadline first.
    questions: Vec<QuestionData>,
    /// Every action of the law, in its order.
    moves: Vec<MoveData>,
    /// Every kind of post.
    posts: Vec<MayPost>,
}

/// When something may be done.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum May {
    /// Now, with arguments that fit.
    Now,
    /// Not now, and perhaps at the refusal's moment.
    Later,
    /// Not now, and time alone will not change it.
    No,
}

/// An action.
#[derive(Serialize, ToSchema)]
#[schema(as = Move)]
pub(crate) struct MoveData {
    /// Its code name.
    action: String,
    /// As people read it.
    title: String,
    /// The rule that declares it.
    rule: String,
    /// The clause of that rule.
    clause: u32,
    /// What it asks for.
    fields: Vec<FieldData>,
    /// What the law says of it to this player while it may be taken, such as the odds.
    says: Option<String>,
    /// When it may be taken.
    may: May,
    /// Why not now.
    refusal: Option<RefusalData>,
}

/// What an action asks for.
#[derive(Serialize, ToSchema)]
#[schema(as = Field)]
pub(crate) struct FieldData {
    /// The argument's name.
    name: String,
    /// As people read it.
    title: String,
    /// What it takes, in words.
    takes: String,
    /// What may be picked, where that can be listed.
    options: Option<Vec<OptionData>>,
    /// Whether it may be left out.
    optional: bool,
    /// What it is then.
    default: AnyJson,
}

/// Something to pick.
#[derive(Serialize, ToSchema)]
#[schema(as = FieldOption)]
pub(crate) struct OptionData {
    /// What to send.
    value: AnyJson,
    /// What it is called, which may be sent as well.
    text: String,
    /// What the law says of it, such as the odds.
    remark: Option<String>,
}

/// A kind of post and whether you may post one.
#[derive(Serialize, ToSchema)]
pub(crate) struct MayPost {
    /// The category's code name.
    category: String,
    /// When such a post may be made.
    may: May,
    /// Why not now.
    refusal: Option<RefusalData>,
}

/// What waits for an answer.
#[derive(Clone, Serialize, ToSchema)]
#[schema(as = Question)]
pub(crate) struct QuestionData {
    /// What names it: `open:` and the action, or `duty:` and a number.
    question: String,
    /// What is asked.
    what: String,
    /// What may be answered; empty where any text may.
    options: Vec<AnswerData>,
    /// Whether nothing may be answered.
    may_decline: bool,
    /// Whether the action that asks may be given up instead, with `abandon`.
    may_give_up: bool,
    /// What is taken at the deadline.
    default: AnyJson,
    /// Until when.
    #[schema(format = DateTime)]
    deadline: String,
}

impl QuestionData {
    /// Whether this is the question of that name.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.question == name
    }
}

/// Something to answer.
#[derive(Clone, Serialize, ToSchema)]
#[schema(as = Answer)]
pub(crate) struct AnswerData {
    /// What to send.
    value: AnyJson,
    /// What it is called, which may be sent as well.
    text: String,
}

/// What you can do in a game: now, later with the time, or not and why.
#[utoipa::path(get, path = "/games/{game}/moves", tag = "play", operation_id = "moves",
    params(("game" = String, Path, description = "The game's word.")),
    responses((status = 200, description = "Your moves.", body = MovesData), Problem), security(("token" = [])))]
pub(crate) async fn list(
    State(site): State<Arc<AppState>>,
    Signed(visitor): Signed,
    Path(game): Path<String>,
) -> Result<Json<MovesData>, Problem> {
    let view = GameView::at(&site, &visitor, &game).await?;
    let me = send::player(&view)?;
    let told = blocking(Arc::new(view), move |view| Ok(moves(view, me)));
    told.await.map(Json)
}

fn moves(view: &GameView, me: PlayerId) -> MovesData {
    view.ask(|asked| {
        let offers = asked.offers(me);
        let posts = view.law().category_order.iter().filter_map(|name| {
            let decl = view.law().categories.get(name)?;
            let (may, refusal) = may(view, &asked.may_post(me, decl));
            Some(MayPost {
                category: name.to_string(),
                may,
                refusal,
            })
        });
        MovesData {
            at: moment(view.now()),
            you: PlayerRef::of(view, me),
            questions: questions(view, asked),
            moves: offers.iter().map(|offer| one(view, asked, offer)).collect(),
            posts: posts.collect(),
        }
    })
}

fn may(view: &GameView, open: &Result<(), Refusal>) -> (May, Option<RefusalData>) {
    match open {
        Ok(()) => (May::Now, None),
        Err(refusal) => {
            let may = if refusal.next_at.is_some() {
                May::Later
            } else {
                May::No
            };
            (may, Some(RefusalData::themed(view, refusal)))
        }
    }
}

fn one(view: &GameView, asked: &Questions<'_>, offer: &Offer) -> MoveData {
    let (may, refusal) = may(view, &offer.open);
    MoveData {
        action: offer.action.to_string(),
        title: view.themed(&offer.title),
        rule: offer.site.rule.to_string(),
        clause: offer.site.clause,
        fields: offer
            .fields
            .iter()
            .map(|field| one_field(view, asked, field))
            .collect(),
        says: told_of(view, &offer.says),
        may,
        refusal,
    }
}

/// Words of the law in the theme's, where there are any.
fn told_of(view: &GameView, words: &str) -> Option<String> {
    (!words.is_empty()).then(|| view.themed(words))
}

fn one_field(view: &GameView, asked: &Questions<'_>, field: &Field) -> FieldData {
    let options = field.options.as_ref().map(|options| {
        let remarks = field.remarks.iter().map(String::as_str);
        let remarks = remarks.chain(std::iter::repeat(""));
        let told = options.iter().zip(remarks);
        let told = told.map(|((datum, text), remark)| OptionData {
            value: data::datum(asked, datum),
            text: text.clone(),
            remark: told_of(view, remark),
        });
        told.collect()
    });
    FieldData {
        name: field.name.to_string(),
        title: view.themed(&field.title),
        takes: convert::type_name(&field.ty),
        options,
        optional: field.default.is_some()
            || matches!(field.ty, quorate_law::datum::Type::Optional(_)),
        default: data::datum(asked, field.default.as_ref().unwrap_or(&Datum::None)),
    }
}

/// What waits for an answer of a player.
pub(crate) fn questions(view: &GameView, asked: &Questions<'_>) -> Vec<QuestionData> {
    let options = |values: &[Value]| {
        let told = values.iter().map(|value| AnswerData {
            value: data::value(asked, value),
            text: asked.label(&convert::datum(value)),
        });
        told.collect()
    };
    let open = view.my_open();
    let open = open.map(|(key, open)| {
        let question = QuestionData {
            question: format!("open:{}", key.action),
            what: open.question.what.clone(),
            options: options(&open.question.options),
            may_decline: open.question.may_decline,
            may_give_up: asked.may_give_up(key, open).is_ok(),
            default: data::value(asked, &open.question.default),
            deadline: moment(open.deadline),
        };
        (open.deadline, question)
    });
    let duties = view.my_duties();
    let duties = duties.map(|(id, duty)| {
        let question = QuestionData {
            question: format!("duty:{id}"),
            what: view.duty_title(duty),
            options: options(&duty.options),
            may_decline: false,
            may_give_up: false,
            default: data::value(asked, &duty.default),
            deadline: moment(duty.deadline),
        };
        (duty.deadline, question)
    });
    let mut found: Vec<_> = open.chain(duties).collect();
    found.sort_by_key(|(deadline, _)| *deadline);
    found.into_iter().map(|(_, question)| question).collect()
}
