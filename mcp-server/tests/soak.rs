//! A hundred thousand requests of all kinds, a thousand at once: each gets exactly one response,
//! and no state is left behind.

mod soak {
    #[cfg(unix)]
    mod descriptors;
    mod http;
    mod mix;
    mod pipes;
    mod process;
    mod wire;
}

mod support {
    pub(crate) mod process;
}
