//! How buckets are called: by the client that the server has anyway.

use std::time::Duration;

use async_trait::async_trait;
use http_body_util::BodyExt as _;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as WebClient;
use hyper_util::client::legacy::connect::HttpConnector as Connector;
use hyper_util::rt::TokioExecutor;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody,
    HttpResponse, HttpResponseBody, HttpService,
};

/// How long a connection may take to be made.
const CONNECT_WITHIN: Duration = Duration::from_secs(5);

/// How long an answer may take to begin, behind a part of a large file.
const ANSWER_WITHIN: Duration = Duration::from_mins(1);

/// Makes clients.
#[derive(Debug)]
pub(super) struct Client;

#[derive(Debug)]
struct Calls(WebClient<HttpsConnector<Connector>, HttpRequestBody>);

impl HttpConnector for Client {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let mut plain = Connector::new();
        plain.enforce_http(false);
        plain.set_connect_timeout(Some(CONNECT_WITHIN));
        let secured = HttpsConnectorBuilder::new().with_native_roots();
        let secured = secured.map_err(|error| object_store::Error::Generic {
            store: "S3",
            source: error.into(),
        })?;
        // Whether it may be called without TLS is said by the variable AWS_ALLOW_HTTP, which is looked at before.
        let secured = secured.https_or_http().enable_http1().wrap_connector(plain);
        let client = WebClient::builder(TokioExecutor::new()).build(secured);
        Ok(HttpClient::new(Calls(client)))
    }
}

#[async_trait]
impl HttpService for Calls {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let answer = tokio::time::timeout(ANSWER_WITHIN, self.0.request(request)).await;
        let answer = answer.map_err(|error| HttpError::new(HttpErrorKind::Timeout, error))?;
        let answer = answer.map_err(|error| {
            let kind = if error.is_connect() {
                HttpErrorKind::Connect
            } else {
                HttpErrorKind::Unknown
            };
            HttpError::new(kind, error)
        })?;
        Ok(answer.map(|body| {
            let body = body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error));
            HttpResponseBody::new(body)
        }))
    }
}
