//! What servers do wrong over real pipes: each fault ends one call with a typed error, if any, and
//! the connection goes on where it can.
#![cfg(unix)]

mod extremes;
mod floods;
mod logs;
mod pipe;
mod pipes;
mod questions;
mod table;
