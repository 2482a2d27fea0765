//! Types of the Model Context Protocol for every revision, generated from its JSON schema. They
//! encode and decode without losing information.
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
//! * The types of the newest revision are exported from the crate root and from a module of their
//!   own. Each older revision is a module behind a feature, such as `v2025-06-18`. A type that did
//!   not change between revisions is exported by all of them.
//! * Every type accepts what the schema of its revision accepts and rejects what it rejects; the
//!   exceptions are listed below. Members that a type does not declare are kept in its `extra`
//!   field.
//! * [`rpc`] parses the JSON-RPC envelope in one pass and leaves params and results undecoded.
//!   [`Request`] and [`Notification`] map each method to its types. [`Revision`] encodes and
//!   decodes messages of any revision.
//! * [`Item`] tells which revisions have a type, a member, a value or a method.
//! * [`form`] completes and validates the answers to forms.
//! * [`json::from_str`] and the other functions of [`json`] decode a value and report the path of
//!   an error, its [`Rule`](error::Rule) and what was expected. [`json::all_faults`] reports all
//!   errors, and [`json::Limits`] bounds untrusted input.
//! * [`rpc::Tracker`] pairs responses with their requests and knows the revision of a session, for
//!   proxies and linters. [`meta`] has the keys of `_meta`.
//! * [`lines`], [`sse`] and [`headers`] implement what transports need: the framing of messages and
//!   the rules for the HTTP headers that repeat parts of a message. They do no I/O.
//!
//! # Map of the types
//!
//! The types of the newest revision, by the areas of the specification:
//!
#![doc = include_str!("revisions/areas.md")]
//!
//! # What the types accept
//!
//! A type accepts what the published `schema.json` of its revision accepts, with these exceptions.
//! Some faults of the published files are corrected, where a page of the specification or its
//! `schema.ts` says something else:
//!
//! * Answers to forms (since 2025-06-18) and values of any kind (since 2026-07-28) may be numbers with
//!   a fraction, for which the files permit integers only.
//! * The `resultType` of an `InputRequiredResult` (2026-07-28) is `input_required`, for which the file
//!   permits any string. Otherwise every object with a `resultType` would be such a result, whatever
//!   the method of the request is. So a response to `tools/call` whose result says `complete`, but is
//!   no `CallToolResult`, is refused.
//!
//! The types accept, beyond the schema:
//!
//! * `null` for an optional member that the schema does not allow to be `null`. The member is
//!   treated as absent and is not written back.
//! * `Icon.sizes` as one string of sizes, as in SEP-973. It is written back as a list.
//!
//! [`json::all_faults`] and the validation of the module `registry` are for those who check others:
//! they report both as errors.
//!
//! An integer may be written as `1.0`, as the schema allows; it is written back as `1`. The types
//! reject some input that the schema accepts: integers beyond 64 bits, other numbers of more than
//! [`json::NUMBER_LIMIT`] characters, strings with half of a surrogate pair, nesting deeper than
//! 127 levels, and duplicate members of an object.
//!
//! # What decoding and encoding keeps
//!
//! The encoded message is the same JSON as the decoded one: every member, also those that a type
//! does not declare; `null`, empty and absent members as they were, but for the first leniency
//! above; every digit of a number and its form, such as `1e2`; the order of the members of embedded
//! objects such as schemas and arguments. Not kept are white space, the form of escapes in strings,
//! and the places of members: declared ones are written in the order of the schema, others follow
//! in the order in which they were received. [`json::WithText`] keeps the text byte for byte beside
//! the value.
//!
//! # Features
//!
//! * `v2024-11-05` and so on: one for each protocol revision. Each one enables the newer ones; the
//!   default is the newest.
//! * `draft`: the draft of the next revision, as the module `draft` and as `Revision::Draft`.
//!   Unstable: any release may follow a newer draft.
//! * `tasks`: the extension `io.modelcontextprotocol/tasks`.
//! * `skills`: the messages of the extension `io.modelcontextprotocol/skills`.
//! * `proposals`: the draft proposals `https-url`, `sep-2093` and `versioned-resources`. Unstable.
//! * `proptest`: `proptest` strategies for every type.
//! * `registry`: lookup of types by name at run time.
//!
//! Types that several revisions share have the members of enabled proposals in all of them.

#![cfg_attr(docsrs, feature(doc_cfg))]

// The unit tests need neither the strategies nor the registry, which take most of the time to
// compile.
#[cfg(all(feature = "proptest", not(test)))]
pub mod arbitrary;
pub mod base64;
#[doc(hidden)]
pub mod codec;
mod contents;
pub mod convert;
pub mod cursor;
pub mod error;
pub mod form;
pub mod headers;
mod icon;
pub mod id;
mod item;
pub mod json;
pub mod lines;
pub mod message;
pub mod meta;
pub mod peer_text;
mod proposal;
#[cfg(all(feature = "registry", not(test)))]
pub mod registry;
mod results;
pub mod revision;
#[rustfmt::skip]
mod revisions;
pub mod rpc;
#[cfg(feature = "skills")]
mod skills;
pub mod sse;
pub mod uri;

pub use base64::Base64Text;
pub use codec::{Empty, Extra, OtherText, UnknownValue};
#[cfg(feature = "proposals")]
pub use contents::{ContentsOf, ContentsWarning};
pub use icon::InvalidIcon;
pub use item::Item;
pub use message::{MessageInfo, Notification, Outcome, Request, Sender};
#[cfg(feature = "proposals")]
pub use proposal::NOT_MODIFIED;
pub use results::ToolError;
pub use revisions::*;

/// Compiles the examples of the README and of a page of the book as doc tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../../docs/explanation/exactness.md")]
struct Readme;
