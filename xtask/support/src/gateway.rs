//! `mcp gateway` with the example `everything` behind it, at which users log in.

use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::json;

use crate::{subject, workspace};

/// The variable with the secret of the gateway at its provider, and its value. `provider.js` has the
/// same.
pub const SECRET: (&str, &str) = ("GATEWAY_SECRET", "secret-of-the-gateway");

/// A URL that gateways answer when they are ready.
pub const READY_PATH: &str = "/.well-known/oauth-authorization-server";

/// The program, and the file with its server.
#[derive(Clone)]
pub struct Gateway {
    program: PathBuf,
    file: PathBuf,
}

impl Gateway {
    /// Builds the programs, and writes the file to a folder.
    pub fn build(folder: &Path) -> Result<Self> {
        let everything = subject::build("everything")?;
        let entry = json!({ "command": everything, "args": ["--stdio"] });
        let file = folder.join("servers.json");
        let servers = json!({ "mcpServers": { "everything": entry } });
        workspace::write(&file, servers.to_string().as_bytes())?;
        Ok(Self {
            program: subject::build_program("mcp")?,
            file,
        })
    }

    /// Returns the command of a gateway at a port. Clients use `url`, which has no path; the provider is
    /// at another port of this machine.
    pub fn command(&self, port: u16, url: &str, provider: u16) -> Result<Vec<String>> {
        let mut command = vec![workspace::text(&self.program)?.to_owned()];
        let address = format!("127.0.0.1:{port}");
        let provider = format!("http://127.0.0.1:{provider}");
        let file = workspace::text(&self.file)?;
        let (secret, _) = SECRET;
        let arguments = [
            ["gateway", file],
            ["--listen", &address],
            ["--public-url", url],
            ["--trusted-proxy", "127.0.0.1"],
            ["--login", &provider],
            ["--login-client-id", "gateway"],
            ["--login-secret-env", secret],
            ["--allow-domain", "example.com"],
        ];
        command.extend(arguments.iter().flatten().map(|&word| word.to_owned()));
        Ok(command)
    }
}
