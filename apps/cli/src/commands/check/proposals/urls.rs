//! The rules of the proposal `https-url`: what a program without any knowledge of the protocol gets at
//! the URL of a resource.

use std::time::Duration;

use http::header::{
    CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, HeaderName, IF_MATCH, IF_NONE_MATCH, RANGE,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Method, StatusCode};
use mcp_client::FetchPolicy;
use mcp_client::types::json::Object;
use mcp_fetch::{FetchError, FetchRequest, RedirectFault};
use time::OffsetDateTime;
use time::format_description::well_known::{Iso8601, Rfc3339};
use tokio::time::timeout;

use super::{Listed, Subject};
use crate::commands::json_requests::{bytes, essence, is_same, object, objects, of, request, text};
use crate::network::around;
use crate::wire::rules::Rule;

/// The number of URLs that are looked at.
const URLS: usize = 50;

/// The maximum size of contents that are compared, in bytes.
const SIZE: u64 = 64 << 20;

/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(60);

/// How long the requests for all URLs may take, so that slow answers do not add up to hours.
const ALL: Duration = Duration::from_secs(600);

/// A response that was read.
struct Received {
    status: StatusCode,
    headers: http::HeaderMap,
    body: Vec<u8>,
}

impl Received {
    fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// A URL of a resource.
struct Target<'a> {
    subject: &'a Subject<'a>,
    policy: &'a FetchPolicy,
    place: String,
    url: String,
}

impl Target<'_> {
    async fn send(
        &self,
        method: Method,
        headers: &[(HeaderName, &str)],
    ) -> Result<Received, FetchError> {
        send(self.policy, &self.url, method, headers).await
    }

    fn violates(&self, rule: Rule, text: impl std::fmt::Display) {
        self.subject.violates(rule, &self.place, text);
    }
}

async fn send(
    policy: &FetchPolicy,
    url: &str,
    method: Method,
    headers: &[(HeaderName, &str)],
) -> Result<Received, FetchError> {
    // Within an origin, redirects are followed.
    let mut request = FetchRequest::new(policy, method, url).follow(&|_, _| false);
    for (name, value) in headers {
        if let Ok(value) = HeaderValue::try_from(*value) {
            request = request.header(name.clone(), value);
        }
    }
    let mut response = request.send().await?;
    let body = response.body.read_all().await?;
    Ok(Received {
        status: response.status,
        headers: response.headers,
        body,
    })
}

/// Checks the URLs of resources. Waits at most `wait` for the end of a URL that expires.
pub(super) async fn check(subject: &Subject<'_>, resources: &[Listed], wait: Option<Duration>) {
    let policy = around(subject.client).size(SIZE).time(ANSWER);
    let Ok(expiring) = timeout(ALL, check_each(subject, resources, &policy)).await else {
        let text = format!("only what the first {} s permit is checked", ALL.as_secs());
        return subject.hint("URLs of resources", text);
    };
    if let (Some(wait), Some((until, target))) = (wait, expiring) {
        expired(&target, until, wait).await;
    }
}

/// Checks the URLs. Returns the one that expires first, and when it does.
async fn check_each<'a>(
    subject: &'a Subject<'a>,
    resources: &[Listed],
    policy: &'a FetchPolicy,
) -> Option<(OffsetDateTime, Target<'a>)> {
    let mut count = 0;
    let mut expiring: Option<(OffsetDateTime, Target<'_>)> = None;
    for resource in resources {
        let entry = current(subject, resource).await;
        let Some(url) = text(&entry, "httpUrl") else {
            continue;
        };
        if count == URLS {
            let text = format!("only the first {count} URLs are checked");
            subject.hint(resource.place(), text);
            break;
        }
        count += 1;
        let target = Target {
            subject,
            policy,
            place: resource.place(),
            url: url.to_owned(),
        };
        // Before the request, because `http` is permitted for servers on this machine.
        if !url
            .get(..8)
            .is_some_and(|start| start.eq_ignore_ascii_case("https://"))
        {
            target.violates(Rule::UrlAllowed, "the scheme of the URL is another one");
            continue;
        }
        let until = expiry(&target, &entry);
        let Some(whole) = whole(&target, resource, &entry).await else {
            continue;
        };
        conditions(&target, &whole).await;
        ranges(&target, &whole).await;
        token(&target, &whole).await;
        if let Some(until) = until
            && expiring.as_ref().is_none_or(|(first, _)| until < *first)
        {
            expiring = Some((until, target));
        }
    }
    expiring
}

/// Returns the newest description of a resource, because its URL may expire.
async fn current(subject: &Subject<'_>, resource: &Listed) -> Object {
    let result = request(subject.client, "resources/metadata", &of(&resource.uri)).await;
    let found = result.map(|result| object(&result, "resource"));
    let found = found.ok().filter(|found| found.contains_key("httpUrl"));
    found.unwrap_or_else(|| resource.entry.clone())
}

/// Returns the time at which the URL ends.
fn expiry(target: &Target<'_>, entry: &Object) -> Option<OffsetDateTime> {
    let stated = entry.get("httpUrlExpiresAt")?;
    let until = stated.as_str().and_then(|text| {
        let parsed = OffsetDateTime::parse(text, &Rfc3339);
        parsed
            .or_else(|_| OffsetDateTime::parse(text, &Iso8601::PARSING))
            .ok()
    });
    if until.is_none_or(|until| until <= OffsetDateTime::now_utc()) {
        target.violates(Rule::UrlExpiry, format!("`httpUrlExpiresAt` is {stated}"));
    }
    until
}

/// Requests the URL without any header. `None` if it does not answer with contents.
async fn contents(target: &Target<'_>) -> Option<Received> {
    let received = match target.send(Method::GET, &[]).await {
        Ok(received) => received,
        Err(error @ (FetchError::Address { .. } | FetchError::Host { .. })) => {
            let text = format!("`httpUrl` is not requested: {error}");
            target.subject.hint(&target.place, text);
            return None;
        }
        Err(FetchError::Redirect {
            source: RedirectFault::Elsewhere { origin },
            ..
        }) => {
            let text = format!("a redirect leads to {origin}, where nothing is checked");
            target.violates(Rule::UrlRedirect, text);
            return None;
        }
        Err(error @ FetchError::Url(_)) => {
            target.violates(Rule::UrlAllowed, error);
            return None;
        }
        Err(error) => {
            target.violates(Rule::UrlAnswers, error);
            return None;
        }
    };
    if received.status == StatusCode::OK {
        return Some(received);
    }
    target.violates(
        Rule::UrlAnswers,
        format!("the status is {}", received.status),
    );
    None
}

/// Compares the contents at the URL with those that `resources/read` returns. `None` if the URL does not
/// answer with contents.
async fn whole(target: &Target<'_>, resource: &Listed, entry: &Object) -> Option<Received> {
    let whole = contents(target).await?;
    let read = request(target.subject.client, "resources/read", &of(&resource.uri)).await;
    let read = read
        .map(|read| objects(&read, "contents"))
        .unwrap_or_default();
    let stated = text(entry, "mimeType");
    let own: Vec<Vec<u8>> = read
        .iter()
        .filter(|one| text(one, "uri").is_some_and(|uri| is_same(uri, &resource.uri)))
        .filter(|one| {
            let stated = stated.map(essence);
            stated.is_none() || text(one, "mimeType").is_none_or(|it| Some(essence(it)) == stated)
        })
        .filter_map(|one| bytes(one, "text"))
        .collect();
    let has_bytes = |own: &Vec<u8>| *own == whole.body || is_same_json(own, &whole.body);
    if !own.is_empty() && !own.iter().any(has_bytes) && is_unchanged(target, &whole).await {
        let text = format!(
            "the URL has {} bytes, which are not those of `resources/read`",
            whole.body.len()
        );
        target.violates(Rule::UrlBytes, text);
    }
    let sent = whole.header(&CONTENT_TYPE).map(essence);
    if let Some(stated) = stated
        && sent.as_deref() != Some(&*essence(stated))
    {
        let sent = sent.unwrap_or_else(|| "absent".to_owned());
        target.violates(
            Rule::UrlType,
            format!("`Content-Type` is {sent}, and `mimeType` is {stated}"),
        );
    }
    let length = whole.header(&CONTENT_LENGTH);
    if length.and_then(|text| text.parse().ok()) != Some(whole.body.len()) {
        let length = length.unwrap_or("absent");
        let text = format!(
            "`Content-Length` is {length}, for {} bytes",
            whole.body.len()
        );
        target.violates(Rule::UrlLength, text);
    }
    if whole.header(&X_CONTENT_TYPE_OPTIONS) != Some("nosniff") {
        target.violates(Rule::UrlSniffing, "there is no such header");
    }
    Some(whole)
}

/// Returns `true` if two texts are the same JSON value, which may be written in several ways.
fn is_same_json(one: &[u8], other: &[u8]) -> bool {
    let value = |bytes| serde_json::from_slice::<serde_json::Value>(bytes).ok();
    value(one).is_some_and(|one| Some(one) == value(other))
}

/// Returns `true` if the URL still has these bytes.
async fn is_unchanged(target: &Target<'_>, whole: &Received) -> bool {
    let again = target.send(Method::GET, &[]).await;
    again.is_ok_and(|again| again.body == whole.body)
}

async fn conditions(target: &Target<'_>, whole: &Received) {
    match target.send(Method::HEAD, &[]).await {
        Ok(head) => {
            for name in [CONTENT_TYPE, CONTENT_LENGTH, ETAG] {
                let (get, head) = (whole.header(&name), head.header(&name));
                if get != head {
                    let shown = |value: Option<&str>| value.unwrap_or("absent").to_owned();
                    let (get, head) = (shown(get), shown(head));
                    target.violates(
                        Rule::UrlHead,
                        format!("`{name}` is {get} for GET, and {head} for HEAD"),
                    );
                }
            }
            if head.status != whole.status {
                target.violates(
                    Rule::UrlHead,
                    format!("the status of HEAD is {}", head.status),
                );
            }
        }
        Err(error) => target.violates(Rule::UrlHead, error),
    }
    if let Some(tag) = whole.header(&ETAG) {
        let known = status(target, &[(IF_NONE_MATCH, tag)]).await;
        if known != Some(StatusCode::NOT_MODIFIED) {
            target.violates(Rule::UrlMatch, shown(known));
        }
        let status = status(target, &[(IF_MATCH, "\"mcp-check-no-such-tag\"")]).await;
        if status != Some(StatusCode::PRECONDITION_FAILED) {
            target.violates(Rule::UrlOther, shown(status));
        }
    }
}

async fn ranges(target: &Target<'_>, whole: &Received) {
    let size = whole.body.len();
    if size > 1 {
        let last = size.min(1_000) - 1;
        let range = format!("bytes=1-{last}");
        match target.send(Method::GET, &[(RANGE, &range)]).await {
            // A server may ignore ranges.
            Ok(all) if all.status == StatusCode::OK && all.body == whole.body => {}
            Ok(part) => {
                let expected = format!("bytes 1-{last}/{size}");
                let is_part = part.status == StatusCode::PARTIAL_CONTENT
                    && whole.body.get(1..=last) == Some(&*part.body)
                    && part.header(&CONTENT_RANGE) == Some(&*expected);
                if !is_part {
                    let text = format!(
                        "`{range}` returns {}, {} bytes and the range `{}`",
                        part.status,
                        part.body.len(),
                        part.header(&CONTENT_RANGE).unwrap_or("absent")
                    );
                    target.violates(Rule::UrlRange, text);
                }
            }
            Err(error) => target.violates(Rule::UrlRange, error),
        }
    }
    let beyond = format!("bytes={}-", size + 1);
    let status = status(target, &[(RANGE, &beyond)]).await;
    if !matches!(
        status,
        Some(StatusCode::RANGE_NOT_SATISFIABLE | StatusCode::OK)
    ) {
        target.violates(Rule::UrlBeyond, shown(status));
    }
}

/// Changes the parts of the URL in which a token may be.
async fn token(target: &Target<'_>, whole: &Received) {
    let url = target.url.split('#').next().unwrap_or_default();
    let (path, query) = url.split_once('?').unwrap_or((url, ""));
    let mut changed = Vec::new();
    if path.split('/').count() > 3 {
        changed.push(with_other_end(path) + query_of(query).as_str());
    }
    let parameters: Vec<&str> = query.split('&').filter(|it| !it.is_empty()).collect();
    for at in 0..parameters.len().min(PARAMETERS) {
        let parameters = parameters.iter().enumerate().map(|(index, parameter)| {
            let is_changed = index == at;
            if is_changed {
                with_other_end(parameter)
            } else {
                (*parameter).to_owned()
            }
        });
        let parameters: Vec<String> = parameters.collect();
        changed.push(format!("{path}?{}", parameters.join("&")));
    }
    for url in &changed {
        let answer = send(target.policy, url, Method::GET, &[]).await;
        let has_contents =
            answer.is_ok_and(|it| it.status == StatusCode::OK && it.body == whole.body);
        if !has_contents {
            return;
        }
    }
    if !changed.is_empty() {
        let text = "the contents do not depend on the end of its path or on its query";
        target.violates(Rule::UrlToken, text);
    }
}

/// The number of parameters of a query that are changed.
const PARAMETERS: usize = 8;

fn query_of(query: &str) -> String {
    if query.is_empty() {
        String::new()
    } else {
        format!("?{query}")
    }
}

/// Replaces the last two characters: the last one of base64 may have bits that do not matter.
fn with_other_end(text: &str) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for last in chars
        .iter_mut()
        .rev()
        .take(2)
        .filter(|last| !"=/".contains(**last))
    {
        *last = if *last == 'A' { 'B' } else { 'A' };
    }
    chars.into_iter().collect()
}

async fn expired(target: &Target<'_>, until: OffsetDateTime, wait: Duration) {
    let left = until - OffsetDateTime::now_utc() + Duration::from_secs(1);
    let Ok(left) = Duration::try_from(left) else {
        return;
    };
    if left > wait {
        let text = format!(
            "`--wait` ends before the first URL does: it has {} s left",
            left.as_secs()
        );
        target.subject.hint(&target.place, text);
        return;
    }
    tokio::time::sleep(left).await;
    if let Some(status) = status(target, &[]).await
        && status.is_success()
    {
        target.violates(Rule::UrlExpired, format!("the status is {status}"));
    }
}

async fn status(target: &Target<'_>, headers: &[(HeaderName, &str)]) -> Option<StatusCode> {
    let answer = target.send(Method::GET, headers).await;
    answer.ok().map(|answer| answer.status)
}

fn shown(status: Option<StatusCode>) -> String {
    status.map_or_else(
        || "there is no answer".to_owned(),
        |status| format!("the status is {status}"),
    )
}
