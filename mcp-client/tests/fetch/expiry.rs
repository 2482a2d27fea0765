//! Expired URLs.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use mcp_client::{FetchError, FetchPolicy, FetchedBy};

use super::mcp::{Mcp, resource};
use mcp_testkit::soon;
use mcp_testkit::web::{Reply, Web};

/// Formats the time in this number of seconds, at an offset of this number of hours.
fn in_seconds(seconds: i64, east: i64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = i64::try_from(now.expect("after 1970").as_secs()).expect("in bounds");
    let local = now + seconds + east * 3600;
    let (days, second) = (local.div_euclid(86_400), local.rem_euclid(86_400));
    // Howard Hinnant's algorithm from days to a date, with years that begin in March.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let offset = match east {
        0 => "Z".to_owned(),
        1.. => format!("+{east:02}:00"),
        _ => format!("-{:02}:00", -east),
    };
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{offset}")
}

/// Returns `true` if a URL with this expiry is used.
async fn is_used(web: &Web, mcp: &Mcp, at: &str, policy: FetchPolicy) -> bool {
    let before = web.connections();
    let resource = resource().http_url_expires_at(at);
    let fetched = soon(mcp.client.fetch(&resource).policy(policy)).await;
    let fetched = fetched.expect("fetched");
    if fetched.by() == FetchedBy::Url {
        return true;
    }
    match fetched.attempts() {
        [FetchError::Expired { at: found }] => assert_eq!(found, at),
        [FetchError::Expiry { text }] => assert!(at.starts_with(text)),
        attempts => panic!("{at}: {attempts:?}"),
    }
    assert_eq!(web.connections(), before);
    false
}

#[tokio::test]
async fn url_is_used_until_the_margin_before_its_expiry() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let hour = Duration::from_secs(3600);
    for (seconds, margin, used) in [
        (3600, None, true),
        (5, None, false),
        (-1, None, false),
        (-3600, None, false),
        (1800, Some(hour), false),
        (5400, Some(hour), true),
        (1800, Some(Duration::ZERO), true),
        (-1, Some(Duration::ZERO), false),
        (1800, Some(Duration::MAX), false),
    ] {
        for east in [0, 14, -11] {
            if used {
                web.answer(Reply::ok("text/plain", b"by the URL"));
            }
            let mut policy = web.policy();
            if let Some(margin) = margin {
                policy = policy.margin(margin);
            }
            let at = in_seconds(seconds, east);
            assert_eq!(is_used(&web, &mcp, &at, policy).await, used, "{at}");
        }
    }
}

#[tokio::test]
async fn invalid_expiry_counts_as_expired() {
    let web = Web::start().await;
    let mcp = Mcp::start().await;
    let local = in_seconds(3600, 0).replace('Z', "");
    let long = "9".repeat(100_000);
    for at in ["", "tomorrow", "1900000000", "2999-01-01", &local, &long] {
        assert!(!is_used(&web, &mcp, at, web.policy()).await, "{at}");
    }
}
