import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { Invocation } from '../command.ts';
import { onInterrupt } from './interrupt.ts';
import { printOutcome } from './print-outcome.ts';

test('with --yes a command that nothing contains is allowed once, and said to be unsandboxed', async () => {
  let err = '';
  const invocation: Invocation = {
    flags: { json: false, quiet: false, cwd: '/', skills: [], only: false, safe: false, yes: true },
    own: {},
    lists: {},
    args: [],
    given: [],
    terminal: {
      out: () => undefined,
      err: (text) => void (err += text),
      progress: () => undefined,
      width: undefined,
      color: false,
    },
  };
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
  using interrupt = onInterrupt();
  const run = agent.run({ skill: 'bash', input: { command: 'ls' }, signal: interrupt.signal });
  await printOutcome({ agent, invocation, interrupt, run });
  assert.match(err, /^allowed once: The call to "bash" needs approval: .*\bwithout a sandbox\b.*: ls$/m);
  assert.equal(opened.length, 1);
});
