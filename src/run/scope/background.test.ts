import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, test } from 'node:test';
import { agentWith, done, settled, yesPolicy, type Run } from '../../../test/support/kernel.ts';
import { until } from '../../../test/support/deadline.ts';
import type { LiveProcess, ProcessResult, Sandbox, SandboxProvider } from '../../core/sandbox.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { AgentOptions } from '../../agent/options.ts';

interface Processes extends SandboxProvider {
  readonly running: ReadonlySet<LiveProcess>;
  readonly started: number;
}

/** Creates sandboxes whose processes run until they are killed. */
function endlessProcesses(
  opening: () => Promise<void> = async () => undefined,
  closing: () => Promise<void> = async () => undefined,
): Processes {
  const running = new Set<LiveProcess>();
  let started = 0;
  const start = async (): Promise<LiveProcess> => {
    await opening();
    started++;
    const ended = Promise.withResolvers<ProcessResult>();
    const live = {
      ended: ended.promise,
      output: new PassThrough().end(),
      end: () => undefined,
      async kill() {
        running.delete(live);
        ended.resolve({ exitCode: null, stdout: '', stderr: '' });
      },
    } as unknown as LiveProcess;
    running.add(live);
    return live;
  };
  return {
    running,
    get started() {
      return started;
    },
    contains: async () => true,
    open: async () => ({ start, close: closing }) as unknown as Sandbox,
  };
}

const serve: Run = async (_input, scope) => {
  const { id } = await scope.processes.background.start('serve', { program: 'serve', arguments: [] });
  return done(id);
};

function agentIn(sandboxes: SandboxProvider, top: Run): RecursiveSkilledAgent {
  const options: AgentOptions = { sandboxes, policy: yesPolicy, workspace: '/tmp' };
  const server = { run: serve, runsProcesses: true, permission: 'Serve', allowedSkills: [] };
  return agentWith({ server, top }, options);
}

describe('a background command', () => {
  test('that starts while its conversation ends is stopped', async () => {
    const began = Promise.withResolvers<null>();
    const opens = Promise.withResolvers<null>();
    const sandboxes = endlessProcesses(async () => {
      began.resolve(null);
      await opens.promise;
    });
    const top: Run = async (_input, scope) => {
      void scope.call('server', null);
      await began.promise;
      return done();
    };
    await using agent = agentIn(sandboxes, top);
    await settled(agent.run({ skill: 'top' }).result);
    opens.resolve(null);
    await until(() => sandboxes.started === 1 && sandboxes.running.size === 0);
  });

  test('counts towards the limit while it starts', async () => {
    const sandboxes = endlessProcesses();
    const top: Run = async (_input, scope) => {
      const calls = Array.from({ length: 20 }, (_, key) => scope.call('server', null, { key: `${key}` }));
      const outputs = await Promise.all(calls);
      return done(String(outputs.filter(({ status }) => status === 'done').length));
    };
    await using agent = agentIn(sandboxes, top);
    const { text } = await agent.run({ skill: 'top' }).result;
    assert.deepEqual([sandboxes.started, text], [8, '8']);
  });

  test('is stopped even if the same call started another one', async () => {
    const sandboxes = endlessProcesses();
    const top: Run = async (_input, scope) => {
      const { background } = scope.processes;
      await background.start('one', { program: 'serve', arguments: [] });
      await background.start('two', { program: 'serve', arguments: [] });
      return done((await background.commands()).map(({ title }) => title).join());
    };
    await using agent = agentWith(
      { top: { run: top, runsProcesses: true, permission: 'Serve' } },
      { sandboxes, policy: yesPolicy, workspace: '/tmp' },
    );
    assert.equal((await agent.run({ skill: 'top' }).result).text, 'one,two');
    await until(() => sandboxes.running.size === 0);
  });

  test('whose sandbox cannot be closed does not crash the program', async () => {
    const sandboxes = endlessProcesses(undefined, () => Promise.reject(new Error('busy')));
    const top: Run = async (_input, scope) => {
      await scope.call('server', null);
      return done();
    };
    await using agent = agentIn(sandboxes, top);
    const { ok } = await agent.run({ skill: 'top' }).result;
    assert.equal(ok, true);
    await new Promise((resolve) => setImmediate(resolve));
  });
});
