//! Icons with `https:` URLs.

use std::time::Duration;

use mcp_client::types::{Icon, Revision};
use mcp_client::{Client, FetchError, FetchPolicy, Http, RedirectFault, UrlFault};
use mcp_host::icons::{self, IconError, IconPolicy, Image, ImageFormat};

use super::embedded::{JPEG, PNG};
use mcp_testkit::soon;
use mcp_testkit::web::{Reply, Web};

/// A client of a server on this host, with an authorization token.
pub(crate) async fn client(web: &mut Web, info: &str, policy: FetchPolicy) -> Client {
    let http = Http::new(format!("https://{}/mcp", web.address()))
        .tls_roots(web.certificate())
        .header("authorization", "Bearer secret");
    let builder = Client::builder("test", "1.0.0").fetch_policy(policy);
    let connecting = tokio::spawn(builder.connect(http));
    let asked = web.head().await;
    assert!(
        asked.to_ascii_lowercase().contains("bearer secret"),
        "{asked}"
    );
    let (_, body) = asked.split_once("\r\n\r\n").expect("a body");
    let body: serde_json::Value = serde_json::from_str(body).expect("a message");
    let id = &body["id"];
    let latest = Revision::LATEST;
    let answer = format!(
        r#"{{"jsonrpc":"2.0","id":{id},"result":{{"resultType":"complete","ttlMs":0,"cacheScope":"private","supportedVersions":["{latest}"],"capabilities":{{}},"_meta":{{"io.modelcontextprotocol/serverInfo":{info}}}}}}}"#
    );
    web.answer(Reply::ok("application/json", answer.as_bytes()));
    let connected = soon(connecting).await.expect("no panic");
    connected.expect("connected")
}

pub(crate) const INFO: &str = r#"{"name":"demo","version":"1"}"#;

struct Host {
    web: Web,
    client: Client,
}

impl Host {
    async fn start() -> Self {
        let mut web = Web::start().await;
        let policy = web.policy();
        let client = client(&mut web, INFO, policy).await;
        Self { web, client }
    }

    /// Returns a URL at the server's origin.
    fn own(&self, path: &str) -> String {
        format!("https://{}{path}", self.web.address())
    }

    async fn load(&self, src: &str, policy: IconPolicy) -> Result<Image, IconError> {
        soon(icons::load(&self.client, &Icon::new(src)).policy(policy)).await
    }
}

#[tokio::test]
async fn icon_at_the_servers_origin_is_loaded_without_credentials() {
    let mut host = Host::start().await;
    host.web.answer(Reply::ok("image/png", PNG));
    let icon = Icon::new(host.own("/icon.png?a=b"));
    let image = soon(icons::load(&host.client, &icon))
        .await
        .expect("an image");
    assert_eq!((image.format, &image.bytes[..]), (ImageFormat::Png, PNG));
    let head = host.web.head().await.to_ascii_lowercase();
    let mut lines: Vec<_> = head.lines().filter(|line| !line.is_empty()).collect();
    lines.sort_unstable();
    let origin = format!("host: {}", host.web.address());
    assert_eq!(
        lines,
        [
            "accept-encoding: identity",
            "accept: image/png, image/jpeg, image/webp, image/gif",
            "get /icon.png?a=b http/1.1",
            origin.as_str(),
        ]
    );
}

#[tokio::test]
async fn icon_at_another_origin_is_loaded_if_allowed() {
    let host = Host::start().await;
    let port = host.web.address().port();
    for (src, origin) in [
        (
            "https://files.example/icon.png",
            "https://files.example:443",
        ),
        // Another port is another origin.
        ("https://127.0.0.1/icon.png", "https://127.0.0.1:443"),
    ] {
        match host.load(src, IconPolicy::new()).await {
            Err(IconError::Origin { origin: found }) => assert_eq!(found, origin),
            other => panic!("{src}: {other:?}"),
        }
    }
    let plain = format!("http://127.0.0.1:{port}/icon.png");
    let found = host.load(&plain, IconPolicy::new()).await;
    let expected = UrlFault::Scheme("http".to_owned());
    assert!(matches!(found, Err(IconError::Url(fault)) if fault == expected));
    assert_eq!(host.web.connections(), 1);
    host.web.answer(Reply::ok("image/png", PNG));
    let policy = IconPolicy::new().allow_host("FILES.example");
    let image = host.load("https://files.example/icon.png", policy).await;
    assert_eq!(image.expect("an image").bytes, PNG);
}

#[tokio::test]
async fn allowed_host_must_have_a_public_address() {
    let mut web = Web::start().await;
    let policy = web.strict();
    let client = client(&mut web, INFO, policy).await;
    let policy = IconPolicy::new().allow_host("files.example");
    let icon = Icon::new("https://files.example/icon.png");
    let found = soon(icons::load(&client, &icon).policy(policy.clone())).await;
    let expected = matches!(found, Err(IconError::Fetch(FetchError::Address { .. })));
    assert!(expected, "{found:?}");
    assert_eq!(web.connections(), 1);
}

#[tokio::test]
async fn hosts_allowed_for_resources_do_not_apply_to_icons() {
    let mut web = Web::start().await;
    let policy = web.policy().allow_host("files.example").only_allowed(true);
    let client = client(&mut web, INFO, policy).await;
    web.answer(Reply::ok("image/png", PNG));
    let own = Icon::new(format!("https://{}/icon.png", web.address()));
    assert!(soon(icons::load(&client, &own)).await.is_ok());
    let icon = Icon::new("https://files.example/icon.png");
    let found = soon(icons::load(&client, &icon)).await;
    assert!(matches!(found, Err(IconError::Origin { .. })), "{found:?}");
}

#[tokio::test]
async fn response_that_contradicts_its_media_type_is_rejected() {
    let host = Host::start().await;
    let src = host.own("/icon");
    let length = format!("Content-Length: {}", PNG.len());
    for said in [
        &["Content-Type: image/png"][..],
        &["Content-Type: application/octet-stream"],
        &[],
    ] {
        let headers = [said, &[length.as_str()]].concat();
        host.web.answer(Reply::new("200 OK", &headers, PNG));
        let icon = Icon::new(&src).mime_type("image/png");
        let image = soon(icons::load(&host.client, &icon))
            .await
            .expect("an image");
        assert_eq!(image.format, ImageFormat::Png);
    }
    for (sent, said, bytes) in [
        ("image/png", "image/png", JPEG),
        ("image/jpeg", "image/png", PNG),
        ("text/html", "image/png", PNG),
        ("application/octet-stream", "image/jpeg", PNG),
        ("image/png", "image/svg+xml", PNG),
    ] {
        host.web.answer(Reply::ok(sent, bytes));
        let icon = Icon::new(&src).mime_type(said);
        let found = soon(icons::load(&host.client, &icon)).await;
        assert!(matches!(found, Err(IconError::Type { .. })), "{found:?}");
    }
    host.web.answer(Reply::ok("image/png", b"no image"));
    let found = host.load(&src, IconPolicy::new()).await;
    assert!(matches!(found, Err(IconError::Unknown)), "{found:?}");
    host.web.answer(Reply::ok("image/svg+xml", b"<svg/>"));
    let found = host.load(&src, IconPolicy::new()).await;
    assert!(matches!(found, Err(IconError::Svg)), "{found:?}");
    host.web.answer(Reply::ok("image/svg+xml", b"<svg/>"));
    let image = host.load(&src, IconPolicy::new().allow_svg(true)).await;
    assert_eq!(image.expect("allowed").format, ImageFormat::Svg);
}

#[tokio::test]
async fn redirects_of_icons_stay_at_allowed_origins() {
    let mut host = Host::start().await;
    let src = host.own("/icon");
    host.web.answer(Reply::redirect("302 Found", "/other"));
    host.web.answer(Reply::ok("image/png", PNG));
    assert!(host.load(&src, IconPolicy::new()).await.is_ok());
    for to in [
        "https://files.example/icon",
        "https://127.0.0.1/icon",
        "http://files.example/icon",
        "data:image/png;base64,AAAA",
    ] {
        host.web.answer(Reply::redirect("302 Found", to));
        let found = host.load(&src, IconPolicy::new()).await;
        let expected = matches!(found, Err(IconError::Fetch(FetchError::Redirect { .. })));
        assert!(expected, "{to}: {found:?}");
    }
    let allowed = || IconPolicy::new().allow_host("files.example");
    host.web
        .answer(Reply::redirect("302 Found", "https://files.example/icon"));
    host.web.answer(Reply::ok("image/png", PNG));
    assert!(host.load(&src, allowed()).await.is_ok());
    // Never without TLS.
    host.web
        .answer(Reply::redirect("302 Found", "http://files.example/icon"));
    match host.load(&src, allowed()).await {
        Err(IconError::Fetch(FetchError::Redirect {
            source: RedirectFault::Url(UrlFault::Scheme(scheme)),
            ..
        })) => assert_eq!(scheme, "http"),
        other => panic!("{other:?}"),
    }
    for _ in 0..9 {
        let head = host.web.head().await.to_ascii_lowercase();
        assert!(
            !head.contains("secret") && !head.contains("referer"),
            "{head}"
        );
    }
}

#[tokio::test]
async fn download_errors_of_icons_are_reported() {
    let host = Host::start().await;
    let src = host.own("/icon");
    let png = "Content-Type: image/png";
    let fetch = async |reply: Reply, policy: IconPolicy| {
        host.web.answer(reply);
        match host.load(&src, policy).await {
            Err(IconError::Fetch(error)) => error,
            other => panic!("{other:?}"),
        }
    };
    let new = IconPolicy::new;
    let error = fetch(Reply::status("404 Not Found"), new()).await;
    assert!(matches!(error, FetchError::Status { .. }), "{error:?}");
    let encoded = [png, "Content-Encoding: br", "Content-Length: 1"];
    let error = fetch(Reply::new("200 OK", &encoded, b"x"), new()).await;
    assert!(matches!(error, FetchError::Encoding(_)), "{error:?}");
    // Larger than allowed, according to its length, and by the received bytes.
    let large = [PNG, &[0; 1000]].concat();
    let error = fetch(Reply::ok("image/png", &large), new().size(1000)).await;
    assert!(matches!(error, FetchError::TooLarge { .. }), "{error:?}");
    let endless = Reply::new("200 OK", &[png, "Connection: close"], &large);
    let error = fetch(endless, new().size(1000)).await;
    assert!(matches!(error, FetchError::TooLarge { .. }), "{error:?}");
    // The connection breaks; nothing is sent at all.
    let cut = Reply::new("200 OK", &[png, "Content-Length: 100"], PNG).cut();
    let error = fetch(cut, new()).await;
    assert!(matches!(error, FetchError::Exchange(_)), "{error:?}");
}

#[tokio::test]
async fn silent_icon_host_times_out() {
    let mut web = Web::start().await;
    let policy = web.policy().idle(Duration::from_millis(500));
    let client = client(&mut web, INFO, policy).await;
    web.answer(Reply::nothing().hold());
    let icon = Icon::new(format!("https://{}/icon", web.address()));
    let found = soon(icons::load(&client, &icon)).await;
    let expected = matches!(found, Err(IconError::Fetch(FetchError::Time { .. })));
    assert!(expected, "{found:?}");
}
