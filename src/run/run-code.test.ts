import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { codeOf, done, flowFamily, flowsIn, flowText, until } from '../../test/support/kernel.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import type { AgentOptions } from '../agent/options.ts';
import { RecursiveSkilledAgent } from '../agent/recursive-skilled-agent.ts';
import { defaultPorts } from '../config/defaults.ts';
import type { CodeCall, CodePlace } from '../core/code.ts';
import type { Scope } from '../core/scope.ts';
import { createPolicy } from '../policy/policy.ts';
import { openTrustBook } from '../policy/trust-book.ts';

interface Stage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly places: CodePlace[];
  readonly signals: AbortSignal[];
}

const call = { name: 'action', input: null, functions: {}, facts: {}, timeoutMs: 1000, memoryBytes: 2 ** 20 };

/** An agent whose flows call their code, which only says where it was called. */
function stage(
  files: Tree,
  more: AgentOptions = {},
  before: (scope: Scope) => Promise<void> = () => Promise.resolve(),
  hangs = false,
): Stage {
  const places: CodePlace[] = [];
  const signals: AbortSignal[] = [];
  const family = flowFamily({
    runsCode: () => true,
    permission: () => ({ runsOwnCode: true }),
    execute: async (_definition, _input, scope) => {
      await before(scope);
      const wanted: CodeCall = { ...call, module: `${scope.skill.dir}/src/index.js` };
      const { value } = await scope.runCode(wanted);
      return done('called', value);
    },
  });
  const openCode = async (): ReturnType<ReturnType<typeof defaultPorts>['openCode']> => ({
    run: (place, _call, signal) => {
      places.push(place);
      signals.push(signal);
      return hangs ? new Promise(() => undefined) : Promise.resolve({ value: 1, stdout: '', stderr: '' });
    },
    close: () => Promise.resolve(),
  });
  const options = { ...flowsIn(files.path, family), embeddings: false, ...more };
  const agent = new RecursiveSkilledAgent(options, { ...defaultPorts({}), openCode });
  return { agent, places, signals, [Symbol.asyncDispose]: () => agent.shutdown() };
}

function flows(): Tree {
  return tree({
    'skills/x/FLOW.md': flowText('x', 'x'),
    'skills/x/src/index.js': '1',
    'skills/y/FLOW.md': flowText('y', 'y'),
  });
}

describe('the code of a skill', () => {
  test('is called in one place as long as files, grant and user are the same', async () => {
    using files = flows();
    await using on = stage(files);
    for (const user of [undefined, undefined, 'ann', 'ann', 'bob'])
      await on.agent.run({ skill: 'x', ...(user === undefined ? {} : { user, session: user }) }).result;
    appendFileSync(files.at('skills/x/src/index.js'), '2');
    await on.agent.run({ skill: 'x' }).result;
    await on.agent.run({ skill: 'y' }).result;
    const keys = on.places.map(({ key }) => key);
    assert.deepEqual(
      keys.map((key) => keys.indexOf(key)),
      [0, 0, 2, 2, 4, 5, 6],
    );
  });

  test('reads its own folder, writes nothing, and knows no run', async () => {
    using files = flows();
    await using on = stage(files);
    await on.agent.run({ skill: 'x' }).result;
    const { grant, startsProcesses } = on.places[0] as CodePlace;
    assert.deepEqual(grant.read, [files.at('skills/x')]);
    assert.deepEqual(grant.write, []);
    assert.deepEqual(grant.hosts, []);
    assert.deepEqual(grant.environment, { AI_AGENT: 'skilled', SKILLED_SKILL_DIR: files.at('skills/x') });
    assert.deepEqual(grant.limits, { memoryBytes: 2 ** 20 });
    assert.equal(startsProcesses, false);
  });

  test('gets what settings open to it; no skill in the workspace can be written', async () => {
    using files = flows();
    const entry = { hosts: ['example.org'], workspace: 'write', processes: true } as const;
    await using on = stage(files, { settings: { skills: { entries: { x: entry } } } });
    await on.agent.run({ skill: 'x' }).result;
    const { grant, startsProcesses } = on.places[0] as CodePlace;
    assert.deepEqual(grant.write, [files.path]);
    assert.deepEqual(grant.hosts, ['example.org']);
    assert.ok(grant.keep?.includes(files.at('skills')));
    assert.ok(grant.keep?.includes(files.at('skills/.generation')), 'where code of skills is made');
    assert.equal(startsProcesses, true);
  });

  test('sees a copy of its files, so that a change of them does not matter', async () => {
    using files = flows();
    await using on = stage(files);
    await on.agent.run({ skill: 'x' }).result;
    const { from = {} } = on.places[0]?.grant ?? {};
    assert.deepEqual(Object.keys(from), [files.at('skills/x')]);
    appendFileSync(files.at('skills/x/src/index.js'), '2');
    assert.equal(on.places[0]?.isCurrent(), true);
    assert.equal(readFileSync(`${Object.values(from)[0]}/src/index.js`, 'utf8'), '1');
  });

  test('that sees the workspace too is told by its place whether the files are still the same', async () => {
    using files = flows();
    const settings = { skills: { entries: { x: { workspace: 'read' } } } } as const;
    await using on = stage(files, { settings });
    await on.agent.run({ skill: 'x' }).result;
    assert.equal(on.places[0]?.isCurrent(), true);
    appendFileSync(files.at('skills/x/src/index.js'), '2');
    assert.equal(on.places[0].isCurrent(), false);
  });

  test('that changes after somebody allowed it is not called', async () => {
    using files = flows();
    const change = async (): Promise<void> => {
      appendFileSync(files.at('skills/x/src/index.js'), '2');
    };
    const book = openTrustBook(undefined);
    await using on = stage(files, { policy: createPolicy({}, book) }, change);
    const digest = on.agent.skills.digestNow(on.agent.skills.resolve('x'));
    await book.trust({ digest: digest ?? '', name: 'x', dir: files.at('skills/x') });
    assert.equal(codeOf(await on.agent.run({ skill: 'x' }).result), 'skill.changed');
    assert.equal(on.places.length, 0);
  });

  test('is called off with its run', async () => {
    using files = flows();
    await using on = stage(files, {}, undefined, true);
    const run = on.agent.run({ skill: 'x' });
    await until(() => on.signals.length === 1);
    await run.cancel();
    assert.equal(on.signals[0]?.aborted, true);
  });
});
