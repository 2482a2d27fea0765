//! The requests, and the policy that allows them.

mod address;
mod body;
mod connector;
mod dial;
mod error;
mod policy;
mod proxy;
mod request;
mod resolve;
mod server_reach;
mod tls;

pub use body::FetchBody;
pub use connector::ProxyConnector;
pub use error::{FetchError, ProxyError, RedirectFault};
pub use policy::FetchPolicy;
pub use proxy::Proxy;
pub use request::{FetchRequest, FetchResponse};
pub use tls::{TlsError, Trust};
