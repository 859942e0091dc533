import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  agentWith,
  codeOf,
  done,
  hang,
  said,
  settled,
  valueOf,
  type Run,
} from '../../../test/support/kernel.ts';
import type { Grant, Sandbox, SandboxProvider } from '../../core/sandbox.ts';
import type { Lifetime, Scope } from '../../core/scope.ts';

/** Creates resources that record when they are opened and closed. */
function things(): {
  readonly log: string[];
  readonly open: (name: string) => () => Promise<{ close(): void; name: string }>;
} {
  const log: string[] = [];
  let count = 0;
  return {
    log,
    open: (name) => async () => {
      const own = `${name}${++count}`;
      log.push(`open ${own}`);
      return { name: own, close: () => void log.push(`close ${own}`) };
    },
  };
}

function keeping(lifetime: Lifetime, open: ReturnType<typeof things>['open']): Run {
  return async (_input, scope) => done((await scope.resources.open('k', lifetime, open('t'))).name);
}

describe('what a skill keeps', () => {
  test('for the run is opened once in it and closed with it', async () => {
    const { log, open } = things();
    await using agent = agentWith({
      top: async (_input, scope) => {
        const names = await Promise.all([1, 2, 3].map((n) => scope.call('keeps', n)));
        log.push('top ends');
        return done(names.map(said).join(' '));
      },
      keeps: keeping('run', open),
    });
    assert.equal((await agent.run({ skill: 'top' }).result).text, 't1 t1 t1');
    assert.deepEqual(log, ['open t1', 'top ends', 'close t1']);
    assert.equal((await agent.run({ skill: 'top' }).result).text, 't2 t2 t2');
  });

  test('for a session or the agent is closed with the agent', async () => {
    for (const lifetime of ['session', 'agent'] as const) {
      const { log, open } = things();
      const agent = agentWith({ top: keeping(lifetime, open) });
      const texts: string[] = [];
      for (const session of ['a', 'a', 'b'])
        texts.push((await agent.run({ skill: 'top', session }).result).text);
      assert.deepEqual(texts, lifetime === 'agent' ? ['t1', 't1', 't1'] : ['t1', 't1', 't2']);
      assert.ok(!log.join().includes('close'));
      await agent.shutdown();
      assert.deepEqual(
        log.filter((line) => line.startsWith('close')),
        lifetime === 'agent' ? ['close t1'] : ['close t1', 'close t2'],
      );
    }
  });

  test('for a session without a name is not what is kept for the agent', async () => {
    const { open } = things();
    await using agent = agentWith({
      top: async (_input, scope) =>
        done(
          `${(await scope.resources.open('k', 'session', open('s'))).name} ${(await scope.resources.open('k', 'agent', open('a'))).name}`,
        ),
    });
    assert.equal((await agent.run({ skill: 'top', session: '' }).result).text, 's1 a2');
  });

  test('is apart for each skill', async () => {
    const { open } = things();
    await using agent = agentWith({ one: keeping('agent', open), two: keeping('agent', open) });
    assert.equal((await agent.run({ skill: 'one' }).result).text, 't1');
    assert.equal((await agent.run({ skill: 'two' }).result).text, 't2');
  });

  test('is forgotten when it failed to open', async () => {
    let times = 0;
    await using agent = agentWith({
      top: async (_input, scope) => {
        const open = async (): Promise<string> => {
          if (++times === 1) throw new Error('no');
          return 'opened';
        };
        const first = await scope.resources.open('k', 'run', open).catch(() => 'failed');
        return done(`${first} ${await scope.resources.open('k', 'run', open)}`);
      },
    });
    assert.equal((await agent.run({ skill: 'top' }).result).text, 'failed opened');
  });

  test('is closed when the run is cancelled, waits or fails, by close or by async dispose', async () => {
    const closed: string[] = [];
    const opened = Promise.withResolvers<undefined>();
    const openBoth: Run = async (input, scope) => {
      await scope.resources.open('a', 'run', async () => ({ close: () => void closed.push('a') }));
      await scope.resources.open('b', 'run', async () => ({
        [Symbol.asyncDispose]: async () => void closed.push('b'),
      }));
      await scope.resources.open('c', 'run', async () => undefined);
      await scope.resources.open('d', 'run', async () => ({ close: () => Promise.reject(new Error('no')) }));
      if (input === 'wait') await scope.ask('x');
      if (input !== 'hang') throw new Error('fails');
      opened.resolve(undefined);
      return hang();
    };
    await using agent = agentWith({ top: openBoth });
    for (const input of ['wait', 'fail', 'hang']) {
      closed.length = 0;
      const run = agent.run({ skill: 'top', input });
      if (input === 'hang') {
        await settled(opened.promise);
        await settled(run.cancel());
      }
      await settled(run.result);
      assert.deepEqual(closed.toSorted(), ['a', 'b'], input);
    }
  });
});

/** Creates a provider whose sandboxes only record their existence. */
function sandboxesOf(log: string[]): SandboxProvider {
  return {
    contains: async () => true,
    async open({ read, write, hosts }: Grant): Promise<Sandbox> {
      log.push(`open ${JSON.stringify([read, write, hosts])}`);
      return { close: async () => void log.push('close') } as unknown as Sandbox;
    },
  };
}

describe('the sandbox of a frame', () => {
  test('is not there where nothing contains', async () => {
    const sandboxes = { contains: async () => false, open: () => assert.fail('opened') };
    await using agent = agentWith(
      { top: async (_input, scope) => done(typeof (await scope.processes.sandbox())) },
      { sandboxes },
    );
    assert.equal(codeOf(await agent.run({ skill: 'top' }).result), 'sandbox.unavailable');
  });

  test('is opened when first asked for, once, and closed with its frame', async () => {
    const log: string[] = [];
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const names = [said(await scope.call('boxed', 1)), said(await scope.call('boxed', 2))];
          log.push('top ends');
          return done('', names);
        },
        boxed: async (_input, scope) => {
          const [one, two] = await Promise.all([scope.processes.sandbox(), scope.processes.sandbox()]);
          return done(String(one === two));
        },
      },
      { sandboxes: sandboxesOf(log) },
    );
    assert.deepEqual(valueOf(await agent.run({ skill: 'top' }).result), ['true', 'true']);
    assert.deepEqual(log, ['open [[],[],[]]', 'close', 'open [[],[],[]]', 'close', 'top ends']);
  });

  test('is not opened for a frame that ended', async () => {
    const log: string[] = [];
    let left: Scope | undefined;
    await using agent = agentWith(
      {
        top: (_input, scope) => {
          left = scope;
          return done();
        },
      },
      { sandboxes: sandboxesOf(log) },
    );
    await agent.run({ skill: 'top' }).result;
    left?.processes.sandbox().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(log, []);
  });
});
