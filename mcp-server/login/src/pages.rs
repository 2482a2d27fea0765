//! The pages that users see: plain HTML with one style sheet, and without scripts.
//!
//! `maud` escapes every text. What clients and providers say is shown only as text.

pub(crate) mod consent;
pub(crate) mod local;
pub(crate) mod sessions;

use std::time::{Duration, SystemTime};

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::clients::redirect_uri::destination;
use crate::web::STYLE;

/// Returns a page, which leads to a URL if there is one.
fn layout(title: &str, onward: Option<&str>, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="robots" content="noindex";
                title { (title) }
                style { (PreEscaped(STYLE)) }
                @if let Some(url) = onward { meta http-equiv="refresh" content={ "0;url=" (url) }; }
            }
            body { main { (content) } }
        }
    }
}

/// Returns a page with a message.
pub(crate) fn message(title: &str, text: &str) -> Markup {
    let content = html! {
        h1 { (title) }
        p { (text) }
    };
    layout(title, None, &content)
}

/// Returns a page that leads to a URL, which was validated, at once or by a link.
pub(crate) fn onward(url: &str) -> Markup {
    let content = html! {
        h1 { "One moment" }
        p { "You are sent on." }
        p { a.button href=(url) { "Continue" } }
    };
    layout("One moment", Some(url), &content)
}

/// Returns a page that says what is wrong with the request of a website, with a link back to it.
pub(crate) fn way_back(description: &str, redirect_uri: &str, url: &str) -> Markup {
    let content = html! {
        h1 { "This link does not work" }
        p { "The program that sent you here made a mistake: " (description) "." }
        p.warn { "Go back only if you know " strong { (destination(redirect_uri)) } "." }
        p { a.button href=(url) rel="noreferrer" { "Go back" } }
    };
    layout("This link does not work", None, &content)
}

/// Returns a time in seconds since the Unix epoch as a date, such as `06 Nov 1994`.
fn date(seconds: u64) -> String {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let text = httpdate::fmt_http_date(time);
    text.get(5..16).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_shown_as_a_date() {
        for (seconds, expected) in [
            (0, "01 Jan 1970"),
            (951_782_399, "28 Feb 2000"),
            (951_782_400, "29 Feb 2000"),
            (951_868_800, "01 Mar 2000"),
            (1_798_675_200, "31 Dec 2026"),
            (1_798_761_599, "31 Dec 2026"),
            (4_107_542_400, "01 Mar 2100"),
        ] {
            assert_eq!(date(seconds), expected);
        }
    }

    #[test]
    fn texts_are_escaped() {
        let page = message("a", "<script>\"&").into_string();
        assert!(page.contains("&lt;script&gt;&quot;&amp;"), "{page}");
        let page = onward("https://a.example/?b=\"><script>&c").into_string();
        assert!(!page.contains("<script>"), "{page}");
        assert!(
            page.contains("0;url=https://a.example/?b=&quot;&gt;"),
            "{page}"
        );
    }
}
