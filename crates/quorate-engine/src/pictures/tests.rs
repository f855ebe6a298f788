use super::*;

fn encoded(format: ImageFormat, width: u32, height: u32) -> Vec<u8> {
    let pixels = RgbaImage::from_fn(width, height, |x, y| {
        Rgba([x.to_le_bytes()[0], y.to_le_bytes()[0], 40, 255])
    });
    let mut bytes = Cursor::new(Vec::new());
    let seen = DynamicImage::ImageRgba8(pixels).into_rgb8();
    seen.write_to(&mut bytes, format).expect("it is encoded");
    bytes.into_inner()
}

/// Noise, which no coding makes shorter.
fn noise(side: u32) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let noise = RgbaImage::from_fn(side, side, |x, y| {
        let dice = Digest::of(&[x.to_le_bytes(), y.to_le_bytes()].concat()).0;
        Rgba([dice[0], dice[1], dice[2], dice[3] | 1])
    });
    noise
        .write_to(&mut bytes, ImageFormat::Png)
        .expect("it is encoded");
    bytes.into_inner()
}

fn png() -> Vec<u8> {
    encoded(ImageFormat::Png, 80, 80)
}

/// A PNG file whose header says another size, its checksum mended.
fn claiming(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = png();
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let crc = crc32(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&crc.to_be_bytes());
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    let crc = bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg())
        })
    });
    !crc
}

fn uploaded(bytes: &[u8]) -> Result<Picture, Unfit> {
    read(&sent(bytes))
}

#[test]
fn pictures_of_four_formats_become_png_files_of_the_same_size() {
    for format in [
        ImageFormat::Png,
        ImageFormat::Jpeg,
        ImageFormat::Gif,
        ImageFormat::WebP,
    ] {
        let picture = uploaded(&encoded(format, 80, 64)).expect("it is a picture");
        assert_eq!((picture.width, picture.height), (80, 64));
        let file = file(&picture).expect("its file is at hand");
        assert_eq!(image::guess_format(&file).ok(), Some(ImageFormat::Png));
    }
}

#[test]
fn the_same_pixels_in_another_file_are_the_same_picture() {
    let one = uploaded(&png()).expect("it is a picture");
    let other = uploaded(&encoded(ImageFormat::WebP, 80, 80)).expect("it is a picture");
    assert_eq!(one, other);
    assert_ne!(
        one,
        uploaded(&encoded(ImageFormat::Png, 80, 81)).expect("it is a picture")
    );
    let address = format!("data:image/png;base64,{}", sent(&png()));
    assert_eq!(read(&address), Ok(one));
}

#[test]
fn what_is_no_image_is_refused() {
    let svg = br#"<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>"#;
    for bytes in [
        &b""[..],
        b"no image at all",
        svg,
        b"<html>",
        b"BM\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    ] {
        assert_eq!(uploaded(bytes), Err(Unfit::NoImage));
    }
    assert_eq!(read("not base64!"), Err(Unfit::NoBase64));
    assert_eq!(read("data:image/png,raw"), Err(Unfit::NoBase64));
}

#[test]
fn a_header_that_claims_a_vast_picture_is_refused_before_it_is_decoded() {
    assert_eq!(
        uploaded(&claiming(20_000, 20_000)),
        Err(Unfit::TooLarge(20_000, 20_000))
    );
    assert_eq!(uploaded(&claiming(257, 1)), Err(Unfit::TooLarge(257, 1)));
    let vast = encoded(ImageFormat::Png, 2_000, 1_500);
    assert_eq!(uploaded(&vast), Err(Unfit::TooLarge(2_000, 1_500)));
}

/// A screen of another size than the first frame: the decoder itself would set aside room for all of it.
#[test]
fn a_gif_of_a_vast_screen_is_refused() {
    let mut gif = encoded(ImageFormat::Gif, 80, 80);
    gif[6..10].copy_from_slice(&[0xFF; 4]);
    assert_eq!(uploaded(&gif), Err(Unfit::TooLarge(65_535, 65_535)));
}

/// Little of a file, much of a picture: a side of 256 is read, and never more.
#[test]
fn a_bomb_is_a_file_of_more_pixels_than_are_read() {
    let black = RgbaImage::new(9_000, 9_000);
    let mut bytes = Cursor::new(Vec::new());
    black
        .write_to(&mut bytes, ImageFormat::Png)
        .expect("it is encoded");
    let bomb = bytes.into_inner();
    let told = uploaded(&bomb);
    assert!(
        matches!(told, Err(Unfit::TooLarge(9_000, 9_000) | Unfit::TooLong)),
        "{told:?}"
    );
    // More data than the size in the header has room for is not unpacked.
    let mut lying = bomb;
    lying[16..24].copy_from_slice(&png()[16..24]);
    let crc = crc32(&lying[12..29]);
    lying[29..33].copy_from_slice(&crc.to_be_bytes());
    if let Ok(picture) = uploaded(&lying) {
        assert_eq!((picture.width, picture.height), (80, 80));
    }
}

#[test]
fn a_file_that_breaks_off_anywhere_is_refused_or_no_larger_than_it_says() {
    for format in [
        ImageFormat::Png,
        ImageFormat::Jpeg,
        ImageFormat::Gif,
        ImageFormat::WebP,
    ] {
        let whole = encoded(format, 16, 16);
        for end in 0..whole.len() {
            if let Ok(picture) = uploaded(&whole[..end]) {
                assert_eq!((picture.width, picture.height), (16, 16));
            }
        }
        assert!(uploaded(&whole[..whole.len() / 4]).is_err(), "{format:?}");
    }
    assert_eq!(uploaded(&png()[..60]), Err(Unfit::Broken));
}

#[test]
fn a_page_hidden_in_a_picture_is_not_kept() {
    let script = b"<script>alert(1)</script>";
    let mut polyglot = png();
    polyglot.extend_from_slice(script);
    let picture = uploaded(&polyglot).expect("it is a picture all the same");
    let kept = file(&picture).expect("its file is at hand");
    assert!(!kept.windows(script.len()).any(|part| part == script));
    assert_eq!(picture, uploaded(&png()).expect("it is a picture"));
}

#[test]
fn what_is_too_long_is_refused_before_and_after() {
    assert_eq!(uploaded(&vec![0; FILE_MAX + 1]), Err(Unfit::TooLong));
    assert!(uploaded(&noise(80)).is_ok(), "80 by 80 always fits");
    assert!(matches!(uploaded(&noise(150)), Err(Unfit::TooRich(_))));
}

#[test]
fn colours_that_nobody_sees_make_no_other_picture() {
    let clear = |ink: u8| RgbaImage::from_pixel(8, 8, Rgba([ink, ink, ink, 0]));
    assert_eq!(of_pixels(clear(1)), of_pixels(clear(200)));
}

#[test]
fn pictures_of_trials_differ_by_their_seed_alone() {
    let one = drawn(80, 80, 1);
    assert_eq!(one, drawn(80, 80, 1));
    assert_ne!(one, drawn(80, 80, 2));
    assert_ne!(one, drawn(80, 64, 1));
    assert_eq!(drawn(9_000, 1, 1).width, 256);
}
