//! Records a server over HTTP: an endpoint for the host, which forwards all requests to the server.

mod body;
mod endpoint;
mod forward;
mod headers;
mod listen;
mod login;
mod pool;

pub(crate) use endpoint::{added, parse, record};
pub(crate) use headers::rejected;
pub(crate) use listen::{bind, serve};
pub(crate) use login::{login, send_with_token};
pub(crate) use pool::Pool;
