//! A server with two users who have no passwords, to try clients without a network:
//!
//! ```text
//! cargo run -p mcp-login --example local
//! ```

use std::error::Error;
use std::io::Write as _;

use mcp_login::{Login, Provider, User};
use mcp_server::{AccessToken, Http, Server, ToolDef};

const ADDRESS: &str = "127.0.0.1:8080";

async fn whoami(token: AccessToken) -> String {
    let name = token.claims.get("name").and_then(|name| name.as_str());
    let subject = token.subject.as_deref().unwrap_or_default();
    format!(
        "{} ({subject}): {}",
        name.unwrap_or("somebody"),
        token.scopes.join(" ")
    )
}

#[tokio::main]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .init();
    let server = Server::builder("local", "1.0.0")
        .tool("whoami", "Tells who you are and what you may do", whoami)
        .add_tool(
            ToolDef::new("write")
                .scopes(["files:write"])
                .handler(async || "written"),
        )
        .build()?;
    let ada = User::new("ada")
        .name("Ada Lovelace")
        .email("ada@example.com", true)
        .groups(["admins"]);
    let bob = User::new("bob").name("Bob");
    let login = Login::builder(Provider::local([ada, bob]), format!("http://{ADDRESS}"))
        .name("The local example")
        .scopes_supported(["files:read"])
        .scopes(|user| {
            let mut scopes = vec!["files:read".to_owned()];
            if user.is_in("admins") {
                scopes.push("files:write".to_owned());
            }
            scopes
        })
        .build()?;
    println!("sessions: {}", login.sessions_url());
    let http = server.serve_http(Http::at(ADDRESS).authenticate(login))?;
    println!("listening on http://{}/mcp", http.local_addr());
    std::io::stdout().flush()?;
    http.await?;
    Ok(())
}
