//! URLs of resources beside access tokens.

use mcp_server::{AccessToken, Context, Extensions, HttpUrls, Principal, Proposal, ResourceDef};
use mcp_testkit::http::subject::*;
use serde_json::{Value, json};

use super::setup::*;

const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"#;

/// Serves a resource that tells who reads it, and one that needs a scope. Returns the address, and
/// the paths of both URLs, issued to Ada.
async fn issued(issuer: &TestIssuer, urls: HttpUrls) -> (std::net::SocketAddr, [String; 2]) {
    let who = ResourceDef::new("demo:who", "who").handler(|cx: Context| async move {
        let token = cx.extension::<AccessToken>().is_some();
        format!("{:?} {token}", cx.extension::<Principal>().map(|it| &it.0))
    });
    let secret = ResourceDef::text("demo:secret", "secret", "hidden").scopes(["files:read"]);
    let (server, _probe) = server(|builder| {
        let builder = builder.proposals([Proposal::HttpsUrl]).http_urls(urls);
        builder.add_resource(who).add_resource(secret)
    });
    let address = protect(&server, trusting(issuer));
    let headers = with_header(call_headers(""), "Mcp-Method", "resources/list");
    let headers = with_token(headers, &issuer.token(json!({})));
    let (_, body) = Raw::post(address, &headers, &format!("{LIST}{META}}}}}")).await;
    let answer: Value = serde_json::from_str(&body).expect("JSON");
    let paths = ["demo:who", "demo:secret"].map(|uri| {
        let mut resources = answer["result"]["resources"]
            .as_array()
            .into_iter()
            .flatten();
        let resource = resources.find(|resource| resource["uri"] == uri);
        let url = resource.and_then(|resource| resource["httpUrl"].as_str());
        let url = url.unwrap_or_else(|| panic!("no URL for {uri}: {body}"));
        url.replace("https://files.example.com", "")
    });
    (address, paths)
}

fn urls() -> HttpUrls {
    HttpUrls::new("https://files.example.com/r/").expect("a URL")
}

#[tokio::test]
async fn url_is_read_as_the_caller_to_whom_it_was_issued() {
    let issuer = TestIssuer::start().await;
    let (address, [who, secret]) = issued(&issuer, urls()).await;
    let expected = format!("Some(\"{} sub ada\") false", issuer.url);
    let bob = with_token(Vec::new(), &issuer.token(json!({ "sub": "bob" })));
    for headers in [Vec::new(), bob] {
        let mut raw = Raw::connect(address).await.at(&who);
        let (head, body) = raw.ask("GET", &headers, "").await;
        assert_eq!((head.status, &body), (200, &expected));
        // A URL has the principal of the caller, but not the scopes of the caller's access token.
        let mut raw = Raw::connect(address).await.at(&secret);
        let (head, body) = raw.ask("GET", &headers, "").await;
        assert!(head.status >= 400 && !body.contains("hidden"), "{body}");
    }
}

#[tokio::test]
async fn program_attaches_what_a_url_may_read() {
    let issuer = TestIssuer::start().await;
    let urls = urls().claims(|principal| {
        let token = AccessToken::new("url").subject(&principal.0);
        let mut claims = Extensions::new();
        claims.insert(token.scopes(["files:read"]));
        claims
    });
    let (address, [_, secret]) = issued(&issuer, urls).await;
    let mut raw = Raw::connect(address).await.at(&secret);
    let (head, body) = raw.ask("GET", &[], "").await;
    assert_eq!((head.status, body.as_str()), (200, "hidden"));
}
