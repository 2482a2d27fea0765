//! A guide to the crate, one page per topic.

pub mod agents {
    #![doc = include_str!("../docs/agents.md")]
    // It declares a module, so it is compiled as an example only.
    #![doc = concat!("```ignore\n", include_str!("../examples/agent/main.rs"), "```")]
}
pub mod models {
    #![doc = include_str!("../docs/models.md")]
}
#[cfg(feature = "icons")]
pub mod icons {
    #![doc = include_str!("../docs/icons.md")]
}
