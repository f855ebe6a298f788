//! What the server itself has to know of a game, for notices, feeds and lists of games: asked where its rule code may run.

use std::sync::Arc;
use std::time::Duration;

use quorate_kernel::digest::Digest;
use quorate_kernel::{GameId, Span};
use quorate_runtime::OperatingError;
use quorate_runtime::ports::{AccountId, Job, JobSort, Workers};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::app::error::AppError;
use crate::app::state::AppState;

/// How long an answer may take whose law does nothing out of the common.
const TIME: Duration = Duration::from_secs(2);

/// For how long an answer that is kept is given to who asks the same.
const KEPT_FOR: Span = Span(5_000);

/// A question about one game. A worker answers it, where the site has workers.
pub(crate) trait Inquiry: Serialize + DeserializeOwned + Send {
    /// What is answered.
    type Answer: Serialize + DeserializeOwned + Send;

    /// Its word, by which a worker knows it.
    const WORD: &'static str;

    /// What sort of job it is: a heavy one where it may take long, and nobody waits for it.
    const SORT: JobSort = JobSort::Page;

    /// Whether whoever asks the same within some seconds, and before anything happens in the game, is given the same answer.
    const IS_KEPT: bool = false;

    /// The game.
    fn game(&self) -> &GameId;

    /// The account for which the worker may act, where it may for one.
    fn account(&self) -> Option<AccountId> {
        None
    }

    /// Answers it in this process.
    fn answer(
        self,
        site: &Arc<AppState>,
    ) -> impl Future<Output = Result<Self::Answer, AppError>> + Send;
}

/// Something for a worker, as bytes.
#[derive(Serialize, Deserialize)]
pub(crate) struct WireJob {
    /// How far the machine's clock is ahead of the site's, by which the worker goes too.
    pub(crate) off: Span,
    pub(crate) work: WireWork,
}

impl WireJob {
    /// The bytes of some work of a site.
    pub(crate) fn bytes(site: &AppState, work: WireWork) -> postcard::Result<Vec<u8>> {
        let off = site.deps.clock.standing().off();
        postcard::to_stdvec(&Self { off, work })
    }
}

/// What is to be done.
#[derive(Serialize, Deserialize)]
pub(crate) enum WireWork {
    /// A request of a reader's.
    Request(Vec<u8>),
    /// A question of the server's: its word, and what it asks.
    Inquiry(String, Vec<u8>),
}

/// What a worker says to a question.
#[derive(Serialize, Deserialize)]
enum InquiryTold {
    Answer(Vec<u8>),
    /// There is no such thing, or none for whom it is asked.
    NotFound,
    Failed(String),
}

/// Has a question answered.
pub(crate) async fn ask<I: Inquiry>(
    site: &Arc<AppState>,
    inquiry: I,
) -> Result<I::Answer, AppError> {
    let Some(workers) = &site.deps.workers else {
        return inquiry.answer(site).await;
    };
    let (game, account) = (inquiry.game().clone(), inquiry.account());
    let asks = postcard::to_stdvec(&inquiry).map_err(broken)?;
    let answer = if I::IS_KEPT {
        let newest = site.deps.games.newest(&game).await?;
        let while_kept = site.now().0.div_euclid(KEPT_FOR.0);
        let key = Digest::of_parts([
            I::WORD.as_bytes(),
            asks.as_slice(),
            &newest.0.to_le_bytes(),
            &while_kept.to_le_bytes(),
        ]);
        let made = made::<I>(site, &**workers, (game, account), asks);
        site.answers.get_or_insert_async(&key, made).await?
    } else {
        made::<I>(site, &**workers, (game, account), asks).await?
    };
    postcard::from_bytes(&answer).map_err(broken)
}

/// Has a worker answer a question.
async fn made<I: Inquiry>(
    site: &AppState,
    workers: &dyn Workers,
    (game, account): (GameId, Option<AccountId>),
    asks: Vec<u8>,
) -> Result<Arc<[u8]>, AppError> {
    let work = WireWork::Inquiry(I::WORD.to_owned(), asks);
    let job = Job {
        request: WireJob::bytes(site, work).map_err(broken)?,
        who: match account {
            Some(account) => format!("account {}", account.0),
            None => format!("game {game}"),
        },
        game: Some(game),
        account,
        is_repair: false,
        time: TIME,
        sort: I::SORT,
        is_in_force: true,
    };
    let made = workers.run(job).await?;
    match postcard::from_bytes(&made).map_err(broken)? {
        InquiryTold::Answer(answer) => Ok(answer.into()),
        InquiryTold::NotFound => Err(AppError::NotFound),
        InquiryTold::Failed(why) => Err(AppError::Broken(why)),
    }
}

/// A worker's side: answers a question of one sort.
pub(crate) async fn answered<I: Inquiry>(
    site: &Arc<AppState>,
    asks: &[u8],
) -> postcard::Result<Vec<u8>> {
    let inquiry: I = postcard::from_bytes(asks)?;
    let told = match inquiry.answer(site).await {
        Ok(answer) => InquiryTold::Answer(postcard::to_stdvec(&answer)?),
        Err(AppError::NotFound | AppError::Operating(OperatingError::NoGame(_))) => {
            InquiryTold::NotFound
        }
        Err(error) => InquiryTold::Failed(error.what()),
    };
    postcard::to_stdvec(&told)
}

fn broken(error: postcard::Error) -> AppError {
    AppError::Broken(error.to_string())
}
