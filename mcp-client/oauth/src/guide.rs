//! A guide to the crate.

pub mod authorization {
    #![doc = include_str!("../docs/authorization.md")]
}
