//! [`Params`] and [`NotificationParams`]: the params of a method, for handlers that the program
//! adds to a server by itself.

use std::fmt;

use mcp_types::{Notification, Request};

use crate::protocol::handler::Input;

/// The params of the request `R`, in the form of the newest revision. The first parameter of a
/// handler for [`ServerBuilder::on`](crate::ServerBuilder::on).
pub struct Params<R: Request>(pub R::Params);

impl<R: Request + 'static> Input for Params<R> {}

impl<R: Request> fmt::Debug for Params<R>
where
    R::Params: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Params").field(&self.0).finish()
    }
}

/// The params of the notification `N`. The first parameter of a handler for
/// [`ServerBuilder::on_notification`](crate::ServerBuilder::on_notification).
pub struct NotificationParams<N: Notification>(pub N::Params);

impl<N: Notification + 'static> Input for NotificationParams<N> {}

impl<N: Notification> fmt::Debug for NotificationParams<N>
where
    N::Params: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("NotificationParams").field(&self.0).finish()
    }
}
