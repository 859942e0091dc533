import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { withoutBubblewrap } from '../../test/support/bubblewrap.ts';
import { tree } from '../../test/support/tree.ts';
import type { Ports } from '../agent/options.ts';
import { AgentError } from '../core/error.ts';
import { createPlainSandboxes } from '../sandboxes/plain-provider.ts';
import { reportCode, reportSnippets } from './sandbox-report.ts';
import { defaultPorts } from './defaults.ts';
import { sourceUrl } from '../../test/support/source-file.ts';

const ports = defaultPorts();
const broken = new AgentError('sandbox.unavailable', 'It is broken.', { hint: 'Repair it.' });
const brokenData = { code: 'sandbox.unavailable', message: 'It is broken.', hint: 'Repair it.' };
const fail = (): Promise<never> => Promise.reject(broken);

describe('the code of a skill is run', () => {
  test('as that of any skill would be, and leaves nothing', async () => {
    using temporary = tree();
    const program = `
      import { reportCode } from ${JSON.stringify(sourceUrl('src/config/sandbox-report.ts'))};
      console.log(JSON.stringify(await reportCode('auto')));`;
    const env = { ...process.env, TMPDIR: temporary.path };
    const args = ['--input-type=module', '--eval', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    assert.deepEqual(JSON.parse(stdout), { isSandboxed: withoutBubblewrap === false });
    assert.deepEqual(readdirSync(temporary.path), []);
  });

  test('if there is no sandbox', async () => {
    const plain: Ports = { ...ports, openSandboxes: () => createPlainSandboxes() };
    assert.deepEqual(await reportCode('auto', plain), { isSandboxed: false });
  });

  test('with the reason where it does not run', async () => {
    const sandboxes = { contains: fail, open: fail };
    for (const given of [{ openSandboxes: () => sandboxes }, { openCode: fail }])
      assert.deepEqual(await reportCode('required', { ...ports, ...given }), { fault: brokenData });
    const openCode: Ports['openCode'] = () => Promise.resolve({ run: fail, close: () => Promise.resolve() });
    assert.deepEqual(await reportCode('auto', { ...ports, openCode }), { fault: brokenData });
  });
});

describe('a snippet is run', () => {
  test('as any would be', async () => {
    assert.deepEqual(await reportSnippets(), {});
  });

  test('with the reason where it does not run, or comes to something else', async () => {
    assert.deepEqual(await reportSnippets({ ...ports, openSnippets: fail }), { fault: brokenData });
    const close = (): Promise<void> => Promise.resolve();
    const run = (): Promise<{ value: number; log: string }> => Promise.resolve({ value: 41, log: '' });
    const { fault } = await reportSnippets({ ...ports, openSnippets: () => Promise.resolve({ run, close }) });
    assert.match(fault?.message ?? '', /41/);
  });
});
