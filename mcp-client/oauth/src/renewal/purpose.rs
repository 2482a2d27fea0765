//! [`Purpose`]: why new tokens are needed.

use mcp_oauth::Secret;

use crate::discovery::challenge::ChallengeInfo;

/// Why new tokens are needed.
#[derive(Debug)]
pub(crate) enum Purpose {
    /// This access token is about to expire.
    Refresh(Secret),
    /// The server rejected a request, which contained this access token or none.
    Rejected {
        challenge: ChallengeInfo,
        used: Option<Secret>,
    },
    /// The server demands further scopes than this access token has.
    StepUp {
        challenge: ChallengeInfo,
        used: Secret,
    },
    /// The user wants to log in, whether or not there are tokens.
    Login(ChallengeInfo),
}
