//! Samples the server's memory, the time that its threads wait for a processor, and how long they
//! run without a pause.

use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::machine::{self, Times};

const INTERVAL: Duration = Duration::from_millis(20);

/// A thread of this process that samples the server until this value is dropped or finished.
pub(crate) struct Sampler {
    stop: Arc<AtomicBool>,
    samples: Arc<Mutex<Samples>>,
    thread: Option<JoinHandle<()>>,
}

/// The sampled values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples {
    /// The most resident memory of all samples, in bytes.
    pub(crate) peak: Option<u64>,
    /// The longest processor time that a thread of the runtime used without a pause.
    pub(crate) longest_run: Duration,
    /// The time of each sample, with the total time that the machine had let the server wait until
    /// then.
    waits: Vec<(Instant, Duration)>,
}

impl Samples {
    /// Returns how long the machine let the server wait for a processor within an interval.
    pub(crate) fn wait(&self, from: Instant, to: Instant) -> Duration {
        // Includes one more sample on each side, because a wait is only recorded when it is over.
        let first = self.waits.partition_point(|(at, _)| *at < from);
        let last = self.waits.partition_point(|(at, _)| *at < to);
        let total = |at: usize| self.waits.get(at).map(|(_, total)| *total);
        let before = first.checked_sub(1).and_then(total).unwrap_or_default();
        let after = total(last)
            .or_else(|| self.waits.last().map(|(_, total)| *total))
            .unwrap_or_default();
        after.saturating_sub(before)
    }
}

impl Sampler {
    pub(crate) fn start(pid: Option<&str>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let samples = Arc::new(Mutex::new(Samples::default()));
        let thread = pid.map(|pid| {
            let (pid, stop, samples) = (pid.to_owned(), Arc::clone(&stop), Arc::clone(&samples));
            thread::spawn(move || {
                let mut threads = Threads::of(&pid);
                while !stop.load(Ordering::Relaxed) {
                    let memory = process::memory(&pid).ok();
                    let waited = threads.look();
                    {
                        let mut samples = samples.lock().unwrap_or_else(PoisonError::into_inner);
                        samples.peak = samples.peak.max(memory);
                        let total = samples.waits.last().map_or(Duration::ZERO, |last| last.1);
                        samples.waits.push((Instant::now(), total + waited));
                        samples.longest_run = threads.longest_run;
                    }
                    thread::sleep(INTERVAL);
                }
            })
        });
        Self {
            stop,
            samples,
            thread,
        }
    }

    /// Stops the thread and returns its samples.
    pub(crate) fn finish(mut self) -> Samples {
        self.join();
        let samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        samples.clone()
    }

    fn join(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // The thread does not panic in practice, and its samples would still be valid.
            let _ = thread.join();
        }
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.join();
    }
}

/// The threads of a process.
struct Threads {
    folder: String,
    /// The threads that exist from the start: the main thread and the workers of the runtime. Good
    /// calls wait for these.
    first: Vec<Thread>,
    longest_run: Duration,
    /// The processor time of all other threads so far.
    others: Duration,
}

impl Threads {
    fn of(pid: &str) -> Self {
        let folder = format!("/proc/{pid}/task");
        let mut threads = Self {
            first: names(&folder).map(Thread::new).collect(),
            longest_run: Duration::ZERO,
            others: Duration::ZERO,
            folder,
        };
        threads.look();
        threads
    }

    /// Returns how long the threads waited for a processor since the last sample. Time in which
    /// other threads of the same process used a processor is not counted, because then the server
    /// delayed itself.
    fn look(&mut self) -> Duration {
        // A thread that did not pause may have been busy with one message: its waits delayed good
        // calls only if no other thread handled them.
        let (mut paused, mut busy) = (None, None);
        for thread in &mut self.first {
            let seen = thread.look(&self.folder);
            self.longest_run = self.longest_run.max(thread.run);
            if seen.paused {
                paused = paused.max(Some(seen.waited));
            } else if seen.active {
                let least = busy.map_or(seen.waited, |least: Duration| least.min(seen.waited));
                busy = Some(least);
            }
        }
        let waited = paused.or(busy).unwrap_or_default();
        let others: Duration = names(&self.folder)
            .filter(|name| !self.first.iter().any(|first| first.name == *name))
            .filter_map(|name| machine::schedstat(&format!("{}/{name}/schedstat", self.folder)))
            .map(|times| times.ran)
            .sum();
        // The sum is smaller if a thread has ended meanwhile.
        let used = others.saturating_sub(self.others);
        self.others = others;
        waited.saturating_sub(used)
    }
}

/// The activity of a thread between two samples.
struct Seen {
    /// How long it waited for a processor.
    waited: Duration,
    /// `true` if it paused voluntarily.
    paused: bool,
    /// `true` if it ran or waited to run.
    active: bool,
}

/// A thread of a process.
struct Thread {
    name: String,
    /// The times at the last sample.
    last: Option<Times>,
    /// The number of voluntary pauses at the last sample: a worker pauses when it has nothing to
    /// do.
    pauses: Option<u64>,
    /// Processor time since the last sample in which a pause was seen.
    run: Duration,
}

impl Thread {
    fn new(name: String) -> Self {
        Self {
            name,
            last: None,
            pauses: None,
            run: Duration::ZERO,
        }
    }

    /// Returns the activity since the last sample.
    fn look(&mut self, folder: &str) -> Seen {
        let file = |file| format!("{folder}/{}/{file}", self.name);
        let now = machine::schedstat(&file("schedstat"));
        let pauses = machine::pauses(&file("status"));
        let (mut ran, mut waited) = (Duration::ZERO, Duration::ZERO);
        if let (Some(now), Some(last)) = (now, self.last) {
            waited = now.waited.saturating_sub(last.waited);
            ran = now.ran.saturating_sub(last.ran);
        }
        let has_paused = pauses != self.pauses;
        if has_paused {
            self.run = Duration::ZERO;
        } else {
            self.run += ran;
        }
        (self.last, self.pauses) = (now, pauses);
        Seen {
            waited,
            paused: has_paused,
            active: !(ran + waited).is_zero(),
        }
    }
}

fn names(folder: &str) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok())
}
