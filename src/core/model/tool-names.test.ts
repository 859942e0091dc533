import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { toolNames } from './tool-names.ts';

const allowed = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

function check(skills: readonly string[]): readonly string[] {
  const names = toolNames(skills);
  assert.equal(names.length, skills.length);
  for (const name of names) assert.match(name, allowed, JSON.stringify(skills));
  assert.equal(
    new Set(names).size,
    skills.length,
    `${JSON.stringify(skills)} became ${JSON.stringify(names)}`,
  );
  return names;
}

describe('the names of tools', () => {
  test('are those of the skills where every provider takes them', () => {
    assert.deepEqual(check(['read', 'ask-user', 'mcp__x__y', 'A_b-1']), [
      'read',
      'ask-user',
      'mcp__x__y',
      'A_b-1',
    ]);
    const long = 'x'.repeat(64);
    assert.deepEqual(check([long]), [long]);
  });

  test('say as much of the others as they can', () => {
    assert.deepEqual(check(['größe', 'team:report', '7zip', 'x/y z']), [
      'gro-e',
      'team-report',
      'skill-7zip',
      'x-y-z',
    ]);
    assert.match(check(['日本'])[0] ?? '', /^skill-[0-9a-f]{8}$/);
    assert.match(check(['y'.repeat(65)])[0] ?? '', /^y{55}-[0-9a-f]{8}$/);
  });

  test('tell skills apart whose slugs are alike, whatever the order', () => {
    const names = check(['team:report', 'team report', 'team-report']);
    assert.equal(names[2], 'team-report');
    assert.deepEqual(check(['team report', 'team-report', 'team:report']), [names[1], names[2], names[0]]);
  });

  test('are not taken from a skill that is called like a made name', () => {
    const alike = ['a!', 'a?', '日本', '中国', 'z'.repeat(70), `${'z'.repeat(70)}y`];
    for (let round = 0; round < 3; round += 1) {
      const names = check(alike);
      alike.push(...names.filter((name) => !alike.includes(name)));
      check(alike.toReversed());
    }
  });

  test('are two for two skills of one name', () => {
    assert.equal(check(['report', 'report', 'report'])[0], 'report');
  });

  test('are unique for any skills', () => {
    const unit = fc.constantFrom(
      'a',
      'A',
      'b',
      '-',
      '_',
      '1',
      '.',
      ' ',
      'ü',
      'u',
      '\u0308',
      'é',
      '日',
      '😀',
      'ﬁ',
    );
    const name = fc.oneof(
      fc.string({ unit, minLength: 1, maxLength: 6 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 90 }),
      fc.string({ unit, minLength: 60, maxLength: 70 }),
    );
    fc.assert(
      fc.property(fc.array(name, { maxLength: 40 }), (skills) => {
        const names = check(skills);
        check([...new Set([...skills, ...names])]);
      }),
      { numRuns: 200 },
    );
  });
});
