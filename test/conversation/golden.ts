import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WireRequest } from './requests.ts';
import type { HeldConversation } from './stage.ts';

/**
 * Fails unless the requests and answers equal the recorded ones. To record them again: `KEEP_LOG=1 npm test --
 * test/conversation/conversations.test.ts`.
 */
export function checkGolden(
  name: string,
  { results, decisions, folders }: Pick<HeldConversation, 'results' | 'decisions' | 'folders'>,
  requests: readonly WireRequest[],
): void {
  const file = join(import.meta.dirname, 'golden', `${name}.txt`);
  let shown: readonly string[] = [];
  const parts = requests.map(({ lines }, index) => {
    const shared = shown.every((line, at) => line === lines[at]) ? shown.length : 0;
    shown = lines;
    const before = shared === 0 ? [] : [`(${shared} as before)`];
    return [`--- request ${index + 1}`, ...before, ...lines.slice(shared)].join('\n');
  });
  const system = name === 'hello' ? [`--- system\n${requests[0]?.system ?? ''}`] : [];
  const decided = decisions.map((decision) => `--- asked for ${decision}`);
  const answers = results.map(({ status, skill, text, error }) => {
    const why = error === undefined ? '' : ` ${error.code}`;
    return `--- ${status} by ${skill === '' ? 'nobody' : skill}${why}\n${text}`;
  });
  const text = `${[...system, ...parts, ...decided, ...answers].join('\n')}\n`
    .replaceAll(folders.workspace, '<workspace>')
    .replace(/^Date: \d{4}-\d\d-\d\d$/m, 'Date: <date>')
    .replace(/^Platform: \w+$/m, 'Platform: <platform>');
  if (process.env['KEEP_LOG'] === '1') writeFileSync(file, text);
  assert.equal(text, readFileSync(file, 'utf8'));
}
