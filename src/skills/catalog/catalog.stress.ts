import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { openLoops } from '../../../test/stress/stress.ts';
import { readXml } from '../../../test/support/xml.ts';
import { hidesText } from '../../core/text.ts';
import type { CatalogEntry } from './entries.ts';
import type { CatalogPriorities } from './priority.ts';
import { shownName } from './listing.ts';
import { countTokens, type CatalogLimits } from './budget.ts';
import { applySkillsPromptLimits } from './catalog.ts';

const { createLoop } = openLoops(import.meta);
const whole = createLoop({ small: 150, full: 5000 });
const larger = createLoop({ small: 150, full: 5000 });

const piece = fc.constantFrom(
  ...[
    'a',
    'word ',
    ' ',
    '\n',
    '\r\n',
    '\t',
    '  ',
    '&',
    '<',
    '>',
    '"',
    "'",
    ']]>',
    '</skill>',
    '</description>',
  ],
  ...[
    '<![CDATA[',
    '<!--',
    '&amp;',
    '&#60;',
    '<|endoftext|>',
    '数据',
    'か',
    '한',
    '😀',
    '👩‍💻',
    'e\u0301',
    '\u200b',
  ],
  ...[
    '\u202e',
    '\u{e0041}',
    '\ufeff',
    '\u0000',
    '\u0007',
    '\u0085',
    '\u2028',
    '\ud83d',
    '\udc69',
    '\uffff',
    '\ufe0f',
  ],
);
const units = fc.array(fc.nat(0xffff), { maxLength: 20 }).map((codes) => String.fromCharCode(...codes));
const shortText = fc.oneof(
  fc.string({ unit: piece, maxLength: 12 }),
  units,
  fc.constantFrom('', 'pdf', 'pdf-tools'),
);
const long = fc
  .tuple(fc.string({ unit: piece, minLength: 1, maxLength: 20 }), fc.constantFrom(100, 1000, 10_000))
  .map(([text, length]) => text.repeat(Math.ceil(length / text.length)).slice(0, length));
const text = fc.oneof(
  { weight: 5, arbitrary: shortText },
  { weight: 3, arbitrary: fc.string({ unit: piece, maxLength: 120 }) },
  { weight: 1, arbitrary: long },
);
const entry: fc.Arbitrary<CatalogEntry> = fc.record(
  { name: shortText, description: text, location: shortText, whenToUse: shortText, pinned: fc.boolean() },
  { requiredKeys: ['name', 'description', 'location'] },
);
const limits: fc.Arbitrary<CatalogLimits> = fc.record(
  {
    maxSkills: fc.oneof(fc.nat(40), fc.constant(Infinity)),
    maxChars: fc.oneof(fc.nat(1500), fc.nat(8000), fc.constant(Infinity)),
    maxTokens: fc.oneof(fc.nat(400), fc.nat(2000)),
    contextWindow: fc.nat(100_000),
  },
  { requiredKeys: [] },
);
const priorities: fc.Arbitrary<CatalogPriorities> = fc.record(
  {
    request: text,
    relevance: fc.oneof(
      fc.array(shortText, { maxLength: 5 }),
      fc.array(fc.tuple(shortText, fc.double()), { maxLength: 5 }).map((pairs) => new Map(pairs)),
    ),
    recent: fc.array(shortText, { maxLength: 5 }),
  },
  { requiredKeys: [] },
);
const entries = fc.array(entry, { maxLength: 40 });

/** Returns the same skills in another order. */
function shuffled(of: readonly CatalogEntry[], seed: number): readonly CatalogEntry[] {
  return of
    .map((item, index) => ({ item, at: ((index + 1) * 7919 * (seed + 1)) % 104_729 }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

test('for all skills and limits, the catalog is valid, exceeds no limit and shows or omits every skill once', () => {
  fc.assert(
    fc.property(entries, limits, priorities, fc.nat(1000), (given, most, chosenPriorities, seed) => {
      const catalog = applySkillsPromptLimits(given, most, chosenPriorities);
      const { maxSkills = 150, maxChars = 30_000, maxTokens = Infinity, contextWindow = Infinity } = most;
      assert.ok(catalog.shown <= maxSkills);
      assert.ok(catalog.text.length <= maxChars);
      assert.equal(catalog.chars, catalog.text.length);
      const isCounted = Math.min(maxTokens, contextWindow) < Infinity;
      if (isCounted) assert.ok(countTokens(catalog.text) <= Math.min(maxTokens, contextWindow * 0.02));
      if (isCounted) assert.equal(catalog.tokens, countTokens(catalog.text));

      const shown = namesIn(catalog.text);
      assert.equal(shown.length, catalog.shown);
      assert.deepEqual(shown, shown.toSorted(byCodeUnits));
      assert.deepEqual(catalog.omitted, catalog.omitted.toSorted(byCodeUnits));
      const listed = [...shown, ...catalog.omitted.map(shownName)];
      assert.deepEqual(listed.sort(byCodeUnits), given.map(({ name }) => shownName(name)).sort(byCodeUnits));
      assert.equal(hidesText(catalog.text), false);
      assert.ok(catalog.shortened <= catalog.shown);
      const note = `\n${catalog.shown} of ${given.length} skills shown; find-skills searches the rest.`;
      assert.equal(catalog.text.endsWith(note), catalog.shown > 0 && catalog.shown < given.length);

      const again = applySkillsPromptLimits(shuffled(given, seed), most, chosenPriorities);
      assert.equal(again.text, catalog.text);
      assert.deepEqual(again.omitted, catalog.omitted);
      if (catalog.omitted.length > 0 || catalog.shortened > 0) return;
      assert.equal(applySkillsPromptLimits(shuffled(given, seed), most).text, catalog.text);
    }),
    whole.runs(),
  );
});

test('more room never shows fewer skills', () => {
  fc.assert(
    fc.property(entries, fc.nat(6000), fc.nat(500), (given, maxChars, more) => {
      const less = applySkillsPromptLimits(given, { maxChars });
      assert.ok(applySkillsPromptLimits(given, { maxChars: maxChars + more }).shown >= less.shown);
    }),
    larger.runs(),
  );
});

function namesIn(catalog: string): readonly string[] {
  if (catalog === '') return [];
  const [start, end] = ['<available_skills>', '</available_skills>'];
  const listing = catalog.slice(catalog.indexOf(start), catalog.lastIndexOf(end) + end.length);
  const { name, children } = readXml(listing);
  assert.equal(name, 'available_skills');
  return children.map((skill) => {
    const elements = skill.children.map((child) => child.name);
    const expected = ['name', 'description', 'location'].filter(
      (element) => element !== 'description' || elements.length === 3,
    );
    assert.deepEqual([skill.name, elements], ['skill', expected]);
    return skill.children[0]?.text ?? '';
  });
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
