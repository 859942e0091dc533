import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownPackage } from '../../../config/program.ts';
import { AgentError, reasonOf } from '../../../core/error.ts';
import type { RunEvent } from '../../../core/event.ts';

/** The log that comes with the package, made by scripts/make-demo-log.js; its events are believed as they are. */
export function readRecording(): readonly RunEvent[] {
  const file = join(ownPackage().root, 'assets', 'demo.jsonl');
  try {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as RunEvent);
  } catch (thrown) {
    throw new AgentError('usage.not-found', `The recording cannot be read: ${reasonOf(thrown)}.`, {
      hint: 'It comes with the package: install skilled again.',
      cause: thrown,
    });
  }
}
