import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../../src/core/event.ts';

/**
 * Fails unless a run's log equals the recorded log of this name. To record it again: `KEEP_LOG=1 npm test --
 * test/journeys/<name>.test.ts`.
 */
export function checkRecordedLog(name: string, events: readonly RunEvent[]): void {
  const file = join(import.meta.dirname, '..', 'journeys', 'fixtures', `${name}.jsonl`);
  const log = events.map(steady);
  if (process.env['KEEP_LOG'] === '1') writeFileSync(file, log.map((line) => `${line}\n`).join(''));
  const before = readFileSync(file, 'utf8').trimEnd().split('\n');
  assert.deepEqual(log.map(parsed), before.map(parsed));
}

/**
 * Removes the values that differ in every run, and the sequence number, so that an extra event is one
 * difference. Keeps frame ids and request hashes, because they must match for older runs to resume.
 */
function steady({ at: _at, runId: _runId, seq: _seq, ...event }: RunEvent): string {
  if (event.type === 'run.started') return JSON.stringify({ ...event, version: 'some' });
  if (event.type === 'run.resumed') return JSON.stringify({ ...event, owner: 'somebody', version: 'some' });
  if (event.type !== 'approval.requested') return JSON.stringify(event);
  const { expires, ...asks } = event.asks;
  assert.ok(expires !== undefined);
  return JSON.stringify({ ...event, asks });
}

function parsed(line: string): unknown {
  return JSON.parse(line);
}
