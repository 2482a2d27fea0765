//! Media types without their parameters.

/// Returns a media type without its parameters, in lower case.
pub(crate) fn essence(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Returns `true` if two media types differ only in their parameters.
#[cfg(feature = "https-url")]
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    essence(one) == essence(other)
}
