import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, done, ofType, valueOf, type Run } from '../../test/support/kernel.ts';
import { RecursiveSkilledAgent } from '../agent/recursive-skilled-agent.ts';
import { defaultPorts } from '../config/defaults.ts';
import { defineSkill } from '../core/define-skill.ts';
import { isAgentError } from '../core/error.ts';
import type { Json } from '../core/json.ts';
import type { SnippetRunner } from '../core/snippet.ts';
import { createIsolates } from '../sandboxes/isolate.ts';
import { createMemoryStore } from '../stores/memory.ts';
import { everyCrash } from '../testing/crash-harness.ts';

/** Runs a snippet that tells apart each time that it runs. */
const draws: Run = async (_input, scope) => {
  const { value } = await scope.runSnippet({ code: 'return Math.random()', input: null });
  return done('', [value, await scope.ask('Which?')]);
};

describe('a snippet of a skill', () => {
  test('is a step: what it came to is given again', async () => {
    await using agent = agentWith({ draws });
    const run = agent.run({ skill: 'draws' });
    assert.equal((await run.result).status, 'waiting');
    const kept = ofType(await agent.runs.events(run.id), 'step.ended')[0]?.value as { value: Json };
    await agent.runs.answer(run.id, 'this');
    assert.deepEqual(valueOf(await agent.runs.resume(run.id).result), [kept.value, 'this']);
    assert.equal(ofType(await agent.runs.events(run.id), 'step.started').length, 1);
  });

  test('runs as often as it is asked for', async () => {
    await using agent = agentWith({
      twice: async (_input, scope) => {
        const snippet = { code: 'return Math.random()', input: null };
        const [one, other] = [await scope.runSnippet(snippet), await scope.runSnippet(snippet)];
        return done('', one.value !== other.value);
      },
    });
    assert.equal(valueOf(await agent.run({ skill: 'twice' }).result), true);
  });

  test('fails again as it failed', async () => {
    const tries: Run = async (_input, scope) => {
      const code = 'console.log("so far");\nthrow new Error(String(Math.random()))';
      const fault = await scope.runSnippet({ code, input: null }).then(
        () => undefined,
        (thrown: unknown) => (isAgentError(thrown) ? thrown : undefined),
      );
      await scope.ask('Go on?');
      return done('', [fault?.code ?? '', fault?.message ?? '', fault?.details ?? null]);
    };
    await using agent = agentWith({ tries });
    const run = agent.run({ skill: 'tries' });
    await run.result;
    const kept = ofType(await agent.runs.events(run.id), 'step.ended')[0]?.error;
    await agent.runs.answer(run.id, 'yes');
    const expected = ['skill.failed', kept?.message, { log: 'so far\n' }];
    assert.deepEqual(valueOf(await agent.runs.resume(run.id).result), expected);
  });

  test('is not part of a step', async () => {
    await using agent = agentWith({
      nested: async (_input, scope) =>
        done(
          '',
          await scope.step('s', async () => (await scope.runSnippet({ code: '', input: null })).value),
        ),
    });
    assert.equal((await agent.run({ skill: 'nested' }).result).error?.code, 'usage.bad-input');
  });
});

describe('a snippet with functions', () => {
  const asks: Run = async (_input, scope) => {
    const functions = { ask: async () => (await scope.call('asked', null)).text };
    const { value } = await scope.runSnippet({ code: 'return [await ask()]', input: null, functions });
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
          const agent = new RecursiveSkilledAgent({ store, embeddings: false }, ports);
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
                const { value } = await scope.runSnippet({ code, input: null, functions });
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
