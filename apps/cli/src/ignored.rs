//! [`Ignored`]: what is not compared.

use std::str::FromStr;

use mcp_client::types::error::{Path, Segment};

/// Where differences do not matter.
#[derive(Clone, Debug)]
pub(crate) enum Ignored {
    /// All members with this name.
    Name(String),
    /// A value and everything in it. Indexes may be left out: they stand for all elements.
    Path(Path),
}

impl FromStr for Ignored {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if !text.is_empty() && !text.starts_with(['$', '.', '[']) {
            return Ok(Self::Name(text.to_owned()));
        }
        let path = Path::parse(text).filter(|path| !path.is_root());
        path.map(Self::Path)
            .ok_or_else(|| "expected a path such as `$.tools[0].title`, or a name".to_owned())
    }
}

impl Ignored {
    /// Returns `true` if a value is ignored, or is in one that is.
    pub(crate) fn includes(&self, steps: &[Segment]) -> bool {
        let path = match self {
            Self::Name(name) => {
                let is = |step: &Segment| matches!(step, Segment::Member(member) if member == name);
                return steps.iter().any(is);
            }
            Self::Path(path) => path.segments(),
        };
        let mut wanted = path.iter().peekable();
        for step in steps {
            match (wanted.peek(), step) {
                (None, _) => return true,
                (Some(next), step) if *next == step => {
                    wanted.next();
                }
                (Some(Segment::Member(_)), Segment::Index(_)) => {}
                _ => return false,
            }
        }
        wanted.peek().is_none()
    }
}
