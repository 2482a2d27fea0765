//! Icons and websites, over real sockets, with all kinds of failures.

mod choosing;
mod embedded;
mod extremes;
mod loading;
mod websites;
