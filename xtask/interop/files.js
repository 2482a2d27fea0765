// What every client does with the example `files`, which speaks all proposals. The clients know none
// of them, and are not to be disturbed by what they add.

import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/// What peers of older revisions must not see anything of.
const ADDED = ['resourceType', 'kind', 'version', 'metadata', 'httpUrl', 'httpUrlExpiresAt'];

/// All resources, and how many pages they came in.
async function list(peer) {
  const isPage = (message) => message.result?.resources !== undefined;
  const before = peer.received.filter(isPage).length;
  const resources = [];
  let cursor;
  do {
    const page = await peer.client.listResources(cursor === undefined ? undefined : { cursor });
    resources.push(...page.resources);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return { resources, pages: peer.received.filter(isPage).length - before };
}

async function read(peer, uri) {
  const { contents } = await peer.client.readResource({ uri });
  return contents;
}

/// The checks, for this folder: it holds `hello.txt`, `picture.png`, `a b/c%.ts` and 300 files in
/// `many`.
export function files(folder) {
  return {
    async 'list: all pages'(peer) {
      const { resources, pages } = await list(peer);
      const uris = resources.map((resource) => resource.uri);
      assert.equal(new Set(uris).size, uris.length);
      assert.equal(uris.length, 306);
      assert.ok(pages > 5, `${pages} pages`);
      assert.ok(uris.includes('file:///a%20b/c%25.ts'));
      const hello = resources.find((resource) => resource.name === 'hello.txt');
      assert.equal(hello.mimeType, 'text/plain');
      assert.equal(hello.size, 5);
    },

    async 'read: text'(peer) {
      const [text, ...more] = await read(peer, 'file:///hello.txt');
      assert.equal(text.text, 'hello');
      assert.deepEqual(more, []);
    },

    async 'read: binary'(peer) {
      const [picture] = await read(peer, 'file:///picture.png');
      assert.equal(picture.mimeType, 'image/png');
      assert.deepEqual([...Buffer.from(picture.blob, 'base64')], [0x89, 0x50, 0x4e, 0x47, 0xff]);
    },

    async 'read: a folder gives its members'(peer) {
      const contents = await read(peer, 'file:///a%20b/');
      assert.deepEqual(contents.map(({ uri, text }) => [uri, text]), [
        ['file:///a%20b/c%25.ts', 'let c;'],
      ]);
    },

    async 'read: what is not there, and what is outside'(peer) {
      for (const uri of ['file:///none', 'file:///../secret', 'file:///..%2Fsecret']) {
        await assert.rejects(peer.client.readResource({ uri }));
        // As it came: version 2 tells its user one code for all revisions.
        const { error } = peer.received.findLast((message) => message.error);
        assert.equal(error.code, peer.modern ? -32602 : -32002, uri);
      }
    },

    async 'template and completion'(peer) {
      const { resourceTemplates } = await peer.client.listResourceTemplates();
      const uri = 'file:///{+path}';
      assert.deepEqual(resourceTemplates.map((template) => template.uriTemplate), [uri]);
      const complete = async (value) => {
        const ref = { type: 'ref/resource', uri };
        const params = { ref, argument: { name: 'path', value } };
        return (await peer.client.complete(params)).completion;
      };
      assert.deepEqual((await complete('a')).values, ['a b/']);
      assert.deepEqual((await complete('a b/')).values, ['a b/c%.ts']);
      const many = await complete('many/');
      assert.equal(many.values.length, 100);
      assert.equal(many.total, 300);
      assert.equal(many.hasMore, true);
    },

    async 'updated: heard of, and then read'(peer) {
      const uri = 'file:///hello.txt';
      const end = await peer.subscribe({ resourceSubscriptions: [uri] });
      for (const text of ['hello again', 'hello']) {
        const updated = peer.next('notifications/resources/updated');
        await writeFile(join(folder, 'hello.txt'), text);
        assert.equal((await updated).params.uri, uri);
        // The file was empty in between, which may have been told by itself.
        let now;
        do {
          [{ text: now }] = await read(peer, uri);
        } while (now === '');
        assert.equal(now, text);
      }
      await end();
    },

    async 'list changed: heard of, and then listed'(peer) {
      const end = await peer.subscribe({ resourcesListChanged: true });
      const listed = async () => {
        const { resources } = await list(peer);
        return resources.some((resource) => resource.uri === 'file:///new.txt');
      };
      let changed = peer.next('notifications/resources/list_changed');
      await writeFile(join(folder, 'new.txt'), 'new');
      await changed;
      assert.equal(await listed(), true);
      changed = peer.next('notifications/resources/list_changed');
      await rm(join(folder, 'new.txt'));
      await changed;
      assert.equal(await listed(), false);
      await end();
    },

    async 'no more than the client asked for'(peer) {
      const known = [
        'notifications/resources/updated',
        'notifications/resources/list_changed',
        'notifications/subscriptions/acknowledged',
      ];
      const told = peer.received.filter((message) => message.method !== undefined);
      assert.deepEqual(told.filter((message) => !known.includes(message.method)), []);
      const seen = peer.received.flatMap(({ result }) => [
        ...(result?.resources ?? []),
        ...(result?.contents ?? []),
      ]);
      assert.ok(seen.length > 300);
      for (const resource of seen) {
        if (peer.modern) {
          // It comes, and is not asked for.
          assert.ok(resource.resourceType, resource.uri);
          continue;
        }
        assert.deepEqual(ADDED.filter((member) => member in resource), [], resource.uri);
      }
    },
  };
}
