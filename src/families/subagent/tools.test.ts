import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { ofType } from '../../../test/support/kernel.ts';
import { call, toolTexts } from '../../../test/support/loop-stage.ts';
import { stageIn, subagentFile, subagentText } from '../../../test/support/subagent-stage.ts';
import { hostTools, toolText, type ToolHost } from '../../../test/support/tool-host.ts';
import { tree } from '../../../test/support/tree.ts';
import type { RunResult } from '../../core/run.ts';
import type { Script } from '../../models/scripted.ts';

let host: ToolHost;
before(async () => {
  host = await hostTools({
    look: { run: () => toolText('bells') },
    send: { run: () => toolText('sent') },
  });
});
after(() => host[Symbol.asyncDispose]());
beforeEach(() => {
  host.calls.length = 0;
});

interface Worked {
  readonly result: RunResult;
  readonly offered: readonly string[];
  readonly toolResults: readonly string[];
  readonly notes: readonly string[];
}

/** Runs a subagent with these lines of frontmatter. The settings contain the server `host`. */
async function work(lines: readonly string[], script: Script = ['Done.']): Promise<Worked> {
  using files = tree({ [subagentFile('worker')]: subagentText('worker', lines) });
  const mcpServers = [{ kind: 'http', name: 'host', url: host.url, headers: {} }] as const;
  await using on = stageIn(files, script, { mcpServers, workspace: files.path });
  const run = on.agent.run({ skill: 'worker', input: 'Go.' });
  const result = await run.result;
  const events = await on.agent.runs.events(run.id);
  return {
    result,
    offered: on.model.requests[0]?.tools?.map(({ name }) => name) ?? [],
    toolResults: on.model.requests.slice(1).flatMap(toolTexts),
    notes: ofType(events, 'note.added').map(({ message }) => message),
  };
}

describe('tools of servers in the list of a subagent', () => {
  for (const [tools, offered] of [
    ['mcp:host, read', ['host-look', 'host-send', 'read']],
    ['mcp__host__look', ['host-look']],
    ['read, host.send', ['host-send', 'read']],
    ['host.*', ['host-look', 'host-send']],
    ['mcp__host', ['host-look', 'host-send']],
  ] as const) {
    test(`are offered beside its other tools: ${tools}`, async () => {
      assert.deepEqual((await work([`tools: ${tools}`])).offered, offered);
    });
  }

  test('are called like any tool, and shown as data', async () => {
    const script = [{ calls: [call('host-look', {})] }, 'Seen.'];
    const { result, toolResults } = await work(['tools: host.look'], script);
    assert.equal(result.text, 'Seen.');
    assert.match(toolResults[0] ?? '', /<outside>\nbells\n<\/outside>$/);
    assert.deepEqual(host.calls, ['look {}']);
  });

  test('can be taken away again, and are not there without a list', async () => {
    assert.deepEqual((await work(['tools: host.*', 'excludeTools: host.send'])).offered, ['host-look']);
    assert.ok(!(await work([])).offered.some((name) => name.startsWith('host')));
  });

  test('are offered next to a catalog of skills', async () => {
    assert.ok((await work(['tools: skill, host.look'])).offered.includes('host-look'));
  });

  test('of an unknown server are noted', async () => {
    const { result, notes } = await work(['tools: read, other.look']);
    assert.equal(result.text, 'Done.');
    assert.deepEqual(notes, ['"worker" lists tools from servers that are not in the settings: other.']);
  });
});
