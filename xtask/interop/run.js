// Runs checks, one after the other.

/// How long a check may take; each needs seconds at most.
const LIMIT = 20_000;

/// Thrown by a check that the server has nothing for.
export class Skip extends Error {}

/// Runs all checks, prints a line for each, and says whether the client is content. What the server
/// has nothing for is a failure, unless `lenient`.
export async function run(peer, checks, lenient) {
  const counts = { ok: 0, FAILED: 0, skipped: 0 };
  for (const [name, check] of Object.entries(checks)) {
    let outcome = 'ok';
    let why = '';
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('it takes too long')), LIMIT);
    });
    try {
      await Promise.race([check(peer), late]);
    } catch (error) {
      outcome = error instanceof Skip && lenient ? 'skipped' : 'FAILED';
      why = `: ${error.message}`;
    }
    clearTimeout(timer);
    counts[outcome] += 1;
    console.log(`${outcome.padEnd(7)} ${name}${why}`);
  }
  console.log(`${counts.ok} passed, ${counts.FAILED} failed, ${counts.skipped} skipped`);
  return counts.FAILED === 0;
}
