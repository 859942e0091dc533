import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../testing/garbage.ts';
import { didYouMean, matchesWildcard, nearestNames, normaliseKey, normaliseName } from './names.ts';

test('names become NFKC, lower case, with hyphens for everything else', () => {
  const cases: Record<string, string> = {
    'pdf-tools': 'pdf-tools',
    PDF_Tools: 'pdf_tools',
    'PDF Tools': 'pdf-tools',
    '  My  Skill!  ': 'my-skill',
    'a - b': 'a-b',
    'a--b': 'a--b',
    'foo/bar:baz': 'foo-bar-baz',
    '../../etc/passwd': 'etc-passwd',
    ｆｕｌｌｗｉｄｔｈ: 'fullwidth',
    'ﬁle²': 'file2',
    Ünïcödé: 'ünïcödé',
    'e\u0301clair': 'éclair',
    数据分析: '数据分析',
    'データ 解析': 'データ-解析',
    'नमस्ते दुनिया': 'नमस्ते-दुनिया',
    İstanbul: 'i\u0307stanbul',
    '-edge-': 'edge',
    '--': '',
    _: '_',
  };
  for (const [written, name] of Object.entries(cases)) assert.equal(normaliseName(written), name, written);
});

test('marks that no letter carries, emoji and invisible characters leave nothing', () => {
  for (const written of [
    '',
    ' ',
    '🎉',
    '❤️',
    '#️⃣',
    '👩‍💻',
    '🇨🇭',
    '\u200b',
    '\ufeff',
    '\u3164',
    '\u0301',
    '!?',
    '\u{e0041}',
  ]) {
    assert.equal(normaliseName(written), '', JSON.stringify(written));
  }
  assert.equal(normaliseName('❤️ love'), 'love');
  assert.equal(normaliseName('a\u200bb'), 'a-b');
  assert.equal(normaliseName('\u0301a\u0302\u0303'), '\u1eab');
});

test('a normalised name stays as it is, and nothing but its own characters is in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (written) => {
      const name = normaliseName(written.toWellFormed());
      assert.equal(normaliseName(name), name);
      assert.match(name, /^[\p{L}\p{M}\p{Nd}_-]*$/u);
      assert.doesNotMatch(name, /^-|-$|^\p{M}/u);
    }),
    { numRuns: 2000 },
  );
});

test('keys are compared without case and with space, hyphen and underscore alike', () => {
  for (const key of ['Allowed Skills', 'allowed-skills', 'ALLOWED_SKILLS', ' allowed \t skills '])
    assert.equal(normaliseKey(key), 'allowed-skills');
  assert.equal(normaliseKey('maxTicks'), 'maxticks');
});

test('a slip of the keyboard finds the name meant', () => {
  const names = ['code-review', 'deploy', 'daily-report', 'pdf'];
  assert.deepEqual(nearestNames('code-reveiw', names), ['code-review']);
  assert.deepEqual(nearestNames('Deplyo', names), ['deploy']);
  assert.deepEqual(nearestNames('report', names), ['daily-report']);
  assert.deepEqual(nearestNames('pdf-tools', names), ['pdf']);
  assert.deepEqual(nearestNames('zzz', names), []);
  assert.deepEqual(nearestNames('', names), []);
});

test('the nearest comes first, then code-unit order, up to a maximum number', () => {
  assert.deepEqual(nearestNames('name', ['names', 'game', 'name', 'same']), ['name', 'game', 'names']);
  assert.deepEqual(nearestNames('name', ['names', 'game', 'same'], 1), ['game']);
  assert.deepEqual(nearestNames('name', ['game', 'game']), ['game']);
});

test('words of one letter have no neighbours', () => {
  assert.deepEqual(nearestNames('a', ['b', 'c']), []);
});

test('the hint names the candidates', () => {
  assert.equal(didYouMean('promt', ['prompt', 'model']), 'Did you mean "prompt"?');
  assert.equal(didYouMean('nam', ['name', 'names', 'ham']), 'Did you mean "ham" or "name" or "names"?');
  assert.equal(didYouMean('xyz', ['prompt']), undefined);
});

test('a star stands for any characters, and for none', () => {
  for (const [pattern, text] of [
    ['', ''],
    ['*', ''],
    ['*', 'abc'],
    ['a*', 'a'],
    ['a*c', 'abbc'],
    ['*b*', 'abc'],
    ['**', 'x'],
    ['a*b*c', 'aXbYbZc'],
    ['a*', 'a*'],
  ] as const) {
    assert.equal(matchesWildcard(pattern, text), true, `${pattern} ${text}`);
  }
  for (const [pattern, text] of [
    ['', 'a'],
    ['a', ''],
    ['a*c', 'abcd'],
    ['*b', 'abc'],
    ['a.c', 'abc'],
    ['A', 'a'],
  ] as const) {
    assert.equal(matchesWildcard(pattern, text), false, `${pattern} ${text}`);
  }
});

test('it finds what an expression would find', () => {
  const few = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 12 });
  const text = fc.array(fc.constantFrom('a', 'b'), { maxLength: 16 });
  fc.assert(
    fc.property(few, text, (pattern, characters) => {
      const expression = new RegExp(`^${pattern.join('').replaceAll('*', '.*')}$`);
      assert.equal(matchesWildcard(pattern, characters), expression.test(characters.join('')));
    }),
    { numRuns: 2000 },
  );
});

test('many stars and a long text take no time', () => {
  assert.equal(matchesWildcard('*a'.repeat(200), `${'a'.repeat(20_000)}b`), false);
});

test('a unit is matched whole', () => {
  assert.equal(matchesWildcard(['*', ' ', 'b'], ['a', '\\ ', 'b']), false);
});
