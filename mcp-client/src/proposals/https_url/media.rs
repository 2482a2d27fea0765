//! Media types, as far as they say what something is.

/// What a media type is without its parameters, in lower case.
pub(crate) fn essence(media_type: &str) -> String {
    let essence = media_type.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Whether two media types differ in nothing but their parameters.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    essence(one) == essence(other)
}
