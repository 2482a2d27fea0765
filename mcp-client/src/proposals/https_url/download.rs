//! [`Download`]: content that comes from a URL, in one go or with breaks.

use bytes::Bytes;
use http::header::{ACCEPT_RANGES, CONTENT_RANGE, ETAG};
use http::{HeaderValue, StatusCode};

use super::media::is_same;
use super::reference::Reference;
use crate::protocol::fetch::FetchError;
use crate::protocol::fetch::FetchPolicy;
use crate::protocol::fetch::{Body, Get, SHOWN, content_type, plain};
use crate::util::origin::Origin;

/// As often a transfer that breaks off is taken up again.
const RESUMED: usize = 3;

pub(super) struct Download {
    policy: FetchPolicy,
    accept: String,
    /// The URL that gave it, behind all redirects.
    url: String,
    /// What tells this state of the content from others, where it can be asked for in parts.
    state: Option<HeaderValue>,
    /// Bytes in all, where that is known.
    pub(super) length: Option<u64>,
    pub(super) media_type: Option<String>,
    body: Body,
    /// Whether the body broke off, so that the rest is yet to be asked for.
    broken: bool,
    resumed: usize,
}

impl Download {
    /// Begins to load what a reference means, if that is the type which is asked for.
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
        if let (Some(wanted), Some(listed)) = (wanted, listed)
            && !is_same(wanted, listed)
        {
            return Err(differs(wanted, listed));
        }
        let expected = wanted.or(listed);
        let size = reference.bytes();
        let limit = policy.bytes;
        if let Some(found) = size.filter(|size| *size > limit) {
            return Err(FetchError::TooLarge { found, limit });
        }
        let accept = expected.unwrap_or("*/*").to_owned();
        let get = Get {
            policy,
            url,
            accept: &accept,
            rest: None,
            follows: &|_, to| to.is_among(&policy.hosts),
        };
        let got = get.send().await?;
        let status = got.status;
        if status != StatusCode::OK {
            return Err(FetchError::Status { status });
        }
        plain(&got.headers)?;
        let found = content_type(&got.headers);
        if let Some(expected) = expected.filter(|expected| !is_same(expected, &found)) {
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
        let none = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"none");
        let parts = !got.headers.get(ACCEPT_RANGES).is_some_and(none);
        let state = got.headers.get(ETAG).filter(|state| parts && strong(state));
        Ok(Self {
            policy: policy.clone(),
            accept,
            url: got.url,
            state: state.cloned(),
            length: length.or(size),
            media_type: Some(found).filter(|found| !found.is_empty()),
            body: got.body,
            broken: false,
            resumed: 0,
        })
    }

    /// The next bytes; `None` at the end. Where the transfer breaks off it is taken up again, and
    /// `broke` gets to know.
    pub(super) async fn chunk(
        &mut self,
        mut broke: impl FnMut(FetchError),
    ) -> Result<Option<Bytes>, FetchError> {
        loop {
            if self.broken {
                self.body = self.rest().await?;
                self.broken = false;
            }
            let error = match self.body.chunk().await {
                Ok(bytes) => {
                    self.fits(bytes.is_none())?;
                    return Ok(bytes);
                }
                Err(error) => error,
            };
            let breaks = matches!(error, FetchError::Http(_) | FetchError::Time { .. });
            let resumes = self.state.is_some() && self.resumed < RESUMED;
            if !breaks || !resumes || self.body.clock().is_over() {
                return Err(error);
            }
            broke(error);
            self.resumed += 1;
            self.broken = true;
        }
    }

    /// That so much came as should.
    fn fits(&self, ended: bool) -> Result<(), FetchError> {
        let found = self.body.got();
        match self.length {
            Some(expected) if found > expected || ended && found < expected => {
                Err(FetchError::Size { expected, found })
            }
            _ => Ok(()),
        }
    }

    /// Asks for what did not come.
    async fn rest(&self) -> Result<Body, FetchError> {
        let from = self.body.got();
        let state = self.state.as_ref();
        let get = Get {
            policy: &self.policy,
            url: &self.url,
            accept: &self.accept,
            rest: state.map(|state| (from, state)),
            // It was the end of all redirects.
            follows: &|_: &Origin, _: &Origin| false,
        };
        let got = get.send_within(self.body.clock().clone()).await?;
        let status = got.status;
        let range = got.headers.get(CONTENT_RANGE);
        let range = range.and_then(|range| range.to_str().ok());
        let same = got.headers.get(ETAG).is_none_or(|now| Some(now) == state);
        let begins = range.is_some_and(|range| begins(range, from, self.length));
        if status != StatusCode::PARTIAL_CONTENT || !same || !begins {
            return Err(FetchError::NoRest { status });
        }
        plain(&got.headers)?;
        Ok(got.body)
    }
}

/// Whether an entity tag stands for one sequence of bytes.
fn strong(tag: &HeaderValue) -> bool {
    tag.as_bytes().starts_with(b"\"")
}

/// Whether a `Content-Range` begins at this byte, of so many, if it says how many.
fn begins(range: &str, from: u64, length: Option<u64>) -> bool {
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
