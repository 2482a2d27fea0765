//! The time of the last change, for `Last-Modified`.

use std::time::SystemTime;

use mcp_types::Resource;
use time::OffsetDateTime;
use time::format_description::well_known::Iso8601;

/// Returns `annotations.lastModified` in whole seconds, at most the current time, as RFC 9110,
/// 8.8.2.1, demands. A text that is not a time of ISO 8601 with an offset is ignored.
pub(crate) fn last_modified(resource: &Resource, now: SystemTime) -> Option<SystemTime> {
    let annotations = resource.annotations.as_ref()?;
    let text = annotations.last_modified.as_deref()?;
    let time = OffsetDateTime::parse(text, &Iso8601::DEFAULT).ok()?;
    // The format of HTTP begins with the year 1970, and ends before the year 10000.
    let seconds = u64::try_from(time.unix_timestamp()).ok()?;
    let time = SystemTime::UNIX_EPOCH.checked_add(std::time::Duration::from_secs(seconds))?;
    Some(time.min(now))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mcp_types::Annotations;

    use super::*;

    #[test]
    fn times_of_iso_8601_become_dates_of_http() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
        let date = |text: &str| {
            let annotations = Annotations::new().last_modified(text);
            let resource = Resource::new("x:a", "a").annotations(annotations);
            last_modified(&resource, now).map(httpdate::fmt_http_date)
        };
        let noon = Some("Sat, 21 Nov 2026 12:00:00 GMT");
        for text in [
            "2026-11-21T12:00:00Z",
            "2026-11-21T12:00:00.999Z",
            "2026-11-21T14:00:00+02:00",
            "20261121T120000Z",
        ] {
            assert_eq!(date(text).as_deref(), noon, "{text}");
        }
        for text in [
            "",
            "yesterday",
            "2026-11-21",
            "2026-11-21T12:00:00",
            "1969-12-31T23:59:59Z",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
        // A change in the future happens now at the latest.
        assert_eq!(
            date("9999-12-31T23:59:59Z").as_deref(),
            Some("Fri, 15 Jan 2027 08:00:00 GMT")
        );
        assert_eq!(last_modified(&Resource::new("x:a", "a"), now), None);
    }
}
