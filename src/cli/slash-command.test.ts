import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slashCommand } from './slash-command.ts';

const rows: readonly (readonly [words: readonly string[], name: string | undefined, left?: string[]])[] = [
  [['/triage'], 'triage', []],
  [['/triage', '42', 'urgent'], 'triage', ['42', 'urgent']],
  [['/triage 42 urgent'], 'triage', ['42 urgent']],
  [['/triage 42 "so  urgent"'], 'triage', ['42 "so  urgent"']],
  [['/triage\t42'], 'triage', ['42']],
  [['/triage\nfirst line\nsecond line\n'], 'triage', ['first line\nsecond line']],
  [['/triage  '], 'triage', []],
  [['/triage 42', 'urgent'], 'triage', ['42', 'urgent']],
  [['/triage {"a": 1}'], 'triage', ['{"a": 1}']],
  [['/group/triage 42'], 'group/triage', ['42']],
  [['/project:triage'], 'project:triage', []],
  [['//triage'], '/triage', []],
  [['/ triage'], undefined],
  [['/'], undefined],
  [[''], undefined],
  [[], undefined],
  [[' /triage'], undefined],
  [['triage', '/other'], undefined],
];

test('with an at sign, where that is asked for', () => {
  assert.deepEqual(slashCommand(['@triage 42'], '@'), { name: 'triage', words: ['42'] });
  assert.deepEqual([slashCommand(['@triage']), slashCommand(['/triage'], '@')], [undefined, undefined]);
});

for (const [words, name, left] of rows) {
  test(JSON.stringify(words), () => {
    assert.deepEqual(slashCommand(words), name === undefined ? undefined : { name, words: left });
  });
}
