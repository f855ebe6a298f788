//! Files as answers, sent piece by piece.

use std::fs::File;
use std::io::Read;

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};

/// How many bytes of a file are sent at once.
const PIECE: usize = 64 * 1024;

/// A file from where it stands to its end, to be saved under a name.
pub(crate) fn attachment(name: &str, media: &'static str, file: File) -> Response {
    let headers = [
        (header::CONTENT_TYPE, media.to_owned()),
        (
            header::CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}\""),
        ),
    ];
    (headers, pieces(file)).into_response()
}

fn pieces(file: File) -> Body {
    let pieces = stream::unfold(Some(file), |file| async move {
        let mut file = file?;
        let read = tokio::task::spawn_blocking(move || {
            let mut piece = vec![0; PIECE];
            let read = file.read(&mut piece);
            read.map(|count| {
                piece.truncate(count);
                (piece, file)
            })
        });
        match read.await {
            Ok(Ok((piece, _))) if piece.is_empty() => None,
            Ok(Ok((piece, file))) => Some((Ok(piece), Some(file))),
            Ok(Err(error)) => Some((Err(error), None)),
            Err(error) => Some((Err(std::io::Error::other(error)), None)),
        }
    });
    // Whoever compresses an answer asks again after its end, for which `unfold` panics.
    Body::from_stream(pieces.fuse())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_that_has_ended_can_be_asked_again() {
        let file = tempfile::tempfile().expect("a file");
        let mut body = pieces(file).into_data_stream();
        assert!(body.next().await.is_none());
        assert!(body.next().await.is_none());
    }
}
