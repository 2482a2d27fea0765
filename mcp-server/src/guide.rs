//! How to write a server, page by page. Every example compiles.
//!
//! In reading order:
//!
//! 1. [`offers`] shows tools, resources, and requests of other kinds.
//! 2. [`prompts`] shows prompts and completions.
//! 3. [`lists`] splits lists into pages, and notifies clients of changes.
//! 4. [`state`] shares values with handlers, splits a server into groups, and writes extractors.
//! 5. [`errors`] returns errors, and decides what the model and the log get of them.
//! 6. [`requests`] uses what a handler knows of its request, reports progress, and logs.
//! 7. [`questions`] asks the client: forms, pages, models, roots.
//! 8. [`peers`] explains how one handler serves clients of all revisions, and what it must not do
//!    before it asks the client something.
//! 9. [`access`] decides who may use what: principals, guards, visibility, middleware.
//! 10. [`testing`] tests a server in memory, and handlers by themselves.
//! 11. [`serving`] serves a server over byte streams and HTTP, on the internet.
//! 12. [`shutdown`] ends a server without losing requests.
//! 13. [`cluster`] serves an endpoint by several processes.
//!
//! Access tokens, which protect a server on the internet, are a crate of their own,
//! `mcp-server-oauth`. So are logins of users with the accounts that they have, `mcp-login`.
//!
//! Two pages describe official extensions (skills for agents are a crate of their own, `mcp-skills`):
//!
//! 14. [`tasks`] answers calls that take longer than a client waits.
//! 15. [`apps`] gives tools a user interface.
//!
//! Four pages describe proposals, which are not part of the protocol yet:
//!
//! 16. [`resources`] describes resources, and lists the members of collections (SEP-2093).
//! 17. [`versions`] gives resources versions, and sends them with the notifications of their
//!     changes.
//! 18. [`urls`] issues URLs of resources for programs that do not speak the protocol.
//! 19. [`database`] offers rows of a database as resources, with all of this.
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
    //! [errors]: super::errors
    //! [urls]: super::urls
    //! [prompts]: super::prompts
    //! [tasks]: super::tasks
    #![doc = include_str!("../docs/access.md")]
}
#[cfg(feature = "apps")]
pub mod apps {
    //! [access]: super::access
    #![doc = include_str!("../docs/apps.md")]
}
#[cfg(feature = "http")]
pub mod cluster {
    #![doc = include_str!("../docs/cluster.md")]
    #![doc = concat!("```no_run\n", include_str!("../examples/cluster.rs"), "```")]
}
#[cfg(feature = "proposals")]
pub mod database {
    #![doc = include_str!("../docs/database.md")]
    #![doc = concat!("```no_run\n", include_str!("../examples/sqlite.rs"), "```")]
}
pub mod errors {
    //! [urls]: super::urls
    #![doc = include_str!("../docs/errors.md")]
}
pub mod lists {
    //! [access#resources]: super::access#resources
    //! [versions]: super::versions
    #![doc = include_str!("../docs/lists.md")]
}
#[cfg(feature = "json-schema")]
pub mod offers {
    //! [prompts]: super::prompts
    //! [state]: super::state
    //! [errors]: super::errors
    //! [resources]: super::resources
    //! [lists]: super::lists
    #![doc = include_str!("../docs/offers.md")]
}
pub mod peers {
    //! [serving#httpsse]: super::serving#httpsse
    #![doc = include_str!("../docs/peers.md")]
}
pub mod prompts {
    #![doc = include_str!("../docs/prompts.md")]
}
pub mod questions {
    //! [peers#before-a-question]: super::peers#before-a-question
    #![doc = include_str!("../docs/questions.md")]
}
#[cfg(feature = "http")]
pub mod requests {
    //! [questions]: super::questions
    //! [access]: super::access
    #![doc = include_str!("../docs/requests.md")]
}
#[cfg(feature = "proposals")]
pub mod resources {
    //! [urls]: super::urls
    #![doc = include_str!("../docs/resources.md")]
}
#[cfg(feature = "http")]
pub mod serving {
    //! [shutdown#axum]: super::shutdown#axum
    //! [cluster]: super::cluster
    //! [shutdown]: super::shutdown
    #![doc = include_str!("../docs/serving.md")]
}
#[cfg(feature = "http")]
pub mod shutdown {
    //! [tasks]: super::tasks
    #![doc = include_str!("../docs/shutdown.md")]
}
pub mod state {
    //! [access]: super::access
    #![doc = include_str!("../docs/state.md")]
}
#[cfg(all(feature = "http", feature = "tasks"))]
pub mod tasks {
    //! [shutdown]: super::shutdown
    #![doc = include_str!("../docs/tasks.md")]
}
#[cfg(feature = "http")]
pub mod testing {
    #![doc = include_str!("../docs/testing.md")]
}
#[cfg(feature = "proposals")]
pub mod urls {
    #![doc = include_str!("../docs/urls.md")]
}
#[cfg(feature = "proposals")]
pub mod versions {
    //! [peers]: super::peers
    #![doc = include_str!("../docs/versions.md")]
}
