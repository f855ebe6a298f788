//! Style sheet, scripts and icons: part of the binary, named by what they contain, so that a browser keeps them for good.

use std::io::Write as _;
use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

/// One file as it is served.
struct Asset {
    name: &'static str,
    media: &'static str,
    plain: &'static [u8],
}

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

const ASSETS: &[Asset] = &[
    Asset {
        name: "site.css",
        media: CSS,
        plain: concat!(
            include_str!("../../assets/css/1-tokens.css"),
            include_str!("../../assets/css/2-base.css"),
            include_str!("../../assets/css/3-chrome.css"),
            include_str!("../../assets/css/4-parts.css"),
            include_str!("../../assets/css/5-blog.css"),
            include_str!("../../assets/css/6-law.css"),
            include_str!("../../assets/css/7-state.css"),
            include_str!("../../assets/css/8-board.css"),
        )
        .as_bytes(),
    },
    Asset {
        name: "main.js",
        media: JS,
        plain: include_bytes!("../../assets/js/main.js"),
    },
    Asset {
        name: "live.js",
        media: JS,
        plain: include_bytes!("../../assets/js/live.js"),
    },
    Asset {
        name: "time.js",
        media: JS,
        plain: include_bytes!("../../assets/js/time.js"),
    },
    Asset {
        name: "drafts.js",
        media: JS,
        plain: include_bytes!("../../assets/js/drafts.js"),
    },
    Asset {
        name: "check.js",
        media: JS,
        plain: include_bytes!("../../assets/js/check.js"),
    },
    Asset {
        name: "code.js",
        media: JS,
        plain: include_bytes!("../../assets/js/code.js"),
    },
    Asset {
        name: "keys.js",
        media: JS,
        plain: include_bytes!("../../assets/js/keys.js"),
    },
    Asset {
        name: "board.js",
        media: JS,
        plain: include_bytes!("../../assets/js/board.js"),
    },
    Asset {
        name: "push.js",
        media: JS,
        plain: include_bytes!("../../assets/js/push.js"),
    },
    Asset {
        name: "passkey.js",
        media: JS,
        plain: include_bytes!("../../assets/js/passkey.js"),
    },
    Asset {
        name: "icon.svg",
        media: "image/svg+xml",
        plain: include_bytes!("../../assets/icon.svg"),
    },
];

/// The drawings that pages refer to with `<use href="#i-…">`; it stands once in each page, so that marks are there with
/// the first paint and take the page's colours.
pub const SPRITE: &str = include_str!("../../assets/sprite.svg");

/// The first half of the digest over all assets. It is a folder in their addresses: modules import each other by plain
/// relative names, and a change of any one of them gives all of them new addresses.
pub static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hasher = blake3::Hasher::new();
    for asset in ASSETS {
        hasher
            .update(asset.name.as_bytes())
            .update(&[0])
            .update(asset.plain);
    }
    hasher.finalize().to_hex()[..12].to_owned()
});

static COMPRESSED: LazyLock<Vec<Packed>> = LazyLock::new(|| {
    let packed = ASSETS.iter().map(|asset| Packed {
        brotli: brotli(asset.plain),
        gzip: gzip(asset.plain),
    });
    packed.collect()
});

/// A file as it goes out to browsers that read one or the other.
struct Packed {
    brotli: Vec<u8>,
    gzip: Vec<u8>,
}

fn brotli(plain: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let as_small_as_can_be = brotli::enc::BrotliEncoderParams::default();
    // Writing into memory cannot fail; should it ever, another form is served.
    match brotli::BrotliCompress(&mut &*plain, &mut out, &as_small_as_can_be) {
        Ok(_) => out,
        Err(_) => Vec::new(),
    }
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing into memory cannot fail; should it ever, the plain bytes are served.
    if encoder.write_all(plain).is_err() {
        return Vec::new();
    }
    encoder.finish().unwrap_or_default()
}

/// Gives the address of an asset, for instance `/assets/9f86d081884c/site.css`.
pub fn url(name: &str) -> String {
    debug_assert!(
        ASSETS.iter().any(|asset| asset.name == name),
        "no asset is named {name}"
    );
    format!("/assets/{}/{name}", *VERSION)
}

/// Answers `GET /sw.js`: what works in a browser while no page is open. Its address never changes, and where it lies says for
/// which pages it works.
pub async fn worker() -> Response {
    let fixed = [
        (header::CONTENT_TYPE, JS),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (fixed, include_str!("../../assets/js/sw.js")).into_response()
}

/// Answers `GET /manifest.webmanifest`: the site as something that can be installed.
pub async fn manifest() -> Response {
    let icon = json!({ "src": url("icon.svg"), "sizes": "any", "type": "image/svg+xml" });
    let told = json!({
        "name": "Quorate",
        "short_name": "Quorate",
        "description": "Games of Nomic",
        "start_url": "/",
        "scope": "/",
        "display": "minimal-ui",
        "icons": [icon],
    });
    let fixed = [
        (header::CONTENT_TYPE, "application/manifest+json"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (fixed, told.to_string()).into_response()
}

/// Every asset with its plain bytes, for tools that write pages to files.
pub fn plain() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    ASSETS.iter().map(|asset| (asset.name, asset.plain))
}

/// The bytes of all style sheets and scripts, compressed as they are served; the size test holds this down.
pub fn compressed_bytes() -> usize {
    COMPRESSED.iter().map(|packed| packed.gzip.len()).sum()
}

/// Answers `GET /assets/{version}/{name}`. An address of another version gets today's file, but may not be kept: a page
/// that was open over an upgrade still works.
pub async fn serve(Path((version, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    let Some(index) = ASSETS.iter().position(|asset| asset.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let asset = &ASSETS[index];
    let keep = if version == *VERSION {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    let fixed = [
        (header::CONTENT_TYPE, asset.media),
        (header::CACHE_CONTROL, keep),
        (header::VARY, "accept-encoding"),
    ];
    let accepted = headers.get(header::ACCEPT_ENCODING);
    let accepted = accepted.and_then(|value| value.to_str().ok());
    let takes = |coding: &str| {
        let mut codings = accepted.unwrap_or_default().split(',');
        codings.any(|one| one.split(';').next().unwrap_or_default().trim() == coding)
    };
    let packed = &COMPRESSED[index];
    let forms = [("br", &packed.brotli), ("gzip", &packed.gzip)];
    let mut known = forms.into_iter();
    match known.find(|(coding, bytes)| takes(coding) && !bytes.is_empty()) {
        Some((coding, bytes)) => (
            fixed,
            [(header::CONTENT_ENCODING, coding)],
            bytes.as_slice(),
        )
            .into_response(),
        None => (fixed, asset.plain).into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_carries_the_digest_of_all_assets() {
        let address = url("site.css");
        assert!(address.starts_with("/assets/"));
        assert_eq!(address.split('/').nth(2).map(str::len), Some(12));
        assert!(address.ends_with("/site.css"));
    }

    #[test]
    fn styles_and_scripts_weigh_less_than_25_kilobytes_compressed() {
        assert!(compressed_bytes() < 25_000, "{} bytes", compressed_bytes());
    }

    #[test]
    fn every_module_that_a_script_imports_is_served() {
        for asset in ASSETS.iter().filter(|asset| asset.media == JS) {
            let text = std::str::from_utf8(asset.plain).expect("scripts are UTF-8");
            for part in text.split("\"./").skip(1) {
                let name = part
                    .split('"')
                    .next()
                    .expect("split gives one part at least");
                assert!(
                    ASSETS.iter().any(|a| a.name == name),
                    "{} imports {name}",
                    asset.name
                );
            }
        }
    }
}
