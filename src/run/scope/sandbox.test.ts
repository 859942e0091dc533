import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, done, settled, type TestSkill, type Run } from '../../../test/support/kernel.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { InputParts } from '../../core/policy.ts';
import type { Grant, Sandbox, SandboxProvider } from '../../core/sandbox.ts';
import type { CallOptions } from '../../core/scope.ts';

interface Watched extends SandboxProvider {
  readonly granted: readonly Grant[];
  /** The maximum number of sandboxes that were open at once. */
  readonly most: number;
  readonly open: SandboxProvider['open'];
  readonly left: ReadonlySet<Grant>;
}

/** Creates sandboxes that run nothing and record their grants. */
function watchedSandboxes(opening: () => Promise<void> = async () => undefined): Watched {
  const granted: Grant[] = [];
  const left = new Set<Grant>();
  let most = 0;
  return {
    granted,
    left,
    get most() {
      return most;
    },
    contains: async () => true,
    async open(grant) {
      await opening();
      granted.push(grant);
      left.add(grant);
      most = Math.max(most, left.size);
      return { close: async () => void left.delete(grant) } as unknown as Sandbox;
    },
  };
}

const boxed: Run = async (_input, scope) => {
  await scope.processes.sandbox();
  return done();
};
const shell: TestSkill = { run: boxed, runsProcesses: true, permission: 'Shell', allowedSkills: [] };
const asWritten = { asWritten: true } as const;

function agentIn(
  sandboxes: SandboxProvider,
  skills: Readonly<Record<string, TestSkill>>,
  entries = {},
): RecursiveSkilledAgent {
  const policy = { decide: () => ({ decision: 'allow' as const }) };
  return agentWith(
    { shell, ...skills },
    { sandboxes, policy, workspace: '/tmp', settings: { skills: { entries } } },
  );
}

describe('a sandbox that commands share', () => {
  test('is not that of the skill whose text has them: that may not write to the workspace', async () => {
    const sandboxes = watchedSandboxes();
    const top: Run = async (_input, scope) => {
      await scope.call('shell', null, asWritten);
      await scope.processes.sandbox();
      return done();
    };
    await using agent = agentIn(sandboxes, { top });
    await agent.run({ skill: 'top' }).result;
    assert.deepEqual(
      sandboxes.granted.map(({ write }) => write),
      [['/tmp'], []],
    );
  });

  test('is apart for each skill that runs them: one does not reach what another may', async () => {
    const sandboxes = watchedSandboxes();
    const top: Run = async (_input, scope) => {
      for (const name of ['shell', 'other']) await scope.call(name, null, asWritten);
      return done();
    };
    const entries = { shell: { hosts: ['example.org'] } };
    await using agent = agentIn(sandboxes, { top, other: { ...shell, permission: 'Other' } }, entries);
    await agent.run({ skill: 'top' }).result;
    assert.deepEqual(
      sandboxes.granted.map(({ hosts }) => hosts),
      [['example.org'], []],
    );
  });

  test('is one for all of them', async () => {
    const sandboxes = watchedSandboxes();
    const top: Run = async (_input, scope) => {
      for (const input of [1, 2, 3]) await scope.call('shell', input, asWritten);
      return done();
    };
    await using agent = agentIn(sandboxes, { top });
    await agent.run({ skill: 'top' }).result;
    assert.deepEqual([sandboxes.granted.length, sandboxes.left.size], [1, 0]);
  });

  test('is not available for commands that have ended, so that a long conversation does not keep them all', async () => {
    const sandboxes = watchedSandboxes();
    const top: Run = async (_input, scope) => {
      for (const index of [1, 2, 3, 4]) {
        const environment = { SKILLED_TOOL_INPUT: `call ${index}` };
        const options: CallOptions = { ...asWritten, process: { environment, stdin: '{}' } };
        await scope.call('shell', index, options);
      }
      return done();
    };
    await using agent = agentIn(sandboxes, { top });
    await agent.run({ skill: 'top' }).result;
    assert.deepEqual([sandboxes.granted.length, sandboxes.most], [4, 1]);
  });

  test('is closed also when it opens after the skill ended', async () => {
    const began = Promise.withResolvers<undefined>();
    const opens = Promise.withResolvers<undefined>();
    const sandboxes = watchedSandboxes(async () => {
      began.resolve(undefined);
      await opens.promise;
    });
    const top: Run = async (_input, scope) => {
      void scope.call('shell', null, asWritten);
      await began.promise;
      setImmediate(() => opens.resolve(undefined));
      return done();
    };
    await using agent = agentIn(sandboxes, { top });
    await settled(agent.run({ skill: 'top' }).result);
    assert.deepEqual([sandboxes.granted.length, sandboxes.left.size], [1, 0]);
  });

  test('is not opened any more for a skill that ended', async () => {
    const asked = Promise.withResolvers<undefined>();
    const support = Promise.withResolvers<boolean>();
    let times = 0;
    const plain = watchedSandboxes();
    const sandboxes: SandboxProvider = {
      open: plain.open,
      contains: () => {
        times += 1;
        if (times === 1) return Promise.resolve(true); // for the policy
        asked.resolve(undefined);
        return support.promise;
      },
    };
    const top: Run = async (_input, scope) => {
      void scope.call('code', null, asWritten);
      await asked.promise;
      return done();
    };
    await using agent = agentIn(sandboxes, { top, code: boxed });
    times = 1;
    await settled(agent.run({ skill: 'top' }).result);
    support.resolve(true);
    await new Promise((resolve) => setImmediate(resolve));
    await agent.shutdown();
    assert.equal(plain.left.size, 0);
  });
});

describe('a sandbox of a call that makes git repositories', () => {
  test('lets them stay, and is not shared with other commands', async () => {
    const sandboxes = watchedSandboxes();
    const parts = (input: unknown): InputParts => ({
      parts: [],
      areAll: false,
      ...(input === 'clone' ? { makesRepositories: true } : {}),
    });
    const top: Run = async (_input, scope) => {
      for (const input of ['list', 'clone', 'list']) await scope.call('maker', input, asWritten);
      return done();
    };
    await using agent = agentIn(sandboxes, { top, maker: { ...shell, parts } });
    await agent.run({ skill: 'top' }).result;
    assert.deepEqual(
      sandboxes.granted.map(({ mayCreateRepositories }) => mayCreateRepositories),
      [undefined, true],
    );
  });
});
