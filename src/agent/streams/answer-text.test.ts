import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EventBody, RunEvent, RunResult } from '../../core/index.ts';
import { createAnswerText } from './answer-text.ts';

function event(body: object): RunEvent {
  return { v: 1, runId: 'r_1', frameId: 'f_1', seq: 0, at: 0, ...(body as EventBody) };
}

/** Returns the text of an answer whose model writes pieces in several attempts. */
function written(attempts: readonly (readonly string[])[]): string {
  const answer = createAnswerText();
  const text = attempts.at(-1)?.join('') ?? '';
  const events = [
    { type: 'frame.started', parent: '' },
    ...attempts.flatMap((pieces, index) =>
      pieces.map((piece) => ({ type: 'model.delta', key: 'm1', attempt: index + 1, text: piece })),
    ),
    { type: 'model.ended', key: 'm1', reply: { text } },
  ];
  const parts = events.map((body) => answer.add(event(body)));
  return parts.join('') + answer.end({ status: 'done', text } as RunResult);
}

test('an attempt that differs from the earlier one is written once, not again with each piece', () => {
  assert.equal(
    written([
      ['Bad ', 'text'],
      ['Good ', 'an', 'swer'],
    ]),
    'Bad text\n\nGood answer',
  );
  assert.equal(written([['Hello wo'], ['Hello ', 'world']]), 'Hello world');
  assert.equal(written([['Hello world'], ['Hello']]), 'Hello world');
  assert.equal(written([['Hello wo'], ['Hello ', 'there']]), 'Hello wo\n\nHello there');
});

test('the texts of requests at the same time are each written once', () => {
  const answer = createAnswerText();
  const delta = (key: string, text: string): string =>
    answer.add(event({ type: 'model.delta', key, attempt: 1, text }));
  const ended = (key: string, text: string): string =>
    answer.add(event({ type: 'model.ended', key, reply: { text } }));
  answer.add(event({ type: 'frame.started', parent: '' }));
  const parts = [delta('a', 'O'), delta('b', 'T'), delta('a', 'ne'), ended('a', 'One'), ended('b', 'Two')];
  assert.equal(parts.join(''), 'O\n\nTnewo');
});
