//! Skills of servers, which may lie.

mod consent;
mod loading;
mod skill_server;
mod tampered;

use mcp_client::Client;
use mcp_host::skills::SkillsHost;
use mcp_server::Server;
use mcp_server::types::{ResourcesCapability, ServerCapabilities};

use self::skill_server::{GetSkill, SkillServer, TEXT, URI, digest, entry_of, object};
use crate::serve;

impl SkillServer {
    async fn client(&self) -> Client {
        connect(&self.server()).await
    }
}

async fn connect(server: &Server) -> Client {
    let builder = Client::builder("test", "1").extension(SkillsHost::extension());
    let client = builder.connect(serve(server)).await;
    client.expect("connected")
}

/// Returns a server without the extension.
fn plain_server() -> Server {
    let resources = ServerCapabilities::new().resources(ResourcesCapability::new());
    let builder = Server::builder("plain", "1").capabilities(|_| resources);
    builder.build().expect("built")
}
