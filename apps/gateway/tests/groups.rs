//! Servers that the file presents only to groups of users.

use std::time::Duration;

use mcp_client::{Client, SubscriptionEvent};
use mcp_gateway::config::{Presentation, ServersConfig};
use mcp_gateway::{Gateway, Upstream};
use mcp_server::types::{Revision, json};
use mcp_server::{AccessToken, Server, ToolDef};

use crate::support::{Announced, Count, at, changes, named, soon};

fn presentation(entry: &str) -> Presentation {
    let config = ServersConfig::parse(&format!(r#"{{"mcpServers": {{"ops": {entry}}}}}"#));
    let config = config.expect("the file is valid");
    let entry = config.get("ops").expect("the file has it");
    entry.presentation().expect("the entry is valid")
}

/// Returns a client whose user is in some groups, as its access token says.
async fn member(gateway: &Gateway, revision: Revision, groups: &[&str]) -> (Client, Announced) {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let server = gateway.server().clone();
    let groups = groups.iter().map(|group| json::Value::from(*group));
    let groups = json::Value::Array(groups.collect());
    let token = AccessToken::new("https://auth.example").claims([("groups", groups)].into());
    let stream = mcp_server::ByteStream::of(theirs).extension(token);
    tokio::spawn(async move { server.serve(stream).await });
    let announced = Announced::default();
    let builder = Client::builder("test", "1").revision(revision);
    let builder = builder.layer(announced.clone());
    let connecting = builder.connect(mcp_client::ByteStream::of(ours));
    (soon(connecting).await.expect("connected"), announced)
}

async fn names(client: &Client) -> Vec<String> {
    let listed = soon(client.tools().all()).await.expect("listed");
    listed.items.into_iter().map(|tool| tool.name).collect()
}

#[tokio::test]
async fn server_of_a_group_does_not_exist_for_others() {
    let presentation = presentation(r#"{"command": "ops", "visibleTo": ["acme/ops"]}"#);
    for revision in [Revision::V2025_11_25, Revision::LATEST] {
        let ops = Server::builder("ops", "1")
            .instructions("Ask before you delete.")
            .tool("delete", "Deletes", async || "deleted")
            .resource("ops://state", "state", async || "fine")
            .build()
            .expect("the definition is valid");
        let gateway = Gateway::builder("gateway", "1")
            .upstream(at("open", revision, &named("open")))
            .upstream(at("ops", revision, &ops).present(&presentation));
        let gateway = gateway.build().await.expect("the definition is valid");
        let (ada, told) = member(&gateway, revision, &["acme", "acme/ops"]).await;
        let (bob, _) = member(&gateway, revision, &["acme", "ops"]).await;
        assert_eq!(names(&ada).await, ["open_name", "ops_delete"]);
        assert_eq!(names(&bob).await, ["open_name"]);

        assert!(soon(ada.call_tool("ops_delete")).await.is_ok());
        let hidden = soon(bob.call_tool("ops_delete")).await.expect_err("hidden");
        let unknown = soon(bob.call_tool("ops_update"))
            .await
            .expect_err("unknown");
        let like_hidden = unknown.to_string().replace("update", "delete");
        assert_eq!(hidden.to_string(), like_hidden);

        assert!(soon(ada.read_resource("ops+ops://state")).await.is_ok());
        let hidden = soon(bob.read_resource("ops+ops://state"))
            .await
            .expect_err("hidden");
        let unknown = soon(bob.read_resource("ops+ops://other"))
            .await
            .expect_err("unknown");
        let like_hidden = unknown.to_string().replace("other", "state");
        assert_eq!(hidden.to_string(), like_hidden);

        for client in [&ada, &bob] {
            // The same for all clients, so it is not there for those of the group either.
            assert_eq!(client.instructions(), None);
        }

        let mut subscriptions = [ada.listen(changes()), bob.listen(changes())];
        for subscription in &mut subscriptions {
            let event = soon(subscription.next()).await.expect("an event");
            assert!(matches!(event, Ok(SubscriptionEvent::Listening(_))));
        }
        let tool = ToolDef::new("create").handler(async || "created");
        ops.tools().add(tool).expect("added");
        let waiting = async {
            while told.get("tools") == 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        soon(waiting).await;
        // Others may be notified that a list has changed, and see none.
        assert_eq!(names(&bob).await, ["open_name"]);
    }
}

#[tokio::test]
async fn nothing_is_sent_to_a_hidden_server_on_behalf_of_others() {
    let presentation = presentation(r#"{"command": "ops", "visibleTo": ["ops"]}"#);
    let connected = Count::default();
    let counted = connected.clone();
    let ops = named("ops");
    let restricted = Upstream::connecting("ops", move || {
        counted.add();
        mcp_client::ByteStream::of(ops.in_memory())
    });
    let gateway = Gateway::builder("gateway", "1")
        .upstream(at("open", Revision::LATEST, &named("open")))
        .upstream(restricted.present(&presentation).lazy());
    let gateway = gateway.build().await.expect("the definition is valid");
    let (bob, _) = member(&gateway, Revision::LATEST, &[]).await;
    assert_eq!(names(&bob).await, ["open_name"]);
    soon(bob.call_tool("ops_name")).await.expect_err("hidden");
    soon(bob.call_tool("name")).await.expect_err("unknown");
    let mut subscription = bob.listen(changes());
    soon(subscription.next())
        .await
        .expect("an event")
        .expect("listening");
    assert_eq!(connected.get(), 0);
    let (ada, _) = member(&gateway, Revision::LATEST, &["ops"]).await;
    assert_eq!(names(&ada).await, ["open_name", "ops_name"]);
    assert!(connected.get() > 0);
}

#[tokio::test]
async fn single_server_of_a_group_is_not_described() {
    let presentation = presentation(r#"{"command": "ops", "visibleTo": ["ops"]}"#);
    let ops = Server::builder("secret-name", "1").instructions("Secret.");
    let ops = ops.build().expect("the definition is valid");
    let upstream = at("ops", Revision::LATEST, &ops).present(&presentation);
    let gateway = Gateway::builder("gateway", "1").upstream(upstream);
    let gateway = gateway.build().await.expect("the definition is valid");
    let (client, _) = member(&gateway, Revision::LATEST, &[]).await;
    assert_eq!(client.server_info().expect("known").name, "gateway");
    assert_eq!(client.instructions(), None);
}

#[test]
fn malformed_groups_of_an_entry_are_errors() {
    for (groups, expected) in [
        (r#""ops""#, "mcpServers.a.visibleTo"),
        ("[1]", "mcpServers.a.visibleTo[0]"),
    ] {
        let file =
            format!(r#"{{"mcpServers": {{"a": {{"command": "a", "visibleTo": {groups}}}}}}}"#);
        let config = ServersConfig::parse(&file).expect("the file is valid");
        let error = config.get("a").expect("there").presentation();
        let error = error.expect_err("malformed").to_string();
        assert!(error.contains(expected), "{error}");
    }
    let nobody = presentation(r#"{"command": "ops", "visibleTo": []}"#);
    assert!(!nobody.is_visible_to(None));
    let everybody = presentation(r#"{"command": "ops"}"#);
    assert!(everybody.is_visible_to(None));
}
