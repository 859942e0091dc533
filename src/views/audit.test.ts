import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answered,
  approvalAsked,
  approvalDecided,
  asked,
  begin,
  failed,
  log,
  runEnded,
  type LogEntry,
} from '../../test/support/events.ts';
import { createAuditFold, type AuditEntry } from './audit.ts';

const actor = { user: 'u1', client: 'k1' };

function by(entry: LogEntry): LogEntry {
  return { ...entry, actor } as LogEntry;
}

function entriesOf(...entries: readonly LogEntry[]): readonly AuditEntry[] {
  const fold = createAuditFold();
  return log(...entries).flatMap((event) => fold(event) ?? []);
}

test('every decision has its skill, rule, scope and reason', () => {
  const entries = entriesOf(
    ...begin('daily', { user: 'u0', client: 'k0' }),
    approvalAsked('f1', 'a1', 'bash'),
    approvalAsked('f1', 'a2', 'write'),
    by(approvalDecided('f1', 'a2', { deny: 'Not here.' })),
    by(approvalDecided('f1', 'a1', { allow: 'run' })),
    approvalAsked('f1', 'a3', 'bash'),
    approvalDecided('f1', 'a3', { deny: 'Too late.', expired: true }),
    approvalAsked('f1', 'a4', 'bash'),
    { ...approvalDecided('f1', 'a4', { allow: 'once' }), by: 'policy' } as LogEntry,
    approvalDecided('f1', 'never asked', { allow: 'once' }),
    asked('f1', 'q', '?'),
    by(answered('f1', 'q', 'secret')),
    by(runEnded('cancelled', failed('Enough.', 'usage.cancelled'))),
  );
  assert.deepEqual(
    entries.map(({ at: _at, run: _run, ...entry }) => entry),
    [
      { action: 'asked', user: 'u0', client: 'k0', skill: 'daily' },
      { action: 'denied', ...actor, skill: 'write', rule: 'write', reason: 'Not here.' },
      { action: 'allowed', ...actor, skill: 'bash', rule: 'bash', scope: 'run' },
      { action: 'expired', skill: 'bash', rule: 'bash', reason: 'Too late.' },
      { action: 'decided-by-policy', skill: 'bash', rule: 'bash', scope: 'once' },
      { action: 'allowed', scope: 'once' },
      { action: 'answered', ...actor },
      { action: 'cancelled', ...actor, reason: 'Enough.' },
    ],
  );
  assert.deepEqual([entries[0]?.run, entries[0]?.at], ['r1', 0]);
});

test('a run that ends in another way than by a person has no entry for it', () => {
  for (const status of ['done', 'failed'] as const)
    assert.equal(entriesOf(...begin('daily'), runEnded(status, failed('x'))).length, 1);
});
