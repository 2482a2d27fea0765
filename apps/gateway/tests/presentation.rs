//! Names, filters and messages that the gateway does not know.

use mcp_client::{Client, RefusalKind};
use mcp_gateway::{Gateway, GatewayError, Kind};
use mcp_server::types::rpc::ErrorObject;
use mcp_server::types::{Revision, ToolsCapability, json};
use mcp_server::{AnyRequest, AnyResult, Context, HandlerError, Principal, Server};
use serde_json::value::RawValue;

use crate::support::{at, client, gateway, soon};

fn tools() -> Server {
    Server::builder("tools", "1")
        .tool("open", "For all", async || "open")
        .tool("secret", "For some", async || "secret")
        .build()
        .expect("the definition is valid")
}

async fn names(client: &Client) -> Vec<String> {
    let listed = soon(client.tools().all()).await.expect("listed");
    listed.items.into_iter().map(|tool| tool.name).collect()
}

#[tokio::test]
async fn hidden_tools_are_neither_listed_nor_called() {
    for revision in [Revision::V2025_11_25, Revision::LATEST] {
        let upstream = at("a", revision, &tools());
        let gateway =
            gateway([upstream.filter(|kind, name| kind != Kind::Tool || name != "secret")]).await;
        let client = client(&gateway, revision).await;
        assert_eq!(names(&client).await, ["open"]);
        let refused = soon(client.call_tool("secret")).await.expect_err("hidden");
        assert!(refused.to_string().contains("unknown tool"), "{refused}");
    }
}

#[tokio::test]
async fn visibility_depends_on_the_caller() {
    let upstream = at("a", Revision::LATEST, &tools());
    let upstream = upstream.visible_to(|cx: &Context, _, name| {
        name != "secret" || cx.extension() == Some(&Principal("ada".to_owned()))
    });
    let gateway = gateway([upstream]).await;
    for (user, expected) in [("ada", vec!["open", "secret"]), ("bob", vec!["open"])] {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let server = gateway.server().clone();
        let stream = mcp_server::ByteStream::of(theirs).extension(Principal(user.to_owned()));
        tokio::spawn(async move { server.serve(stream).await });
        let stream = mcp_client::ByteStream::of(ours);
        let client = Client::builder("test", "1")
            .connect(stream)
            .await
            .expect("connected");
        assert_eq!(names(&client).await, expected);
        assert_eq!(
            soon(client.call_tool("secret")).await.is_ok(),
            user == "ada"
        );
    }
}

#[tokio::test]
async fn renamed_tools_have_only_their_new_name() {
    let upstream = at("a", Revision::LATEST, &tools())
        .rename("secret", "secret2")
        .rename("open", "first")
        .rename("open", "secret2");
    let gateway = gateway([upstream.prefix("p")]).await;
    let client = client(&gateway, Revision::LATEST).await;
    assert_eq!(names(&client).await, ["p_secret2", "p_secret"]);
    assert_eq!(
        soon(client.call_tool("p_secret2"))
            .await
            .expect("called")
            .text(),
        "open"
    );
    for hidden in ["p_open", "open", "secret2"] {
        assert!(soon(client.call_tool(hidden)).await.is_err(), "{hidden}");
    }
}

#[tokio::test]
async fn invalid_definitions_are_refused() {
    let build = async |prefixes: &[&str]| {
        let builder = Gateway::builder("gateway", "1");
        let upstreams = prefixes.iter().map(|prefix| {
            at("upstream", Revision::LATEST, &tools())
                .prefix(*prefix)
                .lazy()
        });
        let builder = upstreams.fold(builder, mcp_gateway::GatewayBuilder::upstream);
        builder.build().await.expect_err("invalid")
    };
    assert!(matches!(build(&[]).await, GatewayError::NoUpstream));
    assert!(matches!(
        build(&["a", "a"]).await,
        GatewayError::SamePrefix { .. }
    ));
    for prefix in ["A", "a_b", "1", "a+", "abcdefghijklmnopqrstuvwxyz", "-"] {
        assert!(
            matches!(build(&[prefix]).await, GatewayError::Prefix { .. }),
            "{prefix}"
        );
    }
}

/// Answers everything with what types would not keep.
async fn odd(request: AnyRequest, cx: Context) -> Result<AnyResult, HandlerError> {
    if cx.method() == "com.example/refuse" {
        let error = ErrorObject::new(-32099, "not today");
        return Err(HandlerError::from(error.data("why")));
    }
    if cx.method() == "com.example/busy" {
        return Err(HandlerError::busy(std::time::Duration::from_secs(9)));
    }
    let params = request.params();
    let text = format!(
        r#"{{"content":[{{"type":"hologram","x":1.0}}],"big":123456789012345678901234567890,"resultType":"complete","params":{params}}}"#
    );
    AnyResult::from_json(&RawValue::from_string(text)?)
}

#[tokio::test]
async fn bytes_of_one_upstream_pass_unchanged() {
    for revision in [
        Revision::V2025_06_18,
        Revision::V2025_11_25,
        Revision::LATEST,
    ] {
        let server = Server::builder("odd", "1")
            .capabilities(|capabilities| capabilities.tools(ToolsCapability::new()))
            .fallback(odd)
            .build()
            .expect("the definition is valid");
        let gateway = gateway([at("a", revision, &server)]).await;
        let client = client(&gateway, revision).await;
        let params = r#"{"name":"any","arguments":{"n":1.50,"b":[1e2]},"unknown":{"z":1,"a":2},"_meta":{"com.example/kept":7.0}}"#;
        let params = RawValue::from_string(params.to_owned()).expect("JSON");
        for method in ["tools/call", "com.example/own"] {
            let result = soon(client.request_json(method, &*params))
                .await
                .expect("a result");
            let expected = r#"{"content":[{"type":"hologram","x":1.0}],"big":123456789012345678901234567890,"resultType":"complete","params":{"name":"any","arguments":{"n":1.50,"b":[1e2]},"unknown":{"z":1,"a":2},"_meta":{"com.example/kept":7.0"#;
            assert!(result.get().starts_with(expected), "{revision}: {result}");
        }
        let refused = soon(client.request_json("com.example/refuse", &json::Object::new())).await;
        let text = format!("{:?}", refused.expect_err("refused"));
        assert!(text.contains("-32099") && text.contains("why"), "{text}");
        let busy = soon(client.request_json("com.example/busy", &json::Object::new())).await;
        let kind = busy.expect_err("busy").kind();
        let expected = RefusalKind::Busy(Some(std::time::Duration::from_secs(9)));
        assert_eq!(kind, Some(expected), "{revision}");
    }
}

#[tokio::test]
async fn content_that_no_revision_knows_passes_between_revisions() {
    let server = Server::builder("odd", "1")
        .capabilities(|capabilities| capabilities.tools(ToolsCapability::new()))
        .fallback(odd)
        .build()
        .expect("the definition is valid");
    for (of_client, of_upstream) in [
        (Revision::V2025_11_25, Revision::LATEST),
        (Revision::LATEST, Revision::V2025_11_25),
    ] {
        let gateway = gateway([at("a", of_upstream, &server)]).await;
        let client = client(&gateway, of_client).await;
        let params = json::Object::from([("name", "any")]);
        let result = soon(client.request_json("tools/call", &params))
            .await
            .expect("a result");
        assert!(
            result.get().contains(r#"{"type":"hologram","x":1.0}"#),
            "{result}"
        );
    }
}
