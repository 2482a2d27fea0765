//! The rules of SEP-973: icons and websites.

use mcp_client::types::{Icon, IconTheme};
use mcp_host::icons::{IconError, IconPolicy, IconWish, ImageFormat, choose, website};

use super::Subject;
use crate::commands::icons::{load, owners};
use crate::wire::rules::Rule;

/// The sizes that hosts need.
const SIZES: [u32; 3] = [16, 48, 96];

pub(super) async fn check(subject: &Subject<'_>) {
    if let Some(Err(fault)) = website(subject.client, &IconPolicy::new()) {
        subject.violates(Rule::Website, "server", fault);
    }
    for owner in owners(subject.client).await {
        check_all(subject, &owner.name, &owner.icons).await;
    }
}

async fn check_all(subject: &Subject<'_>, place: &str, icons: &[Icon]) {
    for (at, icon) in icons.iter().enumerate() {
        check_one(subject, &format!("{place}, icon {}", at + 1), icon).await;
    }
    for theme in [IconTheme::Light, IconTheme::Dark] {
        for size in SIZES {
            let wish = IconWish::new().size(size).theme(theme);
            let fits = choose(icons, &wish).is_some_and(|icon| {
                icon.theme.is_none_or(|of| of == theme) && is_large(icon, size)
            });
            if !fits {
                let theme = if theme == IconTheme::Light {
                    "light"
                } else {
                    "dark"
                };
                let text = format!("none for {size} pixels in the theme `{theme}`");
                return subject.violates(Rule::IconChoice, place, text);
            }
        }
    }
}

async fn check_one(subject: &Subject<'_>, place: &str, icon: &Icon) {
    let sizes = icon.sizes.as_deref().unwrap_or_default();
    let declared: Vec<Option<(u32, u32)>> = sizes.iter().map(|size| sides(size)).collect();
    let is_invalid = |size: &&String| sides(size).is_none() && *size != "any";
    if let Some(size) = sizes.iter().find(is_invalid) {
        let text = format!("`{size}` is no size");
        subject.violates(Rule::IconSizes, place, text);
    }
    let policy = IconPolicy::new().allow_svg(true);
    let image = match load(subject.client, icon).policy(policy).await {
        Ok(image) => image,
        Err(error) => {
            let is_source = matches!(error, IconError::Url(_) | IconError::Origin { .. });
            let rule = if is_source {
                Rule::IconSource
            } else {
                Rule::IconLoads
            };
            return subject.violates(rule, place, error);
        }
    };
    if image.format == ImageFormat::Svg {
        let text = "SVG can contain scripts, so many hosts refuse it: offer PNG, too";
        return subject.violates(Rule::IconScript, place, text);
    }
    if let Some(found) = image.pixels()
        && !declared.is_empty()
        && !declared.contains(&Some(found))
        && !sizes.iter().any(|size| size == "any")
    {
        let (width, height) = found;
        let text = format!(
            "`sizes` are {}, and the image has {width}x{height}",
            sizes.join(", ")
        );
        subject.violates(Rule::IconSizes, place, text);
    }
}

/// Returns `true` if an icon need not be enlarged for this size.
fn is_large(icon: &Icon, size: u32) -> bool {
    let declared = icon.sizes.iter().flatten();
    let declared: Vec<(u32, u32)> = declared.filter_map(|size| sides(size)).collect();
    // Without a valid size, it may be any.
    declared.is_empty()
        || declared
            .iter()
            .any(|(width, height)| *width.max(height) >= size)
}

/// Returns width and height, as in `48x48`.
fn sides(size: &str) -> Option<(u32, u32)> {
    let (width, height) = size.split_once('x')?;
    Some((width.parse().ok()?, height.parse().ok()?))
}
