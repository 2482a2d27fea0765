// Shows the app of the example `apps` in headless Chromium, in frames as hosts use them, and uses it.
//
//     node apps.js URL HOST CHROMIUM
//
// URL is that of the server. HOST is the example `apps_host` of mcp-host, which reads the app and
// forwards its calls. The picture of the page is in `apps.png`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

import { Browser, until } from './devtools.js';

const [url, program, chromium] = process.argv.slice(2);

const host = spawn(program, [url], { stdio: ['pipe', 'pipe', 'inherit'] });
const answers = new Map();
let lastId = 0;
createInterface({ input: host.stdout }).on('line', (line) => {
  const { id, ...answer } = JSON.parse(line);
  answers.get(id)?.(answer);
});

function ask(question) {
  const id = ++lastId;
  host.stdin.write(`${JSON.stringify({ id, ...question })}\n`);
  return new Promise((resolve) => answers.set(id, resolve));
}

async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks));
}

/// What the pages ask of this program, besides the pages.
const asked = [];

const { result: app, error } = await ask({ open: 'sales' });
if (error) throw new Error(error);
console.log(`policy: ${app.policy}`);

// Chromium resolves every name below `localhost` to the loopback address by itself.
const pages = createServer(async (request, response) => {
  const name = request.headers.host?.split(':')[0];
  asked.push(`${request.method} ${name}${request.url}`);
  if (request.method === 'POST' && name === 'host.localhost') {
    const { name: call, arguments: args } = await body(request);
    response.end(JSON.stringify(await ask({ call, arguments: args })));
  } else if (request.url === '/app.json' && name === 'host.localhost') {
    response.end(JSON.stringify(app));
  } else if (request.url === '/' && name === 'host.localhost') {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(readFileSync('apps_host.html'));
  } else if (request.url === '/' && name === 'sandbox.localhost') {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.setHeader('Content-Security-Policy', app.policy);
    response.end(readFileSync('apps_sandbox.html'));
  } else {
    // Whatever an app may load would load.
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.end();
  }
});
pages.listen(0, '127.0.0.1');
await once(pages, 'listening');
const { port } = pages.address();

let failed = false;
function check(what, found, expected) {
  const [shown, wanted] = [JSON.stringify(found), JSON.stringify(expected)];
  const passed = shown === wanted;
  console.log(`${passed ? 'ok     ' : 'FAILED '} ${what}${passed ? '' : `: ${shown}, expected ${wanted}`}`);
  failed ||= !passed;
}

const texts = `[...document.querySelectorAll('text')].map((text) => text.textContent)`;
const place = (selector) => `(({ x, y, width, height }) => ({ x, y, width, height }))(
  document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`;

const browser = await Browser.launch(chromium);
try {
  await browser.open(`http://host.localhost:${port}/`);
  const view = await browser.find(`document.querySelectorAll('rect').length === 3`);
  const page = await browser.find(`location.host.startsWith('host.') && !!document.querySelector('iframe')`);
  const proxy = await browser.find(`location.host.startsWith('sandbox.') && !!document.querySelector('iframe')`);

  check('the chart shows the result of the tool', await browser.evaluate(view, texts), [
    '30', 'Apples', '12', 'Pears', '21', 'Plums',
  ]);
  check('the model gets its tools only', app.modelTools, ['sales', 'forecast']);

  // The frames grow when the app has reported its height, and until then the button is out of sight:
  // only a click that misses it is repeated.
  const firstClick = `document.querySelector('#add').addEventListener('click', (event) => {
    if (window.clicked) event.stopImmediatePropagation();
    window.clicked = true;
  }, { capture: true })`;
  await browser.evaluate(view, firstClick);
  await until('a click on the button', async () => {
    const frames = [
      await browser.evaluate(page, place('iframe')),
      await browser.evaluate(proxy, place('iframe')),
      await browser.evaluate(view, place('#add')),
    ];
    const button = frames.at(-1);
    const sum = (axis) => frames.reduce((total, frame) => total + frame[axis], 0);
    await browser.click(sum('x') + button.width / 2, sum('y') + button.height / 2);
    return browser.evaluate(view, 'window.clicked === true');
  });
  await until('another bar', () => browser.evaluate(view, `document.querySelectorAll('rect').length === 4`));
  check('the button calls the tool for apps, and the chart changes', await browser.evaluate(view, texts), [
    '30', 'Apples', '12', 'Pears', '21', 'Plums', '26', 'Cherries',
  ]);
  writeFileSync('apps.png', await browser.screenshot());
  const again = await ask({ call: 'sales', arguments: {} });
  check('the server has the sale', again.result?.structuredContent?.sales?.at(-1), {
    product: 'Cherries', amount: 26,
  });

  const call = (name) => `request('tools/call', { name: ${JSON.stringify(name)}, arguments: {} })
    .then(() => 'called', (error) => error.message)`;
  check('a tool for the model is refused', await browser.evaluate(view, call('forecast')),
    'apps may not call the tool `forecast`');
  check('an unknown tool is refused', await browser.evaluate(view, call('other')),
    'the server has no tool `other`');

  const blocked = (load) => `new Promise((resolve) => {
    addEventListener('securitypolicyviolation', (event) => resolve(event.effectiveDirective), { once: true });
    const loaded = () => resolve('loaded');
    ${load}
  })`;
  const secret = `'http://host.localhost:${port}/secret'`;
  const loads = [
    ['connect-src', `fetch(${secret}).then(loaded, () => {});`],
    ['img-src', `const image = new Image(); image.onload = image.onerror = loaded; image.src = ${secret};`],
    ['script-src-elem', `const script = document.createElement('script');
      script.onload = script.onerror = loaded; script.src = ${secret}; document.body.append(script);`],
    ['frame-src', `const frame = document.createElement('iframe'); frame.onload = () => setTimeout(loaded, 1000);
      frame.src = ${secret}; document.body.append(frame);`],
  ];
  for (const [directive, load] of loads) {
    check(`the policy has ${directive}`, await browser.evaluate(view, blocked(load)), directive);
  }
  check('nothing else was requested', asked.filter((line) => line.includes('secret')), []);
  const reach = `try { String(window.parent.document) } catch (error) { error.name }`;
  check('the frame cannot reach its parent', await browser.evaluate(view, reach), 'SecurityError');
} catch (error) {
  console.log(`FAILED  ${error.message}`);
  failed = true;
} finally {
  await browser.close();
  pages.close();
  host.stdin.end();
}
process.exit(failed ? 1 : 0);
