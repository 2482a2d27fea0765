//! Icons and websites, over real sockets, with all kinds of failures.

#[path = "../subject/certificate.rs"]
mod certificate;
mod choosing;
mod defined;
mod embedded;
mod extremes;
mod loading;
mod older;
#[path = "../fetch/web.rs"]
mod web;
mod websites;
