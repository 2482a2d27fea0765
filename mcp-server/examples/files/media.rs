//! Media types by file extension, and an icon for each kind of media type.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::LazyLock;

use mcp_server::types::{Base64Text, Icon};

/// The media type of folders.
pub(crate) const FOLDER: &str = "inode/directory";

/// Returns the media type for a name; `None` if the extension is unknown.
pub(crate) fn media_type(name: &OsStr) -> Option<&'static str> {
    let end = Path::new(name).extension()?.to_str()?;
    // The first entry of the list for this extension is a type of video streams.
    if ["ts", "mts", "cts", "tsx"].contains(&end) {
        return Some("text/typescript");
    }
    mime_guess::from_ext(end).first_raw()
}

/// Returns the icon for a media type.
pub(crate) fn icon(media_type: Option<&str>) -> Icon {
    let sort = match media_type {
        Some(FOLDER) => IconKind::Folder,
        Some(media_type) if media_type.starts_with("image/") => IconKind::Image,
        Some(media_type) if is_sound(media_type) => IconKind::Sound,
        Some(media_type) if is_text(media_type) => IconKind::Text,
        _ => IconKind::Other,
    };
    ICONS[sort as usize].clone()
}

fn is_sound(media_type: &str) -> bool {
    media_type.starts_with("audio/") || media_type.starts_with("video/")
}

fn is_text(media_type: &str) -> bool {
    media_type.starts_with("text/")
        || ["json", "xml", "javascript", "yaml", "toml", "x-sh"]
            .iter()
            .any(|end| media_type.ends_with(end))
}

#[derive(Clone, Copy)]
enum IconKind {
    Folder,
    Text,
    Image,
    Sound,
    Other,
}

static ICONS: LazyLock<[Icon; 5]> = LazyLock::new(|| {
    [FOLDER_ART, TEXT_ART, IMAGE_ART, SOUND_ART, OTHER_ART].map(|art| {
        let picture = Base64Text::encode(png(&art));
        Icon::new(format!("data:image/png;base64,{}", picture.as_str()))
            .mime_type("image/png")
            .sizes([format!("{SIZE}x{SIZE}")])
    })
});

/// The width and height of the icons.
const SIZE: usize = 16;
type Art = [&'static str; SIZE];

const FOLDER_ART: Art = [
    "                ",
    "                ",
    "  #####         ",
    " #######        ",
    " ############## ",
    " ############## ",
    "                ",
    " ############## ",
    " ############## ",
    " ############## ",
    " ############## ",
    " ############## ",
    " ############## ",
    " ############## ",
    "                ",
    "                ",
];

const TEXT_ART: Art = [
    "                ",
    "  #########     ",
    "  #       ##    ",
    "  #       ###   ",
    "  #         #   ",
    "  # ####### #   ",
    "  #         #   ",
    "  # ####### #   ",
    "  #         #   ",
    "  # ####### #   ",
    "  #         #   ",
    "  # #####   #   ",
    "  #         #   ",
    "  #         #   ",
    "  ###########   ",
    "                ",
];

const IMAGE_ART: Art = [
    "                ",
    "                ",
    " ############## ",
    " #            # ",
    " #  ##        # ",
    " # ####       # ",
    " #  ##    #   # ",
    " #       ###  # ",
    " #   #  ##### # ",
    " #  ######### # ",
    " # ########## # ",
    " # ########## # ",
    " #            # ",
    " ############## ",
    "                ",
    "                ",
];

const SOUND_ART: Art = [
    "                ",
    "       ######   ",
    "       ######   ",
    "       #    #   ",
    "       #    #   ",
    "       #    #   ",
    "       #    #   ",
    "       #    #   ",
    "       #    #   ",
    "       #    #   ",
    "    ####  ###   ",
    "   #####  ####  ",
    "   #####  ####  ",
    "    ###    ##   ",
    "                ",
    "                ",
];

const OTHER_ART: Art = [
    "                ",
    "  #########     ",
    "  #       ##    ",
    "  #       ###   ",
    "  #         #   ",
    "  #  #   #  #   ",
    "  #         #   ",
    "  #    #    #   ",
    "  #         #   ",
    "  #  #   #  #   ",
    "  #         #   ",
    "  #         #   ",
    "  #         #   ",
    "  #         #   ",
    "  ###########   ",
    "                ",
];

/// Encodes a PNG with one colour on a transparent background, one bit for each pixel. The data is
/// too small to compress.
fn png(art: &Art) -> Vec<u8> {
    let mut rows = Vec::with_capacity(3 * SIZE);
    for row in art {
        let bits = row
            .bytes()
            .fold(0u16, |bits, pixel| bits << 1 | u16::from(pixel == b'#'));
        // No filter, then the pixels.
        rows.push(0);
        rows.extend(bits.to_be_bytes());
    }
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let size = [0, 0, 0, 16];
    // Each bit is a pixel, the index of a colour.
    chunk(
        &mut png,
        *b"IHDR",
        &[&size[..], &size, &[1, 3, 0, 0, 0]].concat(),
    );
    chunk(&mut png, *b"PLTE", &[0, 0, 0, 0x5b, 0x7d, 0xa8]);
    chunk(&mut png, *b"tRNS", &[0, 255]);
    // A zlib stream with one uncompressed block.
    let length = u16::try_from(rows.len()).unwrap_or_default();
    let mut data = vec![0x78, 0x01, 1];
    data.extend(length.to_le_bytes());
    data.extend((!length).to_le_bytes());
    data.extend(&rows);
    data.extend(adler32(&rows).to_be_bytes());
    chunk(&mut png, *b"IDAT", &data);
    chunk(&mut png, *b"IEND", &[]);
    png
}

fn chunk(png: &mut Vec<u8>, kind: [u8; 4], data: &[u8]) {
    let length = u32::try_from(data.len()).unwrap_or_default();
    png.extend(length.to_be_bytes());
    let start = png.len();
    png.extend(kind);
    png.extend(data);
    let checksum = crc32(&png[start..]);
    png.extend(checksum.to_be_bytes());
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |rest: u32| {
        if rest & 1 == 1 {
            0xedb8_8320 ^ (rest >> 1)
        } else {
            rest >> 1
        }
    };
    let sum = bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |rest, _| step(rest))
    });
    !sum
}

fn adler32(bytes: &[u8]) -> u32 {
    let (low, high) = bytes.iter().fold((1, 0), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    high << 16 | low
}
