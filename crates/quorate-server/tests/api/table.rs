//! The real site in this process, over a store in memory and a clock that is set by hand. Every answer is checked against
//! the document that the site itself gives out.

use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, Response, StatusCode, header};
use quorate_engine::LawCache;
use quorate_engine::rulebook::Rulebook;
use quorate_kernel::{Moment, Span};
use quorate_notices::testing::MemoryOutbox;
use quorate_runtime::in_process::InProcess;
use quorate_runtime::ports::{
    AccountId, Backup, Job, JobFailed, NewAccount, ServerSecret, Session, StoreError, TokenScopes,
    Workers, WorkersStanding,
};
use quorate_runtime::testing::{HandClock, Memory};
use quorate_runtime::{Games, GamesSettings, Ports};
use quorate_server::app::visitor::session_digest;
use quorate_server::security::session::SessionToken;
use quorate_server::site::account::programs::{TokenWish, make_token};
use quorate_server::{AppState, Deps, ServerConfig, WriteCounts, elsewhere, judges_here, router};
use serde_json::{Value as Json, json};
use tower::ServiceExt;

use crate::accounts::InMemory;
use crate::book;

/// The largest answer that is read, in bytes.
pub(crate) const ANSWER_BYTES: usize = 16 * 1024 * 1024;

/// Where the API begins.
pub(crate) const ROOT: &str = "/api/v1";

/// A site.
pub(crate) struct Table {
    router: Router,
    site: Arc<AppState>,
    clock: Arc<HandClock>,
    /// Where its games are kept.
    pub(crate) memory: Arc<Memory>,
    /// The document that it gives out.
    pub(crate) document: Json,
}

/// Copies nothing, as a file that says so.
struct Copies;

#[async_trait::async_trait]
impl Backup for Copies {
    async fn back_up(&self, _scratch: &Path, out: &File) -> Result<(), StoreError> {
        let mut out = out;
        out.write_all(b"a copy").unwrap();
        out.rewind().unwrap();
        Ok(())
    }
}

/// A site that does what workers do for another.
struct SiteBeside(Router, Arc<AppState>);

#[async_trait::async_trait]
impl Workers for SiteBeside {
    async fn run(&self, job: Job) -> Result<Vec<u8>, JobFailed> {
        let made = elsewhere::answer(&self.1, &self.0, &job.request).await;
        made.map_err(|_| JobFailed::Ended)
    }

    fn forget(&self) {}

    fn standing(&self) -> WorkersStanding {
        WorkersStanding::default()
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: axum::http::HeaderMap,
    pub(crate) body: Json,
}

/// A request that is being put together.
pub(crate) struct Call<'a> {
    table: &'a Table,
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: Option<Vec<u8>>,
}

impl Table {
    /// Opens a site on which games of one rulebook can be founded.
    pub(crate) async fn open() -> Self {
        Self::of(ServerConfig::default()).await
    }

    /// The same, run otherwise.
    pub(crate) async fn of(config: ServerConfig) -> Self {
        Self::with(config, vec![book::read("adventurers-2019")]).await
    }

    /// A site on which games of these rulebooks can be founded.
    pub(crate) async fn with(config: ServerConfig, books: Vec<Rulebook>) -> Self {
        Self::laid(config, books, false).await
    }

    /// The same, leaving all rule code to workers, which live in this process with compiled laws of their own.
    pub(crate) async fn apart() -> Self {
        let books = vec![book::read("adventurers-2019")];
        Self::laid(ServerConfig::default(), books, true).await
    }

    async fn laid(config: ServerConfig, books: Vec<Rulebook>, is_apart: bool) -> Self {
        let start: Moment = "2031-05-04T09:00Z".parse().unwrap();
        let clock = Arc::new(HandClock::at(start));
        let store = Arc::new(Memory::default());
        let laws = Arc::new(LawCache::default());
        let secret = ServerSecret::new([7; 32]);
        let ports = Ports {
            journal: store.clone(),
            seals: store.clone(),
            judges: Arc::new(InProcess::new(&laws)),
            clock: clock.clone(),
            secret: secret.clone(),
            others: None,
        };
        let games = Games::start(ports, GamesSettings::default()).await.unwrap();
        let accounts = Arc::new(InMemory::default());
        let outbox = Arc::new(MemoryOutbox::new(accounts.clone()));
        let writes = Arc::new(WriteCounts::new(clock.clone(), None));
        let again = judges_here(&laws);
        let site = |laws: Arc<LawCache>, workers| {
            let deps = Deps {
                games: games.clone().into(),
                again: again.clone(),
                laws,
                outbox: Some(outbox.clone()),
                accounts: accounts.clone(),
                safety: accounts.clone(),
                moderation: accounts.clone(),
                drafts: accounts.clone(),
                uploads: accounts.clone(),
                journal: store.clone(),
                seals: store.clone(),
                search: store.clone(),
                backup: Some(Arc::new(Copies)),
                buckets: None,
                writes: writes.clone(),
                clock: clock.clone(),
                secret: secret.clone(),
                books: books.clone(),
                config: config.clone(),
                workers,
            };
            Arc::new(AppState::new(deps).unwrap())
        };
        let mut laid = site(laws, None);
        if is_apart {
            let workers = Arc::new(SiteBeside(router(Arc::clone(&laid)), laid));
            laid = site(Arc::default(), Some(workers as Arc<dyn Workers>));
        }
        let site = laid;
        let mut table = Self {
            router: router(Arc::clone(&site)),
            site,
            clock,
            memory: store,
            document: Json::Null,
        };
        let path = format!("{ROOT}/openapi.json");
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = table.send(request).await;
        let bytes = to_bytes(response.into_body(), ANSWER_BYTES).await.unwrap();
        table.document = serde_json::from_slice(&bytes).unwrap();
        table
    }

    /// Makes an account with a token.
    pub(crate) async fn token(&self, name: &str, operator: bool) -> String {
        let id = self.account(name, operator).await;
        self.token_of(id, "vote post act admin", None).await
    }

    /// Makes another token for an account, which may do so much.
    pub(crate) async fn token_for(&self, name: &str, scopes: &str, game: Option<&str>) -> String {
        let account = self.site.deps.accounts.account_by_name(name).await;
        let id = account.unwrap().unwrap().id;
        self.token_of(id, scopes, game).await
    }

    async fn token_of(&self, id: AccountId, scopes: &str, game: Option<&str>) -> String {
        let wish = TokenWish {
            label: "a bot".to_owned(),
            scopes: scopes.parse::<TokenScopes>().unwrap(),
            game: game.map(|word| word.parse().unwrap()),
            span: None,
        };
        make_token(&self.site, id, wish).await.unwrap()
    }

    /// Begins a session of an account in a browser, as signing in does.
    pub(crate) async fn session(&self, name: &str) -> SessionToken {
        self.session_if_any(name).await.unwrap()
    }

    /// The same; none where there is no such account any more.
    pub(crate) async fn session_if_any(&self, name: &str) -> Option<SessionToken> {
        let account = self.site.deps.accounts.account_by_name(name).await;
        let token = SessionToken::fresh().unwrap();
        let session = Session {
            digest: session_digest(&token),
            account: account.unwrap()?.id,
            began_at: self.site.now(),
            ends_at: self.site.now() + Span::days(60),
        };
        let begun = self.site.deps.accounts.begin_session(&session).await;
        begun.unwrap();
        Some(token)
    }

    /// The site itself, for what no request can do.
    pub(crate) fn site(&self) -> &Arc<AppState> {
        &self.site
    }

    /// What a browser with a session sends as its cookie.
    pub(crate) fn cookie(&self, session: &SessionToken) -> String {
        let set = self.site.cookies.set(session, 60);
        let set = set.to_str().unwrap();
        set.split(';').next().unwrap().to_owned()
    }

    async fn account(&self, name: &str, operator: bool) -> AccountId {
        let account = NewAccount {
            name: name.to_owned(),
            mail: None,
            password: None,
            operator,
            made_at: self.site.now(),
        };
        self.site.deps.accounts.make(&account).await.unwrap()
    }

    /// Revokes a token.
    pub(crate) async fn revoke(&self, token: &str) {
        let digest = quorate_server::security::carried::digest_of(token);
        self.site.deps.accounts.revoke_token(digest).await.unwrap();
    }

    /// Sets the clock forward.
    pub(crate) fn pass(&self, span: Span) {
        self.clock.pass(span);
    }

    /// Sends a request as it is.
    pub(crate) async fn send(&self, request: Request<Body>) -> Response<Body> {
        self.router.clone().oneshot(request).await.unwrap()
    }

    /// Answers at an address of this machine too, for programs that are tested; gives where its API begins.
    pub(crate) async fn serve(&self) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = self.router.clone();
        tokio::spawn(async move { drop(axum::serve(listener, router).await) });
        format!("http://{address}{ROOT}")
    }

    pub(crate) fn get(&self, path: &str) -> Call<'_> {
        self.call(Method::GET, path)
    }

    pub(crate) fn post(&self, path: &str, body: &Json) -> Call<'_> {
        let mut call = self.call(Method::POST, path);
        call.body = Some(body.to_string().into_bytes());
        call.with("content-type", "application/json")
    }

    pub(crate) fn delete(&self, path: &str) -> Call<'_> {
        self.call(Method::DELETE, path)
    }

    fn call(&self, method: Method, path: &str) -> Call<'_> {
        Call {
            table: self,
            method,
            path: format!("{ROOT}{path}"),
            headers: Vec::new(),
            body: None,
        }
    }

    /// Checks an answer against the document: the operation is there, and says such a body for such a status.
    fn check(&self, method: &Method, path: &str, answer: &Answer, media: &str) {
        let path = path.split('?').next().unwrap_or(path);
        let method = method.as_str().to_lowercase();
        let paths = self.document["paths"].as_object().unwrap();
        let known = paths.iter().find(|(template, operations)| {
            fits(template, path) && operations.get(&method).is_some()
        });
        let (_, operations) = known.unwrap_or_else(|| panic!("{method} {path} is not described"));
        let responses = &operations[&method]["responses"];
        let status = answer.status.as_u16().to_string();
        let response = responses.get(&status).or_else(|| responses.get("default"));
        let response =
            response.unwrap_or_else(|| panic!("{method} {path}: {status} not described"));
        let schema = &response["content"][media]["schema"];
        assert!(
            schema.is_object(),
            "{method} {path}: {status} as {media} is not described"
        );
        let mut schema = schema.clone();
        schema["components"] = self.document["components"].clone();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let wrong: Vec<String> = validator
            .iter_errors(&answer.body)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(
            wrong.is_empty(),
            "{method} {path} {status}: {wrong:#?}\n{}",
            answer.body
        );
    }
}

/// Whether a path is of a template: `/games/{game}`.
fn fits(template: &str, path: &str) -> bool {
    let (template, path): (Vec<_>, Vec<_>) =
        (template.split('/').collect(), path.split('/').collect());
    template.len() == path.len()
        && template
            .iter()
            .zip(&path)
            .all(|(is, given)| is.starts_with('{') || is == given)
}

impl Call<'_> {
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// With a token.
    pub(crate) fn by(self, token: &str) -> Self {
        self.with("authorization", &format!("Bearer {token}"))
    }

    /// Under a key.
    pub(crate) fn key(self, key: &str) -> Self {
        self.with("idempotency-key", key)
    }

    /// With a body that may be no JSON.
    pub(crate) fn raw(mut self, body: Vec<u8>) -> Self {
        self.body = Some(body);
        self
    }

    /// Sends it, and checks the answer against the document.
    pub(crate) async fn answer(self) -> Answer {
        let mut request = Request::builder().method(&self.method).uri(&self.path);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let body = self.body.map_or_else(Body::empty, Body::from);
        let response = self.table.send(request.body(body).unwrap()).await;
        let (status, headers) = (response.status(), response.headers().clone());
        let media = headers.get(header::CONTENT_TYPE).unwrap().to_str().unwrap();
        let media = media.split(';').next().unwrap().to_owned();
        let bytes = to_bytes(response.into_body(), ANSWER_BYTES).await.unwrap();
        let body = if media.ends_with("json") && !media.ends_with("ndjson") {
            serde_json::from_slice(&bytes).unwrap()
        } else {
            json!(String::from_utf8(bytes.to_vec()).unwrap())
        };
        let answer = Answer {
            status,
            headers,
            body,
        };
        self.table.check(&self.method, &self.path, &answer, &media);
        answer
    }

    /// Sends it and expects a status.
    pub(crate) async fn gives(self, status: u16) -> Json {
        let place = format!("{} {}", self.method, self.path);
        let answer = self.answer().await;
        assert_eq!(answer.status.as_u16(), status, "{place}: {:#}", answer.body);
        answer.body
    }
}
