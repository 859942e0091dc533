import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import { beginsWithName } from './begins-with-name.ts';

test('an at sign before a name, unless the whole word is a file', () => {
  using files = tree({ notes: '', tidy: '', 'tidy the shed': '' });
  const isSkill = (name: string): boolean => ['tidy', 'sort', 'group/sort'].includes(name);
  const rows: readonly (readonly [words: readonly string[], isName: boolean])[] = [
    [['@sort'], true],
    [['@group/sort'], true],
    [['@sort the pots'], true],
    [['@sort', 'the', 'pots'], true],
    [['@other the pots'], true],
    [['@other', 'the', 'pots'], true],
    [['@other'], false],
    [['@notes'], false],
    [['@tidy'], false],
    [['@tidy', 'the', 'shed'], true],
    [['@tidy the shed'], false],
    [['@./sort'], false],
    [['@'], false],
    [['@ sort'], false],
    [['sort', '@tidy'], false],
    [['/sort'], false],
    [[], false],
  ];
  for (const [words, isName] of rows)
    assert.equal(beginsWithName(words, { cwd: files.path }, isSkill), isName, words.join('|'));
});
