//! Pages as they are compressed, with words in them that can be replaced without compressing anything again.
//!
//! While a page is compressed, words that no coding makes shorter stand where the session's will. Each is written out the
//! first time that it comes: there it lies in the compressed bytes as it is, and what comes later refers to it.

use std::io::{self, Read as _, Write as _};
use std::ops::Range;

use axum::http::HeaderValue;
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

/// How hard pages are pressed: with brotli a long ruleset is an eighth smaller so than at its fastest, in four milliseconds.
pub const PACKING: i32 = 7;

/// How many bytes are pressed at a time.
const PIECE: usize = 4 << 10;

/// How gzip begins: no name, no time, no system.
const GZIP_HEAD: [u8; 10] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF];

/// How many bytes of a text's checksum and of its length gzip ends with.
const GZIP_SUM: usize = 4;

/// A coding of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// What browsers read over HTTPS.
    Brotli,
    /// What every browser reads, and no more than that without HTTPS.
    Gzip,
}

impl Coding {
    /// The one that a header names.
    pub fn named(name: &HeaderValue) -> Option<Self> {
        match name.as_bytes() {
            b"br" => Some(Self::Brotli),
            b"gzip" => Some(Self::Gzip),
            _ => None,
        }
    }

    /// For how many bytes a text can refer back to a word.
    pub(super) fn reach(self) -> usize {
        match self {
            Self::Brotli => 240 << 10,
            Self::Gzip => 28 << 10,
        }
    }

    /// Presses a text, with such parts of it written out as they are.
    pub(super) fn press(self, text: &[u8], plain: &[Range<usize>]) -> io::Result<Vec<u8>> {
        match self {
            Self::Brotli => brotli(text, plain),
            Self::Gzip => gzip(text, plain),
        }
    }

    /// Ends pressed bytes as it must be where they stand for such a text.
    pub(super) fn signed(self, body: &mut [u8], text: &[u8]) {
        let Some(end) = body.last_chunk_mut::<{ 2 * GZIP_SUM }>() else {
            return;
        };
        if self == Self::Gzip {
            end[..GZIP_SUM].copy_from_slice(&sum(text).to_le_bytes());
        }
    }

    /// The text again.
    pub(super) fn read(self, body: &[u8]) -> io::Result<Vec<u8>> {
        let mut text = Vec::new();
        match self {
            Self::Brotli => brotli::Decompressor::new(body, PIECE).read_to_end(&mut text)?,
            Self::Gzip => flate2::read::GzDecoder::new(body).read_to_end(&mut text)?,
        };
        Ok(text)
    }
}

fn brotli(text: &[u8], plain: &[Range<usize>]) -> io::Result<Vec<u8>> {
    // The window need not be larger than the text, and costs memory; below this one, texts come out longer.
    let window = (usize::BITS - text.len().leading_zeros()).clamp(18, 22);
    let mut pressed = Vec::with_capacity(text.len() / 4);
    let params = brotli::enc::BrotliEncoderParams {
        quality: PACKING,
        lgwin: i32::try_from(window).unwrap_or(22),
        // What comes after a word must not be coded by the word's last letters.
        disable_literal_context_modeling: 1,
        ..Default::default()
    };
    let mut press = brotli::CompressorWriter::with_params(&mut pressed, PIECE, &params);
    let mut done = 0;
    for part in plain {
        for end in [part.start, part.end] {
            press.write_all(text.get(done..end).unwrap_or_default())?;
            press.flush()?;
            done = end;
        }
    }
    press.write_all(text.get(done..).unwrap_or_default())?;
    drop(press);
    Ok(pressed)
}

fn gzip(text: &[u8], plain: &[Range<usize>]) -> io::Result<Vec<u8>> {
    let level = Compression::new(PACKING.unsigned_abs());
    let mut press = DeflateEncoder::new(GZIP_HEAD.to_vec(), level);
    let mut done = 0;
    for part in plain {
        press.write_all(text.get(done..part.start).unwrap_or_default())?;
        press.flush()?;
        // What comes later refers to the word, so it is pressed, but a block of its letters stands in place of that.
        let before = press.get_ref().len();
        let word = text.get(part.clone()).unwrap_or_default();
        press.write_all(word)?;
        press.flush()?;
        let length = u16::try_from(word.len()).map_err(io::Error::other)?;
        let pressed = press.get_mut();
        pressed.truncate(before);
        pressed.push(0);
        pressed.extend(length.to_le_bytes());
        pressed.extend((!length).to_le_bytes());
        pressed.extend(word);
        done = part.end;
    }
    press.write_all(text.get(done..).unwrap_or_default())?;
    let mut pressed = press.finish()?;
    let length = u32::try_from(text.len()).map_err(io::Error::other)?;
    pressed.extend(sum(text).to_le_bytes());
    pressed.extend(length.to_le_bytes());
    Ok(pressed)
}

fn sum(text: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(text);
    crc.sum()
}
