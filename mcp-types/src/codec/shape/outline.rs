//! Selects a candidate from the text of an object, before anything of it is decoded.

use super::super::super::error::DecodeError;
use super::super::super::json::text::{Lookahead, is_one_of};
use super::super::members::Refused;
use super::plan::{Bits, Plan, Row, Test};

/// The candidate as which an object is decoded first.
pub(super) struct Fit {
    pub(super) name: &'static str,
    /// `false` if the object may fit another candidate, too.
    pub(super) is_only: bool,
    /// Members with which the object may fit an earlier candidate.
    pub(super) unless: &'static [&'static str],
    /// A member, and strings with which the object may fit an earlier candidate.
    pub(super) refused: Option<&'static Refused>,
}

/// Returns the first candidate that an object fits, given the text from the object on. Returns `None`
/// if there is none, or if the text is not valid.
///
/// Stops as soon as the result is known: when a candidate fits, or the object has a member that only one
/// candidate declares, and each candidate before it either is excluded by a member that was read, or
/// requires a member or a string that the decoder of that candidate refuses.
pub(super) fn first_fit(text: &str, plan: &'static Plan) -> Option<Fit> {
    let mut outline = Outline {
        plan,
        met: 0,
        fitting: plan.unconditional,
        excluded: 0,
    };
    let mut members = Lookahead::new(text);
    while let Some(name) = members.name().ok()? {
        let Some(known) = plan.member(&name) else {
            members.value().ok()?;
            continue;
        };
        if known.owner != 0
            && let Some(fit) = outline.owner(known.owner)
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
        } else if let Some(fit) = outline.note_value(known.value, &mut members).ok()? {
            return Some(fit);
        }
    }
    outline.first()
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

    /// Adds the value of a member, for the conditions that need it. Returns a candidate as soon as the
    /// object fits it.
    fn note_value(
        &mut self,
        open: Bits,
        members: &mut Lookahead<'_>,
    ) -> Result<Option<Fit>, DecodeError> {
        if members.enter() {
            while let Some(name) = members.name()? {
                let met = self.select(
                    open,
                    |test| matches!(test, Test::Nested(inner) if *inner == name),
                );
                if self.note_met(met)
                    && let Some(fit) = self.decided()
                {
                    return Ok(Some(fit));
                }
                members.value()?;
            }
        } else {
            let value = members.value()?;
            let met = self.select(
                open,
                |test| matches!(test, Test::OneOf(texts) if is_one_of(value, texts)),
            );
            self.note_met(met);
        }
        each(open & !self.met, |condition| {
            self.excluded |= self.plan.rows_with(condition);
        });
        Ok(self.decided())
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
    /// or requires a member that its decoder refuses.
    fn decided(&self) -> Option<Fit> {
        let fitting = self.fitting & !self.excluded;
        let row = self.row(fitting.trailing_zeros())?;
        self.chosen(row, fitting & fitting.wrapping_neg())
    }

    /// Returns the candidate that owns the current member, given its bit.
    fn owner(&self, bit: Bits) -> Option<Fit> {
        let row = self.row((bit & !self.excluded).trailing_zeros())?;
        self.chosen(row, bit)
    }

    /// Returns a candidate, given its bit, if each candidate before it is excluded, or requires a member
    /// or a string that the decoder of this one refuses.
    fn chosen(&self, row: &'static Row, bit: Bits) -> Option<Fit> {
        let others = self.plan.all_rows() & !self.excluded & !bit;
        let earlier = others & (bit - 1);
        (earlier & !(row.covered | row.refusing) == 0).then_some(Fit {
            name: row.name,
            is_only: others == 0,
            unless: if earlier == 0 { &[] } else { row.unless },
            refused: row.refused.as_ref().filter(|_| earlier & row.refusing != 0),
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
            refused: None,
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
