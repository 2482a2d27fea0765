//! Applications in axum that contain an endpoint: their shutdown, the place of the router, and
//! access tokens for their own routes.

mod own_routes;
mod place;
mod shutdown;
