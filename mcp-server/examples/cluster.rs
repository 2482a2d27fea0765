//! A shop that any number of processes serve together. Each is started with the same settings:
//!
//! ```text
//! MCP_STORE=redis://127.0.0.1 MCP_KEYS=$(openssl rand -hex 32) MCP_ISSUER=https://auth.example.com \
//!     MCP_URL=https://shop.example.com/mcp MCP_LISTEN=127.0.0.1:8080 \
//!     cargo run -p mcp-server --features http --example cluster
//! ```

use std::env;
use std::error::Error;

use mcp_server::{
    HandlerError, Http, HttpConfig, Keys, Server, ServerBuilder, Stored, StoredValue, terminated,
};
use mcp_server_oauth::OAuth;
use mcp_stores::{Postgres, Redis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The cart of a user, at whatever process the next request arrives.
#[derive(Default, Serialize, Deserialize)]
struct Cart(Vec<String>);

impl StoredValue for Cart {
    const NAME: &'static str = "cart";
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// What to buy
    item: String,
}

async fn add(Add { item }: Add, cart: Stored<Cart>) -> Result<String, HandlerError> {
    // Called again if another process changes the cart at the same time.
    let cart = cart.update(|cart| {
        let Cart(mut items) = cart.unwrap_or_default();
        items.push(item.clone());
        Cart(items)
    });
    Ok(cart.await?.0.join(", "))
}

fn setting(name: &str) -> Result<String, String> {
    env::var(name).map_err(|error| format!("{name}: {error}"))
}

/// Connects to the store with this URL.
async fn share(builder: ServerBuilder, url: &str) -> Result<ServerBuilder, Box<dyn Error>> {
    Ok(if url.starts_with("redis") {
        builder.store(Redis::connect(url).await?)
    } else {
        builder.store(Postgres::connect(url).await?)
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let builder = Server::builder("shop", "1.0.0")
        .keys(Keys::from_hex(&setting("MCP_KEYS")?)?)
        .tool("add", "Adds an item to the cart", add);
    let server = share(builder, &setting("MCP_STORE")?).await?.build()?;
    let oauth = OAuth::builder(setting("MCP_URL")?)
        .issuer(setting("MCP_ISSUER")?)
        .build()?;
    // Every request needs a token, so that it does not matter by which name it arrives.
    let config = HttpConfig::new().any_host().authenticate(oauth);
    let http = Http::at(setting("MCP_LISTEN")?).config(config.readiness_path("/readyz"));
    let serving = server.serve_http(http)?;
    println!("listening on {}", serving.local_addr());
    server.until(terminated()?, serving).await?;
    Ok(())
}
