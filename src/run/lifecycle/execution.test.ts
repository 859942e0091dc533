import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  codeOf,
  done,
  hang,
  ofType,
  runProgram,
  settled,
  textOf,
  until,
  type Run,
} from '../../../test/support/kernel.ts';
import { defaultRunLimits } from '../../core/policy/run-limits.ts';
import { silentAfter, type Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';

describe('a store that cannot be read once', () => {
  test('while a waiting run is resumed leaves it waiting, and later it continues', async () => {
    const store = createMemoryStore();
    const skills = {
      top: (async (_input, scope) => done(textOf(await scope.ask('x')))) satisfies Run,
    };
    for (const failing of [1, 2]) {
      let looks = 0;
      const entries: Store['entries'] = async (space) => {
        if (++looks === failing) throw new Error('no connection');
        return store.entries(space);
      };
      await using first = agentWith(skills, { store });
      await using second = agentWith(skills, { store: { ...store, entries } });
      const { runId } = await settled(first.run({ skill: 'top' }).result);
      await first.runs.answer(runId, 'A');
      const result = await settled(second.runs.resume(runId).result);
      assert.deepEqual([result.status, result.error?.message], ['waiting', 'no connection']);
      assert.equal((await first.runs.find(runId)).status, 'waiting');
      assert.equal((await settled(second.runs.resume(runId).result)).text, 'A');
    }
  });
});

test('a run that is lost while it is suspended lets go, although the store never answers', async () => {
  const store = createMemoryStore();
  let isSuspended = false;
  const hanging = {
    ...store,
    append: (...given: Parameters<typeof store.append>): Promise<number> => {
      isSuspended ||= given[2].some(({ type }) => type === 'run.waiting');
      return store.append(...given);
    },
    entries: (space: string) => (isSuspended ? new Promise<never>(() => undefined) : store.entries(space)),
    beat: (claims: ReadonlyMap<string, string>) => Promise.resolve(new Set(isSuspended ? claims.keys() : [])),
  };
  await using agent = agentWith(
    { top: async (_input, scope) => done('', await scope.ask('x')) },
    { store: hanging },
  );
  const { status, error } = await settled(agent.run({ skill: 'top' }).result);
  assert.deepEqual([status, error?.code], ['waiting', 'internal.claim-lost']);
});

describe('shutting down', () => {
  test('lets runs end', async () => {
    const agent = agentWith({
      top: async (_input, scope) =>
        done('', await scope.step('s', () => new Promise<number>((resolve) => setTimeout(resolve, 30, 1)))),
    });
    const run = agent.run({ skill: 'top' });
    await until(async () => ofType(await agent.runs.events(run.id), 'step.started').length === 1);
    await agent.shutdown();
    assert.equal((await run.result).status, 'done');
    assert.equal(codeOf(await agent.run({ skill: 'top' }).result), 'usage.bad-input');
  });

  test('lets runs end that were begun just before', async () => {
    const agent = agentWith({ top: () => done('in time') });
    await agent.runs.list();
    const run = agent.run({ skill: 'top' });
    await agent.shutdown();
    assert.equal((await settled(run.result)).text, 'in time');
  });

  test('no longer resumes a run whose owner stops its heartbeat', async (context) => {
    const store = createMemoryStore();
    const epoch = await store.claim('r_elsewhere', 'somebody else');
    await store.append('r_elsewhere', epoch, [
      {
        type: 'run.started',
        skill: 'top',
        input: null,
        session: 's',
        limits: defaultRunLimits,
        frameId: '',
        at: 1,
      },
    ]);
    let times = 0;
    const agent = agentWith({ top: () => done(String(++times)) }, { store });
    const followed = agent.runs.resume('r_elsewhere');
    for await (const event of followed.events) if (event.type === 'run.started') break;
    await agent.shutdown();
    const later = Date.now() + 2 * silentAfter;
    context.mock.method(Date, 'now', () => later);
    assert.equal((await store.runs({ ids: ['r_elsewhere'] }))[0]?.status, 'interrupted');
    assert.equal(codeOf(await settled(followed.result)), 'usage.cancelled');
    assert.equal(times, 0);
    assert.equal((await store.runs({ ids: ['r_elsewhere'] }))[0]?.seq, 1);
  });

  test('leaves nothing that keeps a process alive', async () => {
    const { exitCode, output } = await runProgram(`
      const agent = agentWith({ top: async (_input, scope) => done('', await scope.step('s', () => 1)) }, { limits: { callSeconds: 600, runSeconds: 600 } });
      console.log((await agent.run({ skill: 'top' }).result).status);
    `);
    assert.deepEqual([exitCode, output.trim()], [0, 'done']);
  });
});

describe('a long run', () => {
  test('takes as long for each step at its end as at its beginning, and loses none', async () => {
    const count = 2_000;
    await using agent = agentWith({
      top: async (_input, scope) => {
        let sum = 0;
        for (let index = 0; index < count; index++) sum += await scope.step(`s${index}`, () => 1);
        return done(String(sum));
      },
    });
    const run = agent.run({ skill: 'top' });
    assert.equal((await run.result).text, String(count));
    assert.equal((await agent.runs.find(run.id)).seq, 2 * count + 5);
  });

  test('has room for two thousand calls at the same time', async () => {
    await using agent = agentWith({
      top: async (_input, scope) =>
        done(
          String(
            (await Promise.all(Array.from({ length: 2_000 }, (_, n) => scope.call('leaf', n)))).filter(
              ({ status }) => status === 'done',
            ).length,
          ),
        ),
      leaf: { allowedSkills: [], run: () => done() },
    });
    assert.equal((await settled(agent.run({ skill: 'top' }).result)).text, '2000');
  });
});

test('a step that needs itself does not hang', async () => {
  const { exitCode, output } = await runProgram(`
    const agent = agentWith({ top: async (_input, scope) => done('', await scope.step('s', () => scope.step('s', () => 1))) }, { limits: { callSeconds: 600, runSeconds: 600 } });
    console.log((await agent.run({ skill: 'top' }).result).status);
    process.exit();
  `);
  assert.deepEqual([exitCode, output.trim()], [0, 'failed']);
});

test('hang is only ended by its signal', async () => {
  await assert.rejects(hang(AbortSignal.timeout(1)));
});
