import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../core/json.ts';
import { ended, note, resumed, started, waiting } from '../testing/store/test-store.ts';
import { anyCharacter } from '../testing/garbage.ts';
import { changeOf, titleOf } from './run-record.ts';

test('the last event about the status decides it', () => {
  assert.deepEqual(changeOf([]), {});
  assert.deepEqual(changeOf([note('x')]), {});
  assert.deepEqual(changeOf([waiting(), note('x')]), { status: 'waiting' });
  assert.deepEqual(changeOf([waiting(), resumed()]), { status: 'running' });
  assert.deepEqual(changeOf([resumed(), ended('cancelled')]), { status: 'cancelled' });
});

test('the first event of a run says what it is about', () => {
  const start = started({ skill: 'a', session: 's', input: 'do it' });
  const about = { skill: 'a', session: 's', title: 'do it' };
  assert.deepEqual(changeOf([start]), { status: 'running', ...about });
  assert.deepEqual(changeOf([start, ended('done')]), { status: 'done', ...about });
  assert.equal(changeOf([started({ prepares: 'b' })]).prepares, 'b');
});

test('a run that was asked in words is called by them, and by the skill that was chosen', () => {
  const start = started({ skill: '', prompt: 'tidy up\nplease', input: 'other' });
  const selected = { type: 'skill.selected', frameId: '', at: 0 } as const;
  assert.deepEqual([changeOf([start]).skill, changeOf([start]).title], ['', 'tidy up please']);
  assert.deepEqual(changeOf([{ ...selected, skill: 'tidy', by: 'model' }]), { skill: 'tidy' });
  assert.deepEqual(changeOf([{ ...selected, skill: '', by: 'nothing' }]), {});
});

test('a title is the beginning of the input on one line', () => {
  const titles: readonly (readonly [Json, string])[] = [
    ...([
      ['plain', 'plain'],
      ['', ''],
      ['a\0b\nc\u0085\ud800', 'a b c  '],
    ] as const),
    ...([
      [{ input: 'in', prompt: 'no' }, 'in'],
      [{ input: 1, prompt: 'yes' }, 'yes'],
    ] as const),
    ...([
      [{ other: 'x' }, '{"other":"x"}'],
      [null, ''],
      [7, '7'],
      [['a'], '["a"]'],
    ] as const),
    ...([
      ['😀'.repeat(200), '😀'.repeat(120)],
      ['x'.repeat(200), 'x'.repeat(120)],
    ] as const),
    [JSON.parse('{"__proto__":{"input":"inherited"}}') as Json, '{"__proto__":{"input":"inherited"}}'],
  ];
  for (const [input, title] of titles) assert.equal(titleOf(input), title);
});

test('any input has a title that can be shown', () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.string({ unit: anyCharacter, maxLength: 300 })), (input) => {
      const title = titleOf(input as Json);
      assert.ok(Array.from(title).length <= 120 && !/[\p{Cc}\p{Cs}]/u.test(title));
    }),
  );
});
