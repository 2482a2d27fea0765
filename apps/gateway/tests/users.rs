//! Two users at once.

use std::time::Duration;

use mcp_client::Client;
use mcp_server::types::{ElicitAction, ElicitResult, ElicitValue, Revision, StringSchema, json};
use mcp_server::{Context, Form, HandlerError, Principal, Server};
use tokio::sync::Barrier;

use crate::support::{at, gateway, soon};

/// A server whose tool asks for a name, and whose other tool remembers a text for the session.
fn asking() -> Server {
    let ask = async |cx: Context| -> Result<String, HandlerError> {
        tokio::time::sleep(Duration::from_millis(20)).await;
        let form = Form::new("Who are you?").required("name", StringSchema::new());
        let answer = cx.elicit(form).await?.accepted();
        let name = answer.and_then(|answer| Some(answer.get("name")?.as_str()?.to_owned()));
        Ok(name.unwrap_or_default())
    };
    let session = async |cx: Context| {
        cx.session()
            .map_or_else(String::new, |it| it.key().to_owned())
    };
    Server::builder("asking", "1")
        .tool("ask", "Asks", ask)
        .tool("session", "Returns the session", session)
        .build()
        .expect("the definition is valid")
}

async fn user(gateway: &mcp_gateway::Gateway, name: &'static str, revision: Revision) -> Client {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let server = gateway.server().clone();
    let stream = mcp_server::ByteStream::of(theirs).extension(Principal(name.to_owned()));
    tokio::spawn(async move { server.serve(stream).await });
    let builder = Client::builder("test", "1")
        .revision(revision)
        .on_elicit_form(move |_| async move {
            tokio::time::sleep(Duration::from_millis(10)).await;
            let name = ElicitValue::String(name.to_owned());
            let content = json::Map::from([("name", name)]);
            Ok(ElicitResult::new(ElicitAction::Accept).content(content))
        });
    builder
        .connect(mcp_client::ByteStream::of(ours))
        .await
        .expect("connected")
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_reach_the_user_whose_call_asks() {
    for of_upstream in [
        Revision::V2025_06_18,
        Revision::V2025_11_25,
        Revision::LATEST,
    ] {
        for of_client in [Revision::V2025_11_25, Revision::LATEST] {
            let gateway = gateway([at("a", of_upstream, &asking())]).await;
            let mut users = tokio::task::JoinSet::new();
            let start = std::sync::Arc::new(Barrier::new(4));
            for name in ["ada", "bob", "cyd", "dan"] {
                let client = user(&gateway, name, of_client).await;
                let start = std::sync::Arc::clone(&start);
                users.spawn(async move {
                    start.wait().await;
                    for _ in 0..5 {
                        let calls = [client.call_tool("ask"), client.call_tool("ask")];
                        for call in calls.map(|call| tokio::spawn(call.into_future())) {
                            let answer = soon(call).await.expect("no panic").expect("answered");
                            assert_eq!(answer.text(), name);
                        }
                    }
                });
            }
            while let Some(user) = users.join_next().await {
                user.expect("no user got the form of another one");
            }
        }
    }
}

#[tokio::test]
async fn users_have_sessions_of_their_own_at_an_upstream() {
    let gateway = gateway([at("a", Revision::V2025_11_25, &asking())]).await;
    for revision in [Revision::V2025_11_25, Revision::LATEST] {
        let ada = user(&gateway, "ada", revision).await;
        let bob = user(&gateway, "bob", revision).await;
        let session = async |client: &Client| {
            soon(client.call_tool("session"))
                .await
                .expect("called")
                .text()
        };
        let (of_ada, of_bob) = (session(&ada).await, session(&bob).await);
        assert_ne!(of_ada, of_bob);
        assert_eq!(session(&ada).await, of_ada);
        assert!(!of_bob.is_empty());
    }
}
