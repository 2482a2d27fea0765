//! Announcements of upstreams, which must not tell a client what is for another one.

use mcp_client::{Subscription, SubscriptionEvent};
use mcp_server::types::{Revision, SubscriptionFilter};
use mcp_server::{Context, HandlerError, ResourceDef, Server};
use serde_json::json;

use crate::support::{at, gateway, soon, user};

/// Waits until a resource has changed, and returns the params that the client gets.
async fn updated(subscription: &mut Subscription) -> String {
    loop {
        let event = soon(subscription.next()).await.expect("an event");
        if let SubscriptionEvent::ResourceUpdated(params) = event.expect("subscribed") {
            return format!("{params:?}");
        }
    }
}

#[tokio::test]
async fn params_of_announcements_reach_the_client_that_they_are_for() {
    const REVISIONS: [Revision; 2] = [Revision::V2025_11_25, Revision::LATEST];

    // Announces a change during a call, on the connection of the caller.
    let touch = async |cx: Context| {
        let meta = json!({ "com.example/user": "known to ada" });
        let params = json!({ "uri": "notes://one", "x": "known to ada", "_meta": meta });
        let method = "notifications/resources/updated";
        cx.notify_json(method, Some(&params)).await?;
        Ok::<_, HandlerError>("touched")
    };
    let note = ResourceDef::new("notes://one", "one").handler(async || "text");
    let server = Server::builder("notes", "1").add_resource(note);
    let server = server.tool("touch", "Touches the note", touch);
    let server = server.build().expect("valid");
    for (of_client, of_upstream) in REVISIONS
        .into_iter()
        .flat_map(|of_client| REVISIONS.map(|of_upstream| (of_client, of_upstream)))
    {
        let gateway = gateway([at("a", of_upstream, &server)]).await;
        let mut subscriptions = Vec::new();
        let ada = user(&gateway, "ada", of_client).await;
        let bob = user(&gateway, "bob", of_client).await;
        for client in [&ada, &bob] {
            let filter = SubscriptionFilter::new();
            let filter = filter.resource_subscriptions(["notes://one".to_owned()]);
            let mut subscription = client.listen(filter);
            let event = soon(subscription.next()).await.expect("an event");
            assert!(
                matches!(event, Ok(SubscriptionEvent::Listening(_))),
                "{event:?}"
            );
            subscriptions.push(subscription);
        }
        soon(ada.call_tool("touch")).await.expect("called");
        let pair = format!("{of_client} -> {of_upstream}");
        for (subscription, expected) in subscriptions.iter_mut().zip([2, 0]) {
            let params = updated(subscription).await;
            let known = params.matches("known to ada").count();
            assert_eq!(known, expected, "{pair}: {params}");
            assert!(!params.contains("mcp-gateway"), "{pair}: {params}");
        }
    }
}
