import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTurnCollector, type TurnCollector } from './turn.ts';

const call = { id: 'one', name: 'read', input: {} };

function contentOf(fill: (turn: TurnCollector) => void): unknown {
  const turn = createTurnCollector();
  fill(turn);
  return turn.native('p.chat')?.content;
}

test('plain text and calls need nothing more', () => {
  const content = contentOf((turn) => {
    turn.add('text', '0', 'Hi.', undefined);
    turn.call(call, undefined);
  });
  assert.equal(content, undefined);
});

test('the name of an item that no one keeps is of no use', () => {
  const content = contentOf((turn) => {
    turn.begin('reasoning', 'r', { openai: { itemId: 'rs_1', reasoningEncryptedContent: null } });
    turn.add('text', '0', 'Hi.', { openai: { itemId: 'msg_1' } });
    turn.call(call, { openai: { itemId: 'fc_1' } });
  });
  assert.equal(content, undefined);
});

test('signatures are kept in their place, and of two the later one', () => {
  const content = contentOf((turn) => {
    turn.begin('reasoning', '0', undefined);
    turn.add('reasoning', '0', 'Hm', undefined);
    turn.add('reasoning', '0', 'm.', { anthropic: { signature: 'early' } });
    turn.add('reasoning', '0', '', { anthropic: { signature: 's' } });
    turn.add('reasoning', '0', '', undefined);
    turn.add('text', '1', '', undefined);
    turn.call(call, undefined);
  });
  assert.deepEqual(content, [
    { type: 'reasoning', text: 'Hmm.', providerOptions: { anthropic: { signature: 's' } } },
    { type: 'tool-call', toolCallId: 'one', toolName: 'read', input: {} },
  ]);
});

test('an item that is spread over blocks stays whole, and one without its secret part goes', () => {
  const content = contentOf((turn) => {
    turn.add('reasoning', 'a:0', 'First.', { openai: { itemId: 'a' } });
    turn.add('reasoning', 'a:1', 'Second.', { openai: { itemId: 'a', reasoningEncryptedContent: 'x' } });
    turn.add('reasoning', 'b:0', 'Lost.', { openai: { itemId: 'b' } });
    turn.add('text', '0', 'Hi.', undefined);
  }) as readonly { readonly text: string }[];
  assert.deepEqual(
    content.map(({ text }) => text),
    ['First.', 'Second.', 'Hi.'],
  );
});

test('reasoning without a signature goes back only while its calls are under way', () => {
  const think = (turn: TurnCollector): void => turn.add('reasoning', '0', 'Hmm.', undefined);
  const answered = contentOf((turn) => {
    think(turn);
    turn.add('text', '1', 'Hi.', undefined);
  });
  assert.equal(answered, undefined);
  const calling = contentOf((turn) => {
    think(turn);
    turn.call(call, undefined);
  });
  assert.deepEqual((calling as readonly object[])[0], { type: 'reasoning', text: 'Hmm.' });
});

test('a signature on a text without words or on a call is kept', () => {
  const signed = { google: { thoughtSignature: 's' } };
  const content = contentOf((turn) => {
    turn.begin('text', '0', signed);
    turn.add('text', '0', '', undefined);
    turn.call(call, signed);
  }) as readonly { readonly providerOptions?: object }[];
  assert.deepEqual(
    content.map(({ providerOptions }) => providerOptions),
    [signed, signed],
  );
});
