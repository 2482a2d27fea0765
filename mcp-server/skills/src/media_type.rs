//! [`media_type`]: the media types of files that are common in skills.

/// Returns the media type for the extension of a path, if it is known.
pub(crate) fn media_type(path: &str) -> Option<&'static str> {
    let (_, extension) = path.rsplit_once('.')?;
    Some(match &*extension.to_ascii_lowercase() {
        "css" => "text/css",
        "csv" => "text/csv",
        "gif" => "image/gif",
        "htm" | "html" => "text/html",
        "jpeg" | "jpg" => "image/jpeg",
        "js" | "mjs" => "text/javascript",
        "json" => "application/json",
        "markdown" | "md" => "text/markdown",
        "pdf" => "application/pdf",
        "png" => "image/png",
        "py" => "text/x-python",
        "sh" => "application/x-sh",
        "svg" => "image/svg+xml",
        "toml" => "application/toml",
        "txt" => "text/plain",
        "webp" => "image/webp",
        "xml" => "application/xml",
        "yaml" | "yml" => "application/yaml",
        "zip" => "application/zip",
        _ => return None,
    })
}
