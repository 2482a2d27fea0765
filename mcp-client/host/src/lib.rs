//! What a program that uses a language model, a *host* of the
//! [Model Context Protocol](https://modelcontextprotocol.io), needs beside its clients.
//!
//! [`ModelTools`] offers the tools of any number of servers to a model, in the form of its interface.
//! It reads the calls of the model, makes them, and returns the results as messages for the model. The
//! page [`models`](guide::models) describes the forms, and [`agents`](guide::agents) has a complete
//! program.
//!
//! | feature | adds |
//! | --- | --- |
//! | `apps` | `apps`: user interfaces of servers are read and checked (an official extension) |
//! | `icons` | `icons`: icons and websites of servers are chosen, checked and loaded |
//! | `skills` | `skills`: skills of servers are listed, verified and loaded (an official extension) |

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "apps")]
pub mod apps;
pub mod guide;
#[cfg(feature = "icons")]
pub mod icons;
mod model_tools;
#[cfg(feature = "skills")]
pub mod skills;

pub use model_tools::{ModelCall, ModelFormat, ModelResult, ModelTools, ModelToolsError};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
