//! Authorization with OAuth, against a scripted server.

mod attacks;
mod flows;
mod grants;
mod loopback;
mod manual;
#[cfg(feature = "cli")]
mod program;
mod refresh;
mod requests;
mod secrets;
mod stores;
mod world;
