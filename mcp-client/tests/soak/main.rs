//! Tens of thousands of calls of all kinds to servers that are killed all the time: each ends with
//! the answer to it or with an error that says why, and nothing is left behind.
#![cfg(target_os = "linux")]

mod http;
mod load;
mod pipes;
mod random;
mod rest;
