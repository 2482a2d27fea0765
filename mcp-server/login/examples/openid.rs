//! A server behind a login at any provider with OpenID Connect:
//!
//! ```text
//! OPENID_SECRET=.. cargo run -p mcp-login --example openid -- \
//!     --issuer https://id.example.com --client-id mcp --group staff
//! ```

use std::error::Error;
use std::io::Write as _;

use clap::Parser;
use mcp_login::{Login, Provider, ProviderToken};
use mcp_server::{AccessToken, Http, HttpConfig, Server};

#[derive(Parser)]
struct Options {
    /// The issuer: the URL of the provider.
    #[arg(long)]
    issuer: String,
    /// The id of this server at the provider. The secret is in the variable `OPENID_SECRET`.
    #[arg(long)]
    client_id: String,
    /// The URL that clients and browsers use.
    #[arg(long, default_value = "http://127.0.0.1:8080")]
    public_url: String,
    /// The address to listen at.
    #[arg(long, default_value = "127.0.0.1:8080")]
    address: String,
    /// The claim with the groups of a user, by its name or a JSON pointer.
    #[arg(long, default_value = "groups")]
    groups_claim: String,
    /// Lets the members of a group in. Can be repeated. Without it, everybody with a verified address.
    #[arg(long)]
    group: Vec<String>,
}

async fn whoami(token: AccessToken) -> String {
    let email = token.claims.get("email").and_then(|email| email.as_str());
    let subject = token.subject.as_deref().unwrap_or_default();
    format!("{} ({subject})", email.unwrap_or("somebody"))
}

/// A real program sends the token to the API of the provider.
async fn provider(token: ProviderToken) -> String {
    format!("a token of {} characters", token.expose().len())
}

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .init();
    let options = Options::parse();
    let secret = std::env::var("OPENID_SECRET")?;
    let openid = Provider::openid(&options.issuer, &options.client_id, secret);
    let groups = options.group;
    let login = Login::builder(
        openid.groups_claim(&options.groups_claim),
        &options.public_url,
    )
    .allow(move |user| match groups.as_slice() {
        [] => user.email_verified,
        groups => groups.iter().any(|group| user.is_in(group)),
    })
    .build()?;
    println!("redirect URI at the provider: {}", login.callback_url());
    let server = Server::builder("openid", "1.0.0")
        .state(login.clone())
        .tool("whoami", "Tells who you are", whoami)
        .tool(
            "provider",
            "Tells whether there is a token of the provider",
            provider,
        )
        .build()?;
    let host = options.public_url.split("://").nth(1).unwrap_or_default();
    let host = host.split('/').next().unwrap_or_default().to_owned();
    let config = HttpConfig::new().allow_hosts([host, "localhost".into(), "127.0.0.1".into()]);
    let http = Http::at(options.address.as_str()).config(config.authenticate(login));
    let http = server.serve_http(http)?;
    println!("listening on http://{}/mcp", http.local_addr());
    std::io::stdout().flush()?;
    http.await?;
    Ok(())
}
