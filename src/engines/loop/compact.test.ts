import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { checkConversation } from '../../../test/support/loop-stage.ts';
import type { Message } from '../../core/model.ts';
import { createScriptedModel, type Script, type ScriptedModel } from '../../models/scripted.ts';
import { createTestScope } from '../../testing/test-scope.ts';
import { compact, type CompactNow } from './compact.ts';
import { LoopConversation, shownLoaded } from './conversation.ts';

const signal = new AbortController().signal;
let ids = 0;

/** Creates a turn that calls tools, with their results. */
function turn(text: string, ...names: readonly string[]): readonly Message[] {
  const calls = names.map((name) => ({ id: `id-${(ids += 1)}`, name, input: {} }));
  return [
    { role: 'assistant', text: '', calls },
    ...calls.map(({ id, name }): Message => ({ role: 'tool', callId: id, name, text: `${name} ${text}` })),
  ];
}

/** Creates a turn that loads skills, with their texts. */
function loads(text: string, ...names: readonly string[]): readonly Message[] {
  const calls = names.map((name) => ({ id: `id-${(ids += 1)}`, name: 'skill', input: { name } }));
  return [
    { role: 'assistant', text: '', calls },
    ...calls.map(({ id, name, input }): Message => ({
      role: 'tool',
      callId: id,
      name,
      text: shownLoaded(input.name, text),
    })),
  ];
}

interface Try {
  readonly model: ScriptedModel;
  readonly did: boolean;
}

async function shorten(
  conversation: LoopConversation,
  how: {
    readonly script?: Script;
    readonly keepRecent?: number;
    readonly compactAt?: number;
  } & Partial<CompactNow> = {},
): Promise<Try> {
  const { script = () => 'The gist.', keepRecent = 2, compactAt = 10, ...now } = how;
  const model = createScriptedModel(script);
  const scope = createTestScope({ models: { summary: model } });
  return {
    model,
    did: await compact(scope, conversation, { compactAt, keepRecent }, { key: 's1', signal, ...now }),
  };
}

function conversationOf(...messages: readonly (Message | readonly Message[])[]): LoopConversation {
  const conversation = new LoopConversation('The task.');
  conversation.add(...messages.flat());
  return conversation;
}

const rows = Array.from({ length: 6 }, (_, index) => turn(`row ${index} ${'.'.repeat(40)}`, 'read'));

describe('a summary of older turns', () => {
  test('leaves what was asked and the last messages as they are', async () => {
    const conversation = conversationOf(...rows);
    const before = [...conversation.messages];
    const { did, model } = await shorten(conversation, { keepRecent: 4 });
    assert.equal(did, true);
    assert.equal(conversation.messages[0], before[0]);
    assert.equal(conversation.messages[1]?.text, 'Summary of the conversation so far:\n\nThe gist.');
    assert.deepEqual(conversation.messages.slice(2), before.slice(-4));
    checkConversation(conversation.messages);
    assert.match(model.requests[0]?.messages[0]?.text ?? '', /row 0[^]*row 3/);
    assert.doesNotMatch(model.requests[0]?.messages[0]?.text ?? '', /row 4|The task/);
  });

  test('is not made of a short conversation, nor of one without older turns', async () => {
    for (const [conversation, compactAt] of [
      [conversationOf(...rows), 10_000],
      [conversationOf(), 0],
      [conversationOf(turn('only', 'read', 'read', 'read', 'read')), 1],
      [conversationOf({ role: 'user', text: 'x'.repeat(100) }), 1],
    ] as const) {
      const { did, model } = await shorten(conversation, { compactAt });
      assert.deepEqual([did, model.requests.length], [false, 0]);
    }
  });

  test('is not asked for again and again where it would gain little', async () => {
    const conversation = conversationOf(
      turn('a', 'read'),
      turn('b', 'read'),
      turn('x'.repeat(4_000), 'read'),
    );
    assert.equal((await shorten(conversation, { compactAt: 500 })).model.requests.length, 0);
    assert.equal((await shorten(conversation, { compactAt: 500, isUrgent: true })).did, true);
  });

  test('that fails leaves everything as it is, and is tried again when there is more', async () => {
    const scripts: readonly Script[] = [
      [{ error: { code: 'model.failed', message: 'It broke.' } }],
      [' '],
      [{ text: 'I will not.', reason: 'refused' }],
    ];
    for (const script of scripts) {
      const conversation = conversationOf(...rows);
      const before = [...conversation.messages];
      assert.equal((await shorten(conversation, { script })).did, false);
      assert.deepEqual(conversation.messages, before);
      assert.equal((await shorten(conversation)).model.requests.length, 0, 'at once');
      conversation.add(...turn('.'.repeat(200), 'read'));
      assert.equal((await shorten(conversation)).did, true);
      assert.equal(conversation.compactAgainAt, 0);
    }
  });

  test('that was cut at its longest length is used', async () => {
    assert.equal(
      (await shorten(conversationOf(...rows), { script: [{ text: 'The gi', reason: 'length' }] })).did,
      true,
    );
  });

  test('is made at once, and of more, when the conversation does not fit', async () => {
    const conversation = conversationOf(...rows);
    const { did } = await shorten(conversation, { compactAt: 100_000, keepRecent: 8, isUrgent: true });
    assert.equal(did, true);
    assert.equal(conversation.messages.length, 2 + 4);
    checkConversation(conversation.messages);
  });

  test('is cancelled with the loop', async () => {
    const controller = new AbortController();
    const conversation = conversationOf(...rows);
    const script: Script = () => {
      controller.abort();
      return { text: 'Too', hang: true };
    };
    assert.equal((await shorten(conversation, { script, signal: controller.signal })).did, false);
  });
});

describe('texts that were loaded', () => {
  const bodies = (conversation: LoopConversation): readonly string[] =>
    conversation.messages
      .filter(({ role }) => role === 'tool')
      .map(({ text }) => text.slice(0, 14).trimEnd().replace('\n', ' '));

  test('stay as they are, also when a later summary is made', async () => {
    const conversation = conversationOf(loads('x'.repeat(8_000), 'one'), turn('.', 'read'), ...rows);
    const whole = conversation.messages[2];
    for (let round = 0; round < 4; round += 1) {
      assert.equal((await shorten(conversation)).did, true);
      checkConversation(conversation.messages);
      assert.ok(whole !== undefined && conversation.messages.includes(whole), `round ${round}`);
      conversation.add(...Array.from({ length: 6 }, () => turn('.'.repeat(40), 'read')).flat());
    }
  });

  test('are not summarised again and again when nothing else is there', async () => {
    const conversation = conversationOf(loads('x'.repeat(8_000), 'one', 'two'), ...rows);
    assert.equal((await shorten(conversation)).did, true);
    for (const isUrgent of [false, true]) {
      const { did, model } = await shorten(conversation, { isUrgent });
      assert.deepEqual([did, model.requests.length], [false, 0]);
    }
  });

  test('are cut at 5,000 tokens each and 25,000 in all, the newest first, and are in their order', async () => {
    const all = Array.from({ length: 8 }, (_, index) => loads('x'.repeat(30_000), `no-${index}`));
    const conversation = conversationOf(...all, turn('end', 'read'));
    assert.equal((await shorten(conversation)).did, true);
    assert.deepEqual(bodies(conversation), [
      ...[3, 4, 5, 6, 7].map((index) => `[loaded no-${index}]`),
      'read end',
    ]);
    const retained = conversation.messages.filter(({ text }) => text.startsWith('[loaded'));
    assert.deepEqual(new Set(retained.map(({ text }) => text.length)), new Set([20_000]));
    for (const { text } of retained) assert.match(text, /Load it again/);
  });

  test('give the room of an older copy to the newest one, which may be among the last messages', async () => {
    const older = conversationOf(loads('old', 'one'), loads('new', 'one', 'two'), ...rows);
    assert.equal((await shorten(older)).did, true);
    assert.deepEqual(bodies(older).slice(0, 2), ['[loaded one] n', '[loaded two] n']);
    const recent = conversationOf(loads('old', 'one'), ...rows, loads('new', 'one'));
    assert.equal((await shorten(recent)).did, true);
    assert.deepEqual(bodies(recent), ['[loaded one] n']);
    checkConversation(recent.messages);
  });

  test('are distinguished from errors, notes and results of the same tool', async () => {
    const conversation = conversationOf(loads('body', 'one'), turn('is loaded', 'skill'), ...rows);
    assert.equal((await shorten(conversation)).did, true);
    assert.deepEqual(bodies(conversation), ['[loaded one] b', 'read row 5 ...']);
  });
});

describe('a shortened conversation', () => {
  test('is one that providers take, whatever it was', async () => {
    const part = fc.oneof(
      fc.constant<readonly Message[]>([{ role: 'user', text: 'Hurry.' }]),
      fc.constant<readonly Message[]>([{ role: 'assistant', text: 'Well.' }]),
      fc
        .integer({ min: 1, max: 4 })
        .map((count) => turn('x'.repeat(60), ...Array<string>(count).fill('read'))),
      fc
        .subarray(['one', 'two', 'three'], { minLength: 1 })
        .map((names) => loads(names.join().padEnd(60, 'x'), ...names)),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 12 }),
        fc.nat(10),
        fc.boolean(),
        async (parts, keepRecent, isUrgent) => {
          const conversation = conversationOf(renumbered(parts.flat()));
          const texts = conversation.messages.map(({ text }) => text);
          await shorten(conversation, { keepRecent, isUrgent });
          checkConversation(conversation.messages);
          assert.equal(conversation.messages[0]?.text, 'The task.');
          for (const name of ['one', 'two', 'three']) {
            const newest = texts.findLast((text) => text.startsWith(`[loaded ${name}]`));
            assert.ok(newest === undefined || conversation.messages.some(({ text }) => text === newest));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test('still has what was asked now, however much was said before and after it', async () => {
    const earlier = [{ role: 'user', text: 'An earlier task.' } as const, ...rows.slice(0, 3).flat()];
    const conversation = new LoopConversation([...earlier, { role: 'user', text: 'The task of now.' }]);
    conversation.add(...rows.slice(3).flat());
    for (const more of [[], turn('x'.repeat(200), 'read'), turn('y'.repeat(200), 'read')]) {
      conversation.add(...more);
      assert.equal((await shorten(conversation)).did, true);
      assert.deepEqual(
        conversation.messages.slice(0, 2).map(({ text }) => text.slice(0, 16)),
        ['The task of now.', 'Summary of the c'],
      );
      checkConversation(conversation.messages);
    }
    const fresh = new LoopConversation([...earlier, { role: 'user', text: 'The task of now.' }]);
    assert.equal((await shorten(fresh)).did, true);
    assert.equal(fresh.messages.filter(({ text }) => text === 'The task of now.').length, 1);
    assert.equal(fresh.messages.at(-1)?.text, 'The task of now.');
  });

  test('begins with its summary when no person began it', async () => {
    const conversation = new LoopConversation(rows.flat());
    assert.equal((await shorten(conversation)).did, true);
    checkConversation(conversation.messages);
  });
});

/** Returns the same conversation with ids that are used only once. */
function renumbered(messages: readonly Message[]): readonly Message[] {
  let called = 0;
  let answered = 0;
  return messages.map((message) => {
    if (message.role === 'tool') return { ...message, callId: `c${(answered += 1)}` };
    if (message.role !== 'assistant' || message.calls === undefined) return message;
    return { ...message, calls: message.calls.map((one) => ({ ...one, id: `c${(called += 1)}` })) };
  });
}
