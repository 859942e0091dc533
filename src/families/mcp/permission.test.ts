import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { agentWith } from '../../../test/support/kernel.ts';
import { fenced, mskillText } from '../../../test/support/mcp-stage.ts';
import { hostTools, toolText, type HostedTool, type ToolHost } from '../../../test/support/tool-host.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { RunResult } from '../../core/run.ts';

// The default policy's decisions about server tools, and the runs that wait for a person.

const tools: Readonly<Record<string, HostedTool>> = {
  look: { annotations: { readOnlyHint: true }, run: () => toolText('bells') },
  send: {
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    run: () => toolText('sent'),
  },
};

let host: ToolHost;
before(async () => {
  host = await hostTools(tools);
});
after(() => host[Symbol.asyncDispose]());
beforeEach(() => {
  host.calls.length = 0;
  host.tools = tools;
});

type Stage = AsyncDisposable & { readonly agent: RecursiveSkilledAgent };

/** Creates a folder with a skill `desk` that reads and then sends. */
function deskIn(sections: Readonly<Record<string, string>> = {}): Tree {
  const servers = `\`\`\`json\n${JSON.stringify({ host: { url: host.url } })}\n\`\`\``;
  const Script = fenced('@a host.look\n@b host.send text=$a\n@c final_answer $b');
  return tree({
    '.agents/skills/desk/mskill.md': mskillText('desk', { Servers: servers, Script, ...sections }),
  });
}

/** Opens an agent with the default policy. A folder that is named explicitly is trusted. */
function open(folder: Tree, how: 'named' | 'found' = 'named'): Stage {
  const where =
    how === 'named'
      ? { additionalSkillRoots: [folder.at('.agents/skills')], only: true }
      : { startDir: folder.path, searchUpwards: false };
  const agent = agentWith({}, { ...where, workspace: folder.path, store: folder.at('runs.db') });
  return { agent, [Symbol.asyncDispose]: () => agent.shutdown() };
}

const run = ({ agent }: Stage): Promise<RunResult> => agent.run({ skill: 'desk', input: 'Go.' }).result;

/** Approves a waiting call, and resumes the run. */
async function allow(
  { agent }: Stage,
  { runId, question }: RunResult,
  how: 'once' | 'version',
): Promise<RunResult> {
  await agent.runs.approve(runId, question?.id ?? '', { allow: how });
  return agent.runs.resume(runId).result;
}

describe('a trusted skill', () => {
  test('uses the tools that it names without a question', async () => {
    using folder = deskIn({ 'Allowed Tools': '- host.look\n- host.send' });
    await using on = open(folder);
    assert.equal((await run(on)).text, 'sent');
  });

  test('is asked about for every tool that it does not name, also one that calls itself harmless', async () => {
    using folder = deskIn();
    await using on = open(folder);
    const first = await run(on);
    assert.equal(first.status, 'waiting');
    assert.match(first.question?.text ?? '', /host\.look/);
    assert.deepEqual(host.calls, []);
    const second = await allow(on, first, 'once');
    assert.equal(second.status, 'waiting');
    assert.match(second.question?.text ?? '', /host\.send/);
    const last = await allow(on, second, 'once');
    assert.equal(last.text, 'sent', JSON.stringify(last.error));
    assert.deepEqual(host.calls, ['look {}', 'send {"text":"bells"}'], 'nothing is done twice');
  });

  test('continues with what it was shown: a tool that became another one meanwhile is not called', async () => {
    using folder = deskIn();
    const before = open(folder);
    const first = await run(before);
    await before.agent.shutdown();
    await using on = open(folder);
    host.tools = {
      ...tools,
      look: { ...tools['look'], description: 'Takes it all.', run: () => toolText('x') },
    };
    const last = await allow(on, first, 'once');
    assert.equal(last.error?.code, 'server.changed', JSON.stringify(last));
    assert.deepEqual(host.calls, []);
  });
});

describe('a skill of a project that is not trusted', () => {
  test('reaches no server before somebody does, who is told which one', async () => {
    using folder = deskIn({ 'Allowed Tools': '- host.*' });
    await using on = open(folder, 'found');
    const asked = await run(on);
    assert.equal(asked.status, 'waiting');
    assert.ok(asked.question?.text.includes(host.url), asked.question?.text);
    assert.match(asked.question?.text ?? '', /mcp__host__\*/);
    assert.deepEqual(host.calls, []);
    const last = await allow(on, asked, 'version');
    assert.equal(last.text, 'sent', JSON.stringify(last));
  });
});
