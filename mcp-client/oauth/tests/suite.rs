//! Authorization with OAuth, against a scripted server.

mod attacks;
mod auth_servers;
mod discovery;
mod flows;
mod grants;
mod headless;
mod locks;
mod loopback;
mod manual;
mod private;
mod proofs;
mod refresh;
mod registration;
mod requests;
mod rounds;
mod secrets;
mod stores;
