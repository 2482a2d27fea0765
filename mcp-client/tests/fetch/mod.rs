//! Downloads of resources by URL, over real TLS, with all kinds of failures.

mod addresses;
mod broken;
mod expiry;
mod extremes;
mod faults;
mod hosts;
#[cfg(target_os = "linux")]
mod keepalive;
mod mcp;
mod reading;
mod refresh;
mod served;
mod ways;
