//! [`Comparison`]: compares values of a text with lists of checks.
//!
//! The comparisons that are under way are in a list rather than on the stack, because references may lead
//! through any number of schemas at each level of a value. An object or a list is compared with a table
//! once, whichever ways lead there, so that the time is linear in the length of the text.

use std::collections::HashMap;
use std::ops::Range;

use super::super::super::error::{DecodeError, Rule};
use super::super::Text;
use super::compare;
use super::goals::{Goal, Part};
use super::seen::Seen;
use super::tree::{Subject, Tree, View};
use super::{Check, Checks};

/// The comparisons of a value and of values inside it.
pub(super) struct Comparison {
    /// Where the value is in the text.
    range: Range<usize>,
    /// The value, or the error if it cannot be read.
    tree: Result<Tree, DecodeError>,
    known: Outcomes,
}

/// What the parts of a value were found to be.
#[derive(Default)]
struct Outcomes {
    /// Those of values with others inside, by the number of the value and the address of the table.
    lasting: HashMap<(usize, usize), Outcome>,
    /// Those of another value, by the address of the table.
    passing: HashMap<usize, Outcome>,
    /// This value.
    current: Option<Subject>,
}

/// What is known of a value and a table.
enum Outcome {
    /// They are being compared.
    Running,
    Fits(Seen),
    Fails(Box<Failure>),
}

/// A keyword that a part of a value does not fulfil.
#[derive(Clone)]
struct Failure {
    subject: Subject,
    check: &'static Check,
    /// How many parts or alternatives fitted.
    found: usize,
}

/// A value that is being compared with a list of checks.
struct Frame {
    goal: Goal,
    seen: Seen,
    /// The position of the check.
    check: usize,
    /// The goal of the check.
    step: usize,
    /// How many goals of the check were fulfilled.
    found: usize,
    /// Why the first of the others was not.
    first: Option<Failure>,
    /// What the goal of the step is about, while it is being compared.
    asked: Option<Part>,
}

/// What a frame needs next.
enum Next {
    Goal(Goal),
    Done(Result<Seen, Failure>),
}

/// A schema refers to itself, and says nothing else about the value on the way.
struct Endless;

impl Comparison {
    /// Reads the next value of a text, and leaves the text where it is.
    pub(super) fn read(text: &mut Text<'_>) -> Self {
        let from = text.offset();
        let start = text.position();
        let tree = Tree::read(text);
        // Values inside one that cannot be read are not read again.
        let range = from..text.offset().max(from + 1);
        text.rewind(start);
        Self {
            range,
            tree,
            known: Outcomes::default(),
        }
    }

    /// Returns `true` if the value at a position is a part of this one.
    pub(super) fn covers(&self, position: usize) -> bool {
        self.range.contains(&position)
    }

    /// Compares the value at a position with a list of checks.
    pub(super) fn compare(&mut self, checks: Checks, position: usize) -> Result<(), DecodeError> {
        let tree = match &self.tree {
            Ok(tree) => tree,
            // The outermost value has the error.
            Err(_) if position > self.range.start => return Ok(()),
            Err(error) => return Err(error.clone()),
        };
        let Some(id) = tree.find(position) else {
            return Err(DecodeError::data("the value is no part of the text"));
        };
        let goal = Goal {
            checks,
            subject: Subject::Value(id),
            is_table: true,
            part: Part::Whole,
        };
        match self.known.run(tree, goal) {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(failure)) => {
                let value = tree.view(failure.subject);
                let error = compare::error(failure.check, value, tree, failure.found);
                Err(tree.with_path(id, failure.subject, error))
            }
            Err(Endless) => Err(DecodeError::data(
                "the schema refers to itself without an end, so that no value can be compared with it",
            )
            .with_rule(Rule::Limit, [""; 0])),
        }
    }
}

impl Outcomes {
    fn run(&mut self, tree: &Tree, goal: Goal) -> Result<Result<Seen, Failure>, Endless> {
        let mut frames = Vec::new();
        let mut answer = self.enter(tree, &mut frames, goal)?;
        while let Some(frame) = frames.last_mut() {
            match frame.next(tree, answer.take()) {
                Next::Goal(goal) => match self.enter(tree, &mut frames, goal) {
                    Ok(known) => answer = known,
                    Err(endless) => {
                        for frame in frames.iter().filter(|frame| frame.goal.is_table) {
                            self.forget(tree, &frame.goal);
                        }
                        return Err(endless);
                    }
                },
                Next::Done(outcome) => {
                    if frame.goal.is_table {
                        self.note(tree, &frame.goal, &outcome);
                    }
                    frames.pop();
                    answer = Some(outcome);
                }
            }
        }
        Ok(answer.unwrap_or_else(|| Ok(Seen::default())))
    }

    /// Begins to compare a value, unless the outcome is known.
    fn enter(
        &mut self,
        tree: &Tree,
        frames: &mut Vec<Frame>,
        goal: Goal,
    ) -> Result<Option<Result<Seen, Failure>>, Endless> {
        if goal.checks.is_empty() {
            return Ok(Some(Ok(Seen::default())));
        }
        if goal.is_table {
            match self.get(tree, &goal) {
                Some(Outcome::Running) => return Err(Endless),
                Some(Outcome::Fits(seen)) => return Ok(Some(Ok(seen.clone()))),
                Some(Outcome::Fails(failure)) => return Ok(Some(Err((**failure).clone()))),
                None => self.insert(tree, &goal, Outcome::Running),
            }
        }
        frames.push(Frame::new(goal));
        Ok(None)
    }

    fn note(&mut self, tree: &Tree, goal: &Goal, outcome: &Result<Seen, Failure>) {
        let outcome = match outcome {
            Ok(seen) => Outcome::Fits(seen.clone()),
            Err(failure) => Outcome::Fails(Box::new(failure.clone())),
        };
        self.insert(tree, goal, outcome);
    }

    fn get(&mut self, tree: &Tree, goal: &Goal) -> Option<&Outcome> {
        match lasting(tree, goal.subject) {
            Some(id) => self.lasting.get(&(id, address(goal))),
            None => self.passing(goal.subject).get(&address(goal)),
        }
    }

    fn insert(&mut self, tree: &Tree, goal: &Goal, outcome: Outcome) {
        match lasting(tree, goal.subject) {
            Some(id) => self.lasting.insert((id, address(goal)), outcome),
            None => self.passing(goal.subject).insert(address(goal), outcome),
        };
    }

    fn forget(&mut self, tree: &Tree, goal: &Goal) {
        match lasting(tree, goal.subject) {
            Some(id) => self.lasting.remove(&(id, address(goal))),
            None => self.passing(goal.subject).remove(&address(goal)),
        };
    }

    /// Returns the outcomes of a value without others inside. While it is compared, no other value is.
    fn passing(&mut self, subject: Subject) -> &mut HashMap<usize, Outcome> {
        if self.current != Some(subject) {
            self.passing.clear();
            self.current = Some(subject);
        }
        &mut self.passing
    }
}

/// Returns the number of a value with others inside.
fn lasting(tree: &Tree, subject: Subject) -> Option<usize> {
    let Subject::Value(id) = subject else {
        return None;
    };
    let is_empty = match tree.value(id) {
        View::Array(items) => items.is_empty(),
        View::Object(members) => members.all.is_empty(),
        _ => true,
    };
    (!is_empty).then_some(id)
}

fn address(goal: &Goal) -> usize {
    goal.checks.as_ptr().addr()
}

impl Frame {
    fn new(goal: Goal) -> Self {
        Self {
            goal,
            seen: Seen::default(),
            check: 0,
            step: 0,
            found: 0,
            first: None,
            asked: None,
        }
    }

    /// Goes on until the outcome of another goal is needed. `answer` is the outcome of the last one.
    fn next(&mut self, tree: &Tree, answer: Option<Result<Seen, Failure>>) -> Next {
        let mut answer = answer;
        let checks = self.goal.checks;
        while let Some(check) = checks.get(self.check) {
            if let Some(answer) = answer.take()
                && let Err(failure) = self.answered(check, answer)
            {
                return Next::Done(Err(failure));
            }
            let subject = self.goal.subject;
            let value = tree.view(subject);
            if self.step == 0 && !compare::fits(check, value, tree) {
                return Next::Done(Err(self.failure(check)));
            }
            if let Some((step, goal)) = check.goal(subject, tree, self.step, self.found, &self.seen)
            {
                self.step = step;
                self.asked = Some(goal.part);
                return Next::Goal(goal);
            }
            if !check.accepts(value, self.found) {
                let first = self.first.take().filter(|_| self.found == 0);
                let own = matches!(check, Check::Contains(..) | Check::Not(_));
                let failure = first.filter(|_| !own);
                return Next::Done(Err(failure.unwrap_or_else(|| self.failure(check))));
            }
            (self.check, self.step, self.found) = (self.check + 1, 0, 0);
            self.first = None;
        }
        Next::Done(Ok(std::mem::take(&mut self.seen)))
    }

    /// Uses the outcome of the goal of a step, and goes on to the next one.
    fn answered(&mut self, check: &Check, answer: Result<Seen, Failure>) -> Result<(), Failure> {
        let is_demanded = check.demands(self.step);
        self.step += 1;
        match (answer, self.asked.take()) {
            (Ok(seen), part) => {
                self.found += 1;
                match part {
                    Some(Part::Whole) => self.seen.add(&seen),
                    Some(Part::Inner(at)) => self.seen.note(at),
                    Some(Part::Opposite | Part::Name) | None => {}
                }
            }
            (Err(failure), _) if is_demanded => return Err(failure),
            (Err(failure), _) => self.first = self.first.take().or(Some(failure)),
        }
        Ok(())
    }

    fn failure(&self, check: &'static Check) -> Failure {
        Failure {
            subject: self.goal.subject,
            check,
            found: self.found,
        }
    }
}
