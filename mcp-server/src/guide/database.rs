//! Rows of a database as resources, with everything that the proposals add: versions, filters,
//! pages, notifications of changes, and URLs.
//!
//! The example `sqlite` serves the rows of a table. One template defines the resources for all of
//! them, and each of its three handlers needs one query:
//!
//! * `list` selects as many rows as [`ListAt::limit`](crate::ListAt::limit) says, and
//!   [`ListAt::page`](crate::ListAt::page) makes the page and the position of the next one. The
//!   database applies the criterion `kind` of [`ListAt::filter`](crate::ListAt::filter). The server
//!   applies all criteria to the rows that it gets, so a handler may ignore those that it cannot
//!   express in its query. A row has all that is known about its note, so the page is
//!   [complete](crate::ResourcePage::complete), and `describe` does not run for it.
//! * `describe` selects the same columns of one row. With them, the server answers a client that
//!   has the current version, and `If-None-Match` at the URL, without reading the text.
//! * `read` selects the text and the version with one query, so that they belong together even
//!   while the note is being changed: [`Versioned`](crate::Versioned).
//!
//! A version must not occur again with other contents. Here each change sets a random one, in the
//! same statement as the text.
//!
//! Whatever changes a row announces it afterwards: here the tool `write`. The link in its result
//! gets the URL of the note. If other programs write to the same database, the server has to learn
//! of their changes in another way, for example by `PRAGMA data_version` of SQLite or `LISTEN` of
//! PostgreSQL.
//!
//! Queries of SQLite block, so they run on threads that may block. An asynchronous driver for
//! another database does not need this.
//!
#![doc = concat!("```no_run\n", include_str!("../../examples/sqlite.rs"), "```")]
