import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '../../core/model.ts';
import { createPromptBuilder } from './request.ts';

const build = createPromptBuilder('mock.chat');
const user: Message = { role: 'user', text: 'Go.' };
const call = { id: 'one', name: 'read', input: { path: 'a' } };
const tool = { name: 'read', description: 'Reads.', input: {} };

test('a conversation in the words of the specification', () => {
  const messages: readonly Message[] = [
    user,
    { role: 'assistant', text: 'I look.', calls: [call, { ...call, id: 'two', input: '{x', fault: 'No.' }] },
    { role: 'tool', callId: 'one', name: 'read', text: '1' },
    { role: 'tool', callId: 'two', name: 'read', text: '2' },
    { role: 'assistant', text: '' },
  ];
  const result = (toolCallId: string, value: string): object => {
    return { type: 'tool-result', toolCallId, toolName: 'read', output: { type: 'text', value } };
  };
  const toolCall = { type: 'tool-call', toolName: 'read' };
  assert.deepEqual(build({ system: 'Be brief.', messages }), [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { ...toolCall, toolCallId: 'one', input: { path: 'a' } },
        { ...toolCall, toolCallId: 'two', input: { unreadable: '{x' } },
      ],
    },
    { role: 'tool', content: [result('one', '1'), result('two', '2')] },
  ]);
});

test('a message is converted once, and building twice gives the same', () => {
  const messages: readonly Message[] = [
    user,
    { role: 'tool', callId: 'one', name: 'read', text: '1' },
    { role: 'tool', callId: 'two', name: 'read', text: '2' },
  ];
  const [first, second] = [build({ messages }), build({ messages })];
  assert.deepEqual(first, second);
  assert.equal(first[0], second[0]);
});

test('what a user says twice in a row is one turn, also when the conversation continues', () => {
  const more: Message = { role: 'user', text: 'Faster.' };
  const textsOf = (messages: readonly Message[]): unknown =>
    build({ messages }).map(({ content }) => content);
  const joined = [{ type: 'text', text: 'Go.\n\nFaster.' }];
  assert.deepEqual(textsOf([user]), [[{ type: 'text', text: 'Go.' }]]);
  assert.deepEqual(textsOf([user, more]), [joined]);
  assert.deepEqual(textsOf([user, more, { role: 'assistant', text: 'Yes.' }]), [
    joined,
    [{ type: 'text', text: 'Yes.' }],
  ]);
  assert.deepEqual(textsOf([user]), [[{ type: 'text', text: 'Go.' }]]);
});

test('what a provider wrote goes back to it as it is, and to no one else', () => {
  const content = [
    { type: 'reasoning', text: 'Hmm.', providerOptions: { mock: { signature: 's' } } },
    { type: 'tool-call', toolCallId: 'one', toolName: 'read', input: {} },
  ];
  const turn = { role: 'assistant', text: 'Plain.', calls: [call] } as const;
  const contentOf = (message: Message): unknown => build({ messages: [message] })[0]?.content;
  const plain = contentOf(turn);
  assert.deepEqual(contentOf({ ...turn, native: { provider: 'mock.chat', content } }), content);
  assert.deepEqual(contentOf({ ...turn, native: { provider: 'other.chat', content } }), plain);
  assert.deepEqual(contentOf({ ...turn, native: { provider: 'mock.chat', content: 'x' } }), plain);
  const changed = { ...turn, calls: [{ ...call, id: 'new' }] };
  assert.deepEqual(
    contentOf({ ...changed, native: { provider: 'mock.chat', content } }),
    contentOf(changed),
    'results would name calls that the turn does not make',
  );
});

test('with tools the beginning and the end are marked, and the messages stay as they were', () => {
  const messages = [user, { role: 'assistant', text: 'Hi.' } as const, user];
  const marked = build({ system: 'S', messages, tools: [tool] });
  assert.deepEqual(
    marked.map(({ providerOptions }) => providerOptions !== undefined),
    [true, false, false, true],
  );
  assert.ok(build({ messages }).every(({ providerOptions }) => providerOptions === undefined));
});
