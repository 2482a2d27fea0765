//! Tests in memory and over HTTP.

use std::error::Error;
use std::net::SocketAddr;

use mcp_client::types::{ElicitAction, ElicitResult, SubscriptionFilter};
use mcp_client::{
    ByteStream, Client, ClientBuilder, ConnectError, Http, RefusalKind, SubscriptionEvent,
};
use mcp_server::Principal;
use serde_json::json;

use crate::store::Store;

type Tested = Result<(), Box<dyn Error>>;

/// A client of one user, whose user gives this answer to all questions.
fn answering(answer: ElicitAction) -> ClientBuilder {
    Client::builder("test", "1.0.0")
        .on_elicit_form(move |_| async move { Ok(ElicitResult::new(answer)) })
}

/// Connects a user to a server in this process.
async fn connect(
    builder: ClientBuilder,
    store: &Store,
    user: &str,
) -> Result<Client, Box<dyn Error>> {
    let server = crate::server(store.clone())?;
    let stream = server.in_memory_as(Principal(user.to_owned()));
    Ok(builder.connect(ByteStream::of(stream)).await?)
}

async fn add(client: &Client, cents: u32, category: &str) -> Tested {
    let expense = json!({ "day": "2026-11-28", "cents": cents, "category": category });
    let added = client.call_tool("add").arguments(&expense).await?;
    assert!(!added.has_failed(), "{}", added.text());
    Ok(())
}

async fn total(client: &Client) -> Result<serde_json::Value, Box<dyn Error>> {
    let total = client.call_tool("total").await?;
    Ok(serde_json::from_str(&total.text())?)
}

#[tokio::test]
async fn each_user_sees_only_their_own_expenses() -> Tested {
    let store = Store::open(":memory:")?;
    let ada = connect(answering(ElicitAction::Decline), &store, "ada").await?;
    let bob = connect(answering(ElicitAction::Decline), &store, "bob").await?;
    add(&ada, 250, "food").await?;
    add(&bob, 9900, "travel").await?;

    assert_eq!(total(&ada).await?, json!({ "count": 1, "cents": 250 }));
    let resources = ada.resources().all().await?.items;
    assert_eq!(resources.len(), 1);
    assert!(ada.read_resource("expense://1").await.is_ok());
    assert!(ada.read_resource("expense://2").await.is_err());
    Ok(())
}

#[tokio::test]
async fn a_user_is_not_told_of_the_expenses_of_others() -> Tested {
    let server = crate::server(Store::open(":memory:")?)?;
    let as_user = async |user: &str| {
        let stream = server.in_memory_as(Principal(user.to_owned()));
        let builder = Client::builder("test", "1.0.0");
        builder.connect(ByteStream::of(stream)).await
    };
    let (ada, bob) = (as_user("ada").await?, as_user("bob").await?);
    add(&ada, 250, "food").await?;
    add(&bob, 9900, "travel").await?;

    let read = bob.read_resource("expense://1").await;
    let missing = bob.read_resource("expense://99").await;
    let texts = [read, missing].map(|read| read.expect_err("not of bob").to_string());
    assert_eq!(texts[0], texts[1]);

    let uris = ["expense://1", "expense://2"];
    let filter = SubscriptionFilter::new().resource_subscriptions(uris.map(str::to_owned));
    let mut changes = bob.listen(filter);
    let listening = changes.next().await;
    assert!(matches!(
        listening,
        Some(Ok(SubscriptionEvent::Listening(_)))
    ));
    for uri in uris {
        server.resource_updated(uri);
    }
    let Some(Ok(SubscriptionEvent::ResourceUpdated(params))) = changes.next().await else {
        panic!("not told of a change");
    };
    assert_eq!(params.uri, "expense://2");
    Ok(())
}

#[tokio::test]
async fn an_expense_without_a_valid_day_is_refused() -> Tested {
    let store = Store::open(":memory:")?;
    let ada = connect(answering(ElicitAction::Decline), &store, "ada").await?;
    let expense = json!({ "day": "yesterday", "cents": 250, "category": "food" });
    let refused = ada.call_tool("add").arguments(&expense).await?;
    assert!(refused.has_failed());
    assert!(refused.text().contains("day"), "{}", refused.text());
    Ok(())
}

#[tokio::test]
async fn an_expense_is_deleted_only_if_the_user_agrees() -> Tested {
    let store = Store::open(":memory:")?;
    for (answer, left) in [(ElicitAction::Decline, 1), (ElicitAction::Accept, 0)] {
        let ada = connect(answering(answer), &store, "ada").await?;
        if left == 1 {
            add(&ada, 250, "food").await?;
        }
        ada.call_tool("delete")
            .arguments(json!({ "id": 1 }))
            .await?;
        assert_eq!(total(&ada).await?["count"], left);
    }
    Ok(())
}

#[tokio::test]
async fn an_export_reports_progress() -> Tested {
    let store = Store::open(":memory:")?;
    let ada = connect(answering(ElicitAction::Decline), &store, "ada").await?;
    add(&ada, 250, "food").await?;
    let (sender, mut reports) = tokio::sync::mpsc::unbounded_channel();
    let export = ada.call_tool("export").on_progress(move |report| {
        let _ = sender.send(report.message);
    });
    assert_eq!(
        export.await?.text(),
        "id,day,cents,category,note\n1,2026-11-28,250,\"food\",\"\"\n"
    );
    let message = reports.recv().await.flatten();
    assert_eq!(message.as_deref(), Some("1 of 1 expenses"));
    Ok(())
}

/// The complete application at a free port.
async fn serve() -> Result<SocketAddr, Box<dyn Error>> {
    let server = crate::server(Store::open(":memory:")?)?;
    let app = crate::app(server, crate::access::oauth()?);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let app = app.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, app).await });
    Ok(address)
}

#[tokio::test]
async fn a_request_over_http_needs_a_token() -> Tested {
    let url = format!("http://{}/mcp", serve().await?);
    let without = Client::builder("test", "1.0.0")
        .connect(Http::new(&url))
        .await;
    let Err(ConnectError::Call(error)) = without else {
        return Err("the endpoint did not refuse".into());
    };
    assert_eq!(error.kind(), Some(RefusalKind::LoginRequired));

    let ada = Http::new(&url).header("Authorization", "Bearer token-of-ada");
    let ada = Client::builder("test", "1.0.0").connect(ada).await?;
    add(&ada, 250, "food").await?;
    assert_eq!(total(&ada).await?["cents"], 250);
    Ok(())
}
