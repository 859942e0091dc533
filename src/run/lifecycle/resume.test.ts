import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  askAbout,
  codeOf,
  done,
  flowFamily,
  flowText,
  flowsIn,
  hang,
  ofType,
  said,
  settled,
  textOf,
  until,
  type Run,
} from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import type { RunResult } from '../../core/run.ts';
import type { Sandbox } from '../../core/sandbox.ts';
import type { Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';

test('an attempt to resume a run that another process has just resumed does not disturb it', async () => {
  const store = createMemoryStore();
  const effects: string[] = [];
  const working = Promise.withResolvers<undefined>();
  const top: Run = async (_input, scope) => {
    const answer = textOf(await scope.ask('Which?'));
    await scope.step('use', async () => {
      effects.push(answer);
      await working.promise;
      return null;
    });
    return done(answer);
  };
  const [writes, claims] = [createHold(), createHold()];
  await using first = agentWith(
    { top },
    { store: { ...store, append: async (...given) => (await writes.pass(), store.append(...given)) } },
  );
  await using second = agentWith(
    { top },
    { store: { ...store, claim: async (...given) => (await claims.pass(), store.claim(...given)) } },
  );
  const { runId } = await settled(first.run({ skill: 'top' }).result);
  await first.runs.answer(runId, 'this');
  writes.close();
  const one = first.runs.resume(runId);
  await writes.reached; // it has claimed the run, and has written nothing yet
  claims.close();
  const other = second.runs.resume(runId);
  await claims.reached; // it has read that the run is waiting
  writes.open();
  await until(() => effects.length > 0);
  claims.open();
  await new Promise((resolve) => setImmediate(resolve));
  working.resolve(undefined);
  assert.deepEqual(
    [(await settled(one.result)).text, (await settled(other.result)).text, effects],
    ['this', 'this', ['this']],
  );
});

/** Creates a gate. While it is closed, everyone who reaches it waits until it is opened again. */
function createHold(): {
  pass(): Promise<void>;
  close(): void;
  open(): void;
  readonly reached: Promise<undefined>;
} {
  const reached = Promise.withResolvers<undefined>();
  const opened = Promise.withResolvers<undefined>();
  let isClosed = false;
  return {
    reached: reached.promise,
    async pass() {
      if (!isClosed) return;
      reached.resolve(undefined);
      await opened.promise;
    },
    close: () => {
      isClosed = true;
    },
    open: () => {
      isClosed = false;
      opened.resolve(undefined);
    },
  };
}

const stuck: Run = async (_input, scope) => done('', await scope.step('s', () => hang()));

describe('taking up a run', () => {
  test('that another agent works on follows it to its end', async () => {
    const store = createMemoryStore();
    const release = Promise.withResolvers<number>();
    const skills = {
      top: (async (_input, scope) =>
        done(String(await scope.step('s', () => release.promise)))) satisfies Run,
    };
    await using first = agentWith(skills, { store });
    await using second = agentWith(skills, { store });
    const run = first.run({ skill: 'top' });
    await until(async () => ofType(await first.runs.events(run.id), 'step.started').length === 1);
    const followed = second.runs.resume(run.id);
    release.resolve(7);
    assert.equal((await settled(followed.result)).text, '7');
    assert.deepEqual(ofType(await first.runs.events(run.id), 'run.resumed'), []);
  });

  test('that waits, at the same moment as the process that laid it down: that one follows', async () => {
    const store = createMemoryStore();
    const latch = Promise.withResolvers<undefined>();
    const skills: Record<string, Run> = {
      top: async (_input, scope) => done(said(await scope.call('leaf', null))),
      leaf: () => done('by the first'),
    };
    const slow: Run = async () => {
      await latch.promise;
      return done('by the second');
    };
    const policy = askAbout('leaf');
    await using second = agentWith({ ...skills, leaf: slow }, { store, policy });
    let isLost = false;
    let taken: Promise<RunResult> | undefined;
    const racing: Store = {
      ...store,
      async append(runId, epoch, events, entries) {
        if (events.some(({ type }) => type === 'run.resumed')) {
          taken = second.runs.resume(runId).result;
          await until(async () => ofType(await second.runs.events(runId), 'run.resumed').length === 1);
          isLost = true;
        }
        const seq = await store.append(runId, epoch, events, entries);
        const [asked] = ofType(await second.runs.events(runId), 'approval.requested');
        if (events.some(({ type }) => type === 'run.waiting') && asked !== undefined)
          await second.runs.approve(runId, asked.id, { allow: 'once' }); // before the first one looks for an answer
        return seq;
      },
      async runs(query) {
        if (isLost) latch.resolve(undefined); // it checks which process works on the run
        return store.runs(query);
      },
    };
    await using first = agentWith(skills, { store: racing, policy });
    const run = first.run({ skill: 'top' });
    const { status, text } = await settled(run.result);
    assert.deepEqual([status, text], ['done', 'by the second']);
    assert.equal((await settled(taken ?? Promise.reject(new Error('nobody took it up')))).text, text);
  });

  test('by force makes the other process release it', async () => {
    const store = createMemoryStore();
    await using first = agentWith({ top: stuck }, { store });
    await using second = agentWith(
      { top: async (_input, scope) => done(String(await scope.step('s', () => 1))) },
      { store },
    );
    const run = first.run({ skill: 'top' });
    await until(async () => ofType(await first.runs.events(run.id), 'step.started').length === 1);
    assert.equal((await settled(second.runs.resume(run.id, { takeOver: true }).result)).text, '1');
    assert.equal((await settled(run.result)).text, '1');
  });

  test('by force in the same process makes the first one let go', async () => {
    let times = 0;
    const agent = agentWith({
      top: async (_input, scope) => done(String(await scope.step('s', () => (++times === 1 ? hang() : 2)))),
    });
    const run = agent.run({ skill: 'top' });
    await until(() => times === 1);
    assert.equal((await settled(agent.runs.resume(run.id, { takeOver: true }).result)).text, '2');
    const first = await settled(run.result, 'the first handle');
    assert.ok(first.text === '2' || codeOf(first) === 'internal.claim-lost');
    await agent.shutdown();
  });

  test('reuses finished calls although their skill is gone, by whatever name it was called', async () => {
    const store = createMemoryStore();
    for (const name of ['child', 'Child', 'explicit:child']) {
      const top: Run = async (_input, scope) =>
        done(`${said(await scope.call(name, null))} ${textOf(await scope.ask('x'))}`);
      await using first = agentWith({ top, child: () => done('child') }, { store });
      await using second = agentWith({ top }, { store });
      const { runId } = await first.run({ skill: 'top' }).result;
      await second.runs.answer(runId, 'A');
      assert.equal((await settled(second.runs.resume(runId).result)).text, 'child A', name);
    }
  });

  test('has the same winner again where a child that closes slowly raced a step', async () => {
    const closing = Promise.withResolvers<undefined>();
    const release = Promise.withResolvers<undefined>();
    const close = (): Promise<undefined> => {
      closing.resolve(undefined);
      return release.promise;
    };
    const winners: string[] = [];
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const quick = scope.step('quick', () => closing.promise.then(() => 'step'));
          const winner = await Promise.race([scope.call('boxed', null).then(said), quick]);
          await scope.step(`pay ${winner}`, () => {
            release.resolve(undefined);
            return winners.push(winner);
          });
          return done(`${winner} ${textOf(await scope.ask('x'))}`);
        },
        boxed: async (_input, scope) => {
          await scope.processes.sandbox();
          return done('child');
        },
      },
      { sandboxes: { contains: async () => true, open: async () => ({ close }) as unknown as Sandbox } },
    );
    const { runId } = await settled(agent.run({ skill: 'top' }).result);
    await agent.runs.answer(runId, 'A');
    assert.equal((await settled(agent.runs.resume(runId).result)).text, 'step A');
    assert.deepEqual(winners, ['step']);
  });

  test('that waits for a decision adds no event as long as there is none', async () => {
    await using agent = agentWith(
      { top: async (_input, scope) => done(said(await scope.call('child', 1))), child: () => done('child') },
      { policy: askAbout('child') },
    );
    const { runId, question } = await settled(agent.run({ skill: 'top' }).result);
    const before = await agent.runs.events(runId);
    for (let times = 0; times < 3; times++)
      assert.equal((await settled(agent.runs.resume(runId).result)).status, 'waiting');
    assert.deepEqual(await agent.runs.events(runId), before);
    await agent.runs.approve(runId, question?.id ?? '', { allow: 'once' });
    assert.equal((await settled(agent.runs.resume(runId).result)).text, 'child');
  });

  test('changes nothing where a skill of it is not registered', async () => {
    const skills: Readonly<Record<string, Run>> = {
      top: async (_input, scope) => scope.call('child', null),
      child: async (_input, scope) => done(textOf(await scope.ask('x'))),
    };
    for (const lacking of ['top', 'child']) {
      const store = createMemoryStore();
      await using knows = agentWith(skills, { store });
      const others = Object.entries(skills).filter(([name]) => name !== lacking);
      await using stranger = agentWith(Object.fromEntries(others), { store });
      const { runId } = await settled(knows.run({ skill: 'Top' }).result);
      await stranger.runs.answer(runId, 'A');
      const before = await knows.runs.events(runId);
      const result = await settled(stranger.runs.resume(runId).result);
      assert.deepEqual([result.status, codeOf(result)], ['waiting', 'skill.not-found'], lacking);
      assert.deepEqual(await knows.runs.events(runId), before);
      assert.equal((await knows.runs.find(runId)).status, 'waiting');
      assert.equal((await settled(knows.runs.resume(runId).result)).text, 'A');
    }
  });
});

describe('a bundle that changed while its run waited', () => {
  const family = flowFamily({
    execute: async (definition, _input, scope) =>
      done(`${String(definition)} ${textOf(await scope.ask('x'))}`),
  });
  const plain = flowFamily({ id: 'plain', descriptor: { file: 'PLAIN.md' } });
  const files_ = {
    'skills/x/FLOW.md': flowText('x', 'one'),
    'skills/y/FLOW.md': flowText('y', 'two'),
    'skills/p/PLAIN.md': flowText('p', 'plain'),
  };

  test('stops its unfinished frame with skill.changed, and its caller continues', async () => {
    using files = tree(files_);
    const store = createMemoryStore();
    const top: Run = async (_input, scope) => done(said(await scope.call('x', null)));
    await using first = agentWith({ top }, { ...flowsIn(files.path, family), store });
    const { runId } = await first.run({ skill: 'top' }).result;
    files.write('skills/x/more.txt', 'more');
    await using second = agentWith({ top }, { ...flowsIn(files.path, family), store });
    await second.runs.answer(runId, 'A');
    assert.equal((await settled(second.runs.resume(runId).result)).text, 'skill.changed');
    assert.equal(ofType(await second.runs.events(runId), 'frame.ended').length, 2);
  });

  test('does not matter to the others, nor to what had finished', async () => {
    using files = tree(files_);
    const store = createMemoryStore();
    const options = {
      ...flowsIn(files.path, family),
      families: [...(flowsIn(files.path, family).families ?? []), plain],
      store,
    };
    const top: Run = async (_input, scope) =>
      done(`${said(await scope.call('p', null))} ${said(await scope.call('y', null))}`);
    await using first = agentWith({ top }, options);
    const { runId } = await first.run({ skill: 'top' }).result;
    files.write('skills/p/PLAIN.md', flowText('p', 'changed'));
    files.write('skills/x/FLOW.md', flowText('x', 'changed'));
    await using second = agentWith({ top }, options);
    await second.runs.answer(runId, 'A');
    assert.equal((await settled(second.runs.resume(runId).result)).text, 'plain two A');
  });

  test('is seen by the same agent after it looked again', async () => {
    using files = tree(files_);
    await using agent = agentWith({}, flowsIn(files.path, family));
    const { runId } = await agent.run({ skill: 'x' }).result;
    files.write('skills/x/FLOW.md', flowText('x', 'changed'));
    await agent.reload();
    await agent.runs.answer(runId, 'A');
    const result = await settled(agent.runs.resume(runId).result);
    assert.deepEqual([result.status, codeOf(result)], ['failed', 'skill.changed']);
    assert.match(result.error?.hint ?? '', /rerun/);
  });

  test('is never run under the digest of what it was', async () => {
    using files = tree(files_);
    await using agent = agentWith({}, flowsIn(files.path, family));
    const { runId } = await agent.run({ skill: 'x' }).result;
    files.write('skills/x/FLOW.md', flowText('x', 'changed'));
    await agent.runs.answer(runId, 'A');
    const result = await settled(agent.runs.resume(runId).result);
    assert.notEqual(result.text, 'changed A');
  });
});
