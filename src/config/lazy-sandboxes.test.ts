import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutBubblewrap } from '../../test/support/bubblewrap.ts';
import { openSandboxes } from './lazy-sandboxes.ts';

const grant = { read: [], write: [], hosts: [], environment: { PATH: '/usr/bin:/bin' } };
const isContained = withoutBubblewrap === false;

test('processes run contained where the machine can do it, and else without', async () => {
  const sandboxes = openSandboxes('auto');
  assert.equal(await sandboxes.contains(), isContained);
  const sandbox = await sandboxes.open(grant);
  const { exitCode } = await sandbox.run({ program: 'true', arguments: [] }, new AbortController().signal);
  assert.equal(exitCode, 0);
  await sandbox.close();
});

test('where containment is required, there is nothing without', async () => {
  const sandboxes = openSandboxes('required');
  if (isContained) {
    assert.equal(await sandboxes.contains(), true);
    await (await sandboxes.open(grant)).close();
    return;
  }
  await assert.rejects(sandboxes.contains(), { code: 'sandbox.unavailable' });
  await assert.rejects(sandboxes.open(grant), { code: 'sandbox.unavailable' });
});
