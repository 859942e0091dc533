import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Message } from '../../core/model.ts';
import { limitTurns, turnsIn } from './limit-turns.ts';

const user = (text: string): Message => ({ role: 'user', text });
const answer = (text: string): Message => ({ role: 'assistant', text });
const call: Message = { role: 'assistant', text: '', calls: [{ id: '1', name: 'look', input: null }] };
const result = (text: string): Message => ({ role: 'tool', callId: '1', name: 'look', text });
const short = (index: number): readonly Message[] => [user(`q${index}`), answer(`a${index}`)];
const shorts = (count: number): readonly (readonly Message[])[] =>
  Array.from({ length: count }, (_, index) => short(index));
const texts = (messages: readonly Message[]): readonly string[] => messages.map(({ text }) => text);

describe('a long conversation', () => {
  test('has all of its short turns, however many they are', () => {
    assert.deepEqual(limitTurns(shorts(500), 20_000), shorts(500).flat());
  });

  test('has its first turn, a count of the omitted turns, and the last turns that fit', () => {
    const said = texts(limitTurns(shorts(100), 200));
    assert.deepEqual(said.slice(0, 2), ['q0', 'a0']);
    const kept = (said.length - 3) / 2;
    assert.ok(kept > 1 && kept < 20, `${kept}`);
    assert.equal(said[2], `[${99 - kept} turns are omitted here]`);
    assert.deepEqual(said.slice(-2), ['q99', 'a99']);
    assert.equal(said[3], `q${100 - kept}`);
  });

  test('counts the turns that are not stored any more', () => {
    const said = texts(limitTurns(shorts(3), 20_000, 40));
    assert.deepEqual(said, ['q0', 'a0', '[40 turns are omitted here]', 'q1', 'a1', 'q2', 'a2']);
    const more = texts(limitTurns(shorts(100), 200, 40));
    assert.equal(more[2], `[${139 - (more.length - 3) / 2} turns are omitted here]`);
  });

  test('has the prompt and answer of a first or last turn that does not fit', () => {
    const long = [user(`Ask ${'x'.repeat(9000)}`), call, result('r'.repeat(9000)), answer('Yes.')];
    const both = limitTurns([long, short(1), long], 500);
    assert.ok(JSON.stringify(both).length < 2500);
    const [first, second, third, note, last, ...others] = texts(both);
    assert.match(first ?? '', /^Ask x+ …$/);
    assert.deepEqual([second, third], ['[2 messages are omitted here]', 'Yes.']);
    assert.equal(note, '[1 turn is omitted here]');
    assert.match(last ?? '', /^Ask x+ …$/);
    assert.deepEqual(others, ['[2 messages are omitted here]', 'Yes.']);
    assert.deepEqual(texts(limitTurns([long], 500)).slice(1), ['[2 messages are omitted here]', 'Yes.']);
  });

  test('has the last results of a turn that has no answer yet', () => {
    const open = [user('Ask.'), call, result('r'.repeat(9000)), call, result('last')];
    const said = limitTurns([open], 500);
    assert.deepEqual(said, [user('Ask.'), user('[2 messages are omitted here]'), call, result('last')]);
  });

  test('is split at the messages from the user', () => {
    assert.deepEqual(turnsIn(shorts(3).flat()), shorts(3));
    assert.deepEqual(turnsIn([answer('a'), user('q')]), [[answer('a')], [user('q')]]);
    assert.deepEqual([turnsIn([]), limitTurns([], 10)], [[], []]);
  });
});
