//! Measures every candidate with every message, decoding and encoding.

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use types::Bench;
use types::corpus::{Message, messages};

struct Measure<'c>(BenchmarkGroup<'c, WallTime>);

impl Bench for Measure<'_> {
    fn take<'m, T>(
        &mut self,
        candidate: &'static str,
        message: &'m Message,
        decode: impl Fn(&'m str) -> anyhow::Result<T>,
        encode: impl Fn(&T, &mut Vec<u8>) -> anyhow::Result<()>,
        _right: impl Fn(&T) -> bool,
    ) -> anyhow::Result<()> {
        let decoded = decode(&message.text)?;
        // The buffer is reused: the cost of a new one of 1 MB depends on the history of the
        // allocator and would distort the comparison.
        let mut out = Vec::new();
        encode(&decoded, &mut out)?;
        // The result is dropped within the measured time, because a program has to do so, too.
        self.0
            .bench_function(BenchmarkId::new("decode", candidate), |bencher| {
                bencher.iter(|| decode(std::hint::black_box(&message.text)));
            });
        self.0
            .bench_function(BenchmarkId::new("encode", candidate), |bencher| {
                bencher.iter(|| {
                    out.clear();
                    encode(std::hint::black_box(&decoded), &mut out)
                });
            });
        Ok(())
    }
}

fn main() {
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .sample_size(20)
        .configure_from_args();
    for message in messages() {
        let mut group = criterion.benchmark_group(message.id());
        group.sampling_mode(SamplingMode::Flat);
        group.throughput(Throughput::Bytes(message.text.len() as u64));
        let mut measure = Measure(group);
        if let Err(why) = types::all(&message, &mut measure) {
            eprintln!("{}: {why:#}", message.id());
            std::process::exit(1);
        }
        measure.0.finish();
    }
    criterion.final_summary();
}
