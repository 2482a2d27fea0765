//! The options of the program.

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;

use mcp_server::{IpNetwork, Keys, Limits, ServerBuilder};

const USAGE: &str = "\
usage: everything --stdio
       everything (--port PORT | --listen ADDRESS) [--origin ORIGIN] [--any-host] [--store URL]
                  [--connections NUMBER] [--trust-proxy ADDRESS] [--orders FOLDER]
                  [--skills FOLDER] [--axum]";

/// The options of the program.
#[derive(Default)]
pub(crate) struct Options {
    /// Where to serve HTTP; standard input and output if absent.
    pub(crate) listen: Option<SocketAddr>,
    pub(crate) origin: Option<String>,
    pub(crate) any_host: bool,
    /// Whether HTTP is served by axum.
    pub(crate) axum: bool,
    /// The proxy that reports the addresses of clients.
    pub(crate) proxy: Option<IpNetwork>,
    /// The folder of the tools that count their effects.
    pub(crate) orders: Option<PathBuf>,
    /// The folder of skills.
    pub(crate) skills: PathBuf,
    store: Option<String>,
    /// The limits of connections, sessions and subscriptions, unless they are the default.
    connections: Option<usize>,
}

impl Options {
    pub(crate) fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut options = Self {
            // In the folder of the source code.
            skills: concat!(env!("CARGO_MANIFEST_DIR"), "/examples/everything/skills").into(),
            ..Self::default()
        };
        let mut arguments = arguments.peekable();
        let mut is_stdio = false;
        while let Some(name) = arguments.next() {
            let mut value = || arguments.next().ok_or(USAGE);
            match name.as_str() {
                "--stdio" => is_stdio = true,
                "--any-host" => options.any_host = true,
                "--axum" => options.axum = true,
                "--port" => {
                    let port: u16 = value()?.parse()?;
                    options.listen = Some(([127, 0, 0, 1], port).into());
                }
                "--listen" => options.listen = Some(value()?.parse()?),
                "--origin" => options.origin = Some(value()?),
                "--trust-proxy" => options.proxy = Some(value()?.parse()?),
                "--orders" => options.orders = Some(value()?.into()),
                "--skills" => options.skills = value()?.into(),
                "--store" => options.store = Some(value()?),
                "--connections" => options.connections = Some(value()?.parse()?),
                _ => return Err(USAGE.into()),
            }
        }
        if is_stdio == options.listen.is_some() {
            return Err(USAGE.into());
        }
        Ok(options)
    }

    /// Sets the limits of the server.
    pub(crate) fn limit(&self, builder: ServerBuilder) -> ServerBuilder {
        let Some(number) = self.connections else {
            return builder;
        };
        let limits = Limits::default()
            .connections(number)
            .sessions(number)
            .all_subscriptions(number);
        builder.limits(limits)
    }

    /// Connects the server to the store that it shares with other processes.
    pub(crate) async fn share(
        &self,
        builder: ServerBuilder,
    ) -> Result<ServerBuilder, Box<dyn Error>> {
        let Some(url) = &self.store else {
            return Ok(builder);
        };
        let builder = builder.keys(Keys::from_hex(&std::env::var("MCP_KEYS")?)?);
        match url.split_once("://") {
            Some(("redis" | "rediss", _)) => {
                Ok(builder.store(mcp_stores::Redis::connect(url).await?))
            }
            Some(("postgres" | "postgresql", _)) => {
                Ok(builder.store(mcp_stores::Postgres::connect(url).await?))
            }
            _ => {
                drop(builder);
                Err("--store needs the URL of Redis or PostgreSQL".into())
            }
        }
    }
}
