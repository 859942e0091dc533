import { test } from 'node:test';
import { checkGolden } from './golden.ts';
import { holdTheRest, holdUntilKilled } from './killed.ts';
import { readRequest } from './requests.ts';
import { conversationNamed } from './scripts.ts';

test('a conversation that is killed in the middle of an answer continues, and repeats no call', async () => {
  const conversation = conversationNamed('killed');
  // The killed process waits for the rest of the third answer.
  await using held = await holdUntilKilled(conversation, (server) => server.waitForRequest(2));
  await holdTheRest(held, conversation.turns.slice(3));
  checkGolden('killed', { ...held, decisions: [] }, held.server.requests.map(readRequest));
});
