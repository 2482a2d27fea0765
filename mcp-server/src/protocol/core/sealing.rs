//! [`Context::seal`]: texts that a client has to give back unchanged.

use crate::protocol::caller::extensions::Principal;
use crate::protocol::core::Context;
use crate::protocol::seal::SealError;

impl Context {
    /// Seals a text that this client gets and gives back later, such as a position in a list or the
    /// id of something that belongs to the client. The client cannot read or change the text. It can
    /// be opened only for the same [`Principal`] and the same purpose.
    ///
    /// All processes with the same [`Keys`](crate::Keys) can open it, for as long as they have the
    /// key. If the program sets no keys, only this process can. Clients without authentication have
    /// no principal, so each of them can use a text that another one got. Sealed texts do not
    /// expire: if one has to, put the time into it.
    ///
    /// ```
    /// use mcp_server::{Context, HandlerError};
    ///
    /// async fn next_page(after: String, cx: Context) -> Result<String, HandlerError> {
    ///     cx.unseal("report", &after)
    ///         .map_err(|error| HandlerError::invalid_params(format!("after: {error}")))
    /// }
    /// # drop(next_page);
    /// ```
    ///
    /// # Errors
    ///
    /// [`SealError`]: the text is longer than 256 GiB, or the system returns no random numbers.
    pub fn seal(&self, purpose: &str, text: &str) -> Result<String, SealError> {
        let keys = self.core().keys.get();
        keys.seal(&self::purpose(purpose), &self.bound(), text.as_bytes())
    }

    /// Opens a text that [`seal`](Self::seal) returned for the same purpose and principal.
    ///
    /// # Errors
    ///
    /// [`SealError`]: `seal` did not return this text, or returned it for another purpose, principal
    /// or key.
    pub fn unseal(&self, purpose: &str, sealed: &str) -> Result<String, SealError> {
        let keys = self.core().keys.get();
        let bytes = keys.open(&self::purpose(purpose), &self.bound(), sealed)?;
        String::from_utf8(bytes).map_err(|_| SealError::Malformed)
    }

    /// What a sealed text is bound to.
    fn bound(&self) -> Vec<u8> {
        let principal = self.extension::<Principal>();
        let name = principal.map_or(&b""[..], |principal| principal.0.as_bytes());
        let mut bytes = vec![u8::from(principal.is_some())];
        bytes.extend_from_slice(name);
        bytes
    }
}

/// Separates the purposes of programs from those of this crate.
fn purpose(of_program: &str) -> String {
    format!("program:{of_program}")
}
