//! Input requests of handlers, as clients of both eras see them.

mod detached;
mod forms;
mod legacy;
mod methods;
mod modern;
mod peer;
mod requests;
mod sampling;
mod state;
