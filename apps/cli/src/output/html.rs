//! [`head()`]: the head of pages that run no scripts and load nothing.

use maud::{Markup, PreEscaped, html};
use mcp_client::types::Base64Text;
use sha2::{Digest, Sha256};

/// Returns the head of a page with a style sheet. With `images`, the page may show those that it
/// contains.
pub(crate) fn head(title: &str, style: &str, images: bool) -> Markup {
    let hash = Base64Text::encode(Sha256::digest(style));
    let policy = format!(
        "default-src 'none'; {}style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        if images { "img-src data:; " } else { "" },
        hash.as_str()
    );
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="referrer" content="no-referrer";
            meta name="color-scheme" content="light dark";
            title { (title) }
            style { (PreEscaped(style)) }
        }
    }
}
