import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { Script } from '../../src/models/scripted.ts';
import { textOf } from '../support/kernel.ts';
import { call, toolTexts } from '../support/loop-stage.ts';
import { fenced, mcpStage, type McpStage } from '../support/mcp-stage.ts';
import { hostTools, toolText, toolValue, type ToolHost } from '../support/tool-host.ts';

// Defects of another agent runtime. Each test shows that this project does not have one of them.

let host: ToolHost;
before(async () => {
  const title = { type: 'string' };
  host = await hostTools({
    create: {
      inputSchema: {
        type: 'object',
        properties: { title, fields: { type: 'object' }, labels: { type: 'array', items: title } },
        required: ['title'],
      },
      outputSchema: { type: 'object', properties: { issue: { type: 'object' } }, required: ['issue'] },
      run: ({ title: named = '', fields = {}, labels = [] }) =>
        toolValue({ issue: { url: `https://example.com/${textOf(named)}`, fields, labels } }),
    },
    post: {
      inputSchema: { type: 'object', properties: { text: title }, required: ['text'] },
      run: ({ text }) => toolText(`posted ${textOf(text ?? '')}`),
    },
    fail: { run: () => ({ ...toolText('No.'), isError: true }) },
    hang: { run: () => new Promise(() => undefined) },
  });
});
after(() => host[Symbol.asyncDispose]());
beforeEach(() => {
  host.calls.length = 0;
});

const stage = (
  script: Script,
  sections: Readonly<Record<string, string>> = {},
  timeoutSeconds = 60,
): McpStage => mcpStage(script, { servers: { git: { url: host.url, timeoutSeconds } }, sections });

describe('a script of an MCP skill', () => {
  const script =
    '@issue git.create title=$input\n@said git.post text=$issue.issue.url\n@last final_answer $said';

  test('only schedules its calls, so that no result reaches a later step', async () => {
    await using on = stage([], { Script: fenced(script) });
    assert.equal((await on.ask('bell')).result.text, 'posted https://example.com/bell');
    assert.deepEqual(host.calls, ['create {"title":"bell"}', 'post {"text":"https://example.com/bell"}']);
  });

  test('is not found under the heading that the documentation gives, and a model is asked', async () => {
    await using on = stage([], { 'Plan SOPlang': fenced(script) });
    assert.equal((await on.ask('bell')).result.text, 'posted https://example.com/bell');
    assert.equal(on.model.requests.length, 0);
  });

  test('continues with later steps when one failed', async () => {
    await using on = stage([], { Script: fenced('@a git.fail\n@b git.post text=$a\n@c final_answer $b') });
    const { result } = await on.ask();
    assert.equal(result.error?.code, 'server.failed');
    assert.deepEqual(host.calls, ['fail {}']);
  });

  test('may call ten tools at the most, or four times as many as there are', async () => {
    const steps = Array.from({ length: 40 }, (_, index) => `@s${index} git.post text=n${index}`);
    await using on = stage([], { Script: fenced([...steps, '@last final_answer $s39'].join('\n')) });
    assert.equal((await on.ask()).result.text, 'posted n39');
    assert.equal(host.calls.length, 40);
  });

  test('sends whatever it is given, and waits for ever for an answer', async () => {
    await using wrong = stage([], { Script: fenced('@a git.create labels=x\n@b final_answer $a') });
    assert.equal((await wrong.ask()).result.status, 'failed');
    assert.deepEqual(host.calls, []);
    await using slow = stage([], { Script: fenced('@a git.hang\n@b final_answer $a') }, 1);
    assert.equal((await slow.ask()).result.error?.code, 'limit.time');
  });
});

describe('a model that uses tools', () => {
  test('can pass nothing but texts: objects are replaced by the prompt', async () => {
    const input = { title: 'bell', fields: { size: { inches: 28, spare: null } }, labels: ['a', 'b'] };
    await using on = stage([{ calls: [call('git-create', input)] }, 'Done.']);
    await on.ask();
    assert.deepEqual(host.calls, [`create ${JSON.stringify(input)}`]);
  });

  test('gets three steps, planned before it has seen a result', async () => {
    const turns = Array.from({ length: 12 }, (_, index) => ({
      calls: [call('git-post', { text: `n${index}` })],
    }));
    await using on = stage([...turns, 'Done.']);
    assert.equal((await on.ask()).result.text, 'Done.');
    assert.equal(host.calls.length, 12);
    assert.match(toolTexts(on.model.requests[1]).join(), /posted n0/);
  });

  test('has a tool under every spelling of its name', async () => {
    await using on = stage(['Done.'], { 'Allowed Tools': '- git.Post\n- git.create' });
    const { notes } = await on.ask();
    assert.deepEqual(on.offered(), [['git-create']]);
    assert.match(notes.join(), /"git\.Post".*Did you mean "git\.post"/);
  });
});
