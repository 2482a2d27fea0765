//! Downloads of resources by URL, over real TLS, with all kinds of failures.

mod addresses;
mod broken;
#[path = "../subject/certificate.rs"]
mod certificate;
mod expiry;
mod extremes;
mod faults;
mod hosts;
#[cfg(target_os = "linux")]
mod keepalive;
#[cfg(target_os = "linux")]
#[path = "../subject/keepalive.rs"]
mod kernel;
mod mcp;
#[path = "../subject/proxy.rs"]
mod proxy;
mod reading;
#[cfg(feature = "sep-2093")]
mod refresh;
#[cfg(feature = "sep-2093")]
mod served;
mod ways;
mod web;
