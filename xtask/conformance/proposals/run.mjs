#!/usr/bin/env node
// Adds the scenarios to a clone of the conformance suite and runs the suite's own command.
// Usage: run.mjs CLONE ARGUMENTS...

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = 'https://github.com/modelcontextprotocol/conformance';
const COMMIT = 'c321dd32035556e6769d3724a8ee97d87c3faaac';

/** The lists of the registry, and what is added to each: file and class. */
const ADDED = [
  [
    'const allClientScenariosList: ClientScenario[] = [',
    ['./server/resources-metadata', 'ResourcesMetadataScenario'],
    ['./server/resources-versions', 'ResourcesVersionsScenario'],
    ['./server/resources-urls', 'ResourcesUrlsScenario'],
    ['./server/icons', 'IconsScenario']
  ],
  [
    'const scenariosList: Scenario[] = [',
    ['./client/resources-collections', 'ResourcesCollectionsClientScenario'],
    ['./client/resources-urls', 'ResourcesUrlsClientScenario'],
    ['./client/resources-urls', 'IconsClientScenario']
  ]
];

const [clone, ...args] = process.argv.slice(2);
if (clone === undefined) {
  console.error('Usage: run.mjs CLONE server|client ARGUMENTS...');
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
for (const [list, ...added] of ADDED) {
  for (const [file, name] of added.toReversed()) {
    if (text.includes(`new ${name}()`)) continue;
    if (!text.includes(list)) throw new Error(`${registry}: expected \`${list}\``);
    text = `import { ${name} } from '${file}';\n${text}`.replace(list, `${list}\n  new ${name}(),`);
  }
}
writeFileSync(registry, text);

// Without the scripts of packages, which build the suite and install hooks for git.
if (!existsSync(join(clone, 'node_modules'))) run('npm', 'ci', '--ignore-scripts');
const tsx = join(clone, 'node_modules', 'tsx', 'dist', 'cli.mjs');
const { status } = spawnSync(process.execPath, [tsx, join(clone, 'src', 'index.ts'), ...args], {
  stdio: 'inherit'
});
process.exit(status ?? 1);
