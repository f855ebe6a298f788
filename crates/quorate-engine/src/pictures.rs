//! Pictures: what somebody uploads, read with care and written anew.
//!
//! A file from outside is never kept. Its size is looked at before it is decoded, it is decoded under limits, and what is
//! seen in it is written as a PNG file of our own, without anything that the file said besides.

use std::io::Cursor;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{DynamicImage, ImageError, ImageFormat, ImageReader, Limits, Rgba, RgbaImage};
use quorate_kernel::Picture;
use quorate_kernel::digest::Digest;

/// How long a file may be that somebody uploads, in bytes.
pub const FILE_MAX: usize = 128 * 1024;

/// How wide and how high a picture may be, in pixels.
pub const SIDE_MAX: u32 = 256;

/// How long a file may be that is kept, in bytes: every picture of 80 by 80 pixels fits, and larger ones of few colours.
pub const KEPT_MAX: usize = 32 * 1024;

/// How much memory a decoder may take: four bytes a pixel, four times over.
const DECODER_MAX: u64 = 16 * (SIDE_MAX as u64) * (SIDE_MAX as u64);

/// Why a file is no picture for a game. Each reads on after "not": what there was instead of a picture.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unfit {
    /// The text is not base64.
    #[error("a text: a picture's file is sent in base64")]
    NoBase64,
    /// It is longer than [`FILE_MAX`].
    #[error("a file of more than {} kB", FILE_MAX / 1024)]
    TooLong,
    /// It is none of the formats that are read.
    #[error("a file that is neither PNG, JPEG, GIF nor WebP")]
    NoImage,
    /// It is wider or higher than [`SIDE_MAX`].
    #[error("one of {0} by {1} pixels, where {SIDE_MAX} by {SIDE_MAX} is the most")]
    TooLarge(u32, u32),
    /// Its file breaks off, or does not hold what it promises.
    #[error("a file that is broken or breaks off")]
    Broken,
    /// As PNG it is longer than [`KEPT_MAX`].
    #[error("one that takes {0} kB as PNG, where {max} kB is the most: make it smaller or plainer", max = KEPT_MAX / 1024)]
    TooRich(usize),
}

/// The picture of a file in base64, with or without the head of a `data:` address before it.
pub fn read(text: &str) -> Result<Picture, Unfit> {
    let text = text.trim();
    let text = match text.strip_prefix("data:") {
        Some(rest) => rest.split_once(";base64,").ok_or(Unfit::NoBase64)?.1,
        None => text,
    };
    if text.len() > FILE_MAX.div_ceil(3) * 4 {
        return Err(Unfit::TooLong);
    }
    let bytes = STANDARD.decode(text).map_err(|_| Unfit::NoBase64)?;
    of_file(&bytes)
}

/// A file as [`read`] takes it.
pub fn sent(file: &[u8]) -> String {
    STANDARD.encode(file)
}

/// The PNG file of a picture, if it is at hand.
pub fn file(picture: &Picture) -> Option<Vec<u8>> {
    let file = STANDARD.decode(picture.png()?).ok()?;
    file.starts_with(b"\x89PNG\r\n\x1a\n").then_some(file)
}

/// A picture in a few words.
pub fn described(picture: &Picture) -> String {
    format!("a picture of {} by {}", picture.width, picture.height)
}

fn of_file(bytes: &[u8]) -> Result<Picture, Unfit> {
    if bytes.len() > FILE_MAX {
        return Err(Unfit::TooLong);
    }
    let format = image::guess_format(bytes).map_err(|_| Unfit::NoImage)?;
    let known = [
        ImageFormat::Png,
        ImageFormat::Jpeg,
        ImageFormat::Gif,
        ImageFormat::WebP,
    ];
    if !known.contains(&format) {
        return Err(Unfit::NoImage);
    }
    let (width, height) = ImageReader::with_format(Cursor::new(bytes), format)
        .into_dimensions()
        .map_err(unfit)?;
    if width > SIDE_MAX || height > SIDE_MAX {
        return Err(Unfit::TooLarge(width, height));
    }
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    limits.max_alloc = Some(DECODER_MAX);
    reader.limits(limits);
    of_pixels(reader.decode().map_err(unfit)?.into_rgba8())
}

fn unfit(error: ImageError) -> Unfit {
    match error {
        ImageError::Unsupported(_) => Unfit::NoImage,
        _ => Unfit::Broken,
    }
}

/// Where nothing is seen, no colour is kept: two pictures that look alike are alike.
fn of_pixels(mut seen: RgbaImage) -> Result<Picture, Unfit> {
    for pixel in seen.pixels_mut().filter(|pixel| pixel.0[3] == 0) {
        *pixel = Rgba([0; 4]);
    }
    let (width, height) = seen.dimensions();
    let side = |side: u32| u16::try_from(side).map_err(|_| Unfit::TooLarge(width, height));
    let (wide, high) = (side(width)?, side(height)?);
    let size = [wide.to_le_bytes(), high.to_le_bytes()].concat();
    let digest = Digest::of_parts([&size[..], seen.as_raw()]);
    let is_opaque = seen.pixels().all(|pixel| pixel.0[3] == u8::MAX);
    let mut drawn = DynamicImage::ImageRgba8(seen);
    if is_opaque {
        drawn = DynamicImage::ImageRgb8(drawn.into_rgb8());
    }
    let mut png = Vec::new();
    let encoder =
        PngEncoder::new_with_quality(&mut png, CompressionType::Best, FilterType::Adaptive);
    drawn
        .write_with_encoder(encoder)
        .map_err(|_| Unfit::Broken)?;
    if png.len() > KEPT_MAX {
        return Err(Unfit::TooRich(png.len().div_ceil(1024)));
    }
    Ok(Picture::new(wide, high, digest, &STANDARD.encode(png)))
}

/// A picture for trials and demonstrations: blocks of one colour, mirrored left to right, another for each seed. A side
/// beyond [`SIDE_MAX`] is cut to it.
pub fn drawn(width: u16, height: u16, seed: u64) -> Picture {
    const BLOCKS: u32 = 8;
    let side = |side: u16| u32::from(side).clamp(1, SIDE_MAX);
    let (width, height) = (side(width), side(height));
    let dice = Digest::of_parts([&b"drawn"[..], &seed.to_le_bytes()]).0;
    let colour = |n: usize| {
        [
            dice[n] / 2 + 30,
            dice[n + 1] / 2 + 30,
            dice[n + 2] / 2 + 30,
            255,
        ]
    };
    let inks = [[0; 4], colour(0), colour(3)];
    let seen = RgbaImage::from_fn(width, height, |x, y| {
        let (column, row) = (x * BLOCKS / width, y * BLOCKS / height);
        let from_edge = column.min(BLOCKS - 1 - column);
        let block = dice[(6 + from_edge * 6 + row) as usize % dice.len()];
        Rgba(inks[usize::from(block % 8 > 2) + usize::from(block % 8 > 5)])
    });
    of_pixels(seen).expect("blocks of three colours make a short file")
}

#[cfg(test)]
mod tests;
