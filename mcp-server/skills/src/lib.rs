//! Skills for agents: the extension `io.modelcontextprotocol/skills` (SEP-2640) of the
//! [Model Context Protocol](https://modelcontextprotocol.io), for servers of `mcp-server`.
//!
//! [`Skills`] are those in a folder, or of a [`SkillSource`]. A server offers them with
//! [`OfferSkills::skills`]:
//!
//! ```no_run
//! use mcp_server::Server;
//! use mcp_skills::{OfferSkills as _, Skills};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let skills = Skills::folder("skills/")?;
//! let server = Server::builder("docs", "1.0.0").skills(skills).build()?;
//! # drop(server);
//! # Ok(())
//! # }
//! ```

mod catalog;
mod config;
mod folder;
mod handlers;
mod media_type;
mod served;
mod source;

pub use self::config::{OfferSkills, Skills};
pub use self::source::{SkillFile, SkillSource};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
