import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../../../test/support/bubblewrap.ts';
import { tree } from '../../../test/support/tree.ts';
import { entryFiles } from '../../core/package-files.ts';
import type { SandboxProvider } from '../../core/sandbox.ts';
import { createProcessSandboxes } from '../bubblewrap-provider.ts';
import { createPlainSandboxes } from '../plain-provider.ts';
import { codeCommand, startCodeProcess } from './process.ts';

const nothing = { read: [], write: [], hosts: [], environment: {} };
const target = { key: 'one', grant: nothing, startsProcesses: false, isCurrent: () => true };

/** Returns sandboxes that start another file instead of the worker. */
function withWorker(sandboxes: SandboxProvider, worker: string): SandboxProvider {
  return {
    ...sandboxes,
    async open(grant) {
      const sandbox = await sandboxes.open({ ...grant, read: [...grant.read, worker] });
      return {
        ...sandbox,
        converse: (command, listener) =>
          sandbox.converse({ ...command, arguments: [...command.arguments.slice(0, -1), worker] }, listener),
      };
    },
  };
}

for (const [kind, sandboxes, skip] of [
  ['plain', createPlainSandboxes(), false],
  ['contained', createProcessSandboxes(), withoutBubblewrap],
] as const) {
  describe(`a worker that fails to start, ${kind}`, { skip }, () => {
    const start = async (code: string, memoryBytes = 512 * 2 ** 20): Promise<unknown> => {
      using files = tree({ 'worker.mjs': code });
      const broken = withWorker(sandboxes, files.at('worker.mjs'));
      return await startCodeProcess(broken, target, memoryBytes, new AbortController().signal);
    };

    test('is reported with the module that is missing, and not with the version of Node', async () => {
      await assert.rejects(start("import './chunk.mjs';"), {
        code: 'sandbox.unavailable',
        message:
          /^The code worker failed to start: Cannot find module '\/.*chunk\.mjs' imported from \/.*mjs$/,
        hint: /^Reinstall skilled\./,
      });
    });

    test('is reported with what it threw, what it printed, or how it ended', async () => {
      await assert.rejects(start("throw new TypeError('No luck.');"), {
        message: /start: TypeError: No luck\.$/,
      });
      await assert.rejects(start("console.error('No key.'); process.exit(3);"), {
        message: /start: No key\.$/,
      });
      await assert.rejects(start('process.exit(3);'), { message: /start: it exited with exit code 3\.$/ });
    });

    test('without memory is reported as such, with a remedy', async () => {
      const code = 'const all = []; for (;;) all.push(new Array(1e5).fill(1.5));';
      const fault = { message: /memory/, hint: /memory limit/ };
      await assert.rejects(start(code, 2 ** 20), fault);
    });
  });
}

test('a worker reads its own program and no other file of the package', () => {
  const { command, grant } = codeCommand(target, 2 ** 30);
  const { entry, read } = entryFiles('sandboxes/code-worker/worker', ['sandboxes/code-worker']);
  assert.equal(command.arguments.at(-1), entry);
  assert.deepEqual(grant.read, read);
});

test('a worker starts where nothing else is granted', { skip: withoutBubblewrap }, async () => {
  const never = new AbortController().signal;
  const code = await startCodeProcess(createProcessSandboxes(), target, 512 * 2 ** 20, never);
  await code.end();
});
