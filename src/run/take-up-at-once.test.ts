import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentWith, done, settled, textOf, until, type Run } from '../../test/support/kernel.ts';
import { createMemoryStore } from '../stores/memory.ts';

test('whoever wants to take up a run that another process has just taken up does not disturb it at its work', async () => {
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
  await writes.reached; // it has the run, and has written nothing yet
  claims.close();
  const other = second.runs.resume(runId);
  await claims.reached; // it has seen that the run waits
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

/** A place that can be closed: who passes it then waits until it is opened again. */
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
