import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecursiveSkilledAgent } from '../../config/preset.ts';
import { agentWith, done, hang, settled, until, type Run } from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import type { Invocation } from '../command.ts';
import { seeThrough } from './see-through.ts';

/** A command line that writes down what it says. */
function openInvocation(): { readonly invocation: Invocation; readonly said: { out: string; err: string } } {
  const said = { out: '', err: '' };
  const invocation: Invocation = {
    flags: { json: false, quiet: false, cwd: '/', skills: [], only: false, safe: false, yes: true },
    ...{ own: {}, lists: {}, words: [], given: [] },
    terminal: {
      out: (text) => void (said.out += text),
      err: (text) => void (said.err += text),
      progress: () => undefined,
      ...{ width: undefined, color: false },
    },
  };
  return { invocation, said };
}

test('with --yes a command that nothing contains is allowed once, and said to be unsandboxed', async () => {
  const { invocation, said } = openInvocation();
  const opened: number[] = [];
  await using agent = new RecursiveSkilledAgent({
    workspace: import.meta.dirname,
    sandboxes: {
      contains: () => Promise.resolve(false),
      open: () => {
        opened.push(1);
        return Promise.reject(new Error('nothing is run here'));
      },
    },
  });
  const begin = (signal: AbortSignal): ReturnType<typeof agent.run> =>
    agent.run({ skill: 'bash', input: { command: 'ls' }, signal });
  await seeThrough({ agent, invocation, begin });
  assert.match(said.err, /^allowed once: The call of "bash" needs approval: .*\bunsandboxed\b.*: ls$/m);
  assert.equal(opened.length, 1);
});

test('a run that another process takes up is followed there to its end', async () => {
  using files = tree();
  const begun = Promise.withResolvers<string>();
  const openWith = (run: Run): RecursiveSkilledAgent =>
    agentWith({ wait: run }, { store: files.at('runs.db') });
  await using here = openWith((_input, scope) => {
    begun.resolve(scope.runId);
    return hang(scope.signal);
  });
  const gate = Promise.withResolvers<undefined>();
  await using there = openWith(async () => {
    await gate.promise;
    return done('done there');
  });
  const { invocation, said } = openInvocation();
  const code = seeThrough({
    agent: here,
    invocation,
    begin: (signal) => here.run({ skill: 'wait', input: null, signal }),
  });
  const taken = there.runs.resume(await begun.promise, { takeOver: true });
  await until(() => said.err.includes('following'), 'that it is followed');
  gate.resolve(undefined);
  assert.deepEqual([await settled(code), said.out], [0, 'done there\n'], said.err);
  assert.equal((await taken.result).text, 'done there');
});
