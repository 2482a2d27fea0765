//! Arguments of the form `--name value`, and switches.

/// The arguments of the program that were not used yet.
pub(crate) struct Arguments(pub(crate) Vec<String>);

impl Arguments {
    /// Returns the arguments of the program. Invalid UTF-8 is replaced, and then matches no
    /// argument.
    pub(crate) fn of_program() -> Self {
        Self(
            std::env::args_os()
                .skip(1)
                .map(|text| text.to_string_lossy().into_owned())
                .collect(),
        )
    }

    /// Removes the argument `name` and returns its value, which is required.
    pub(crate) fn value(&mut self, name: &str) -> Result<String, String> {
        let at = self.0.iter().position(|argument| argument == name);
        let at = at.ok_or_else(|| format!("`{name}` is missing"))?;
        if at + 1 >= self.0.len() {
            return Err(format!("`{name}` requires a value"));
        }
        self.0.remove(at);
        Ok(self.0.remove(at))
    }

    /// Fails if there are unused arguments.
    pub(crate) fn finish(self) -> Result<(), String> {
        self.0.first().map_or(Ok(()), |argument| {
            Err(format!("unexpected argument `{argument}`"))
        })
    }
}
