//! Presigned requests: AWS Signature Version 4 in the query of a URL.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use ring::{digest, hmac};
use time::OffsetDateTime;

/// All characters that are encoded in a query.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Those that are encoded in a path.
pub(crate) const PATH: &AsciiSet = &COMPONENT.remove(b'/');

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// What the store knows a program by.
#[derive(Clone)]
pub(crate) struct Credentials {
    pub(crate) access_key: String,
    pub(crate) secret_key: String,
    pub(crate) region: String,
}

impl Credentials {
    /// Signs a request without a body. Everybody can send it until it expires.
    pub(crate) fn presign(
        &self,
        method: &str,
        url: &str,
        query: &[(&str, &str)],
        now: SystemTime,
        valid: Duration,
    ) -> String {
        let now = OffsetDateTime::from(now);
        let (year, month, day) = now.to_calendar_date();
        let (hour, minute, second) = now.to_hms();
        let month = u8::from(month);
        let date = format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z");
        let credential = format!("{}/{}", self.access_key, self.scope(&date));
        let seconds = valid.as_secs().to_string();
        let mut query = query.to_vec();
        query.extend([
            ("X-Amz-Algorithm", ALGORITHM),
            ("X-Amz-Credential", &credential),
            ("X-Amz-Date", &date),
            ("X-Amz-Expires", &seconds),
            ("X-Amz-SignedHeaders", "host"),
        ]);
        query.sort_unstable();
        let encode = |text| utf8_percent_encode(text, COMPONENT);
        let query = query
            .into_iter()
            .map(|(name, value)| format!("{}={}", encode(name), encode(value)));
        let query = query.collect::<Vec<_>>().join("&");
        let host = url.split_once("://").map_or(url, |(_, host)| host);
        let (host, path) = host.split_once('/').unwrap_or((host, ""));
        let signature = self.signature(method, host, &format!("/{path}"), &query, &date);
        format!("{url}?{query}&X-Amz-Signature={signature}")
    }

    /// Returns the signature of a request. The query has all parameters but the signature, sorted.
    pub(crate) fn signature(
        &self,
        method: &str,
        host: &str,
        path: &str,
        query: &str,
        date: &str,
    ) -> String {
        let request = format!("{method}\n{path}\n{query}\nhost:{host}\n\nhost\nUNSIGNED-PAYLOAD");
        let hash = hex(digest::digest(&digest::SHA256, request.as_bytes()).as_ref());
        let scope = self.scope(date);
        let text = format!("{ALGORITHM}\n{date}\n{scope}\n{hash}");
        let mut key = format!("AWS4{}", self.secret_key).into_bytes();
        for part in scope.split('/').chain([&*text]) {
            let signing = hmac::Key::new(hmac::HMAC_SHA256, &key);
            key = hmac::sign(&signing, part.as_bytes()).as_ref().to_vec();
        }
        hex(&key)
    }

    fn scope(&self, date: &str) -> String {
        let day = date.get(..8).unwrap_or_default();
        format!("{day}/{}/s3/aws4_request", self.region)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
