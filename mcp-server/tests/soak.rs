//! A hundred thousand requests of all kinds, a thousand at once: each is answered once, and none
//! leaves anything behind.

mod soak {
    #[cfg(unix)]
    mod descriptors;
    mod http;
    mod mix;
    mod pipes;
    mod process;
    mod wire;
}
