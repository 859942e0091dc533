import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  askAbout,
  codeOf,
  done,
  flowFamily,
  flowsIn,
  flowText,
  hang,
  ofType,
  runProgram,
  said,
  settled,
  until,
  yesPolicy,
} from '../../../test/support/kernel.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import type { FamilySpec, GenerationCapability } from '../../core/family.ts';
import type { Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { sourceUrl } from '../../../test/support/source-file.ts';

type Prepare = NonNullable<GenerationCapability<string, unknown>['prepare']>;

function flows(): Tree {
  return tree({ 'skills/x/FLOW.md': flowText('x', 'body'), 'skills/y/FLOW.md': flowText('y', 'other') });
}

function preparing(
  files: Tree,
  prepare: Prepare,
  more: Partial<FamilySpec<string, unknown>> = {},
): AgentOptions {
  return flowsIn(files.path, flowFamily({ ...more, generation: { ...more.generation, prepare } }));
}

/** A store whose methods are on its class and use `this`. */
class OwnStore {
  readonly inner = createMemoryStore();
  static {
    for (const name of Object.keys(createMemoryStore()) as (keyof Store)[]) {
      Object.defineProperty(OwnStore.prototype, name, {
        value(this: OwnStore, ...given: readonly unknown[]): unknown {
          return (this.inner[name] as (...all: readonly unknown[]) => unknown)(...given);
        },
      });
    }
  }
}

describe('a preparation', () => {
  test('that leaves something to do is done again with the next call, and not once nothing is left', async () => {
    using files = flows();
    let times = 0;
    const options = preparing(files, async () => `time ${++times}`, {
      generation: { isDue: () => times < 2 },
    });
    await using agent = agentWith({}, options);
    for (const said of ['time 1', 'time 2', 'time 2'])
      assert.equal((await agent.run({ skill: 'x' }).result).text, said);
  });

  test('happens once for many calls at the same time, and later ones', async () => {
    using files = flows();
    let times = 0;
    const options = preparing(files, async (definition) => {
      times++;
      await new Promise((resolve) => setTimeout(resolve, 5));
      return `ready ${definition}`;
    });
    await using agent = agentWith(
      {
        top: async (_input, scope) =>
          done((await Promise.all([1, 2, 3].map((n) => scope.call('x', n)))).map(said).join(', ')),
      },
      options,
    );
    const runs = [agent.run({ skill: 'top' }), agent.run({ skill: 'top' })];
    for (const run of runs) assert.equal((await run.result).text, 'ready body, ready body, ready body');
    assert.equal((await agent.run({ skill: 'y' }).result).text, 'ready other');
    assert.equal(times, 2);
  });

  test('is a run of its own that its frames link to', async () => {
    using files = flows();
    await using agent = agentWith(
      {},
      preparing(files, async (_definition, scope) => scope.step('make', () => 'made')),
    );
    const run = agent.run({ skill: 'x' });
    assert.equal((await run.result).text, 'made');
    assert.equal((await agent.runs.list()).length, 1);
    const prepared = (await agent.runs.list({ preparations: true })).find(
      ({ prepares }) => prepares !== undefined,
    );
    assert.deepEqual([prepared?.status, prepared?.prepares], ['done', 'x']);
    const events = await agent.runs.events(run.id);
    assert.deepEqual(
      [ofType(events, 'prepare.started')[0]?.run, ofType(events, 'prepare.ended')[0]?.run],
      [prepared?.id, prepared?.id],
    );
  });

  test('that fails is data for the caller, is forgotten, and tried again', async () => {
    using files = flows();
    let times = 0;
    const options = preparing(files, async () => {
      if (++times === 1) throw new Error('no disk');
      return 'ready';
    });
    await using agent = agentWith(
      {
        top: async (_input, scope) =>
          done([said(await scope.call('x', 1)), said(await scope.call('x', 2))].join(' ')),
      },
      options,
    );
    const run = agent.run({ skill: 'top' });
    assert.equal((await run.result).text, 'internal.bug ready');
    assert.equal(ofType(await agent.runs.events(run.id), 'prepare.ended')[0]?.error?.message, 'no disk');
  });

  test('that asks a person is denied', async () => {
    using files = flows();
    const options = preparing(files, async (_definition, scope) => scope.ask('may I?'));
    await using agent = agentWith({}, options);
    assert.equal(codeOf(await settled(agent.run({ skill: 'x' }).result)), 'policy.denied');
  });

  test('borrows no permission of its caller', async () => {
    using files = flows();
    const options = preparing(files, async (_definition, scope) => said(await scope.call('helper', null)));
    await using agent = agentWith(
      { helper: () => done('helped') },
      { ...options, policy: askAbout('helper') },
    );
    assert.equal((await settled(agent.run({ skill: 'x' }).result)).text, 'policy.denied');
    await using free = agentWith({ helper: () => done('helped') }, { ...options, policy: yesPolicy });
    assert.equal((await free.run({ skill: 'x' }).result).text, 'helped');
  });

  test('does its steps once for all agents on one store', async () => {
    using files = flows();
    const store = createMemoryStore();
    let times = 0;
    const options = {
      ...preparing(files, async (_definition, scope) => `made ${await scope.step('make', () => ++times)}`),
      store,
    };
    for (let index = 0; index < 3; index++) {
      await using agent = agentWith({}, options);
      assert.equal((await settled(agent.run({ skill: 'x' }).result)).text, 'made 1');
    }
    assert.equal(times, 1);
  });

  test('continues when the first caller that needed it is cancelled', async () => {
    using files = flows();
    const release = Promise.withResolvers<string>();
    let times = 0;
    const options = preparing(files, async (_definition, scope) => {
      times++;
      const value = await release.promise;
      assert.equal(scope.signal.aborted, false);
      return value;
    });
    await using agent = agentWith({}, options);
    const first = agent.run({ skill: 'x' });
    await until(() => times === 1);
    const second = agent.run({ skill: 'x' });
    await settled(first.cancel());
    release.resolve('ready');
    assert.equal((await settled(second.result)).text, 'ready');
    assert.equal(times, 1);
  });

  test('of a version that changed happens again', async () => {
    using files = flows();
    await using agent = agentWith(
      {},
      preparing(files, async (definition) => `ready ${definition}`),
    );
    assert.equal((await agent.run({ skill: 'x' }).result).text, 'ready body');
    files.write('skills/x/FLOW.md', flowText('x', 'changed'));
    await agent.reload();
    assert.equal((await agent.run({ skill: 'x' }).result).text, 'ready changed');
  });

  test('that is cancelled is not done', async () => {
    using files = flows();
    await using agent = agentWith(
      {},
      preparing(files, () => hang()),
    );
    const run = agent.run({ skill: 'x' });
    await until(async () => (await agent.runs.list({ preparations: true })).length === 2);
    const prepared = (await agent.runs.list({ preparations: true })).find(({ id }) => id !== run.id);
    await until(async () => (await agent.runs.events(prepared?.id ?? '')).length > 1);
    await settled(agent.runs.cancel(prepared?.id ?? '', 'enough'));
    assert.equal(codeOf(await settled(run.result)), 'usage.cancelled');
  });

  test('that needs itself is a cycle and does not hang', async () => {
    for (const other of ['x', 'y']) {
      const { exitCode, output } = await runProgram(`
        import { flowFamily, flowsIn, flowText, said } from ${JSON.stringify(sourceUrl('test/support/kernel.ts'))};
        import { tree } from ${JSON.stringify(sourceUrl('test/support/tree.ts'))};
        using files = tree({ 'skills/x/FLOW.md': flowText('x', '${other}'), 'skills/y/FLOW.md': flowText('y', 'x') });
        const family = flowFamily({ generation: { prepare: async (other, scope) => said(await scope.call(other, 1)) } });
        const agent = agentWith({}, flowsIn(files.path, family));
        console.log((await agent.run({ skill: 'x' }).result).text);
        process.exit();
      `);
      assert.deepEqual([exitCode, output.trim()], [0, 'limit.cycle'], other);
    }
  });

  test('that was done before and hangs when it is made again keeps no process alive', async () => {
    const { exitCode, output } = await runProgram(`
      import { flowFamily, flowsIn, flowText } from ${JSON.stringify(sourceUrl('test/support/kernel.ts'))};
      import { tree } from ${JSON.stringify(sourceUrl('test/support/tree.ts'))};
      using files = tree({ 'skills/x/FLOW.md': flowText('x', 'body') });
      const store = createMemoryStore();
      let times = 0;
      const family = flowFamily({ generation: { prepare: async () => (++times === 1 ? 'ready' : hang()) } });
      const options = { ...flowsIn(files.path, family), store, limits: { callSeconds: 600, runSeconds: 600 } };
      const first = agentWith({}, options);
      console.log((await first.run({ skill: 'x' }).result).text);
      await first.shutdown();
      const second = agentWith({}, options);
      const run = second.run({ skill: 'x' });
      await until(() => times === 2);
      await run.cancel();
      console.log((await run.result).status);
      await second.shutdown();
    `);
    assert.deepEqual([exitCode, output.trim()], [0, 'ready\ncancelled']);
  });

  test('is made again from a store that is written as a class', async () => {
    using files = flows();
    let times = 0;
    const options = {
      ...preparing(files, async (_definition, scope) => `made ${await scope.step('make', () => ++times)}`),
      store: new OwnStore() as unknown as Store,
    };
    for (let index = 0; index < 2; index++) {
      await using agent = agentWith({}, options);
      assert.equal((await settled(agent.run({ skill: 'x' }).result)).text, 'made 1');
    }
    assert.equal(times, 1);
  });
});
