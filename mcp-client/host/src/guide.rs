//! A guide to the crate, one page per topic.

pub mod agents {
    #![doc = include_str!("../docs/agents.md")]
    // It declares a module, so it is compiled as an example only.
    #![doc = concat!("```ignore\n", include_str!("../examples/agent/main.rs"), "```")]
}
pub mod models {
    //! [agents]: super::agents
    #![doc = include_str!("../docs/models.md")]
}
#[cfg(feature = "apps")]
pub mod apps {
    #![doc = include_str!("../docs/apps.md")]
}
#[cfg(feature = "skills")]
pub mod skills {
    #![doc = include_str!("../docs/skills.md")]
}
#[cfg(feature = "icons")]
pub mod icons {
    #![doc = include_str!("../docs/icons.md")]
}
