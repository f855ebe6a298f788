//! Which addresses the server may call at somebody's word: none of its own network.
//!
//! A name is resolved once, what it leads to is checked, and the very addresses that were checked are connected to. So a name
//! that answers otherwise the second time gains nothing.

use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::http::Uri;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name as HostName;
use hyper_util::rt::TokioExecutor;
use tower::Service;

/// How far the server's calls may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct WebReach {
    /// Whether it may call this machine itself, and without TLS there, as its operator says.
    pub loopback: bool,
    /// Whether it may call any network, its own too, and without TLS there, as its operator says.
    pub inner: bool,
}

/// A client that calls what may be called.
pub type WebClient = Client<HttpsConnector<HttpConnector<GuardedNames>>, Body>;

/// Such a client, which waits so long for a connection.
///
/// # Errors
/// Fails where this machine has no certificates to trust.
pub fn client(reach: WebReach, patience: Duration) -> io::Result<WebClient> {
    let mut plain = HttpConnector::new_with_resolver(GuardedNames(reach));
    plain.enforce_http(false);
    plain.set_connect_timeout(Some(patience));
    let secured = HttpsConnectorBuilder::new().with_native_roots()?;
    let secured = secured.https_or_http().enable_http1().wrap_connector(plain);
    Ok(Client::builder(TokioExecutor::new()).build(secured))
}

/// Why an address is not called.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unreachable {
    /// It is no address of the web.
    #[error("that is no address that begins with https:// and names a host")]
    NoAddress,
    /// It would be called without TLS.
    #[error("that address must begin with https://")]
    Plain,
    /// It lies in a network of this server's own.
    #[error("that address lies in a network that this server does not call")]
    OwnNetwork,
}

impl WebReach {
    /// Whether an address may be called, as far as it says so itself; its host is checked again when it is resolved.
    ///
    /// # Errors
    /// Fails where it may not.
    pub fn check(self, address: &str) -> Result<Uri, Unreachable> {
        let uri: Uri = address.parse().map_err(|_| Unreachable::NoAddress)?;
        let authority = uri.authority().ok_or(Unreachable::NoAddress)?;
        if authority.as_str().contains('@') || authority.host().is_empty() {
            return Err(Unreachable::NoAddress);
        }
        let host = authority.host().trim_matches(['[', ']']);
        let literal: Option<IpAddr> = host.parse().ok();
        let is_local = literal.is_some_and(|ip| ip.is_loopback()) || host == "localhost";
        match uri.scheme_str() {
            Some("https") => {}
            Some("http") if self.inner || (is_local && self.loopback) => {}
            Some("http") => return Err(Unreachable::Plain),
            _ => return Err(Unreachable::NoAddress),
        }
        // Hosts that are written in a number or in octets are addresses to some resolvers.
        let is_odd = literal.is_none() && host.rsplit('.').next().is_some_and(is_number);
        if is_odd || literal.is_some_and(|ip| !self.allows(ip)) {
            return Err(Unreachable::OwnNetwork);
        }
        Ok(uri)
    }

    /// Whether an address of the network may be connected to.
    pub fn allows(self, ip: IpAddr) -> bool {
        let ip = ip.to_canonical();
        if self.inner {
            return true;
        }
        if ip.is_loopback() {
            return self.loopback;
        }
        match ip {
            IpAddr::V4(ip) => is_public_v4(ip),
            IpAddr::V6(ip) => is_public_v6(ip),
        }
    }
}

fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    !digits.is_empty()
        && digits.chars().all(|sign| sign.is_ascii_hexdigit())
        && word.starts_with(|sign: char| sign.is_ascii_digit())
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let is_shared = a == 100 && (64..128).contains(&b);
    let is_protocol = (a, b, c) == (192, 0, 0) || (a, b, c) == (192, 88, 99);
    let is_benchmark = a == 198 && (18..20).contains(&b);
    !(a == 0
        || a >= 224
        || is_shared
        || is_protocol
        || is_benchmark
        || ip.is_private()
        || ip.is_link_local()
        || ip.is_documentation())
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let parts = ip.segments();
    let embedded = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        is_public_v4(Ipv4Addr::new(a, b, c, d)) && !Ipv4Addr::new(a, b, c, d).is_loopback()
    };
    match parts {
        // What is translated into version 4 on the way is judged as that.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded(high, low),
        [0x2002, high, low, ..] => embedded(high, low),
        [0x2001, 0..=0x1ff | 0xdb8, ..] => false,
        // Of all others only what is given out for the public network.
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}

/// Resolves names and keeps back addresses that may not be called.
#[derive(Clone)]
pub struct GuardedNames(pub WebReach);

impl Service<HostName> for GuardedNames {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, io::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), io::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: HostName) -> Self::Future {
        let reach = self.0;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<_> = found.filter(|to| reach.allows(to.ip())).collect();
            if allowed.is_empty() {
                return Err(io::Error::other(Unreachable::OwnNetwork));
            }
            Ok(allowed.into_iter())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOPBACK: WebReach = WebReach {
        loopback: true,
        inner: false,
    };

    #[test]
    fn no_address_of_an_inner_network_is_called() {
        let reach = WebReach::default();
        for inner in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "192.0.0.8",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "203.0.113.9",
            "::1",
            "::",
            "fe80::1",
            "fc00::1",
            "ff02::1",
            "::ffff:10.0.0.1",
            "::ffff:127.0.0.1",
            "64:ff9b::a00:1",
            "64:ff9b::7f00:1",
            "2002:a00:1::",
            "2001:db8::1",
            "2001::1",
        ] {
            assert!(!reach.allows(inner.parse().unwrap()), "{inner}");
        }
        for outer in ["93.184.215.14", "2606:4700::1111", "64:ff9b::5db8:d70e"] {
            assert!(reach.allows(outer.parse().unwrap()), "{outer}");
        }
        let loopback = LOOPBACK;
        assert!(loopback.allows("127.0.0.1".parse().unwrap()));
        assert!(!loopback.allows("10.0.0.1".parse().unwrap()));
    }

    #[test]
    fn an_address_must_be_of_the_web() {
        let check = |address: &str| WebReach::default().check(address).map(drop);
        assert_eq!(check("https://hooks.example.org/a?b=c"), Ok(()));
        assert_eq!(check("http://hooks.example.org/"), Err(Unreachable::Plain));
        assert_eq!(check("http://127.0.0.1:9/"), Err(Unreachable::Plain));
        for own in [
            "https://127.0.0.1/",
            "https://[::1]/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://10.1/",
        ] {
            assert_eq!(check(own), Err(Unreachable::OwnNetwork), "{own}");
        }
        for none in [
            "hooks",
            "/a",
            "ftp://a.example/",
            "https://a@b.example/",
            "",
        ] {
            assert_eq!(check(none), Err(Unreachable::NoAddress), "{none}");
        }
        let loopback = LOOPBACK;
        assert!(loopback.check("http://127.0.0.1:9/").is_ok());
        assert!(loopback.check("http://10.0.0.1/").is_err());
    }

    #[tokio::test]
    async fn a_name_that_leads_home_is_not_connected_to() {
        let name = || "localhost".parse::<HostName>().unwrap();
        let kept_back = GuardedNames(WebReach::default()).call(name()).await;
        assert!(kept_back.is_err());
        let mut allowed = GuardedNames(LOOPBACK).call(name()).await.unwrap();
        assert!(allowed.all(|to| to.ip().is_loopback()));
    }
}
