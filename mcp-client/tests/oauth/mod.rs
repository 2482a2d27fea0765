//! Authorization with OAuth, against a scripted server.

mod attacks;
#[cfg(all(feature = "cli", target_os = "linux"))]
mod browser;
mod discovery;
mod flows;
mod grants;
mod headless;
mod locks;
mod loopback;
mod manual;
mod private;
#[cfg(feature = "cli")]
mod program;
mod proofs;
mod refresh;
mod registration;
mod requests;
mod rounds;
mod secrets;
mod stores;
mod world;
