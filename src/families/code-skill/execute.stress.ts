// Runs alone: measures memory.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from '../../../test/support/deadline.ts';
import { openLoops } from '../../../test/stress/stress.ts';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { carriers } from '../../../test/support/carriers.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { Json } from '../../core/json.ts';

const { createLoop } = openLoops(import.meta);
const sequential = createLoop({ small: 20, full: 1_000, weight: 3 });
const concurrent = createLoop({ small: 8, full: 100 });
const maxProcesses = 8; // kept alive for later calls
const perProcess = 3; // two for the sandbox, one for the code

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const descriptor = '# echo\n\n## Description\n\nGives back.\n\n## Input Format\n\nA number.\n';
const code = `export async function action(given, scope) {
  if (given <= 0) return 0;
  const { value } = await scope.call('echo', given - 1);
  return value + 1;
}
`;

describe('many calls of a code skill', { skip: withoutBubblewrap }, () => {
  test('many calls in a row use one process, and leak neither memory nor handles', async (t) => {
    using folder = planted();
    await using agent = agentOver(folder);
    for (let warm = 0; warm < 20; warm += 1) await call(agent, 0);
    const before = held();
    const calls = await sequential.rounds(async () => assert.equal(await call(agent, 0), 0));
    const after = held();
    assert.ok(carriers(folder.path).length <= perProcess, 'one process');
    const grown = (after.heap - before.heap) / calls;
    t.diagnostic(`${Math.round(grown)} bytes of memory for each call, whose log is kept`);
    assert.ok(after.handles <= before.handles + 2, `${before.handles} handles became ${after.handles}`);
    assert.ok(grown * Math.min(calls, 1_000) < 30_000_000, `${grown} bytes for each`);
    await agent.shutdown();
    await until(() => carriers(folder.path).length === 0, 'no process is left');
  });

  test('many concurrent calls return their values, and leave few processes', async () => {
    await concurrent.sizes(async (many) => {
      using folder = planted();
      await using agent = agentOver(folder);
      await call(agent, 0);
      const before = held();
      const values = await Promise.all(Array.from({ length: many }, () => call(agent, 0)));
      assert.deepEqual(values, Array<Json>(many).fill(0));
      await until(() => carriers(folder.path).length <= maxProcesses * perProcess, 'few are left');
      await agent.shutdown();
      await until(() => carriers(folder.path).length === 0, 'no process is left');
      assert.ok(held().handles <= before.handles, `${before.handles} handles became ${held().handles}`);
    });
  });

  test('more recursive calls than may run at once do not wait for each other', async () => {
    using folder = planted();
    await using agent = agentOver(folder);
    const many = availableParallelism() + 1;
    const values = await Promise.all(Array.from({ length: many }, () => call(agent, 3)));
    assert.deepEqual(values, Array<Json>(many).fill(3));
    await agent.shutdown();
    await until(() => carriers(folder.path).length === 0, 'no process is left');
  });
});

function planted(): Tree {
  return tree({ 'skills/echo/cskill.md': descriptor, 'skills/echo/src/index.mjs': code });
}

function agentOver(folder: Tree): RecursiveSkilledAgent {
  const additionalSkillRoots = [folder.at('skills')];
  const models = { model: () => undefined };
  return new RecursiveSkilledAgent({ additionalSkillRoots, embeddings: false, models, retentionDays: 0 });
}

async function call(agent: RecursiveSkilledAgent, input: number): Promise<Json | undefined> {
  const { value, error } = await agent.run({ skill: 'echo', input }).result;
  assert.equal(error, undefined);
  return value;
}

/** Returns this process's heap size in bytes and its number of open handles. */
function held(): { readonly heap: number; readonly handles: number } {
  collectGarbage();
  return { heap: process.memoryUsage().heapUsed, handles: readdirSync('/proc/self/fd').length };
}
