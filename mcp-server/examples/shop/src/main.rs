//! Shopping lists of several users, in one process or in several.

use std::env;
use std::error::Error;

use mcp_server::{
    AccessToken, HandlerError, Http, HttpConfig, Keys, Server, State, Stored, StoredValue,
    terminated,
};
use mcp_server_oauth::{OAuth, StaticTokens};
use mcp_stores::{Postgres, Redis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The URL that clients use, whichever process answers.
const URL: &str = "http://127.0.0.1:8080/mcp";

/// The list of a user.
#[derive(Default, Serialize, Deserialize)]
struct List(Vec<String>);

impl StoredValue for List {
    const NAME: &'static str = "list";
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// What to buy
    item: String,
}

/// The port of this process.
#[derive(Clone)]
struct Port(String);

async fn add(
    Add { item }: Add,
    list: Stored<List>,
    State(Port(port)): State<Port>,
) -> Result<String, HandlerError> {
    // Called again if another process changes the list at the same time.
    let list = list.update(|list| {
        let List(mut items) = list.unwrap_or_default();
        items.push(item.clone());
        List(items)
    });
    let List(items) = list.await?;
    Ok(format!("{} (says {port})", items.join(", ")))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let port = env::var("PORT").unwrap_or_else(|_| "8080".to_owned());
    let mut builder = Server::builder("shop", "1.0.0")
        .state(Port(port.clone()))
        .tool("add", "Adds an item to the list", add);
    if let Ok(url) = env::var("STORE") {
        builder = builder.keys(Keys::from_hex(&env::var("KEYS")?)?);
        builder = if url.starts_with("redis") {
            builder.store(Redis::connect(&url).await?)
        } else {
            builder.store(Postgres::connect(&url).await?)
        };
    }

    let ada = AccessToken::new(URL).subject("ada").audience([URL]);
    let tokens = StaticTokens::new(URL).token("token-of-ada", ada);
    let oauth = OAuth::builder(URL).verifier(tokens).build()?;
    // Every request needs a token, so it does not matter by which name it arrives.
    let config = HttpConfig::new().any_host().authenticate(oauth);
    let config = config
        .trusted_proxies(["127.0.0.1"])?
        .readiness_path("/readyz");

    let server = builder.build()?;
    let http = Http::at(format!("127.0.0.1:{port}")).config(config);
    let serving = server.serve_http(http)?;
    println!("listening on http://{}/mcp", serving.local_addr());
    server.until(terminated()?, serving).await?;
    Ok(())
}
