// What every client does with the example `sqlite`: notes in a database, which a tool changes. The
// clients do not know the proposals, by which a note has a version and a URL.

import assert from 'node:assert/strict';

/// Adds a note or replaces it. Returns its URI.
async function write(peer, name, kind, text) {
  const { content, isError } = await peer.call({ name: 'write', arguments: { name, kind, text } });
  assert.ok(!isError, JSON.stringify(content));
  return content[0].uri ?? `note://${name}`;
}

/// All notes, page by page, as they came: a client may join the pages, and leave out what it does
/// not know.
async function list(peer) {
  const before = peer.received.length;
  let cursor;
  do {
    const page = await peer.client.listResources(cursor === undefined ? undefined : { cursor });
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  const results = peer.received.slice(before).map((message) => message.result?.resources);
  return results.filter((page) => page !== undefined);
}

/// A name that no note has yet.
const unused = () => `new-${Date.now()}`;

/// The checks. `origin` is where the URLs of notes are served, if they have any.
export function notes(origin) {
  return {
    async 'write, list: several pages in order'(peer) {
      for (let number = 100; number < 160; number += 1) {
        await write(peer, `n${number}`, number % 2 ? 'list' : 'recipe', `note ${number}`);
      }
      const pages = await list(peer);
      assert.ok(pages.length > 1);
      assert.ok(pages.slice(0, -1).every((page) => page.length === 50));
      const names = pages.flat().map((note) => note.name);
      assert.deepEqual(names, [...new Set(names)].sort());
      assert.ok(names.includes('n100') && names.includes('n159'));
    },

    async 'read: the text, and its version for new clients'(peer) {
      const uri = await write(peer, 'read', 'list', 'märz');
      const { contents } = await peer.client.readResource({ uri });
      assert.equal(contents.length, 1);
      assert.equal(contents[0].text, 'märz');
      assert.equal(contents[0].mimeType, 'text/plain');
      const result = peer.received.findLast((message) => message.result?.contents).result;
      assert.equal(typeof result.contents[0].version, peer.modern ? 'string' : 'undefined');
      await assert.rejects(peer.client.readResource({ uri: 'note://none' }));
    },

    async 'write: an invalid name is an error of the tool'(peer) {
      const note = { name: 'Not valid', kind: 'list', text: '' };
      const { isError } = await peer.call({ name: 'write', arguments: note });
      assert.equal(isError, true);
    },

    async 'updated: heard of, and then read'(peer) {
      const uri = await write(peer, 'changing', 'list', 'one');
      const end = await peer.subscribe({ resourceSubscriptions: [uri] });
      const updated = peer.next('notifications/resources/updated');
      await write(peer, 'changing', 'list', 'two');
      assert.equal((await updated).params.uri, uri);
      const { contents } = await peer.client.readResource({ uri });
      assert.equal(contents[0].text, 'two');
      await end();
    },

    async 'list changed: heard of, and then listed'(peer) {
      const end = await peer.subscribe({ resourcesListChanged: true });
      const changed = peer.next('notifications/resources/list_changed');
      const uri = await write(peer, unused(), 'list', 'new');
      await changed;
      assert.ok((await list(peer)).flat().some((note) => note.uri === uri));
      await end();
    },

    async 'URL: the same text, until it changes'(peer) {
      const uri = await write(peer, 'by-url', 'list', 'first');
      const note = (await list(peer)).flat().find((note) => note.uri === uri);
      if (!peer.modern || origin === undefined) {
        assert.equal(note.httpUrl, undefined);
        return;
      }
      const url = new URL(new URL(note.httpUrl).pathname, origin);
      const first = await fetch(url);
      assert.equal(await first.text(), 'first');
      const headers = { 'If-None-Match': first.headers.get('ETag') };
      assert.equal((await fetch(url, { headers })).status, 304);
      await write(peer, 'by-url', 'list', 'second');
      const second = await fetch(url, { headers });
      assert.equal(second.status, 200);
      assert.equal(await second.text(), 'second');
    },
  };
}
