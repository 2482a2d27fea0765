//! What the commands of `xtask` and of `lab/runner` share. The crate does not depend on the generator,
//! so that a command of the lab is compiled without it.

#![expect(
    clippy::missing_errors_doc,
    reason = "every function fails if a program or a file is not as expected, and the commands print why"
)]

#[macro_use]
pub mod output;

pub mod gateway;
pub mod node;
pub mod process;
pub mod python;
pub mod services;
pub mod subject;
pub mod workspace;
