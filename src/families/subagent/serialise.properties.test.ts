import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import { normaliseKey } from '../../core/names.ts';
import { serialiseSubagent, type SubagentChanges } from './serialise.ts';
import { canonicalKey, readSettings, type SubagentSettings } from './settings.ts';

const name = fc.constantFrom(
  'read',
  'grep',
  'x-1',
  'größe',
  'Bash(git add *)',
  'a.b/c',
  'true',
  'null',
  '007',
);
const prose = fc.oneof(
  name,
  fc.constantFrom(
    'Reads: all',
    "it's",
    'a #b',
    '- dash',
    '"quoted"',
    'tab\there',
    'two\nlines',
    '[x',
    '{y}',
    '&z',
    '---',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
);
const names = fc.uniqueArray(name, { maxLength: 3 });

const entry = fc.oneof(
  fc
    .tuple(fc.constantFrom('name', 'description', 'model', 'Thinking', 'output', 'x-note'), prose)
    .map(([key, value]) => `${key}:  ${JSON.stringify(value)} # note`),
  fc
    .tuple(fc.constantFrom('name', 'model', 'color', 'output'), name)
    .map(([key, value]) => `${key} : '${value}'`),
  fc
    .tuple(fc.constantFrom('tools', 'exclude-tools', 'skills', 'skill', 'skill_path', 'kinds'), names)
    .chain(([key, items]) =>
      fc.constantFrom(
        `${key}: ${items.join(', ')}`,
        `${key}: [${items.map((item) => `"${item}"`).join(',  ')}]`,
        [`${key}:`, ...items.map((item) => `  -  ${item} # why`)].join('\n'),
        [`"${key}":`, ...items.map((item) => `- ${item}`)].join('\n'),
      ),
    ),
  fc.constantFrom(
    'description: |\n  first\n\n  # second\n',
    'description: >-\n  folded\n  text',
    'memory:\n  scope: user\n  path: x',
  ),
  fc.constantFrom(
    'skillInjection: full',
    'skill-injection: light',
    'inheritSkills: yes',
    'timeoutMs: 5',
    'MODEL: ~',
    'tools:',
  ),
  fc.constantFrom('# a comment', '', '   '),
);

const file = fc
  .record({
    mark: fc.constantFrom('', '\ufeff'),
    entries: fc.array(entry, { maxLength: 7 }),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    close: fc.constantFrom('---', '---  '),
    body: fc.constantFrom('', '\n', '\n\nDo it.', '\nmodel: not a key\n---\n\n'),
  })
  .map(
    ({ mark, entries, lineEnd, close, body }) =>
      mark + ['---', ...entries, close + body].join('\n').replaceAll('\n', lineEnd),
  );

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const changes: fc.Arbitrary<SubagentChanges> = fc.record(
  {
    name: maybe(prose),
    description: maybe(prose),
    tools: maybe(names),
    skills: maybe(
      fc.uniqueArray(fc.oneof(name, fc.constantFrom('a, b', 'My Skill', ' c ')), { maxLength: 3 }),
    ),
    skillPath: maybe(names),
    skillInjection: maybe(fc.constantFrom('full' as const, 'light' as const)),
    inheritSkills: maybe(fc.boolean()),
    model: maybe(prose),
    timeoutMs: maybe(fc.nat()),
    output: maybe(prose),
  },
  { requiredKeys: [] },
);

function settingsOf(text: string): SubagentSettings {
  return readSettings(bundleOfText(text.replace(/^\ufeff/, ''), nowhere), []).settings;
}

/** Returns the values of a file's other keys, by their original names. */
function othersOf(text: string, touched: readonly string[]): unknown {
  const { head, body } = bundleOfText(text.replace(/^\ufeff/, ''), nowhere);
  const untouched = head.keys.filter((key) => !touched.includes(canonicalKey(key)));
  return [untouched.map((key) => [key, head.fields.get(normaliseKey(key))]), body];
}

test('random files come back byte for byte', () => {
  fc.assert(
    fc.property(file, (text) => {
      assert.equal(serialiseSubagent(text, {}), text);
    }),
    { numRuns: 200 },
  );
});

test('after an edit the file says the edit, and everything else as before', () => {
  fc.assert(
    fc.property(file, changes, (text, edit) => {
      const edited = serialiseSubagent(text, edit);
      const touched: string[] = Object.keys(edit);
      if (touched.includes('skills')) touched.push('skill');
      assert.deepEqual(othersOf(edited, touched), othersOf(text, touched));
      const settings = settingsOf(edited);
      for (const [key, value] of Object.entries(edit)) {
        assert.deepEqual(settings[key as keyof SubagentSettings], expected(key, value), key);
      }
      assert.equal(edited.startsWith('\ufeff'), text.startsWith('\ufeff'));
      if (text.includes('\r\n')) assert.doesNotMatch(edited, /(?<!\r)\n/);
    }),
    { numRuns: 400 },
  );
});

test('the lines of other keys and comments stay as they are', () => {
  fc.assert(
    fc.property(file, fc.constantFrom('name', 'model', 'output'), maybe(prose), (text, key, value) => {
      const edited = serialiseSubagent(text, { [key]: value }).split('\n');
      const own = new RegExp(`^${key}\\s*:`, 'i');
      const others = text.split('\n').filter((line) => line.trim() !== '' && !own.test(line));
      let at = 0;
      for (const line of edited) if (line === others[at]) at++;
      assert.equal(at, others.length);
    }),
    { numRuns: 200 },
  );
});

function expected(key: string, value: string | number | boolean | readonly string[] | undefined): unknown {
  if (typeof value === 'string')
    return (key === 'skillInjection' && value === 'full') || value.trim() === '' ? undefined : value.trim();
  return typeof value === 'object' ? [...new Set(value.map((item) => item.trim()))] : value;
}
