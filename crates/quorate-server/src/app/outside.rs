//! Signing in from elsewhere: with an issuer of OpenID Connect, with Discord, or with GitHub, as the operator set it.
//!
//! Whom an issuer names is known by the issuer and by what it calls them for good. An address of mail links nobody.

use std::pin::Pin;
use std::sync::OnceLock;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, header};
use chrono::{DateTime, Utc};
use oauth2::basic::BasicClient;
use oauth2::{AuthUrl, TokenResponse as _, TokenUrl};
use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreClientAuthMethod, CoreJwsSigningAlgorithm,
    CoreProviderMetadata,
};
use openidconnect::{
    AccessTokenHash, AsyncHttpClient, AuthType, AuthorizationCode, ClientId, ClientSecret,
    CsrfToken, HttpRequest, HttpResponse, IssuerUrl, Nonce, PkceCodeChallenge, PkceCodeVerifier,
    RedirectUrl, Scope, TokenResponse as _,
};
use quorate_kernel::Moment;
use quorate_runtime::ports::OutsideName;
use serde::Deserialize;

use crate::app::web_reach::{self, WebClient, WebReach};
use crate::security::outside::JourneySecrets;

/// How long an issuer may take for one answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The longest answer of an issuer, in bytes.
const ANSWER_BYTES: usize = 1 << 20;

/// The longest name of somebody elsewhere that is kept, in letters.
const LABEL_MAX: usize = 80;

/// With what a token may be signed: by a key of the issuer's own, never by a secret that both know, and never by none.
const SIGNED_BY: [CoreJwsSigningAlgorithm; 8] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
];

/// What speaks for people elsewhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProviderKind {
    /// An issuer of OpenID Connect.
    Oidc {
        /// Its address, as its own document says it.
        issuer: String,
    },
    /// Discord.
    Discord {
        /// Where it is, unless at its usual place.
        server: Option<String>,
    },
    /// GitHub, or a server of one's own that speaks as it does.
    Github {
        /// Where it is, unless at its usual place.
        server: Option<String>,
    },
}

/// One by which people sign in from elsewhere.
#[derive(Clone)]
pub struct Provider {
    /// Its word in addresses.
    pub word: String,
    /// What it is called on pages.
    pub title: String,
    /// What it is.
    pub kind: ProviderKind,
    /// What it knows this server by.
    pub client: String,
    /// The secret by which this server proves that.
    pub secret: String,
    /// Whether it may lie in the server's own network, and be called without TLS.
    pub own_network: bool,
    /// The way there, made when it is first needed.
    pub web: OnceLock<WebClient>,
}

/// Never shows the secret, wherever it is logged.
impl std::fmt::Debug for Provider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Provider")
            .field("word", &self.word)
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}

/// Somebody for whom an issuer spoke.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutsidePerson {
    /// Who they are there.
    pub name: OutsideName,
    /// What they are called there.
    pub label: String,
    /// Their address of mail, where the issuer has seen that it is theirs.
    pub mail: Option<String>,
}

/// Why an issuer spoke for nobody.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum OutsideError {
    /// It could not be asked.
    #[error("it could not be asked: {0}")]
    NoAnswer(String),
    /// What it said proves nothing.
    #[error("its answer does not hold: {0}")]
    NoProof(String),
}

fn no_proof(why: impl std::fmt::Display) -> OutsideError {
    OutsideError::NoProof(why.to_string())
}

/// The addresses of a server that speaks plain OAuth 2.
struct PlainPlaces {
    issuer: String,
    authorize: String,
    token: String,
    person: String,
    scope: Option<&'static str>,
}

/// What Discord and GitHub tell of somebody.
#[derive(Deserialize)]
struct PlainPerson {
    id: serde_json::Value,
    #[serde(alias = "login")]
    username: String,
    email: Option<String>,
    verified: Option<bool>,
}

impl Provider {
    /// Where somebody signs in there, who then comes back to an address of ours.
    ///
    /// # Errors
    /// Fails where an issuer cannot be asked for its addresses.
    pub async fn door(&self, back: &str, secrets: &JourneySecrets) -> Result<String, OutsideError> {
        let back = RedirectUrl::new(back.to_owned()).map_err(no_proof)?;
        let verifier = PkceCodeVerifier::new(secrets.verifier.clone());
        let challenge = PkceCodeChallenge::from_code_verifier_sha256(&verifier);
        let state = CsrfToken::new(secrets.state.clone());
        let Some(places) = self.places() else {
            let client = CoreClient::from_provider_metadata(
                self.metadata().await?,
                ClientId::new(self.client.clone()),
                None,
            )
            .set_redirect_uri(back);
            let nonce = Nonce::new(secrets.nonce.clone());
            let flow = CoreAuthenticationFlow::AuthorizationCode;
            let (door, _, _) = client
                .authorize_url(flow, || state, || nonce)
                .add_scope(Scope::new("profile".to_owned()))
                .add_scope(Scope::new("email".to_owned()))
                .set_pkce_challenge(challenge)
                .url();
            return Ok(door.into());
        };
        let authorize = AuthUrl::new(places.authorize).map_err(no_proof)?;
        let client = BasicClient::new(ClientId::new(self.client.clone()))
            .set_auth_uri(authorize)
            .set_redirect_uri(back);
        let asked = client.authorize_url(|| state).set_pkce_challenge(challenge);
        let scopes = places.scope.into_iter().flat_map(|all| all.split(' '));
        let asked = asked.add_scopes(scopes.map(|scope| Scope::new(scope.to_owned())));
        Ok(asked.url().0.into())
    }

    /// Who came back with a code.
    ///
    /// # Errors
    /// Fails where the issuer cannot be asked, and where what it says does not hold.
    pub async fn person(
        &self,
        code: &str,
        back: &str,
        secrets: &JourneySecrets,
        now: Moment,
    ) -> Result<OutsidePerson, OutsideError> {
        let back = RedirectUrl::new(back.to_owned()).map_err(no_proof)?;
        let code = AuthorizationCode::new(code.to_owned());
        let verifier = PkceCodeVerifier::new(secrets.verifier.clone());
        if let Some(places) = self.places() {
            return self.plain_person(places, code, back, verifier).await;
        }
        let nonce = Nonce::new(secrets.nonce.clone());
        self.named_person(code, back, verifier, nonce, now).await
    }

    /// The issuer's address, as its people are known by it.
    pub fn issuer(&self) -> String {
        match &self.kind {
            ProviderKind::Oidc { issuer } => issuer.clone(),
            ProviderKind::Discord { server } => server
                .clone()
                .unwrap_or_else(|| "https://discord.com".to_owned()),
            ProviderKind::Github { server } => server
                .clone()
                .unwrap_or_else(|| "https://github.com".to_owned()),
        }
    }

    fn places(&self) -> Option<PlainPlaces> {
        let issuer = self.issuer();
        let at = issuer.trim_end_matches('/');
        Some(match &self.kind {
            ProviderKind::Oidc { .. } => return None,
            ProviderKind::Discord { .. } => PlainPlaces {
                authorize: format!("{at}/oauth2/authorize"),
                token: format!("{at}/api/oauth2/token"),
                person: format!("{at}/api/users/@me"),
                scope: Some("identify email"),
                issuer,
            },
            ProviderKind::Github { server } => PlainPlaces {
                authorize: format!("{at}/login/oauth/authorize"),
                token: format!("{at}/login/oauth/access_token"),
                person: match server {
                    Some(_) => format!("{at}/api/v3/user"),
                    None => "https://api.github.com/user".to_owned(),
                },
                scope: None,
                issuer,
            },
        })
    }

    async fn metadata(&self) -> Result<CoreProviderMetadata, OutsideError> {
        let issuer = IssuerUrl::new(self.issuer()).map_err(no_proof)?;
        let found = CoreProviderMetadata::discover_async(issuer, self).await;
        found.map_err(no_proof)
    }

    /// Whom an issuer's token names, once all that it says was checked.
    async fn named_person(
        &self,
        code: AuthorizationCode,
        back: RedirectUrl,
        verifier: PkceCodeVerifier,
        nonce: Nonce,
        now: Moment,
    ) -> Result<OutsidePerson, OutsideError> {
        let metadata = self.metadata().await?;
        let methods = metadata.token_endpoint_auth_methods_supported();
        let takes_header = methods
            .is_none_or(|methods| methods.contains(&CoreClientAuthMethod::ClientSecretBasic));
        let client = CoreClient::from_provider_metadata(
            metadata,
            ClientId::new(self.client.clone()),
            Some(ClientSecret::new(self.secret.clone())),
        )
        .set_redirect_uri(back)
        .set_auth_type(if takes_header {
            AuthType::BasicAuth
        } else {
            AuthType::RequestBody
        });
        let exchange = client.exchange_code(code).map_err(no_proof)?;
        let tokens = exchange
            .set_pkce_verifier(verifier)
            .request_async(self)
            .await
            .map_err(no_proof)?;
        let token = tokens
            .id_token()
            .ok_or_else(|| no_proof("it sent no token that names anybody"))?;
        let at = move || DateTime::<Utc>::from_timestamp_millis(now.0).unwrap_or_default();
        let checked = client
            .id_token_verifier()
            .set_allowed_algs(SIGNED_BY)
            .set_time_fn(at);
        let claims = token.claims(&checked, &nonce).map_err(no_proof)?;
        if let Some(expected) = claims.access_token_hash() {
            let algorithm = token.signing_alg().map_err(no_proof)?;
            let key = token.signing_key(&checked).map_err(no_proof)?;
            let actual = AccessTokenHash::from_token(tokens.access_token(), algorithm, key);
            if actual.map_err(no_proof)? != *expected {
                return Err(no_proof("its two tokens do not belong together"));
            }
        }
        let called = claims.preferred_username().map(|name| name.to_string());
        let mail = claims.email().map(|mail| mail.to_string());
        Ok(OutsidePerson {
            name: OutsideName {
                issuer: self.issuer(),
                subject: claims.subject().to_string(),
            },
            label: short(&called.unwrap_or_default()),
            mail: mail.filter(|_| claims.email_verified() == Some(true)),
        })
    }

    /// Whom a server of plain OAuth 2 says somebody is, asked with the token that their code gave.
    async fn plain_person(
        &self,
        places: PlainPlaces,
        code: AuthorizationCode,
        back: RedirectUrl,
        verifier: PkceCodeVerifier,
    ) -> Result<OutsidePerson, OutsideError> {
        let token = TokenUrl::new(places.token).map_err(no_proof)?;
        let client = BasicClient::new(ClientId::new(self.client.clone()))
            .set_client_secret(ClientSecret::new(self.secret.clone()))
            .set_auth_type(AuthType::RequestBody)
            .set_token_uri(token)
            .set_redirect_uri(back);
        let tokens = client
            .exchange_code(code)
            .set_pkce_verifier(verifier)
            .request_async(self)
            .await
            .map_err(no_proof)?;
        let bearer = format!("Bearer {}", tokens.access_token().secret());
        let request = Request::get(places.person)
            .header(header::AUTHORIZATION, bearer)
            .header(header::ACCEPT, "application/json")
            .body(Vec::new())
            .map_err(no_proof)?;
        let answer = self.ask(request).await?;
        if !answer.status().is_success() {
            return Err(no_proof(answer.status()));
        }
        let person: PlainPerson = serde_json::from_slice(answer.body()).map_err(no_proof)?;
        let subject = match person.id {
            serde_json::Value::String(id) if !id.is_empty() => id,
            serde_json::Value::Number(id) => id.to_string(),
            _ => return Err(no_proof("it names nobody")),
        };
        Ok(OutsidePerson {
            name: OutsideName {
                issuer: places.issuer,
                subject,
            },
            label: short(&person.username),
            mail: person.email.filter(|_| person.verified == Some(true)),
        })
    }

    /// One request to the issuer. It is not led on to other addresses.
    async fn ask(&self, request: HttpRequest) -> Result<HttpResponse, OutsideError> {
        let no_answer = |why: &dyn std::fmt::Display| OutsideError::NoAnswer(why.to_string());
        let reach = WebReach {
            inner: self.own_network,
            ..WebReach::default()
        };
        let address = request.uri().to_string();
        reach.check(&address).map_err(|why| no_answer(&why))?;
        let web = if let Some(web) = self.web.get() {
            web
        } else {
            let made = web_reach::client(reach, PATIENCE).map_err(|why| no_answer(&why))?;
            self.web.get_or_init(|| made)
        };
        let (mut parts, body) = request.into_parts();
        let agent = axum::http::HeaderValue::from_static("quorate");
        parts.headers.insert(header::USER_AGENT, agent);
        let asked = async {
            let answer = web
                .request(Request::from_parts(parts, Body::from(body)))
                .await;
            let answer = answer.map_err(|why| no_answer(&why))?;
            let (parts, body) = answer.into_parts();
            let body = to_bytes(Body::new(body), ANSWER_BYTES).await;
            let body = body.map_err(|why| no_answer(&why))?;
            Ok::<_, OutsideError>(HttpResponse::from_parts(parts, body.to_vec()))
        };
        let answered = tokio::time::timeout(PATIENCE, asked).await;
        answered.unwrap_or_else(|_| Err(no_answer(&"it took too long")))
    }
}

impl<'c> AsyncHttpClient<'c> for Provider {
    type Error = OutsideError;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, OutsideError>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.ask(request))
    }
}

/// A name of somebody elsewhere, as short as one that is kept.
fn short(name: &str) -> String {
    let plain = name.chars().filter(|sign| !sign.is_control());
    plain.take(LABEL_MAX).collect()
}
