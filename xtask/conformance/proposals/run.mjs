#!/usr/bin/env node
// Adds the scenarios to a clone of the conformance suite and runs the suite's own command.
// Usage: run.mjs CLONE ARGUMENTS...

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = 'https://github.com/modelcontextprotocol/conformance';
const COMMIT = 'c321dd32035556e6769d3724a8ee97d87c3faaac';

const SERVER = [
  ['./server/resources-metadata', 'ResourcesMetadataScenario'],
  ['./server/resources-versions', 'ResourcesVersionsScenario'],
  ['./server/resources-urls', 'ResourcesUrlsScenario'],
  ['./server/icons', 'IconsScenario']
];
const CLIENT = [
  ['./client/resources-collections', 'ResourcesCollectionsClientScenario'],
  ['./client/resources-urls', 'ResourcesUrlsClientScenario'],
  ['./client/resources-urls', 'IconsClientScenario']
];

/** The lists of the registry. Pending scenarios are not in the suite that runs by default. */
const LISTS = [
  ['const pendingClientScenariosList: ClientScenario[] = [', SERVER],
  ['const allClientScenariosList: ClientScenario[] = [', SERVER],
  ['const scenariosList: Scenario[] = [', CLIENT]
];

const [clone, ...args] = process.argv.slice(2);
if (clone === undefined) {
  console.error('Usage: run.mjs CLONE server|client ARGUMENTS...');
  process.exit(2);
}
if (Number.parseInt(process.versions.node) < 22) {
  console.error(`The suite needs Node.js 22 or later, found ${process.version}`);
  process.exit(2);
}
const run = (program, ...rest) => execFileSync(program, rest, { cwd: clone, stdio: 'inherit' });

if (!existsSync(clone)) {
  execFileSync('git', ['clone', REPOSITORY, clone], { stdio: 'inherit' });
  run('git', 'checkout', '--quiet', COMMIT);
}
const scenarios = join(clone, 'src', 'scenarios');
cpSync(join(dirname(fileURLToPath(import.meta.url)), 'scenarios'), scenarios, { recursive: true });

const registry = join(scenarios, 'index.ts');
let text = readFileSync(registry, 'utf8');
for (const [file, name] of [...SERVER, ...CLIENT]) {
  if (!text.includes(`import { ${name} }`)) text = `import { ${name} } from '${file}';\n${text}`;
}
for (const [list, added] of LISTS) {
  const entries = added.map(([, name]) => `\n  new ${name}(),`).join('');
  if (text.includes(list + entries)) continue;
  if (!text.includes(list)) throw new Error(`${registry}: expected \`${list}\``);
  text = text.replace(list, list + entries);
}
writeFileSync(registry, text);

// Without the scripts of packages, which build the suite and install hooks for git.
if (!existsSync(join(clone, 'node_modules'))) run('npm', 'ci', '--ignore-scripts');
const tsx = join(clone, 'node_modules', 'tsx', 'dist', 'cli.mjs');
const { status } = spawnSync(process.execPath, [tsx, join(clone, 'src', 'index.ts'), ...args], {
  stdio: 'inherit'
});
process.exit(status ?? 1);
