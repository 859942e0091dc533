import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ofType, yesPolicy } from '../../../test/support/kernel.ts';
import { hostTools, toolText, toolValue, type ToolHost } from '../../../test/support/tool-host.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { defaultPorts } from '../../config/defaults.ts';
import type { RunResult } from '../../core/run.ts';
import type { HttpServer } from '../../core/servers/tool-server.ts';
import { createScriptedModel, type Script } from '../../models/scripted.ts';
import type { AgentOptions } from '../options.ts';
import { BareAgent } from '../recursive-skilled-agent.ts';

const number = { type: 'number' };
const add = {
  description: 'Adds two numbers.',
  inputSchema: {
    type: 'object' as const,
    properties: { a: number, b: number },
    required: ['a', 'b'],
  },
  run: ({ a, b }: Readonly<Record<string, unknown>>) => toolValue({ sum: Number(a) + Number(b) }),
};

function serverAt({ url }: Pick<ToolHost, 'url'>): HttpServer {
  return { kind: 'http', name: 'sums', url, headers: {} };
}

function agentIn(files: Tree, host: Pick<ToolHost, 'url'>, options: AgentOptions = {}): BareAgent {
  const own = { startDir: files.at('work'), cache: files.at('cache'), embeddings: false, policy: yesPolicy };
  const ports = defaultPorts({ HOME: files.at('home'), PATH: '/usr/bin:/bin' });
  return new BareAgent({ ...own, mcpServers: [serverAt(host)], ...options }, ports);
}

function mcpTools(agent: BareAgent): readonly string[] {
  return agent.skills.list().flatMap(({ source, card }) => (source === 'mcp' ? [card.label ?? ''] : []));
}

const callAdd = { calls: [{ name: 'sums-add', input: { a: 2, b: 3 } }] };

/** Runs a prompt and resolves to the messages that the model received after its call. */
async function asked(
  agent: BareAgent,
  model: ReturnType<typeof createScriptedModel>,
): Promise<{ readonly result: RunResult; readonly seen: string }> {
  const result = await agent.executePrompt('Please calculate something.');
  const seen = model.requests[1]?.messages.findLast(({ role }) => role === 'tool')?.text ?? '';
  return { result, seen };
}

function withModel(script: Script = [callAdd, 'Five.']) {
  const model = createScriptedModel(script);
  return { model, models: { plan: model, fast: model, execution: model } };
}

describe('the tools of a configured server', () => {
  test('are offered to the assistant, and called like any skill', async () => {
    using files = tree({ 'work/.git/HEAD': '' });
    await using host = await hostTools({ add });
    const { model, models } = withModel();
    await using agent = agentIn(files, host, { models });
    const { result, seen } = await asked(agent, model);
    assert.equal(result.text, 'Five.');
    assert.match(seen, /<outside>\n\{"sum":5\}\n<\/outside>/);
    const offered = model.requests[0]?.tools?.find(({ name }) => name === 'sums-add');
    assert.deepEqual([offered?.description, offered?.input], [add.description, add.inputSchema]);
    for (const name of ['sums.add', 'sums-add', 'mcp:sums-add']) {
      const { value } = await agent.run({ skill: name, input: { a: 1, b: 1 } }).result;
      assert.deepEqual(value, { sum: 2 });
    }
    assert.equal(
      (await agent.run({ skill: 'sums.add', input: { a: 1 } }).result).error?.code,
      'usage.bad-input',
    );
    assert.equal(host.calls.length, 4);
  });

  test('obey rules and approvals under each of their names', async () => {
    using files = tree({ 'work/.git/HEAD': '' });
    await using host = await hostTools({ add });
    const run = async (permissions: AgentOptions['permissions']) => {
      const { model, models } = withModel();
      const ruled = { models, policy: undefined, permissions } as unknown as AgentOptions;
      await using agent = agentIn(files, host, ruled);
      return (await asked(agent, model)).result.status;
    };
    assert.equal(await run({}), 'waiting');
    for (const rule of ['mcp__sums__add', 'mcp__sums__*', 'sums__add', 'sums.add']) {
      const before = host.calls.length;
      assert.equal(await run({ allow: [rule] }), 'done', rule);
      assert.equal(host.calls.length, before + 1);
      assert.equal(await run({ allow: ['mcp__*'], deny: [rule] }), 'done', rule);
      assert.equal(host.calls.length, before + 1, `deny ${rule}`);
    }
  });

  test('are known from a cache, without a connection, until one is called', async () => {
    using files = tree({ 'work/.git/HEAD': '' });
    const host = await hostTools({ add });
    await agentIn(files, host)
      .ready()
      .then((agent) => agent.shutdown());
    await host[Symbol.asyncDispose]();
    await using agent = await agentIn(files, host).ready();
    assert.deepEqual(mcpTools(agent), ['mcp__sums__add']);
    assert.deepEqual(agent.skills.diagnostics(), []);
    const { error } = await agent.run({ skill: 'sums.add', input: { a: 1, b: 1 } }).result;
    assert.equal(error?.code, 'server.unreachable');
  });

  test('are asked for again when the server describes others, and by a reload', async () => {
    using files = tree({ 'work/.git/HEAD': '' });
    await using host = await hostTools({ add });
    await agentIn(files, host)
      .ready()
      .then((agent) => agent.shutdown());
    host.tools = { add: { ...add, description: 'Adds them.' }, more: { run: () => toolText('More.') } };
    await using agent = await agentIn(files, host).ready();
    const call = { skill: 'sums.add', input: { a: 1, b: 1 } };
    assert.equal((await agent.run(call).result).error?.code, 'server.changed');
    assert.deepEqual(host.calls, []);
    assert.deepEqual(mcpTools(agent), ['mcp__sums__add', 'mcp__sums__more']);
    assert.equal((await agent.run(call).result).status, 'done');
    host.tools = { add };
    await agent.reload();
    assert.deepEqual(mcpTools(agent), ['mcp__sums__add']);
    await using next = await agentIn(files, host).ready();
    assert.equal(next.skills.get('sums.add')?.card.description, add.description);
  });

  test('that cannot be asked for are reported, and runs work without them', async () => {
    using files = tree({ 'work/.git/HEAD': '' });
    const { models } = withModel(['Nothing to add.']);
    await using agent = agentIn(files, { url: 'http://127.0.0.1:9/mcp' }, { models });
    assert.equal((await agent.executePrompt('Say something.')).text, 'Nothing to add.');
    assert.deepEqual(
      agent.skills.diagnostics().map(({ code }) => code),
      ['server.tools'],
    );
    await using alone = await agentIn(files, { url: 'http://127.0.0.1:9/mcp' }, { only: true }).ready();
    assert.deepEqual(alone.skills.diagnostics(), []);
  });

  test('stay within a budget for their descriptions; the rest is reached by name', async () => {
    using files = tree({ 'work/.git/HEAD': '' });
    const long = { ...add, description: 'x'.repeat(1_500) };
    const names = Array.from({ length: 40 }, (_, index) => `tool${index}`);
    await using host = await hostTools(Object.fromEntries(names.map((name) => [name, long])));
    const { model, models } = withModel([
      { calls: [{ name: 'skill', input: { name: 'sums-tool9' } }] },
      'Done.',
    ]);
    await using agent = agentIn(files, host, { models });
    await asked(agent, model);
    const tools = model.requests[0]?.tools ?? [];
    const own = tools.filter(({ name }) => name.startsWith('sums-'));
    const size = own.reduce(
      (sum, tool) => sum + tool.description.length + JSON.stringify(tool.input).length,
      0,
    );
    assert.ok(own.length > 10 && size <= 24_000, `${own.length} tools, ${size} characters`);
    assert.match(tools.find(({ name }) => name === 'skill')?.description ?? '', /sums-tool9/);
    assert.ok(tools.some(({ name }) => name === 'read'));
  });

  test('are used by a SKILL.md that lists them, and offered to a subagent once, only if it lists them', async () => {
    using files = tree({
      'work/.agents/skills/math/SKILL.md':
        '---\nname: math\ndescription: d\nallowed-tools: mcp__sums__add\n---\nAdd.\n',
      'work/.agents/agents/lister.md':
        '---\nname: lister\ndescription: d\ntools: mcp__sums__add\n---\nAdd.\n',
      'work/.agents/agents/plain.md': '---\nname: plain\ndescription: d\n---\nAdd.\n',
    });
    await using host = await hostTools({ add });
    const { model, models } = withModel((_request, turn) => (turn % 2 === 1 ? callAdd : 'Five.'));
    await using agent = agentIn(files, host, { models });
    for (const skill of ['math', 'lister']) {
      const run = agent.run({ skill, input: 'Add.' });
      assert.equal((await run.result).text, 'Five.', skill);
      const offered = model.requests.at(-1)?.tools?.map(({ name }) => name) ?? [];
      assert.deepEqual(
        offered.filter((name) => name.startsWith('sums')),
        ['sums-add'],
        skill,
      );
      assert.equal(ofType(await agent.runs.events(run.id), 'frame.started').length, 2);
    }
    await agent.run({ skill: 'plain', input: 'Add.' }).result;
    assert.ok(model.requests.at(-1)?.tools?.every(({ name }) => !name.startsWith('sums')));
  });
});
