import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  agentWith,
  codeOf,
  done,
  flowFamily,
  flowText,
  flowsIn,
  ofType,
  until,
  valueOf,
  type Run,
} from '../../../test/support/kernel.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import { defaultPorts } from '../../config/defaults.ts';
import type { CodeCall, CodeContext, SnippetRunner } from '../../core/code.ts';
import { defineSkill } from '../../core/define-skill.ts';
import { isAgentError } from '../../core/error.ts';
import type { Json } from '../../core/json.ts';
import type { Scope } from '../../core/scope.ts';
import { createPolicy } from '../../policy/policy.ts';
import { openTrustBook } from '../../policy/trust-book.ts';
import { createIsolates } from '../../sandboxes/isolate/runner.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { everyCrash } from '../../testing/crash-harness.ts';

interface Stage extends AsyncDisposable {
  readonly agent: BareAgent;
  readonly targets: CodeContext[];
  readonly signals: AbortSignal[];
}

const call = { name: 'action', input: null, functions: {}, facts: {}, timeoutMs: 1000, memoryBytes: 2 ** 20 };

/** Creates an agent whose flows call their code, which only reports where it was called. */
function stage(
  files: Tree,
  more: AgentOptions = {},
  before: (scope: Scope) => Promise<void> = () => Promise.resolve(),
  hangs = false,
): Stage {
  const targets: CodeContext[] = [];
  const signals: AbortSignal[] = [];
  const family = flowFamily({
    execute: async (_definition, _input, scope) => {
      await before(scope);
      const codeCall: CodeCall = { ...call, module: `${scope.skill.dir}/src/index.js` };
      const { value } = await scope.processes.runCode(codeCall);
      return done('called', value);
    },
    permission: { runsCode: () => true, describe: () => ({ runsOwnCode: true }) },
  });
  const openCode = async (): ReturnType<ReturnType<typeof defaultPorts>['openCode']> => ({
    run: (target, _call, signal) => {
      targets.push(target);
      signals.push(signal);
      return hangs ? new Promise(() => undefined) : Promise.resolve({ value: 1, stdout: '', stderr: '' });
    },
    close: () => Promise.resolve(),
  });
  const options = { ...flowsIn(files.path, family), embeddings: false, ...more };
  const agent = new BareAgent(options, { ...defaultPorts({}), openCode });
  return { agent, targets, signals, [Symbol.asyncDispose]: () => agent.shutdown() };
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
      await on.agent.run({ skill: 'x', ...(user === undefined ? {} : { user: { id: user }, session: user }) })
        .result;
    appendFileSync(files.at('skills/x/src/index.js'), '2');
    await on.agent.run({ skill: 'x' }).result;
    await on.agent.run({ skill: 'y' }).result;
    const keys = on.targets.map(({ key }) => key);
    assert.deepEqual(
      keys.map((key) => keys.indexOf(key)),
      [0, 0, 2, 2, 4, 5, 6],
    );
  });

  test('reads its own folder, writes nothing, and knows no run', async () => {
    using files = flows();
    await using on = stage(files);
    await on.agent.run({ skill: 'x' }).result;
    const { grant, startsProcesses } = on.targets[0] as CodeContext;
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
    const { grant, startsProcesses } = on.targets[0] as CodeContext;
    assert.deepEqual(grant.write, [files.path]);
    assert.deepEqual(grant.hosts, ['example.org']);
    assert.ok(grant.readOnly?.includes(files.at('skills')));
    assert.ok(grant.readOnly?.includes(files.at('skills/.generation')), 'where code of skills is made');
    assert.equal(startsProcesses, true);
  });

  test('sees a copy of its files, so that a change of them does not matter', async () => {
    using files = flows();
    await using on = stage(files);
    await on.agent.run({ skill: 'x' }).result;
    const { from = {} } = on.targets[0]?.grant ?? {};
    assert.deepEqual(Object.keys(from), [files.at('skills/x')]);
    appendFileSync(files.at('skills/x/src/index.js'), '2');
    assert.equal(on.targets[0]?.isCurrent(), true);
    assert.equal(readFileSync(`${Object.values(from)[0]}/src/index.js`, 'utf8'), '1');
  });

  test('that also sees the workspace can see from its path whether the files are unchanged', async () => {
    using files = flows();
    const settings = { skills: { entries: { x: { workspace: 'read' } } } } as const;
    await using on = stage(files, { settings });
    await on.agent.run({ skill: 'x' }).result;
    assert.equal(on.targets[0]?.isCurrent(), true);
    appendFileSync(files.at('skills/x/src/index.js'), '2');
    assert.equal(on.targets[0].isCurrent(), false);
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
    assert.equal(on.targets.length, 0);
  });

  test('is cancelled with its run', async () => {
    using files = flows();
    await using on = stage(files, {}, undefined, true);
    const run = on.agent.run({ skill: 'x' });
    await until(() => on.signals.length === 1);
    await run.cancel();
    assert.equal(on.signals[0]?.aborted, true);
  });
});

/** Runs a snippet that returns a different value each time that it runs. */
const draws: Run = async (_input, scope) => {
  const { value } = await scope.processes.runSnippet({ code: 'return Math.random()', input: null });
  return done('', [value, await scope.ask('Which?')]);
};

describe('a snippet of a skill', () => {
  test('is a step: its result is returned again', async () => {
    await using agent = agentWith({ draws });
    const run = agent.run({ skill: 'draws' });
    assert.equal((await run.result).status, 'waiting');
    const recorded = ofType(await agent.runs.events(run.id), 'step.ended')[0]?.value as { value: Json };
    await agent.runs.answer(run.id, 'this');
    assert.deepEqual(valueOf(await agent.runs.resume(run.id).result), [recorded.value, 'this']);
    assert.equal(ofType(await agent.runs.events(run.id), 'step.started').length, 1);
  });

  test('runs as often as it is asked for', async () => {
    await using agent = agentWith({
      twice: async (_input, scope) => {
        const snippet = { code: 'return Math.random()', input: null };
        const [one, other] = [
          await scope.processes.runSnippet(snippet),
          await scope.processes.runSnippet(snippet),
        ];
        return done('', one.value !== other.value);
      },
    });
    assert.equal(valueOf(await agent.run({ skill: 'twice' }).result), true);
  });

  test('fails again as it failed', async () => {
    const tries: Run = async (_input, scope) => {
      const code = 'console.log("so far");\nthrow new Error(String(Math.random()))';
      const fault = await scope.processes.runSnippet({ code, input: null }).then(
        () => undefined,
        (thrown: unknown) => (isAgentError(thrown) ? thrown : undefined),
      );
      await scope.ask('Go on?');
      return done('', [fault?.code ?? '', fault?.message ?? '', fault?.details ?? null]);
    };
    await using agent = agentWith({ tries });
    const run = agent.run({ skill: 'tries' });
    await run.result;
    const recorded = ofType(await agent.runs.events(run.id), 'step.ended')[0]?.error;
    await agent.runs.answer(run.id, 'yes');
    const expected = ['skill.failed', recorded?.message, { log: 'so far\n' }];
    assert.deepEqual(valueOf(await agent.runs.resume(run.id).result), expected);
  });

  test('is not part of a step', async () => {
    await using agent = agentWith({
      nested: async (_input, scope) =>
        done(
          '',
          await scope.step(
            's',
            async () => (await scope.processes.runSnippet({ code: '', input: null })).value,
          ),
        ),
    });
    assert.equal((await agent.run({ skill: 'nested' }).result).error?.code, 'usage.bad-input');
  });
});

describe('a snippet with functions', () => {
  const asks: Run = async (_input, scope) => {
    const functions = { ask: async () => (await scope.call('asked', null)).text };
    const { value } = await scope.processes.runSnippet({
      code: 'return [await ask()]',
      input: null,
      functions,
    });
    return done('', value);
  };

  test('waits for a person', async () => {
    await using agent = agentWith({
      asks,
      asked: async (_input, scope) => done((await scope.ask('Who?')) as string),
    });
    const run = agent.run({ skill: 'asks' });
    assert.equal((await run.result).status, 'waiting');
    await agent.runs.answer(run.id, 'ann');
    assert.deepEqual(valueOf(await agent.runs.resume(run.id).result), ['ann']);
  });

  test('comes to one value, and runs again only when it was cut off, wherever its process dies', async () => {
    await using isolates = { ...createIsolates(), [Symbol.asyncDispose]: () => isolates.close() };
    let world = { effects: [] as string[], begun: 0 };
    const run: SnippetRunner['run'] = async (snippet, signal) => {
      world.begun += 1;
      return isolates.run(snippet, signal);
    };
    const ports = { ...defaultPorts({}), openSnippets: async () => ({ run, close: async () => undefined }) };
    const crashes = await everyCrash(
      {
        open: () => {
          world = { effects: [], begun: 0 };
          return createMemoryStore();
        },
        async live({ store, effect }) {
          const agent = new BareAgent({ store, embeddings: false }, ports);
          void store.crashed.then(() => agent.shutdown({ drainMs: 0 }));
          agent.skills.register(
            defineSkill({
              name: 'add',
              description: 'Adds.',
              async run(input, scope) {
                const work = (key: string): Promise<number> => effect(() => world.effects.push(key));
                await scope.step('add', work);
                return done(`+${JSON.stringify(input)}`);
              },
            }),
          );
          agent.skills.register(
            defineSkill({
              name: 'sums',
              description: 'Sums.',
              async run(_input, scope) {
                const functions = { add: async (one: Json) => (await scope.call('add', one)).text };
                const code = 'const a = await add(1); return a + await add(2)';
                const { value } = await scope.processes.runSnippet({ code, input: null, functions });
                await scope.step('after', () => null);
                return done('', value);
              },
            }),
          );
          const known = (await store.runs()).find(({ seq }) => seq > 0);
          const handle =
            known === undefined
              ? agent.run({ skill: 'sums' })
              : agent.runs.resume(known.id, { takeOver: true });
          const result = await handle.result;
          const events = await agent.runs.events(handle.id);
          await agent.shutdown();
          return { result, events };
        },
      },
      ({ outcome: { result, events }, lives }) => {
        assert.equal(valueOf(result), '+1+2');
        assert.equal(new Set(world.effects).size, 2);
        const snippets = ofType(events, 'step.started').filter(({ key }) => key.startsWith('snippet:'));
        assert.ok(
          snippets.length <= lives && world.begun <= snippets.length,
          `${snippets.length} ${world.begun}`,
        );
        assert.equal(ofType(events, 'step.ended').filter(({ key }) => key.startsWith('snippet:')).length, 1);
      },
    );
    assert.ok(crashes > 10, String(crashes));
  });
});
