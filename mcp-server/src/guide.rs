//! How to write a server, page by page. Every example compiles.
//!
//! In reading order:
//!
//! 1. [`offers`] shows tools, resources, prompts, completions, and requests of other kinds.
//! 2. [`state`] shares values with handlers, splits a server into groups, and writes extractors.
//! 3. [`errors`] returns errors, and decides what the model and the log get of them.
//! 4. [`requests`] uses what a handler knows of its request, reports progress, and asks the client.
//! 5. [`peers`] explains how one handler serves clients of all revisions, and what it must not do
//!    before it asks the client something.
//! 6. [`access`] decides who may use what: principals, guards, visibility, middleware.
//! 7. [`oauth`] protects a server on the internet with access tokens.
//! 8. [`testing`] tests a server in memory, and handlers by themselves.
//! 9. [`serving`] serves a server over byte streams and HTTP, on the internet.
//! 10. [`shutdown`] ends a server without losing requests.
//! 11. [`cluster`] serves an endpoint by several processes.
//!
//! Three pages describe official extensions:
//!
//! 12. [`tasks`] answers calls that take longer than a client waits.
//! 13. [`skills`] offers skills for agents.
//! 14. [`apps`] gives tools a user interface.
//!
//! Four pages describe proposals, which are not part of the protocol yet:
//!
//! 15. [`resources`] describes resources, and lists the members of collections (SEP-2093).
//! 16. [`versions`] gives resources versions, and sends them with the notifications of their
//!     changes.
//! 17. [`urls`] issues URLs of resources for programs that do not speak the protocol.
//! 18. [`database`] offers rows of a database as resources, with all of this.
//!
//! A test needs two lines to connect a client of `mcp-client` to a server:
//!
//! ```
//! use mcp_client::{ByteStream, Client};
//! use mcp_server::Server;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::builder("calendar", "1.0.0")
//!     .tool("today", "Returns the day of the week", async || "Monday")
//!     .build()?;
//!
//! let transport = ByteStream::of(server.in_memory());
//! let client = Client::builder("test", "1.0.0").connect(transport).await?;
//!
//! assert_eq!(client.call_tool("today").await?.text(), "Monday");
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "http")]
pub mod access {
    #![doc = include_str!("../docs/access.md")]
}
#[cfg(feature = "apps")]
pub mod apps {
    #![doc = include_str!("../docs/apps.md")]
}
#[cfg(all(feature = "oauth", feature = "postgres", feature = "redis"))]
pub mod cluster {
    #![doc = include_str!("../docs/cluster.md")]
    #![doc = concat!("```no_run\n", include_str!("../examples/cluster.rs"), "```")]
}
#[cfg(all(
    feature = "https-url",
    feature = "sep-2093",
    feature = "templates",
    feature = "versioned-resources"
))]
pub mod database {
    #![doc = include_str!("../docs/database.md")]
    #![doc = concat!("```no_run\n", include_str!("../examples/sqlite.rs"), "```")]
}
pub mod errors {
    #![doc = include_str!("../docs/errors.md")]
}
#[cfg(feature = "oauth")]
pub mod oauth {
    #![doc = include_str!("../docs/oauth.md")]
}
#[cfg(all(feature = "json-schema", feature = "pagination", feature = "templates"))]
pub mod offers {
    #![doc = include_str!("../docs/offers.md")]
}
#[cfg(feature = "asking")]
pub mod peers {
    #![doc = include_str!("../docs/peers.md")]
}
#[cfg(all(feature = "http", feature = "asking"))]
pub mod requests {
    #![doc = include_str!("../docs/requests.md")]
}
#[cfg(all(feature = "sep-2093", feature = "templates"))]
pub mod resources {
    #![doc = include_str!("../docs/resources.md")]
}
#[cfg(all(feature = "http", feature = "asking"))]
pub mod serving {
    #![doc = include_str!("../docs/serving.md")]
}
#[cfg(feature = "http")]
pub mod shutdown {
    #![doc = include_str!("../docs/shutdown.md")]
}
#[cfg(feature = "skills")]
pub mod skills {
    #![doc = include_str!("../docs/skills.md")]
}
pub mod state {
    #![doc = include_str!("../docs/state.md")]
}
#[cfg(all(feature = "http", feature = "tasks"))]
pub mod tasks {
    #![doc = include_str!("../docs/tasks.md")]
}
#[cfg(feature = "oauth")]
pub mod testing {
    #![doc = include_str!("../docs/testing.md")]
}
#[cfg(feature = "https-url")]
pub mod urls {
    #![doc = include_str!("../docs/urls.md")]
}
#[cfg(all(feature = "versioned-resources", feature = "templates"))]
pub mod versions {
    #![doc = include_str!("../docs/versions.md")]
}
