//! Documents with the metadata of a client, at the URL that is its id (Client ID Metadata Documents,
//! draft-ietf-oauth-client-id-metadata-document).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::StatusCode;
use http::header::{ACCEPT, HeaderValue, USER_AGENT};
use mcp_fetch::{FetchError, FetchPolicy, FetchRequest, Origin, UrlFault};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::clients::metadata::ClientMetadata;
use crate::clients::{Client, ClientSummary};

/// The maximum size of a document, in bytes.
const DOCUMENT_BYTES: u64 = 16 << 10;
/// The maximum length of a URL, in bytes.
const URL_BYTES: usize = 512;
/// The maximum number of documents that are loaded at the same time, in total and from one host.
const CONCURRENT: usize = 32;
const PER_HOST: usize = 2;
/// The maximum time that a request waits until it may load a document.
const WAIT: Duration = Duration::from_secs(1);
/// The maximum time in which a document is loaded.
const TIME: Duration = Duration::from_secs(5);

/// Loads documents.
///
/// They are not cached: each authorization request is compared with the document as it is now, so that
/// a client that has lost a redirect URI cannot use it any more. Nobody is logged in yet, so the URL may
/// be that of anybody: only public addresses are contacted, redirects are not followed, and number,
/// size and time are limited. A host that never responds occupies only its own share.
pub(crate) struct DocumentLoader {
    policy: FetchPolicy,
    permits: Semaphore,
    /// The permits of the hosts from which documents are loaded at the moment.
    hosts: Mutex<HashMap<String, Arc<Semaphore>>>,
}

/// Why a client with a document is not accepted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DocumentError {
    #[error("its URL cannot be the id of a client: {0}")]
    Url(&'static str),
    #[error("its document cannot be loaded: {0}")]
    Fetch(#[from] FetchError),
    #[error("its document has the HTTP status {0}")]
    Status(StatusCode),
    #[error("its document is not accepted: {0}")]
    Metadata(String),
    #[error("too many documents are loaded at the moment: try again later")]
    Busy,
}

fn invalid(text: impl Into<String>) -> DocumentError {
    DocumentError::Metadata(text.into())
}

impl DocumentLoader {
    /// `time` is the maximum time of a request to the provider.
    pub(crate) fn new(policy: &FetchPolicy, time: Duration) -> Self {
        let time = time.min(TIME);
        let policy = policy.clone().public_only().time(time).idle(time);
        Self {
            policy: policy.size(DOCUMENT_BYTES),
            permits: Semaphore::new(CONCURRENT),
            hosts: Mutex::default(),
        }
    }

    /// Returns the permits of the host of a URL.
    fn permits_of(&self, url: &str) -> Arc<Semaphore> {
        let host = Origin::parse(url).map_or_else(|_| String::new(), |origin| origin.host);
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        hosts.retain(|_, permits| Arc::strong_count(permits) > 1);
        let permits = hosts.entry(host);
        Arc::clone(permits.or_insert_with(|| Arc::new(Semaphore::new(PER_HOST))))
    }

    /// Loads the document of a client.
    pub(crate) async fn load(&self, url: &str) -> Result<Client, DocumentError> {
        check_url(url).map_err(DocumentError::Url)?;
        let of_host = self.permits_of(url);
        // That of the host first: a request that waits for it takes no permit from others.
        let permits = async { (of_host.acquire().await, self.permits.acquire().await) };
        let permits = timeout(WAIT, permits).await;
        let _permits = permits.map_err(|_| DocumentError::Busy)?;
        let request = FetchRequest::get(&self.policy, url)
            .header(ACCEPT, HeaderValue::from_static("application/json"))
            .header(USER_AGENT, HeaderValue::from_static("mcp-login"));
        let mut response = request.send().await?;
        if response.status != StatusCode::OK {
            return Err(DocumentError::Status(response.status));
        }
        response.check_encoding()?;
        let kind = response.content_type().to_ascii_lowercase();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        if kind != "application/json" && !kind.ends_with("+json") {
            return Err(invalid("it is not JSON"));
        }
        let body = response.body.read_all().await?;
        client(url, &body)
    }
}

/// Reads a document.
fn client(url: &str, body: &[u8]) -> Result<Client, DocumentError> {
    let document = ClientMetadata::decode(body);
    let document = document.ok_or_else(|| invalid("it has no metadata of a client"))?;
    if document.client_id != url {
        return Err(invalid("it is that of another client"));
    }
    let method = document.token_endpoint_auth_method.as_deref();
    if !matches!(method, None | Some("none")) {
        return Err(invalid("`token_endpoint_auth_method` is not `none`"));
    }
    document.check_types().map_err(invalid)?;
    document.check_redirect_uris().map_err(invalid)?;
    let name = document.client_name.unwrap_or_default();
    let about = ClientSummary::documented(url, &name);
    if about.name.is_empty() {
        return Err(invalid("`client_name` is missing"));
    }
    Ok(Client {
        about,
        redirect_uris: document.redirect_uris,
        secret_digest: None,
    })
}

/// Returns `true` if an id is a URL, and not one that was issued by a registration.
pub(crate) fn is_document(id: &str) -> bool {
    id.contains(':')
}

/// Checks the URL of a document (section 3 of the draft).
pub(crate) fn check_url(url: &str) -> Result<(), &'static str> {
    if url.len() > URL_BYTES {
        return Err("it is too long");
    }
    Origin::secure(url).map_err(|fault| match fault {
        UrlFault::User => "it has a user name",
        UrlFault::Scheme(_) => "its scheme is not `https`",
        _ => "it is invalid",
    })?;
    if url.contains('#') {
        return Err("it has a fragment");
    }
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let path = rest.split('?').next().unwrap_or_default();
    let Some((_, path)) = path.split_once('/').filter(|(_, path)| !path.is_empty()) else {
        return Err("it has no path");
    };
    let is_dots = |segment: &str| {
        let decoded = segment.to_ascii_lowercase().replace("%2e", ".");
        decoded == "." || decoded == ".."
    };
    if path.split('/').any(is_dots) {
        return Err("its path has the segment `.` or `..`");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_of_a_client_is_a_plain_https_url_with_a_path() {
        for url in [
            "https://a.example/client.json",
            "https://a.example:8443/a/b?c",
        ] {
            assert_eq!(check_url(url), Ok(()), "{url}");
        }
        for url in [
            "http://a.example/client.json",
            "https://a.example",
            "https://a.example/",
            "https://a.example?x=/y",
            "https://a.example/a/../b",
            "https://a.example/%2E/b",
            "https://a.example/b#c",
            "https://me@a.example/b",
            "https://a.example/\\b",
            "javascript:alert(1)",
        ] {
            assert!(check_url(url).is_err(), "{url}");
        }
    }

    #[test]
    fn document_of_another_client_is_rejected() {
        let url = "https://a.example/c";
        let document = |id: &str, method: &str| {
            format!(
                r#"{{"client_id":"{id}","client_name":"A","redirect_uris":["https://a.example/cb"],
                "token_endpoint_auth_method":"{method}"}}"#
            )
        };
        for (text, fault) in [
            (document(url, "none"), None),
            (
                document("https://a.example/C", "none"),
                Some("it is that of another client"),
            ),
            (
                document(url, "client_secret_post"),
                Some("`token_endpoint_auth_method` is not `none`"),
            ),
            ("[]".to_owned(), Some("it has no metadata of a client")),
        ] {
            let error = client(url, text.as_bytes())
                .err()
                .map(|error| error.to_string());
            let expected = fault.map(|fault| format!("its document is not accepted: {fault}"));
            assert_eq!(error, expected, "{text}");
        }
    }

    #[test]
    fn document_has_a_name() {
        let url = "https://a.example/c";
        for (name, is_valid) in [
            (r#""client_name":"A","#, true),
            (r#""client_name":"","#, false),
            (r#""client_name":"\u200b","#, false),
            (r#""client_name":null,"#, false),
            ("", false),
        ] {
            let text = format!(r#"{{{name}"client_id":"{url}","redirect_uris":["app:/cb"]}}"#);
            assert_eq!(client(url, text.as_bytes()).is_ok(), is_valid, "{text}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn host_that_never_responds_occupies_only_its_share() {
        let policy = FetchPolicy::new().resolver(|_, _| std::future::pending());
        let loader = Arc::new(DocumentLoader::new(&policy, Duration::from_secs(20)));
        let load = |url: &'static str| {
            let loader = Arc::clone(&loader);
            tokio::spawn(async move {
                let start = tokio::time::Instant::now();
                let error = loader.load(url).await.expect_err("no response");
                (
                    matches!(error, DocumentError::Busy),
                    start.elapsed().as_secs(),
                )
            })
        };
        let mut outcomes = Vec::new();
        for loading in [
            load("https://slow.example/1"),
            load("https://slow.example/2"),
            load("https://SLOW.example:8443/3"),
            load("https://other.example/1"),
        ] {
            outcomes.push(loading.await.expect("no panic"));
        }
        assert_eq!(outcomes, [(false, 5), (false, 5), (true, 1), (false, 5)]);
        // A request that waits gets the permit of one that has ended.
        let first = [
            load("https://slow.example/1"),
            load("https://slow.example/2"),
        ];
        tokio::time::sleep(Duration::from_millis(4_500)).await;
        let next = load("https://slow.example/3").await.expect("no panic");
        assert_eq!(next, (false, 5));
        drop(first);
    }
}
