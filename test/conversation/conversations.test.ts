import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { providerKinds } from '../support/provider-stage.ts';
import { readRequest, type WireRequest } from './requests.ts';
import { checkGolden } from './golden.ts';
import { conversations } from './scripts.ts';
import { hold } from './stage.ts';

const kinds = providerKinds.filter(({ name }) => name !== '@ai-sdk/openai-compatible');

describe('a conversation reaches the model as real messages', { concurrency: true }, () => {
  for (const conversation of conversations.filter(({ name }) => name !== 'killed'))
    for (const kind of kinds) {
      const skip = conversation.servers === undefined ? false : withoutBubblewrap;
      test(`${conversation.name} through ${kind.name}`, { skip }, async () => {
        await using held = await hold(conversation, kind);
        const requests = (held.server?.requests ?? []).map(readRequest);
        checkHeads(requests);
        checkGolden(conversation.name, held, requests);
      });
    }
});

/** Fails unless all requests of the assistant begin with exactly the same tools and system prompt. */
function checkHeads(requests: readonly WireRequest[]): void {
  const own = requests.filter(({ system }) => system.startsWith('You are the assistant of skilled'));
  assert.ok(own.length > 0 || requests.length === 0);
  assert.ok(new Set(own.map(({ head }) => head)).size <= 1, 'The first part of the prompt changes.');
}
