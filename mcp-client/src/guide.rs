//! A guide to the crate, one page per topic. Every example compiles, and those that need no
//! external server run as tests.

pub mod calls {
    //! [eras]: super::eras
    //! [questions]: super::questions
    #![doc = include_str!("../docs/calls.md")]
}
pub mod changes {
    //! [calls#other-requests]: super::calls#other-requests
    #![doc = include_str!("../docs/changes.md")]
}
pub mod eras {
    //! [questions]: super::questions
    //! [changes]: super::changes
    //! [calls#other-requests]: super::calls#other-requests
    #![doc = include_str!("../docs/eras.md")]
}
#[cfg(feature = "proposals")]
pub mod fetch {
    #![doc = include_str!("../docs/fetch.md")]
}
pub mod middleware {
    #![doc = include_str!("../docs/middleware.md")]
}
pub mod offers {
    //! [calls]: super::calls
    #![doc = include_str!("../docs/offers.md")]
}
pub mod questions {
    //! [calls#other-outcomes]: super::calls#other-outcomes
    #![doc = include_str!("../docs/questions.md")]
}
#[cfg(feature = "proposals")]
pub mod resources {
    #![doc = include_str!("../docs/resources.md")]
}
pub mod tasks {
    //! [questions]: super::questions
    //! [middleware]: super::middleware
    #![doc = include_str!("../docs/tasks.md")]
}
#[cfg(all(feature = "http", feature = "process"))]
pub mod transports {
    #![doc = include_str!("../docs/transports.md")]
}
#[cfg(all(feature = "http", feature = "json-schema", feature = "process"))]
pub mod trust {
    #![doc = include_str!("../docs/trust.md")]
}
