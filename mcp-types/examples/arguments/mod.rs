//! Arguments of the form `--name value`, and switches.

/// The arguments that were given, until they are taken.
pub(crate) struct Arguments(pub(crate) Vec<String>);

impl Arguments {
    /// Those of the program; texts that are no UTF-8 are replaced, and then match nothing.
    pub(crate) fn of_program() -> Self {
        Self(
            std::env::args_os()
                .skip(1)
                .map(|text| text.to_string_lossy().into_owned())
                .collect(),
        )
    }

    /// Takes the value of `name`, which must be there.
    pub(crate) fn value(&mut self, name: &str) -> Result<String, String> {
        let at = self.0.iter().position(|argument| argument == name);
        let at = at.ok_or_else(|| format!("`{name}` is missing"))?;
        if at + 1 >= self.0.len() {
            return Err(format!("`{name}` wants a value"));
        }
        self.0.remove(at);
        Ok(self.0.remove(at))
    }

    /// Fails if anything is left.
    pub(crate) fn finish(self) -> Result<(), String> {
        self.0.first().map_or(Ok(()), |argument| {
            Err(format!("unexpected argument `{argument}`"))
        })
    }
}
