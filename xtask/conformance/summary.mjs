// Prints what `cargo xtask conformance` has left in a folder of results, as JSON with one line for each
// scenario: `node xtask/conformance/summary.mjs target/conformance/results > docs/conformance.json`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = process.argv[2];
const { dependencies } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const suite = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`).join(', ');

function* scenarios() {
  for (const file of readdirSync(root, { recursive: true })) {
    // Folders are named after the scenario and the time; those of runs through a gateway are others.
    const place = /^(client|server)\/(\d{4}-\d{2}-\d{2})\/(.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z\/checks\.json$/;
    const [, side, revision, scenario] = place.exec(file.replaceAll('\\', '/')) ?? [];
    if (!side) continue;
    const counts = {};
    for (const { status } of JSON.parse(readFileSync(join(root, file), 'utf8'))) {
      const name = status.toLowerCase();
      counts[name] = (counts[name] ?? 0) + 1;
    }
    yield { side, revision, scenario, ...counts };
  }
}

const order = (one) => [one.revision, one.side, one.scenario].join(' ');
const lines = [...scenarios()].sort((a, b) => (order(a) < order(b) ? -1 : 1)).map((one) => `  ${JSON.stringify(one)}`);
console.log(`{ "suite": "${suite}", "scenarios": [\n${lines.join(',\n')}\n] }`);
