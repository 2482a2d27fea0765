//! Authorization with OAuth, against a scripted server.

mod attacks;
mod flows;
mod loopback;
mod manual;
#[cfg(feature = "cli")]
mod program;
mod refresh;
mod secrets;
mod stores;
mod world;
