//! Icons and websites, over real sockets, with all kinds of failures.

mod choosing;
mod defined;
mod embedded;
mod extremes;
mod loading;
mod older;
mod websites;
