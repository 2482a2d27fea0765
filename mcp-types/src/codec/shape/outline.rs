//! Selects a candidate from the text of an object, before anything of it is decoded.

use super::super::super::error::DecodeError;
use super::super::super::json::text::Lookahead;
use super::super::guard::{Guard, guarded, refuse};
use super::plan::{Bits, Plan, Test};
use super::row::Row;

/// The candidate as which an object is decoded first.
pub(super) struct Fit {
    pub(super) name: &'static str,
    /// `false` if the object may fit another candidate, too.
    pub(super) is_only: bool,
    /// Members with which the object may fit an earlier candidate.
    pub(super) unless: &'static [&'static str],
    /// Values of other members with which the object may fit an earlier candidate.
    pub(super) guards: &'static [Guard],
}

impl Fit {
    /// Returns `true` if the object, given the text from it on, has a member or a value that the decoder of
    /// the candidate refuses.
    pub(super) fn refuses(&self, text: &str) -> bool {
        if self.unless.is_empty() && self.guards.is_empty() {
            return false;
        }
        let mut members = Lookahead::new(text);
        while let Ok(Some(name)) = members.name() {
            if self.unless.contains(&name) {
                return true;
            }
            let guarded = guarded(self.guards, name);
            let Ok(value) = members.value() else {
                return false;
            };
            if guarded.is_some_and(|member| refuse(self.guards, member, value)) {
                return true;
            }
        }
        false
    }
}

/// Returns the first candidate that an object fits, given the text from the object on. Returns `None`
/// if there is none, or if the text is not valid.
///
/// Stops as soon as the result is known:
///
/// - when all candidates but one are excluded, or
/// - when a candidate fits, or the object has a member that only one candidate declares, and each candidate
///   before it either is excluded by a member that was read, or requires a member or a value that the decoder
///   of that candidate refuses.
pub(super) fn first_fit(text: &str, plan: &'static Plan) -> Option<Fit> {
    let mut outline = Outline::new(plan);
    let mut members = Lookahead::new(text);
    while let Some(name) = members.name().ok()? {
        let Some(known) = plan.member(name) else {
            members.value().ok()?;
            continue;
        };
        if known.owner != 0
            && let Some(fit) = outline.chosen(known.owner)
        {
            return Some(fit);
        }
        if outline.note_met(known.presence)
            && let Some(fit) = outline.decided()
        {
            return Some(fit);
        }
        if known.value == 0 {
            members.value().ok()?;
            continue;
        }
        let fit = outline.note_value(known.value, &mut members, Outline::decided);
        if let Some(fit) = fit.ok()?.or_else(|| outline.last_left()) {
            return Some(fit);
        }
    }
    outline.first()
}

/// The candidates that an object fits.
#[derive(Default)]
pub(super) struct Fits {
    /// Their names.
    pub(super) names: Vec<&'static str>,
    /// The candidates of which the object meets at least one condition.
    resembled: Bits,
}

impl Fits {
    /// Returns `true` if the object meets a condition of a candidate.
    pub(super) fn resembles(&self, name: &str, plan: &Plan) -> bool {
        let mut rows = (0..).zip(plan.rows());
        rows.any(|(at, row)| row.name == name && self.resembled >> at & 1 == 1)
    }
}

/// Returns all candidates that an object fits, given the text from the object on. Returns none if the text is
/// not valid.
pub(super) fn all_fits(text: &str, plan: &'static Plan) -> Fits {
    search_fits(text, plan).unwrap_or_default()
}

fn search_fits(text: &str, plan: &'static Plan) -> Option<Fits> {
    let mut outline = Outline::new(plan);
    let mut members = Lookahead::new(text);
    while let Some(name) = members.name().ok()? {
        let known = plan.member(name);
        let (presence, value) = known.map_or((0, 0), |known| (known.presence, known.value));
        outline.note_met(presence);
        if value == 0 {
            members.value().ok()?;
        } else {
            outline.note_value(value, &mut members, |_| None).ok()?;
        }
    }
    let mut fits = Fits::default();
    each(outline.fitting, |row| {
        fits.names.extend(outline.row(row).map(|row| row.name));
    });
    each(outline.met, |condition| {
        fits.resembled |= plan.rows_with(condition);
    });
    Some(fits)
}

/// What the members so far tell.
struct Outline {
    plan: &'static Plan,
    /// The conditions that are met.
    met: Bits,
    /// The candidates whose conditions are all met.
    fitting: Bits,
    /// The candidates with a condition that cannot be met any more.
    excluded: Bits,
}

impl Outline {
    fn new(plan: &'static Plan) -> Self {
        Self {
            plan,
            met: 0,
            fitting: plan.unconditional,
            excluded: 0,
        }
    }

    /// Adds conditions that are met. Returns `true` if more candidates fit than before.
    fn note_met(&mut self, conditions: Bits) -> bool {
        let new = conditions & !self.met;
        if new == 0 {
            return false;
        }
        self.met |= new;
        let mut fitting = 0;
        each(new, |condition| {
            each(self.plan.rows_with(condition), |row| {
                let unmet = self.row(row).map_or(1, |row| row.conditions & !self.met);
                fitting |= Bits::from(unmet == 0) << row;
            });
        });
        self.fitting |= fitting;
        fitting != 0
    }

    /// Adds the value of a member, for the conditions that need it. Returns a candidate as soon as `decided`
    /// does.
    fn note_value(
        &mut self,
        open: Bits,
        members: &mut Lookahead<'_>,
        decided: impl Fn(&Self) -> Option<Fit>,
    ) -> Result<Option<Fit>, DecodeError> {
        if members.enter() {
            while let Some(name) = members.name()? {
                let met = self.select(
                    open,
                    |test| matches!(test, Test::Nested(inner) if *inner == name),
                );
                if self.note_met(met)
                    && let Some(fit) = decided(self)
                {
                    return Ok(Some(fit));
                }
                members.value()?;
            }
        } else if let Some(value) = members.string()? {
            let met = self.select(
                open,
                |test| matches!(test, Test::OneOf(texts) if texts.contains(&value.as_ref())),
            );
            self.note_met(met);
        } else {
            members.value()?;
        }
        each(open & !self.met, |condition| {
            self.excluded |= self.plan.rows_with(condition);
        });
        Ok(decided(self))
    }

    /// Returns the only candidate that is not excluded, if its decoder checks all conditions.
    fn last_left(&self) -> Option<Fit> {
        let left = self.plan.all_rows() & !self.excluded;
        let row = self.row(left.trailing_zeros())?;
        (left.is_power_of_two() && !row.has_hint).then_some(Fit {
            name: row.name,
            is_only: true,
            unless: &[],
            guards: &[],
        })
    }

    /// Returns those of the given conditions whose tests are met.
    fn select(&self, open: Bits, is_met: impl Fn(&Test) -> bool) -> Bits {
        let mut met = 0;
        each(open, |condition| {
            let is_met = self.plan.test(condition).is_some_and(&is_met);
            met |= Bits::from(is_met) << condition;
        });
        met
    }

    fn row(&self, at: u32) -> Option<&'static Row> {
        self.plan.rows().get(at as usize)
    }

    /// Returns the first candidate that the object fits already, if each candidate before it is excluded,
    /// or requires a member or a value that its decoder refuses.
    fn decided(&self) -> Option<Fit> {
        self.chosen(self.fitting)
    }

    /// Returns the first of some candidates that is not excluded, if each candidate before it is excluded,
    /// or requires a member or a value that the decoder of this one refuses.
    fn chosen(&self, candidates: Bits) -> Option<Fit> {
        let candidates = candidates & !self.excluded;
        let row = self.row(candidates.trailing_zeros())?;
        let bit = candidates & candidates.wrapping_neg();
        let others = self.plan.all_rows() & !self.excluded & !bit;
        let earlier = others & (bit - 1);
        let guards = row.guards_against(earlier & !row.covered)?;
        Some(Fit {
            name: row.name,
            is_only: others == 0,
            unless: if earlier == 0 { &[] } else { row.unless },
            guards,
        })
    }

    /// Returns the first candidate that the object fits when all members are known.
    fn first(&self) -> Option<Fit> {
        let fitting = self.fitting & !self.excluded;
        let row = self.row(fitting.trailing_zeros())?;
        Some(Fit {
            name: row.name,
            is_only: fitting.is_power_of_two(),
            unless: &[],
            guards: &[],
        })
    }
}

/// Calls a function with the position of each bit that is set.
#[inline]
fn each(mut bits: Bits, mut call: impl FnMut(u32)) {
    while bits != 0 {
        call(bits.trailing_zeros());
        bits &= bits - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Candidate;
    use super::*;

    const ANY: Candidate = Candidate {
        name: "",
        required: &[],
        nested: &[],
        texts: &[],
        when: &[],
        owned: &[],
        unless: &[],
    };

    const CANDIDATES: &[Candidate] = &[
        Candidate {
            name: "One",
            required: &["a"],
            texts: &[("kind", &["one"])],
            ..ANY
        },
        Candidate {
            name: "Other",
            required: &["b"],
            owned: &["b"],
            ..ANY
        },
    ];

    static STRUCTS: Plan = Plan::new(CANDIDATES, &[("One", "object"), ("Other", "object")]);
    static MAPS: Plan = Plan::new(CANDIDATES, &[("One", "map"), ("Other", "map")]);

    /// The decoders of other types do not know which values to refuse.
    #[test]
    fn only_structs_are_chosen_before_all_members_are_known() {
        let text = r#"{"b": 1, "a": 1, "kind": "one"}"#;
        let fit = first_fit(text, &STRUCTS).unwrap();
        assert_eq!((fit.name, fit.is_only), ("Other", false));
        assert!(fit.refuses(text));
        assert!(!fit.refuses(r#"{"b": 1, "a": 1, "kind": "two"}"#));
        let fit = first_fit(text, &MAPS).unwrap();
        assert_eq!(fit.name, "One");
        assert!(!fit.refuses(text));
    }

    #[test]
    fn value_with_escapes_is_compared_without_them() {
        let fit = first_fit(r#"{"kind": "\u006fne", "a": 1}"#, &STRUCTS).unwrap();
        assert_eq!((fit.name, fit.is_only), ("One", false));
        // A backslash that is escaped itself.
        let fit = first_fit(r#"{"kind": "\\u006fne", "a": 1}"#, &STRUCTS).unwrap();
        assert_eq!((fit.name, fit.is_only), ("Other", true));
    }

    #[test]
    fn names_of_any_length_are_known() {
        const NAMED: &[Candidate] = &[
            Candidate {
                name: "Long",
                required: &["a name of more than 23 bytes"],
                ..ANY
            },
            Candidate {
                name: "Longer",
                required: &["a name that is even longer than the other one"],
                ..ANY
            },
            Candidate {
                name: "Short",
                required: &["b"],
                ..ANY
            },
        ];
        static PLAN: Plan = Plan::new(NAMED, &[]);
        for candidate in NAMED {
            let name = candidate.required[0];
            let fit = first_fit(&format!("{{\"{name}\": 1}}"), &PLAN).unwrap();
            assert_eq!(fit.name, candidate.name);
        }
        for unknown in [
            "",
            "a",
            "a name of more than 23 BYTES",
            "a name of less than 2",
        ] {
            assert!(first_fit(&format!("{{\"{unknown}\": 1}}"), &PLAN).is_none());
        }
    }

    #[test]
    fn candidate_with_a_hint_is_not_chosen_without_its_members() {
        const HINTED: &[Candidate] = &[
            Candidate {
                texts: &[("kind", &["one"])],
                ..CANDIDATES[0]
            },
            Candidate {
                name: "Hinted",
                when: &["c"],
                ..ANY
            },
        ];
        static PLAN: Plan = Plan::new(HINTED, &[("One", "object"), ("Hinted", "object")]);
        assert!(first_fit(r#"{"kind": "two", "a": 1}"#, &PLAN).is_none());
        let fit = first_fit(r#"{"kind": "two", "c": 1}"#, &PLAN).unwrap();
        assert_eq!(fit.name, "Hinted");
        // Without the hint, nothing else is left.
        let fit = first_fit(r#"{"kind": "two", "a": 1}"#, &STRUCTS).unwrap();
        assert_eq!((fit.name, fit.is_only), ("Other", true));
    }
}
