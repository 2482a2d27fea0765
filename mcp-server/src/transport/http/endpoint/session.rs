//! Requests in sessions. `requests` finds the session: in the table of this process, or in the store
//! that all processes share. `get` opens and resumes streams, `post` dispatches messages, `response`
//! creates the response, and `cluster` handles messages of other processes.

pub(crate) mod cluster;
pub(crate) mod get;
pub(crate) mod post;
pub(crate) mod requests;
pub(crate) mod response;
