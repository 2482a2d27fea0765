//! The pages that users see: plain HTML with one style sheet, and without scripts.
//!
//! `maud` escapes every text. What clients and providers say is shown only as text.

pub(crate) mod consent;
pub(crate) mod local;
pub(crate) mod sessions;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::clients::redirect_uri::destination;
use crate::web::STYLE;

/// Returns a page.
fn layout(title: &str, head: &Markup, content: &Markup) -> Markup {
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
                (head)
            }
            body {
                main { (content) }
            }
        }
    }
}

/// Returns a page with a message.
pub(crate) fn message(title: &str, text: &str) -> Markup {
    let content = html! {
        h1 { (title) }
        p { (text) }
    };
    layout(title, &html! {}, &content)
}

/// Returns a page that leads to a URL, which was validated, at once or by a link.
pub(crate) fn onward(url: &str) -> Markup {
    let head = html! {
        meta http-equiv="refresh" content=(format!("0;url={url}"));
    };
    let content = html! {
        h1 { "One moment" }
        p { "You are sent on." }
        p { a.button href=(url) { "Continue" } }
    };
    layout("One moment", &head, &content)
}

/// Returns a page that says what is wrong with the request of a website, with a link back to it.
pub(crate) fn way_back(description: &str, redirect_uri: &str, url: &str) -> Markup {
    let content = html! {
        h1 { "This link does not work" }
        p { "The program that sent you here made a mistake: " (description) "." }
        p.warn { "Go back only if you know " strong { (destination(redirect_uri)) } "." }
        p { a.button href=(url) rel="noreferrer" { "Go back" } }
    };
    layout("This link does not work", &html! {}, &content)
}

/// Returns a time in seconds since the Unix epoch as a date.
fn date(seconds: u64) -> String {
    // Days since 1970-01-01 as a date of the Gregorian calendar, by years that begin in March.
    let days = seconds / 86_400 + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_shown_as_a_date() {
        for (seconds, expected) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_798_675_200, "2026-12-31"),
            (1_798_761_599, "2026-12-31"),
            (4_107_542_400, "2100-03-01"),
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
