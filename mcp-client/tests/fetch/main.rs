//! Resources by their URLs, over real TLS, and what comes of everything that can go wrong.

mod addresses;
mod broken;
#[path = "../subject/certificate.rs"]
mod certificate;
mod expiry;
mod faults;
mod hosts;
mod mcp;
mod reading;
#[cfg(feature = "sep-2093")]
mod refresh;
#[cfg(feature = "sep-2093")]
mod served;
mod ways;
mod web;
