//! [`ErrorConversions`]: how the program's own errors become errors of handlers.

use std::any::{TypeId, type_name};
use std::error::Error as StdError;

use crate::protocol::error::BuildError;
use crate::protocol::error::handler_error::{Cause, HandlerError};

type AnyError = Box<dyn StdError + Send + Sync>;

/// Converts the errors of one type, and returns all others.
type Conversion = Box<dyn Fn(AnyError) -> Result<HandlerError, AnyError> + Send + Sync>;

/// How the program's own errors become errors of handlers, by their type.
#[derive(Default)]
pub(crate) struct ErrorConversions(Vec<(TypeId, Conversion)>);

impl ErrorConversions {
    /// Adds the conversion for errors of type `E`.
    pub(crate) fn add<E: StdError + Send + Sync + 'static>(
        &mut self,
        convert: impl Fn(E) -> HandlerError + Send + Sync + 'static,
    ) -> Result<(), BuildError> {
        let id = TypeId::of::<E>();
        if self.0.iter().any(|(known, _)| *known == id) {
            return Err(BuildError::DuplicateType {
                kind: "error conversion",
                type_name: type_name::<E>(),
            });
        }
        let convert = move |error: AnyError| error.downcast::<E>().map(|error| convert(*error));
        self.0.push((id, Box::new(convert)));
        Ok(())
    }

    /// Converts an error by the conversion for its type; other errors are unchanged.
    pub(crate) fn convert(&self, error: AnyError) -> HandlerError {
        let mut error = error;
        for (_, convert) in &self.0 {
            error = match convert(error) {
                Ok(converted) => return converted,
                Err(other) => other,
            };
        }
        Cause::Other(error).into()
    }
}
