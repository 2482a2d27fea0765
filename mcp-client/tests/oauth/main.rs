//! Authorization with OAuth, against a scripted server.

mod attacks;
mod discovery;
mod flows;
mod grants;
mod loopback;
mod manual;
#[cfg(feature = "cli")]
mod program;
mod refresh;
mod registration;
mod requests;
mod rounds;
mod secrets;
mod stores;
mod world;
