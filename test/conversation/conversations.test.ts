import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { providerKinds } from '../support/provider-stage.ts';
import { readRequest, type WireRequest } from './requests.ts';
import { conversations, type Conversation } from './scripts.ts';
import { hold, type HeldConversation } from './stage.ts';

const kinds = providerKinds.filter(({ name }) => name !== '@ai-sdk/openai-compatible');

describe('a conversation reaches the model as real messages', { concurrency: true }, () => {
  for (const conversation of conversations.filter(({ name }) => name !== 'killed'))
    for (const kind of kinds) {
      const skip = conversation.servers === undefined ? false : withoutBubblewrap;
      test(`${conversation.name} through ${kind.name}`, { skip }, async () => {
        await using held = await hold(conversation, kind);
        const requests = (held.server?.requests ?? []).map(readRequest);
        checkHeads(requests);
        checkGolden(conversation, held, requests);
      });
    }
});

/** Fails unless all requests of the assistant begin with exactly the same tools and system prompt. */
function checkHeads(requests: readonly WireRequest[]): void {
  const own = requests.filter(({ system }) => system.startsWith('You are the assistant of skilled'));
  assert.ok(own.length > 0 || requests.length === 0);
  assert.ok(new Set(own.map(({ head }) => head)).size <= 1, 'The first part of the prompt changes.');
}

/**
 * Fails unless the requests and answers equal the recorded ones. To record them again: `KEEP_LOG=1 npm test --
 * test/conversation/conversations.test.ts`.
 */
function checkGolden(
  { name }: Conversation,
  { results, decisions, folders }: HeldConversation,
  requests: readonly WireRequest[],
): void {
  const file = join(import.meta.dirname, 'golden', `${name}.txt`);
  let shown: readonly string[] = [];
  const parts = requests.map(({ lines }, index) => {
    const kept = shown.every((line, at) => line === lines[at]) ? shown.length : 0;
    shown = lines;
    const before = kept === 0 ? [] : [`(${kept} as before)`];
    return [`--- request ${index + 1}`, ...before, ...lines.slice(kept)].join('\n');
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
