import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, done, ofType, settled, textOf } from '../../../test/support/kernel.ts';
import type { RunEvent } from '../../core/event.ts';
import type { Json } from '../../core/json.ts';
import { collect, type Message, type ModelRequest } from '../../core/model.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import { KnownMessages, sharedMessages } from './sent-messages.ts';

function user(text: string): Message {
  return { role: 'user', text };
}

/**
 * Returns the requests according to the log: what is kept of the frame's last request, what was added, and what
 * was joined.
 */
function askedIn(events: readonly RunEvent[]): readonly (readonly string[])[] {
  const last = new Map<string, readonly Message[]>();
  return ofType(events, 'model.started').map(({ frameId, kept, added, joined = [] }) => {
    const all = [...(last.get(frameId) ?? []).slice(0, kept), ...added, ...joined];
    last.set(frameId, all);
    return all.map(({ text }) => text);
  });
}

function textsOf({ messages }: ModelRequest): readonly string[] {
  return messages.map(({ text }) => text);
}

describe('known messages', () => {
  test('are cleaned once, however often they are sent and in how many conversations', () => {
    let cleaned = 0;
    const known = new KnownMessages((value) => {
      cleaned += 1;
      return value as Json;
    });
    const one: Message[] = [];
    const other: Message[] = [];
    for (let turn = 0; turn < 300; turn += 1) {
      one.push(user(`one ${turn}`));
      other.push(user(`other ${turn}`));
      known.request('fast', { messages: [...one] });
      known.request('fast', { messages: [...other] });
    }
    assert.equal(cleaned, 600);
  });

  test('are distinguished by what they say and by what is before them', () => {
    const known = new KnownMessages((value) => value as Json);
    const [a, b] = [user('a'), user('b')];
    const hashes = [[a], [b], [a, b], [b, a], [a, a], [a, b, a]].map(
      (messages) => known.request('fast', { messages }).hash,
    );
    assert.equal(new Set(hashes).size, 6);
    assert.equal(known.request('fast', { messages: [user('a'), user('b')] }).hash, hashes[2]);
    const more: readonly ModelRequest[] = [
      { messages: [a], system: 's' },
      { messages: [a], effort: 's' },
      { messages: [a], maxTokens: 1 },
      { messages: [a], output: { type: 'string' } },
    ];
    const others = more.map((request) => known.request('fast', request).hash);
    assert.equal(new Set([...others, hashes[0], known.request('plan', { messages: [a] }).hash]).size, 6);
    const tools = [{ name: 's', description: '', input: {} }];
    assert.equal(known.request('fast', { messages: [a], tools }).hash, hashes[0]); // skills come and go
    assert.equal(known.request('fast', { messages: [a], key: 'k', joins: true }).hash, hashes[0]);
    assert.equal(sharedMessages(known.conversation([a, b]), known.conversation([user('a'), a])), 1);
  });

  test('cannot be changed afterwards', () => {
    const known = new KnownMessages((value) => value as Json);
    const message = { role: 'user' as const, text: 'a' };
    known.request('fast', { messages: [message] });
    assert.throws(() => {
      message.text = 'b';
    }, TypeError);
  });
});

describe('the log', () => {
  test('reports what every model was asked, also when several conversations continue at the same time and a process ends', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const model = createScriptedModel(() => 'ok');
    const slow: typeof model = {
      ...model,
      async *stream(request, signal) {
        const { text } = request.messages.at(-1) ?? { text: '' };
        if (text === 'a1') await promise; // the first to start ends last
        if (text === 'b2') resolve(undefined);
        yield* model.stream(request, signal);
      },
    };
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const talks = new Map<string, readonly Message[]>();
          const talk = async (name: string, turns: number): Promise<void> => {
            for (let turn = 1; turn <= turns; turn += 1) {
              const messages = [...(talks.get(name) ?? []), user(`${name}${turn}`)];
              const request = { messages, key: `${name}.${messages.length}`, joins: true } as const;
              const { text, joined = [] } = await collect(scope.model('fast').stream(request, scope.signal));
              talks.set(name, [...messages, ...joined, { role: 'assistant', text }]);
            }
          };
          await Promise.all([talk('a', 3), talk('b', 3)]);
          const answer = textOf(await scope.ask('Go on?'));
          await Promise.all([talk('c', 2), talk('d', 2)]);
          await Promise.all([talk('a', 1), talk('d', 1)]);
          await Promise.all([talk('c', 1), talk('d', 1)]);
          return done(answer);
        },
      },
      { models: { fast: slow } },
    );
    const { runId } = await settled(agent.run({ skill: 'top' }).result);
    await agent.runs.steer(runId, 'By the way.');
    await agent.runs.answer(runId, 'yes');
    assert.equal((await settled(agent.runs.resume(runId).result)).text, 'yes');
    const recorded = askedIn(await agent.runs.events(runId));
    const asked = model.requests.map((request) => textsOf(request));
    const sorted = (lists: readonly (readonly string[])[]): readonly string[] =>
      lists.map((list) => list.join('|')).toSorted();
    assert.deepEqual(sorted(recorded), sorted(asked));
    assert.equal(recorded.flat().filter((text) => text === 'By the way.').length >= 1, true);
  });

  test('knows nothing of keys that a model would see', async () => {
    const model = createScriptedModel(() => 'ok');
    await using agent = agentWith(
      {
        top: async (_input, scope) => {
          const request = { messages: [user('a')], key: 'k', joins: true } as const;
          return done((await collect(scope.model('fast').stream(request, scope.signal))).text);
        },
      },
      { models: { fast: model } },
    );
    await agent.run({ skill: 'top' }).result;
    assert.deepEqual(model.requests, [{ messages: [user('a')] }]);
  });
});
