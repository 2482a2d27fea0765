//! [`Download`]: loads content from a URL, and resumes after interruptions.

use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_RANGES, CONTENT_RANGE, ETAG, HeaderName, IF_RANGE, RANGE};
use http::{HeaderValue, StatusCode};
use mcp_fetch::{FetchBody, FetchError, FetchPolicy, FetchRequest};

use super::reference::{Reference, is_same_type};

/// The maximum number of characters of a media type in an error.
const SHOWN: usize = 200;

/// The maximum number of resumptions of a transfer.
const RESUMPTIONS: usize = 3;

pub(super) struct Download {
    policy: FetchPolicy,
    accept: HeaderValue,
    /// The URL of the content, after all redirects.
    url: String,
    /// The strong entity tag of the content; absent if the transfer cannot be resumed.
    tag: Option<HeaderValue>,
    /// The total size in bytes, if it is known.
    pub(super) length: Option<u64>,
    pub(super) media_type: Option<String>,
    body: FetchBody,
    /// Whether the transfer was interrupted, so that the rest has to be requested.
    interrupted: bool,
    resumptions: usize,
}

impl Download {
    /// Requests the content of a reference, in the wanted type if there is one.
    pub(super) async fn begin(
        policy: &FetchPolicy,
        reference: &Reference,
        wanted: Option<&str>,
    ) -> Result<Self, FetchError> {
        let url = reference.url(policy)?;
        let listed = reference.mime_type.as_deref();
        let shown = |media_type: &str| media_type.chars().take(SHOWN).collect();
        let differs = |expected: &str, found: &str| FetchError::MediaType {
            expected: shown(expected),
            found: shown(found),
        };
        let expected = wanted.or(listed);
        // The size of the resource is that of its own type.
        let is_other = |wanted| listed.is_some_and(|listed| !is_same_type(wanted, listed));
        let size = reference.bytes().filter(|_| !wanted.is_some_and(is_other));
        let limit = policy.max_size();
        if let Some(found) = size.filter(|size| *size > limit) {
            return Err(FetchError::TooLarge { found, limit });
        }
        let accept = header(&ACCEPT, expected.unwrap_or("*/*"))?;
        let follows = |_: &_, to: &_| policy.is_allowed_host(to);
        let get = FetchRequest::get(policy, url).header(ACCEPT, accept.clone());
        let got = get.follow(&follows).send().await?;
        let status = got.status;
        if status != StatusCode::OK {
            return Err(FetchError::Status { status });
        }
        got.check_encoding()?;
        let found = got.content_type();
        if let Some(expected) = expected.filter(|expected| !is_same_type(expected, &found)) {
            return Err(differs(expected, &found));
        }
        let length = got.body.length();
        if let (Some(expected), Some(found)) = (size, length)
            && expected != found
        {
            return Err(FetchError::Size { expected, found });
        }
        if let Some(found) = length.filter(|length| *length > limit) {
            return Err(FetchError::TooLarge { found, limit });
        }
        let is_none = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"none");
        let has_ranges = !got.headers.get(ACCEPT_RANGES).is_some_and(is_none);
        let tag = got
            .headers
            .get(ETAG)
            .filter(|tag| has_ranges && is_strong(tag));
        Ok(Self {
            policy: policy.clone(),
            accept,
            tag: tag.cloned(),
            url: got.url,
            length: length.or(size),
            media_type: Some(found).filter(|found| !found.is_empty()),
            body: got.body,
            interrupted: false,
            resumptions: 0,
        })
    }

    /// Returns the next bytes; `None` at the end. An interrupted transfer is resumed, and `report`
    /// is called with the error.
    pub(super) async fn chunk(
        &mut self,
        mut report: impl FnMut(FetchError),
    ) -> Result<Option<Bytes>, FetchError> {
        loop {
            if self.interrupted {
                self.body = self.rest().await?;
                self.interrupted = false;
            }
            let error = match self.body.chunk().await {
                Ok(bytes) => {
                    self.check_size(bytes.is_none())?;
                    return Ok(bytes);
                }
                Err(error) => error,
            };
            let is_interruption =
                matches!(error, FetchError::Exchange(_) | FetchError::Time { .. });
            let can_resume = self.tag.is_some() && self.resumptions < RESUMPTIONS;
            if !is_interruption || !can_resume || self.body.remaining_time().is_zero() {
                return Err(error);
            }
            report(error);
            self.resumptions += 1;
            self.interrupted = true;
        }
    }

    /// Fails if more or less than the expected bytes were received.
    fn check_size(&self, ended: bool) -> Result<(), FetchError> {
        let found = self.body.received();
        match self.length {
            Some(expected) if found > expected || ended && found < expected => {
                Err(FetchError::Size { expected, found })
            }
            _ => Ok(()),
        }
    }

    /// Requests the rest of the content.
    async fn rest(&self) -> Result<FetchBody, FetchError> {
        let from = self.body.received();
        let tag = self.tag.as_ref();
        let mut get = FetchRequest::get(&self.policy, &self.url)
            .header(ACCEPT, self.accept.clone())
            .header(RANGE, header(&RANGE, &format!("bytes={from}-"))?)
            .follow(&|_, _| false)
            .resume(&self.body);
        if let Some(tag) = tag {
            get = get.header(IF_RANGE, tag.clone());
        }
        let got = get.send().await?;
        let status = got.status;
        let range = got
            .headers
            .get(CONTENT_RANGE)
            .and_then(|range| range.to_str().ok());
        let same = got.headers.get(ETAG).is_none_or(|now| Some(now) == tag);
        let continues = range.is_some_and(|range| begins_at(range, from, self.length));
        if status != StatusCode::PARTIAL_CONTENT || !same || !continues {
            return Err(FetchError::NoRest { status });
        }
        got.check_encoding()?;
        Ok(got.body)
    }
}

fn header(name: &HeaderName, value: &str) -> Result<HeaderValue, FetchError> {
    let name = || name.as_str().to_owned();
    HeaderValue::try_from(value).map_err(|_| FetchError::Header { name: name() })
}

/// Returns `true` if an entity tag is strong.
fn is_strong(tag: &HeaderValue) -> bool {
    tag.as_bytes().starts_with(b"\"")
}

/// Returns `true` if a `Content-Range` begins at this byte and does not contradict the length.
fn begins_at(range: &str, from: u64, length: Option<u64>) -> bool {
    let range = range.strip_prefix("bytes ").unwrap_or_default();
    let Some((part, all)) = range.split_once('/') else {
        return false;
    };
    let first = part
        .split_once('-')
        .and_then(|(first, _)| first.parse().ok());
    let fits = match (all.parse::<u64>(), length) {
        (Ok(all), Some(length)) => all == length,
        (Ok(_), None) => true,
        (Err(_), _) => all == "*",
    };
    first == Some(from) && fits
}
