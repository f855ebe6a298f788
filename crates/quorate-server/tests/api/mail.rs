//! A link by mail for whoever lost a password: it goes to the account's address, counts once, and tells nobody else anything.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use quorate_kernel::Moment;
use quorate_runtime::ports::NewAccount;
use quorate_server::security::session::SessionToken;
use quorate_server::{Mail, ServerConfig};

use crate::table::Table;

/// A program that takes mail as sendmail does, and puts it into a file beside itself. Two may run at once, each with a half of its own.
fn program(folder: &Path) -> String {
    let path = folder.join("takes-mail");
    let inbox = folder.join("inbox");
    let script = format!(
        "#!/bin/sh\ncat > {0}.$$ && mv {0}.$$ {0}\n",
        inbox.display()
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    path.to_str().unwrap().to_owned()
}

async fn sent(
    table: &Table,
    session: &SessionToken,
    path: &str,
    form: &str,
) -> (StatusCode, String) {
    let csrf = table.site().csrf.issue(session).unwrap();
    let request = Request::post(path)
        .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header(header::COOKIE, table.cookie(session))
        .header(header::HOST, "evil.example")
        .body(Body::from(format!("csrf={csrf}&{form}")))
        .unwrap();
    let answer = table.send(request).await;
    let status = answer.status();
    let bytes = to_bytes(answer.into_body(), 1 << 20).await.unwrap();
    (status, String::from_utf8_lossy(&bytes).into_owned())
}

/// The mail that arrived, once it has.
async fn arrived(inbox: &Path) -> String {
    let waiting = async {
        loop {
            if let Ok(mail) = fs::read_to_string(inbox) {
                return mail;
            }
            tokio::task::yield_now().await;
        }
    };
    let mail = tokio::time::timeout(Duration::from_mins(1), waiting);
    mail.await.expect("the mail arrives")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_by_mail_sets_a_new_password_once() {
    let folder = tempfile::tempdir().unwrap();
    let sender = "Quorate <games@nomic.example>";
    let mail = Mail::new(sender, &program(folder.path()), "https://nomic.example/").unwrap();
    let config = ServerConfig {
        mail: Some(mail),
        ..ServerConfig::default()
    };
    let table = Table::of(config).await;
    let account = NewAccount {
        name: "Hal".to_owned(),
        mail: Some("hal@post.example".to_owned()),
        password: None,
        operator: false,
        made_at: Moment(0),
    };
    table.site().deps.accounts.make(&account).await.unwrap();
    let session = SessionToken::fresh().unwrap();

    let unknown = sent(&table, &session, "/recover", "mail=ida@post.example").await;
    let known = sent(&table, &session, "/recover", "mail=hal@post.example").await;
    assert_eq!(known.0, StatusCode::OK);
    let text = |page: &str| page.split("<main").nth(1).unwrap_or(page).to_owned();
    assert_eq!(text(&known.1), text(&unknown.1), "both are answered alike");

    let mail = arrived(&folder.path().join("inbox")).await;
    assert!(mail.contains("To: hal@post.example"), "{mail}");
    // Lines of mail are broken; a soft break is an equals sign at the end.
    let mail = mail
        .replace("=\r\n", "")
        .replace("=\n", "")
        .replace("=3D", "=");
    let link = mail.split("https://nomic.example/recover/").nth(1);
    let word: String = link
        .expect("a link to the site as its operator names it")
        .chars()
        .take_while(char::is_ascii_hexdigit)
        .collect();
    assert!(!mail.contains("evil.example"), "{mail}");

    let path = format!("/recover/{word}");
    let form = "password=a+long+and+new+one";
    let first = sent(&table, &session, &path, form).await;
    assert_eq!(first.0, StatusCode::SEE_OTHER, "{}", first.1);
    let second = sent(&table, &SessionToken::fresh().unwrap(), &path, form).await;
    assert_eq!(second.0, StatusCode::BAD_REQUEST, "it counts once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_mail_promises_none() {
    let table = Table::open().await;
    let session = SessionToken::fresh().unwrap();
    let asked = sent(&table, &session, "/recover", "mail=hal@post.example").await;
    assert_eq!(asked.0, StatusCode::NOT_FOUND);
    let page = table
        .send(Request::get("/recover").body(Body::empty()).unwrap())
        .await;
    let bytes = to_bytes(page.into_body(), 1 << 20).await.unwrap();
    let page = String::from_utf8_lossy(&bytes).into_owned();
    assert!(!page.contains("name=\"mail\""), "{page}");
    assert!(page.contains("Ask the one who runs this server"), "{page}");
}

#[tokio::test(flavor = "multi_thread")]
async fn owners_are_told_by_mail_what_opens_their_account() {
    let folder = tempfile::tempdir().unwrap();
    let sender = "Quorate <games@nomic.example>";
    let mail = Mail::new(sender, &program(folder.path()), "https://nomic.example/").unwrap();
    let config = ServerConfig {
        mail: Some(mail),
        ..ServerConfig::default()
    };
    let table = Table::of(config).await;
    let account = NewAccount {
        name: "Hal".to_owned(),
        mail: Some("hal@post.example".to_owned()),
        password: Some(table.site().passwords.digest("lamps on the quay").unwrap()),
        operator: false,
        made_at: Moment(0),
    };
    table.site().deps.accounts.make(&account).await.unwrap();
    let session = table.session("Hal").await;
    let inbox = folder.path().join("inbox");

    let form = "old=lamps+on+the+quay&mail=hal@elsewhere.example";
    let changed = sent(&table, &session, "/settings/mail", form).await;
    assert_eq!(changed.0, StatusCode::SEE_OTHER, "{}", changed.1);
    // Both addresses are told; the one that comes last stays in the inbox of this test.
    let mail = arrived(&inbox).await;
    assert!(mail.contains("The mail address was changed"), "{mail}");
    let form = "old=lamps+on+the+quay&password=a+pail+of+cold+tar";
    let changed = sent(&table, &session, "/settings/password", form).await;
    assert_eq!(changed.0, StatusCode::SEE_OTHER, "{}", changed.1);
    let mail = loop {
        let mail = arrived(&inbox).await;
        if mail.contains("The password was changed") {
            break mail;
        }
        tokio::task::yield_now().await;
    };
    assert!(mail.contains("To: hal@elsewhere.example"), "{mail}");
}
