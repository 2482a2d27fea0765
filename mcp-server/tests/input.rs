//! What a client sees of a handler that asks it something, in both eras.

mod input {
    mod forms;
    mod legacy;
    mod methods;
    mod modern;
    mod peer;
    mod requests;
    mod sampling;
    mod state;
}
