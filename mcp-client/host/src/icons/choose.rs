//! [`choose`]: selects the most suitable icon.

use std::cmp::Reverse;

use mcp_types::{Icon, IconTheme};

use super::data;
use super::format::{ImageFormat, is_generic, normalized};
use mcp_fetch::Origin;

/// The preferred size, background and media type of an icon.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a wish does nothing until an icon is chosen with it"]
pub struct IconWish {
    size: Option<u32>,
    theme: Option<IconTheme>,
    types: Vec<String>,
}

impl IconWish {
    /// Creates a wish for any size and background, and for PNG, JPEG, WebP and GIF, in this order.
    pub fn new() -> Self {
        let formats = [
            ImageFormat::Png,
            ImageFormat::Jpeg,
            ImageFormat::Webp,
            ImageFormat::Gif,
        ];
        Self {
            size: None,
            theme: None,
            types: formats.map(|format| format.media_type().to_owned()).into(),
        }
    }

    /// Sets the preferred size: the number of pixels on the longer side.
    pub fn size(mut self, pixels: u32) -> Self {
        self.size = Some(pixels);
        self
    }

    /// Sets the preferred background.
    pub fn theme(mut self, theme: IconTheme) -> Self {
        self.theme = Some(theme);
        self
    }

    /// Sets the accepted media types, the preferred one first. SVG must be named here, and be
    /// [allowed](super::IconPolicy::allow_svg) to be loaded.
    pub fn types<T: AsRef<str>>(mut self, types: impl IntoIterator<Item = T>) -> Self {
        self.types = types
            .into_iter()
            .map(|it| normalized(it.as_ref()))
            .collect();
        self
    }
}

impl Default for IconWish {
    fn default() -> Self {
        Self::new()
    }
}

/// Returns the most suitable icon; `None` if no icon has an accepted media type and a source that
/// is `https` or `data:`.
///
/// The criteria, in this order:
///
/// 1. The background: the preferred one, then any, then the other one. Without a preference, icons
///    for any background come first.
/// 2. The size: the preferred one; any size, which includes icons without sizes; the next larger
///    one; the next smaller one. Without a preference: any size, then the largest one. The longer
///    side of an icon counts.
/// 3. The media type, in the order of the wish; icons without a media type, or with one that does
///    not name a format, such as `application/octet-stream`, come last.
/// 4. The order in which the server lists them.
///
/// ```
/// use mcp_host::icons::{IconWish, choose};
/// use mcp_client::types::Icon;
///
/// let sized = |src: &str, size: &str| Icon::new(src).sizes([size.to_owned()]);
/// let icons = [
///     sized("https://example.com/16.png", "16x16"),
///     sized("https://example.com/64.png", "64x64"),
///     sized("https://example.com/512.png", "512x512"),
/// ];
/// let chosen = choose(&icons, &IconWish::new().size(48));
/// assert_eq!(chosen, Some(&icons[1]));
/// ```
#[must_use]
pub fn choose<'a>(icons: &'a [Icon], wish: &IconWish) -> Option<&'a Icon> {
    let ranked = icons.iter().filter_map(|icon| {
        let data = data::media_type(&icon.src);
        if data.is_none() && Origin::secure(&icon.src).is_err() {
            return None;
        }
        let declared = [icon.mime_type.as_deref(), data].into_iter().flatten();
        let mut declared = declared.map(normalized);
        let kind = match declared.find(|declared| !is_generic(declared)) {
            Some(declared) => wish.types.iter().position(|wanted| *wanted == declared)?,
            None => wish.types.len(),
        };
        Some(((theme(icon, wish.theme), size(icon, wish.size), kind), icon))
    });
    // Returns the first of equal elements.
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, icon)| icon)
}

fn theme(icon: &Icon, wanted: Option<IconTheme>) -> u8 {
    match (icon.theme, wanted) {
        (Some(theme), Some(wanted)) if theme == wanted => 0,
        (None, _) => 1,
        (Some(_), _) => 2,
    }
}

/// How well the sizes of an icon fit. The least is the best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Same,
    Any,
    Larger(u32),
    Smaller(Reverse<u32>),
}

fn size(icon: &Icon, wanted: Option<u32>) -> Fit {
    let sizes = icon.sizes.iter().flatten();
    // Older servers list several sizes in one text.
    let sizes = sizes.flat_map(|sizes| sizes.split_ascii_whitespace());
    let fits = sizes.filter_map(|size| {
        if size.eq_ignore_ascii_case("any") {
            return Some(Fit::Any);
        }
        let (width, height) = size.split_once(['x', 'X'])?;
        let side = number(width)?.max(number(height)?);
        Some(match wanted {
            Some(wanted) if side == wanted => Fit::Same,
            Some(wanted) if side > wanted => Fit::Larger(side),
            _ => Fit::Smaller(Reverse(side)),
        })
    });
    fits.min().unwrap_or(Fit::Any)
}

fn number(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}
