// Headless Chromium, controlled by the DevTools protocol over a pipe.

import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/// How long anything may take, the start of Chromium included.
const LIMIT = 120_000;

/// Calls a function until it returns something, with pauses.
export async function until(what, find) {
  for (const end = Date.now() + LIMIT; Date.now() < end; ) {
    const found = await find();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`timed out: ${what}`);
}

/// A page, and the documents of all its frames.
export class Browser {
  #process;
  #profile;
  #ended;
  #answers = new Map();
  #last = 0;
  /// The documents: `{ session, id }`.
  #documents = [];
  /// The session of the page itself.
  #page;

  static async launch(chromium) {
    const browser = new Browser();
    const profile = mkdtempSync(join(process.cwd(), 'profile-'));
    const log = openSync('chromium.log', 'a');
    const flags = [
      '--headless',
      // The sandbox does not work for root, which is what CI often is.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--window-size=760,640',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
      'about:blank',
    ];
    // A group of its own, because Chromium is many processes. It reads from the descriptor 3, and
    // writes to 4.
    const options = { detached: true, stdio: ['ignore', log, log, 'pipe', 'pipe'] };
    browser.#profile = profile;
    browser.#process = spawn(chromium, flags, options);
    browser.#ended = new Promise((resolve) => browser.#process.once('exit', resolve));
    browser.#ended.then(() => browser.#fail('Chromium ended: see chromium.log'));
    browser.#process.once('error', (error) => browser.#fail(error.message));
    browser.#read(browser.#process.stdio[4]);
    const target = await until('a page', async () => {
      const { targetInfos } = await browser.send('Target.getTargets');
      return targetInfos.find((info) => info.type === 'page');
    });
    const attach = { targetId: target.targetId, flatten: true };
    browser.#page = (await browser.send('Target.attachToTarget', attach)).sessionId;
    await browser.#observe(browser.#page);
    return browser;
  }

  #fail(text) {
    for (const { reject } of this.#answers.values()) reject(new Error(text));
    this.#answers.clear();
  }

  #read(stream) {
    let text = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk) => {
      const messages = (text + chunk).split('\0');
      text = messages.pop();
      for (const message of messages) this.#receive(JSON.parse(message));
    });
  }

  #receive({ id, result, error, method, params, sessionId: session }) {
    if (id !== undefined) {
      const waiting = this.#answers.get(id);
      this.#answers.delete(id);
      if (error) waiting?.reject(new Error(error.message));
      else waiting?.resolve(result);
    } else if (method === 'Runtime.executionContextCreated') {
      this.#documents.push({ session, id: params.context.id });
    } else if (method === 'Runtime.executionContextsCleared') {
      this.#documents = this.#documents.filter((known) => known.session !== session);
    } else if (method === 'Target.attachedToTarget') {
      // A frame in another process.
      this.#observe(params.sessionId).catch(() => {});
    }
  }

  /// Collects the documents of a session, and those of its frames in other processes.
  async #observe(session) {
    await this.send('Runtime.enable', {}, session);
    const attach = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true };
    await this.send('Target.setAutoAttach', attach, session);
  }

  send(method, params = {}, session = undefined) {
    const id = ++this.#last;
    const message = JSON.stringify({ id, method, params, sessionId: session });
    return new Promise((resolve, reject) => {
      this.#answers.set(id, { resolve, reject });
      this.#process.stdio[3].write(`${message}\0`);
    });
  }

  async open(url) {
    await this.send('Page.enable', {}, this.#page);
    await this.send('Page.navigate', { url }, this.#page);
  }

  /// Returns the document in which an expression is true.
  find(expression) {
    return until(expression, async () => {
      for (const document of this.#documents) {
        const found = await this.evaluate(document, expression).catch(() => false);
        if (found) return document;
      }
      return undefined;
    });
  }

  /// Evaluates an expression in a document, and waits for it if it is a promise.
  async evaluate({ session, id }, expression) {
    const params = { expression, contextId: id, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails: thrown } = await this.send('Runtime.evaluate', params, session);
    if (thrown) throw new Error(thrown.exception?.description ?? thrown.text);
    return result.value;
  }

  /// Clicks at a position of the page.
  async click(x, y) {
    for (const type of ['mousePressed', 'mouseReleased']) {
      const event = { type, x, y, button: 'left', clickCount: 1 };
      await this.send('Input.dispatchMouseEvent', event, this.#page);
    }
  }

  /// Returns a picture of the page, in PNG.
  async screenshot() {
    const { data } = await this.send('Page.captureScreenshot', {}, this.#page);
    return Buffer.from(data, 'base64');
  }

  async close() {
    try {
      process.kill(-this.#process.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
    await this.#ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
