//! Reads the width and height of an image from its header. Decoders allocate memory for that many
//! pixels.

use super::format::ImageFormat;

/// Returns width and height in pixels; `None` if the image is broken or SVG.
pub(super) fn pixels(format: ImageFormat, bytes: &[u8]) -> Option<(u32, u32)> {
    match format {
        ImageFormat::Png => {
            let header = bytes.get(12..24)?.strip_prefix(b"IHDR")?;
            let (width, height) = header.split_at_checked(4)?;
            Some((big(width)?, big(height)?))
        }
        ImageFormat::Gif => Some((little(bytes.get(6..8)?)?, little(bytes.get(8..10)?)?)),
        ImageFormat::Webp => webp(bytes),
        ImageFormat::Jpeg => jpeg(bytes),
        ImageFormat::Svg => None,
    }
}

fn big(bytes: &[u8]) -> Option<u32> {
    bytes.iter().try_fold(0_u32, |sum, byte| {
        Some(sum.checked_mul(256)? + u32::from(*byte))
    })
}

fn little(bytes: &[u8]) -> Option<u32> {
    bytes.iter().rev().try_fold(0_u32, |sum, byte| {
        Some(sum.checked_mul(256)? + u32::from(*byte))
    })
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    let chunk = bytes.get(20..)?;
    match bytes.get(12..16)? {
        b"VP8 " => {
            let sizes = chunk.get(3..10)?.strip_prefix(b"\x9d\x01\x2a")?;
            let (width, height) = sizes.split_at_checked(2)?;
            Some((little(width)? & 0x3fff, little(height)? & 0x3fff))
        }
        b"VP8L" => {
            let bits = little(chunk.get(..5)?.strip_prefix(b"\x2f")?)?;
            Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8X" => Some((
            little(chunk.get(4..7)?)? + 1,
            little(chunk.get(7..10)?)? + 1,
        )),
        _ => None,
    }
}

/// Skips the segments before the one with the frame.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut rest = bytes.get(2..)?;
    loop {
        let (marker, after) = rest.split_first_chunk::<2>()?;
        if marker[0] != 0xff {
            return None;
        }
        match marker[1] {
            // Padding.
            0xff => rest = rest.get(1..)?,
            // Segments without a length.
            0x01 | 0xd0..=0xd7 => rest = after,
            0xc0..=0xcf if !matches!(marker[1], 0xc4 | 0xc8 | 0xcc) => {
                let (height, width) = after.get(3..7)?.split_at_checked(2)?;
                return Some((big(width)?, big(height)?));
            }
            // The image data, or the end of the image, before a frame.
            0xd8..=0xda => return None,
            _ => {
                let length = big(after.get(..2)?)?;
                rest = after.get(usize::try_from(length.max(2)).ok()?..)?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_all_formats_are_read() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x01\x02\0\0\x03\x04\x08";
        let gif = b"GIF89a\x02\x01\x04\x03";
        let lossy = b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x02\x41\x04\x03";
        let lossless = b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x01\xc1\xc0\0";
        let extended = b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x01\x01\0\x03\x03\0";
        let jpeg =
            b"\xff\xd8\xff\xe0\0\x04ab\xff\xff\xc4\0\x02\xff\xc2\0\x0b\x08\x03\x04\x01\x02\x01";
        for (format, bytes) in [
            (ImageFormat::Png, &png[..]),
            (ImageFormat::Gif, gif),
            (ImageFormat::Webp, lossy),
            (ImageFormat::Webp, lossless),
            (ImageFormat::Webp, extended),
            (ImageFormat::Jpeg, jpeg),
        ] {
            assert_eq!(ImageFormat::of(bytes), Some(format), "{bytes:?}");
            assert_eq!(pixels(format, bytes), Some((258, 772)), "{bytes:?}");
            // A part of the header gives the same size or none.
            for end in 0..bytes.len() {
                let part = bytes.get(..end).expect("a part");
                let found = pixels(format, part);
                assert!(matches!(found, None | Some((258, 772))), "{part:?}");
            }
        }
        assert_eq!(pixels(ImageFormat::Jpeg, b"\xff\xd8\xff\xd9\xff\xc0"), None);
        assert_eq!(pixels(ImageFormat::Jpeg, b"\xff\xd8\xff\xe0\0\0\xff"), None);
    }
}
