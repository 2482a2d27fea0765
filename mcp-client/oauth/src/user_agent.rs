//! Where the user is sent to authorize the client, and how the client receives the redirect.

mod agent;
mod headless;
mod loopback;
mod manual;

pub use agent::{
    AuthorizationUrl, RedirectReceiver, RedirectRequest, UserAgent, UserAgentError, UserAgentFuture,
};
pub use headless::Headless;
pub use loopback::Loopback;
pub use manual::Manual;
