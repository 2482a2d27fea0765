//! The types of the Model Context Protocol, generated from its schema: every revision, exact and
//! lossless.
//!
//! ```
//! use mcp_types::{CallToolResult, ContentBlock, TextContent, json};
//!
//! let result = CallToolResult::new([ContentBlock::from(TextContent::new("3 °C"))]);
//! let text = serde_json::to_string(&result)?;
//! assert_eq!(text, r#"{"content":[{"type":"text","text":"3 °C"}],"resultType":"complete"}"#);
//!
//! let fault = json::from_str::<CallToolResult>(r#"{"content":[{"type":"text"}],"resultType":"complete"}"#);
//! assert_eq!(fault.unwrap_err().path().to_string(), "$.content[0]");
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! * The newest revision's types stand at the root of the crate and in a module of their own; each
//!   older revision is a module behind a feature, such as `v2025-06-18`. What did not change
//!   between revisions is one type.
//! * Every type reads what the schema of its revision accepts and refuses what it refuses; the
//!   leniencies are listed below. Members that a type does not name are kept in its `extra`.
//! * [`rpc`] reads the JSON-RPC envelope in one pass and leaves parameters and results undecoded;
//!   [`Request`] and [`Notification`] say which type a method has; [`Revision`] reads and writes
//!   messages at any revision.
//! * [`form`] completes and checks answers to forms.
//! * [`json::from_str`] and its kin decode and, if that fails, say at which path.
//! * [`lines`], [`sse`] and [`headers`] are what transports need on the wire: framing of messages
//!   and the rules of the HTTP headers that repeat parts of them. They do no I/O.
//!
//! # Leniencies
//!
//! A type accepts, beyond the schema:
//!
//! * `null` for an optional member that the schema does not let be `null`: it counts as absent
//!   and is not written back.
//! * `Icon.sizes` as one string of sizes, as SEP-973 has it: it is written back as a list.
//!
//! An integer may be written `1.0`, as the schema allows, and is written back as `1`. What the
//! schema accepts and a type refuses: integers beyond 64 bits, nesting deeper than 127 levels, and
//! a member that stands twice in an object.
//!
//! # Features
//!
//! * `v2024-11-05` ... `v2026-07-28`: revisions; each switches on the newer ones.
//! * `tasks`: the extension `io.modelcontextprotocol/tasks`.
//! * `https-url`, `sep-2093`, `versioned-resources`: proposals on the newest revision.
//! * `proptest`: strategies for every type.
//! * `registry`: types by name at run time.
//!
//! Types that several revisions share have the members of a proposal in all of them.

#[cfg(feature = "proptest")]
mod arbitrary;
pub mod base64;
#[doc(hidden)]
pub mod codec;
mod contents;
pub mod convert;
pub mod cursor;
pub mod error;
pub mod form;
pub mod headers;
pub mod id;
pub mod json;
pub mod lines;
pub mod message;
#[doc(hidden)]
pub mod peer_text;
mod proposal;
#[cfg(feature = "registry")]
pub mod registry;
mod results;
pub mod revision;
#[rustfmt::skip]
mod revisions;
pub mod rpc;
#[cfg(feature = "_schema-cost")]
#[doc(hidden)]
pub mod schema_cost;
pub mod sse;

pub use base64::Base64Text;
pub use codec::{Empty, Extra, OtherText, UnknownValue};
#[cfg(feature = "sep-2093")]
pub use contents::{ContentsOf, ContentsWarning};
pub use message::{MessageInfo, Notification, Outcome, Request, Sender};
#[cfg(feature = "versioned-resources")]
pub use proposal::NOT_MODIFIED;
pub use revisions::*;

/// The examples of the README, which are compiled as those of the documentation are.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
