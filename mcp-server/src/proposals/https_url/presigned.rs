//! [`PresignedUrl`]: a URL at another host, such as an object store, in place of one of this server.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::Uri;
use http::uri::{InvalidUri, Scheme};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::util::partial_debug::partial_debug;
use crate::util::rfc3339;

/// A URL by which anybody can download a resource until it expires, such as a presigned URL of an
/// S3-compatible store. See [`ResourceDef::presign`](crate::ResourceDef::presign).
#[derive(Clone, PartialEq, Eq)]
pub struct PresignedUrl {
    pub(crate) url: String,
    pub(crate) expires_at: String,
}

/// The reasons why a URL is rejected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PresignedUrlError {
    /// The text is not a URL.
    #[error("invalid presigned URL: {0}")]
    Invalid(#[from] InvalidUri),
    /// The scheme is not `https`, which the proposal requires.
    #[error("presigned URL: expected the scheme `https`")]
    NotHttps,
    /// The time of expiry is before the year 1970 or after the year 9999.
    #[error("presigned URL: expected a time of expiry from 1970 to 9999")]
    Expiry,
}

impl PresignedUrl {
    /// Creates a URL that is valid until a time, which is rounded down to whole seconds.
    ///
    /// # Errors
    ///
    /// See [`PresignedUrlError`].
    pub fn new(url: impl Into<String>, expires_at: SystemTime) -> Result<Self, PresignedUrlError> {
        let url = url.into();
        let parsed: Uri = url.parse()?;
        if parsed.scheme() != Some(&Scheme::HTTPS) {
            return Err(PresignedUrlError::NotHttps);
        }
        let since = expires_at.duration_since(UNIX_EPOCH).ok();
        let expires_at = since.and_then(|since| rfc3339::format(since.as_secs()));
        Ok(Self {
            url,
            expires_at: expires_at.ok_or(PresignedUrlError::Expiry)?,
        })
    }
}

/// Returns how long a time of RFC 3339 is in the future; zero if it is in the past or invalid.
pub(crate) fn time_left(expires_at: &str, now: SystemTime) -> Duration {
    let time = OffsetDateTime::parse(expires_at, &Rfc3339).ok();
    let seconds = time.and_then(|time| u64::try_from(time.unix_timestamp()).ok());
    let time = seconds.and_then(|seconds| UNIX_EPOCH.checked_add(Duration::from_secs(seconds)));
    let left = time.and_then(|time| time.duration_since(now).ok());
    left.unwrap_or_default()
}

// Leaves out the URL, because it grants access.
partial_debug!(PresignedUrl, |it| expires_at: it.expires_at);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_urls_with_a_time_are_accepted() {
        let at = |seconds| UNIX_EPOCH + Duration::from_secs(seconds);
        let url = PresignedUrl::new("HTTPS://s3.example.com/a?X-Sig=1", at(1_795_262_400)).unwrap();
        assert_eq!(url.expires_at, "2026-11-21T12:00:00Z");
        assert_eq!(url.url, "HTTPS://s3.example.com/a?X-Sig=1");
        assert!(!format!("{url:?}").contains("X-Sig"));
        for wrong in ["http://s3.example.com/a", "ftp://a", "/a"] {
            let error = PresignedUrl::new(wrong, at(0)).unwrap_err();
            assert!(
                matches!(error, PresignedUrlError::NotHttps),
                "{wrong}: {error}"
            );
        }
        for wrong in ["", "https://", "https://a b"] {
            assert!(PresignedUrl::new(wrong, at(0)).is_err(), "{wrong}");
        }
        let error = PresignedUrl::new("https://a/", at(253_402_300_800)).unwrap_err();
        assert!(matches!(error, PresignedUrlError::Expiry), "{error}");
        let now = at(1_795_262_400);
        assert_eq!(
            time_left("2026-11-21T12:00:05Z", now),
            Duration::from_secs(5)
        );
        assert_eq!(time_left("2026-11-21T11:59:59Z", now), Duration::ZERO);
        assert_eq!(time_left("soon", now), Duration::ZERO);
    }
}
