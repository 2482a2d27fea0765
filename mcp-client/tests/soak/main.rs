//! Tens of thousands of calls of all kinds to servers that are killed repeatedly: each ends with
//! its result or with an error, and no state is left behind.
#![cfg(target_os = "linux")]

#[path = "../support/example.rs"]
mod example;
mod http;
mod load;
mod pipes;
mod random;
mod rest;
