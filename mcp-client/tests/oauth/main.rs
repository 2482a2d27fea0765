//! Authorization with OAuth, against a scripted server.

mod attacks;
#[cfg(all(feature = "cli", target_os = "linux"))]
mod browser;
#[path = "../subject/certificate.rs"]
mod certificate;
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
#[cfg(all(feature = "cli", target_os = "linux"))]
#[path = "../cli/pseudo_terminal.rs"]
mod pseudo_terminal;
mod refresh;
mod registration;
mod requests;
mod rounds;
mod secrets;
mod stores;
mod world;
