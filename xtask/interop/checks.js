// What every client does with the example `everything`, whatever its version and the transport. A
// client comes as a `peer`; see `peer.js`.

import assert from 'node:assert/strict';

import { Skip } from './run.js';

const WATCHED = 'test://watched-resource';

const text = (result) => result.content?.[0]?.text;
const call = (peer, name, args = {}, options) => peer.call({ name, arguments: args }, options);

async function need(peer, name) {
  const tool = (await peer.tools()).find((tool) => tool.name === name);
  if (!tool) throw new Skip(`no tool ${name}`);
  return tool;
}

async function code(promise) {
  return promise.then(
    () => assert.fail('expected an error'),
    (error) => error.code,
  );
}

export const CHECKS = {
  async 'server says who it is'(peer) {
    assert.ok(peer.client.getServerVersion()?.name);
    for (const capability of ['tools', 'resources', 'prompts', 'completions']) {
      assert.ok(peer.client.getServerCapabilities()[capability], capability);
    }
  },

  async 'list tools'(peer) {
    const tools = await peer.tools();
    const names = tools.map((tool) => tool.name);
    assert.ok(names.includes('test_simple_text'), names.join());
    assert.equal(new Set(names).size, names.length);
    assert.ok(tools.every((tool) => tool.inputSchema.type === 'object' && tool.description));
  },

  async 'call: text, without arguments'(peer) {
    const result = await peer.call({ name: 'test_simple_text' });
    assert.equal(text(result), 'This is a simple text response for testing.');
  },

  async 'call: image, audio, embedded resource, mixed'(peer) {
    const kinds = async (name) => (await call(peer, name)).content.map((block) => block.type);
    assert.deepEqual(await kinds('test_image_content'), ['image']);
    assert.deepEqual(await kinds('test_audio_content'), ['audio']);
    assert.deepEqual(await kinds('test_embedded_resource'), ['resource']);
    assert.deepEqual(await kinds('test_multiple_content_types'), ['text', 'image', 'resource']);
  },

  async 'call: structured content'(peer) {
    const tool = await need(peer, 'test_structured_content');
    assert.equal(tool.outputSchema.type, 'object');
    const result = await call(peer, tool.name, { a: 2, b: 3.5 });
    assert.deepEqual(result.structuredContent, { sum: 5.5 });
  },

  async 'call: error of a tool is a result'(peer) {
    const result = await call(peer, 'test_error_handling');
    assert.equal(result.isError, true);
    assert.match(text(result), /intentionally/);
  },

  async 'call: bad arguments are told by name'(peer) {
    // A result with isError, or an error: which one is the revision's choice.
    const said = await call(peer, 'test_elicitation', { message: 7 }).then(
      (result) => (assert.equal(result.isError, true), text(result)),
      (error) => (assert.equal(error.code, -32602), error.message + JSON.stringify(error.data)),
    );
    assert.match(said, /message/);
  },

  async 'call: unknown tool is an error'(peer) {
    assert.equal(await code(call(peer, 'no_such_tool')), -32602);
  },

  async 'call: parameter that travels in a header'(peer) {
    const carries = (property) => property['x-mcp-header'] !== undefined;
    const found = (await peer.tools())
      .map((tool) => [tool, Object.entries(tool.inputSchema.properties ?? {})])
      .find(([, properties]) => properties.some(([, property]) => carries(property)));
    if (!found) throw new Skip('no tool with x-mcp-header');
    const [tool, properties] = found;
    const [name] = properties.find(([, property]) => carries(property));
    for (const value of ['west', ' Zürich ']) {
      const result = await call(peer, tool.name, { [name]: value });
      assert.ok(!result.isError, text(result));
    }
  },

  async 'resources: list, read text and binary'(peer) {
    const { resources } = await peer.client.listResources();
    const uris = resources.map((resource) => resource.uri);
    assert.ok(uris.includes('test://static-text') && uris.includes('test://static-binary'));
    const plain = await peer.client.readResource({ uri: 'test://static-text' });
    assert.equal(plain.contents[0].text, 'This is the content of the static text resource.');
    const binary = await peer.client.readResource({ uri: 'test://static-binary' });
    assert.equal(Buffer.from(binary.contents[0].blob, 'base64').toString('latin1', 1, 4), 'PNG');
  },

  async 'resources: template'(peer) {
    const { resourceTemplates } = await peer.client.listResourceTemplates();
    const templates = resourceTemplates.map((template) => template.uriTemplate);
    assert.ok(templates.includes('test://template/{id}/data'));
    const { contents } = await peer.client.readResource({ uri: 'test://template/a7/data' });
    assert.equal(contents[0].uri, 'test://template/a7/data');
    assert.equal(JSON.parse(contents[0].text).id, 'a7');
  },

  async 'resources: unknown one is an error'(peer) {
    await assert.rejects(peer.client.readResource({ uri: 'test://nowhere' }));
    // As it came: version 2 tells its user one code for all revisions.
    const { error } = peer.received.findLast((message) => message.error);
    assert.equal(error.code, peer.modern ? -32602 : -32002);
  },

  async 'prompts: list and get'(peer) {
    const { prompts } = await peer.client.listPrompts();
    const prompt = prompts.find((prompt) => prompt.name === 'test_prompt_with_arguments');
    assert.deepEqual(
      prompt.arguments.map((argument) => [argument.name, argument.required]),
      [['arg1', true], ['arg2', true]],
    );
    const simple = await peer.client.getPrompt({ name: 'test_simple_prompt' });
    assert.equal(simple.messages[0].content.text, 'This is a simple prompt for testing.');
    const { messages } = await peer.client.getPrompt({
      name: 'test_prompt_with_arguments',
      arguments: { arg1: 'one', arg2: 'two' },
    });
    assert.equal(messages[0].content.text, "Prompt with arguments: arg1='one', arg2='two'");
  },

  async 'prompts: missing argument and unknown prompt are errors'(peer) {
    const get = (name) => peer.client.getPrompt({ name, arguments: { arg1: 'one' } });
    assert.equal(await code(get('test_prompt_with_arguments')), -32602);
    assert.equal(await code(get('no_such_prompt')), -32602);
  },

  async 'complete'(peer) {
    const values = async (ref, name, value) =>
      (await peer.client.complete({ ref, argument: { name, value } })).completion.values;
    const prompt = { type: 'ref/prompt', name: 'test_prompt_with_arguments' };
    assert.deepEqual(await values(prompt, 'arg1', 'par'), ['paris', 'park', 'party']);
    const template = { type: 'ref/resource', uri: 'test://template/{id}/data' };
    assert.deepEqual(await values(template, 'id', '12'), ['12', '123']);
  },

  async 'progress'(peer) {
    const told = [];
    const before = peer.received.length;
    const onprogress = ({ progress }) => told.push(progress);
    await call(peer, 'test_tool_with_progress', {}, { onprogress });
    const steps = peer.received
      .slice(before)
      .filter((message) => message.method === 'notifications/progress')
      .map(({ params }) => [params.progress, params.total]);
    assert.deepEqual(steps, [[0, 100], [50, 100], [100, 100]]);
    // The clients forget a step that comes together with the result.
    assert.deepEqual(told.slice(0, 2), [0, 50]);
  },

  async 'log: at the level asked for'(peer) {
    const logged = async (level) => {
      const before = peer.count('notifications/message');
      await peer.callAtLevel(level, { name: 'test_tool_with_logging', arguments: {} });
      return peer.count('notifications/message') - before;
    };
    assert.ok((await logged('debug')) >= 3);
    assert.equal(await logged('error'), 0);
  },

  async 'elicit: accept and decline'(peer) {
    peer.answer.elicit = ({ message, requestedSchema }) => {
      assert.equal(message, 'Who are you?');
      assert.equal(requestedSchema.type, 'object');
      return { action: 'accept', content: { username: 'ada', email: 'ada@example.com' } };
    };
    const args = { message: 'Who are you?' };
    const accepted = text(await call(peer, 'test_elicitation', args));
    assert.match(accepted, /action=accept.*ada@example\.com/);
    peer.answer.elicit = () => ({ action: 'decline' });
    assert.match(text(await call(peer, 'test_elicitation', args)), /action=decline/);
  },

  async 'elicit: defaults and enums'(peer) {
    let asked;
    peer.answer.elicit = ({ requestedSchema }) => {
      asked = requestedSchema.properties;
      return { action: 'accept', content: {} };
    };
    await call(peer, 'test_elicitation_sep1034_defaults');
    assert.deepEqual(
      ['name', 'age', 'score', 'status', 'verified'].map((name) => asked[name].default),
      ['John Doe', 30, 95.5, 'active', true],
    );
    await call(peer, 'test_elicitation_sep1330_enums');
    assert.ok(asked.untitledSingle.enum && asked.titledSingle.oneOf && asked.legacyEnum.enumNames);
    assert.ok(asked.untitledMulti.items.enum && asked.titledMulti.items.anyOf);
  },

  async 'sample'(peer) {
    peer.answer.sample = ({ messages, maxTokens }) => {
      assert.equal(maxTokens, 100);
      const [{ content }] = messages;
      const block = { type: 'text', text: `you said ${[content].flat()[0].text}` };
      return { role: 'assistant', model: 'none', stopReason: 'endTurn', content: block };
    };
    const result = await call(peer, 'test_sampling', { prompt: 'hello' });
    assert.equal(text(result), 'LLM response: you said hello');
  },

  async 'roots'(peer) {
    await need(peer, 'test_input_required_result_list_roots');
    peer.answer.roots = () => ({ roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }] });
    const result = await call(peer, 'test_input_required_result_list_roots');
    assert.match(text(result), /2 root/);
  },

  async 'several rounds'(peer) {
    await need(peer, 'test_input_required_result_multi_round');
    const asked = [];
    peer.answer.elicit = ({ message }) => {
      asked.push(message);
      const content = asked.length === 1 ? { name: 'Ada' } : { color: 'blue' };
      return { action: 'accept', content };
    };
    const said = text(await call(peer, 'test_input_required_result_multi_round'));
    assert.equal(asked.length, 2, 'each question is asked once');
    assert.match(said, /Ada.*blue/);
  },

  async 'several questions at once'(peer) {
    await need(peer, 'test_input_required_result_multiple_inputs');
    peer.answer.elicit = () => ({ action: 'accept', content: { name: 'Ada' } });
    peer.answer.sample = () => {
      const content = { type: 'text', text: 'Good day' };
      return { role: 'assistant', model: 'none', stopReason: 'endTurn', content };
    };
    peer.answer.roots = () => ({ roots: [{ uri: 'file:///a' }] });
    const said = text(await call(peer, 'test_input_required_result_multiple_inputs'));
    assert.match(said, /Ada/);
    assert.match(said, /Good day/);
  },

  async 'prompt that asks'(peer) {
    const name = 'test_input_required_result_prompt';
    const { prompts } = await peer.client.listPrompts();
    if (!prompts.some((prompt) => prompt.name === name)) throw new Skip(`no prompt ${name}`);
    peer.answer.elicit = () => ({ action: 'accept', content: { context: 'tea time' } });
    const { messages } = await peer.client.getPrompt({ name });
    assert.match(messages[0].content.text, /tea time/);
  },

  async 'subscribe to a resource'(peer) {
    const updated = peer.next('notifications/resources/updated');
    const end = await peer.subscribe({ resourceSubscriptions: [WATCHED] });
    assert.equal((await updated).params.uri, WATCHED);
    await end();
  },

  async 'changes of lists are announced'(peer) {
    await need(peer, 'test_trigger_tool_change');
    for (const [kind, filter] of [['tool', 'toolsListChanged'], ['prompt', 'promptsListChanged']]) {
      const end = await peer.subscribe({ [filter]: true });
      const changed = peer.next(`notifications/${kind}s/list_changed`);
      await call(peer, `test_trigger_${kind}_change`);
      await changed;
      await end();
    }
  },

  async 'cancel'(peer) {
    // The answer may be on its way already when a busy server learns that it is not wanted.
    let answered = true;
    for (let attempt = 0; answered && attempt < 5; attempt += 1) {
      const controller = new AbortController();
      let steps = 0;
      const cancelled = call(peer, 'test_tool_with_progress', {}, {
        signal: controller.signal,
        onprogress: () => {
          steps += 1;
          controller.abort('enough');
        },
      });
      await assert.rejects(cancelled);
      assert.equal(steps, 1);
      const id = peer.lastRequest('tools/call');
      // The second call ends after the first one would have.
      await call(peer, 'test_tool_with_progress');
      answered = peer.answered(id);
    }
    assert.equal(answered, false, 'each cancelled request was answered');
  },

  async 'many at once'(peer) {
    const one = async (number) => {
      const args = { arg1: `${number}`, arg2: 'x' };
      const params = { name: 'test_prompt_with_arguments', arguments: args };
      const { messages } = await peer.client.getPrompt(params);
      assert.ok(messages[0].content.text.includes(`arg1='${number}'`));
    };
    const slow = call(peer, 'test_tool_with_progress');
    await Promise.all(Array.from({ length: 100 }, (_, number) => one(number)));
    assert.ok(!(await slow).isError);
  },
};
