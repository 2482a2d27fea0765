//! [`choose`]: which of several icons suits best.

use std::cmp::Reverse;

use mcp_types::{Icon, IconTheme};

use super::data;
use super::format::{ImageFormat, normal};
use crate::util::origin::Origin;

/// What an icon is wanted for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use = "a wish does nothing until an icon is chosen by it"]
pub struct IconWish {
    size: Option<u32>,
    theme: Option<IconTheme>,
    types: Vec<String>,
}

impl IconWish {
    /// Any size and background; PNG, JPEG, WebP and GIF, in this order.
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

    /// To be shown with so many pixels on its longer side.
    pub fn size(mut self, pixels: u32) -> Self {
        self.size = Some(pixels);
        self
    }

    /// To be shown on such a background.
    pub fn theme(mut self, theme: IconTheme) -> Self {
        self.theme = Some(theme);
        self
    }

    /// Of these media types, the best first. SVG has to be named here, and to be
    /// [allowed](super::IconPolicy::allow_svg) where it is loaded.
    pub fn types<T: AsRef<str>>(mut self, types: impl IntoIterator<Item = T>) -> Self {
        self.types = types.into_iter().map(|it| normal(it.as_ref())).collect();
        self
    }
}

impl Default for IconWish {
    fn default() -> Self {
        Self::new()
    }
}

/// The icon that suits best. `None` where none can be shown: of all media types that are wanted,
/// or with a source that is neither `https` nor `data:`.
///
/// One thing decides after the other:
///
/// 1. The background: made for the one that is wanted, then for any, then for the other one. Where
///    none is wanted, made for any is best.
/// 2. The size: the one that is wanted; any size, which is also what an icon without sizes has;
///    the next larger one; the next smaller one. Where none is wanted: any size, and then the
///    largest. Of an icon that is not square, the longer side counts.
/// 3. The media type, in the order of the wish; one that is not known comes last.
/// 4. The order in which the server names them.
///
/// ```
/// use mcp_client::icons::{IconWish, choose};
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
        let said = icon.mime_type.as_deref().or(data).map(normal);
        let kind = match said.filter(|said| !said.is_empty()) {
            Some(said) => wish.types.iter().position(|wanted| *wanted == said)?,
            None => wish.types.len(),
        };
        Some(((theme(icon, wish.theme), size(icon, wish.size), kind), icon))
    });
    // Of those that are equally good it is the first.
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, icon)| icon)
}

fn theme(icon: &Icon, wanted: Option<IconTheme>) -> u8 {
    match (icon.theme, wanted) {
        (Some(theme), Some(wanted)) if theme == wanted => 0,
        (None, _) => 1,
        (Some(_), _) => 2,
    }
}

/// How well the sizes of an icon suit, the best least.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Same,
    Any,
    Larger(u32),
    Smaller(Reverse<u32>),
}

fn size(icon: &Icon, wanted: Option<u32>) -> Fit {
    let sizes = icon.sizes.iter().flatten();
    // Older servers name several in one text.
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
