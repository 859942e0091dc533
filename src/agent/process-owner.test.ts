import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { isOwnerGone, processOwner } from './process-owner.ts';

test('an owner is gone only if its process certainly no longer exists', () => {
  const own = processOwner();
  assert.ok(own.startsWith(`${process.pid}@${hostname()}`), own);
  assert.equal(isOwnerGone(own), false);
  const { pid } = spawnSync(process.execPath, ['--version']);
  const dead = own.replace(/^\d+/, String(pid));
  assert.equal(isOwnerGone(dead), process.platform === 'linux');
  const elsewhere = dead.replace(/[0-9a-f]$/, (digit) => (digit === '0' ? '1' : '0'));
  for (const owner of [elsewhere, `${pid}@${hostname()}`, `${pid}`, '', 'somebody', `x${dead}`])
    assert.equal(isOwnerGone(owner), false, owner);
});
