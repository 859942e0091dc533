import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { inspect } from 'node:util';
import {
  bundleOfBytes,
  bundleOfText,
  longestDescription,
  normaliseName,
  stopLate,
  type Bundle,
  type DescriptorLocation,
  type Family,
  type Issue,
  type Parsed,
} from '../core/index.ts';
import { capabilityChecks, checkOutput, inputs } from './family-capabilities.ts';
import { createTestScope } from './test-scope.ts';

/** Descriptors and settings for testing a family. */
export interface FamilyFixtures {
  /** Valid descriptors, keyed by skill name. */
  readonly valid: Readonly<Record<string, string>>;
  /**
   * Skill names for which the family's template must produce a skill without issues. Defaults to both
   * ordinary and unusual names.
   */
  readonly names?: readonly string[];
  /** The number of times to repeat each randomized check. Defaults to 100. */
  readonly runs?: number;
}

const usualNames = [
  ...['demo', 'two-words', 'a', '7z', 'x1-2-3', 'übung', '天气', 'n'.repeat(64)],
  ...['null', 'true', 'no', '1-10'], // words with a special meaning in YAML
  ...['description', 'instructions', 'summary', 'help', 'skills', 'tools', 'fields', 'mode'], // headings
];
const longest = 60_000; // The time limit for parsing one input, in milliseconds.

/**
 * Registers the tests that every family must pass. They check that parsing is pure and never throws, that
 * issues are complete, that results can be converted to JSON and back, and that each optional capability
 * works as documented.
 */
export function familyContract(family: Family, fixtures: FamilyFixtures): void {
  const numRuns = fixtures.runs ?? 100;
  const valid = Object.entries(fixtures.valid);

  describe(`the ${family.label} family keeps the contract`, () => {
    for (const [name, text] of valid) {
      test(`reads the valid descriptor "${name}"`, () => {
        const parsed = checkReading(family, bundleOfText(text, locationFor(family, name)));
        assert.notEqual(parsed.definition, undefined, 'it must be usable');
        assert.deepEqual(errorsOf(parsed.issues), []);
      });

      test(`runs "${name}" to an output that survives JSON, whatever the input`, async () => {
        const { definition } = family.parse(bundleOfText(text, locationFor(family, name)));
        for (const input of inputs) checkOutput(await family.execute(definition, input, createTestScope()));
      });

      for (const [what, { isFor, check }] of Object.entries(capabilityChecks)) {
        if (!isFor(family)) continue;
        test(`${what}: "${name}"`, async () => {
          await check(family, family.parse(bundleOfText(text, locationFor(family, name))).definition);
        });
      }

      test(`reads a damaged "${name}" without throwing`, async () => {
        const { damaged, forAny } = await import('./garbage.ts');
        forAny(damaged(text), numRuns, (bytes) =>
          checkReading(family, bundleOfBytes(bytes, locationFor(family, name))),
        );
      });
    }

    test('reads garbage text without throwing', async () => {
      const { forAny, garbageText } = await import('./garbage.ts');
      forAny(garbageText, numRuns, (text) =>
        checkReading(family, bundleOfText(text, locationFor(family, 'junk'))),
      );
    });

    test('reads garbage bytes without throwing', async () => {
      const { forAny, garbageBytes } = await import('./garbage.ts');
      forAny(garbageBytes, numRuns, (bytes) =>
        checkReading(family, bundleOfBytes(bytes, locationFor(family, 'junk'))),
      );
    });

    for (const [what, text] of Object.entries(
      hostileTexts(valid[0]?.[1] ?? '# title\n\n## Description\n\nText.\n'),
    )) {
      test(`survives ${what}`, () => {
        stopLate(longest, () =>
          checkReading(family, bundleOfBytes(Buffer.from(text), locationFor(family, 'hostile'))),
        );
        assert.ok(!('polluted' in {}), 'a prototype was changed');
      });
    }

    for (const name of family.authoring?.template === undefined ? [] : (fixtures.names ?? usualNames)) {
      test(`makes a clean new skill called "${name}"`, () => {
        const bundle = bundleOfText(descriptorOf(family, name), locationFor(family, name));
        const parsed = checkReading(family, bundle);
        assert.notEqual(parsed.definition, undefined);
        assert.deepEqual([...parsed.issues, ...(family.authoring?.lint?.(bundle) ?? [])], []);
        assert.equal(normaliseName(parsed.name === '' ? bundle.stem : parsed.name), normaliseName(name));
      });
    }
  });
}

/** Parses a bundle and checks the rules that apply to every bundle, valid or not. */
function checkReading(family: Family, bundle: Bundle): Parsed<unknown> {
  const before = snapshot({ ...bundle });
  const parsed = family.parse(bundle);
  const lint = family.authoring?.lint?.(bundle) ?? [];
  assert.ok(snapshot(family.parse(bundle)) === snapshot(parsed), 'two reads give different results');
  assert.ok(snapshot({ ...bundle }) === before, 'reading changed the bundle');
  assert.equal(typeof parsed.name, 'string');
  assert.deepEqual(JSON.parse(JSON.stringify(parsed.card)), parsed.card, 'the card does not survive JSON');
  assert.ok(Array.from(parsed.card.description).length <= longestDescription, 'the description is too long');
  if (parsed.definition === undefined)
    assert.notEqual(errorsOf(parsed.issues).length, 0, 'no error explains why it is unusable');
  else assert.notEqual(parsed.card.description.trim(), '', 'a usable skill needs a description');
  const lines = bundle.text.split(/\r\n?|\n/).length;
  for (const issue of [...parsed.issues, ...lint]) checkIssue(issue, lines);
  return parsed;
}

function checkIssue(issue: Issue, lines: number): void {
  const said = inspect(issue);
  assert.ok(['error', 'warning', 'info'].includes(issue.level), said);
  assert.match(issue.code, /^[a-z][a-z0-9-]*\.[a-z][a-z0-9-]*$/, said);
  assert.ok(issue.message.endsWith('.'), said);
  assert.ok(issue.hint === undefined || issue.hint.trim() !== '', said);
  if (issue.line === undefined) return;
  assert.ok(
    Number.isInteger(issue.line) && issue.line >= 1 && issue.line <= lines,
    `${said} in a file of ${lines} lines`,
  );
}

function errorsOf(issues: readonly Issue[]): readonly Issue[] {
  return issues.filter((issue) => issue.level === 'error');
}

/** Returns the location at which the family expects the descriptor of a skill with this name. */
function locationFor(family: Family, name: string): DescriptorLocation {
  const { descriptor } = family;
  const inFolder = descriptor !== undefined && 'file' in descriptor;
  const file = inFolder ? descriptor.file : `${name}.md`;
  return { dir: `/bundles/${name}`, file: `/bundles/${name}/${file}`, stem: name, loose: !inFolder };
}

/** Returns the descriptor text that the family's template produces for a new skill. */
function descriptorOf(family: Family, name: string): string {
  const files = family.authoring?.template?.(name) ?? {};
  const { descriptor } = family;
  const suffix = descriptor !== undefined && 'file' in descriptor ? descriptor.file : '.md';
  const text = Object.entries(files).find(([path]) => path.endsWith(suffix))?.[1];
  assert.ok(text !== undefined, `the template has no ${suffix}`);
  return text;
}

/** Converts a value to text. Functions are represented by their names. Equal values have equal texts. */
function snapshot(value: unknown): string {
  return inspect(value, { depth: null, maxArrayLength: null, maxStringLength: null, breakLength: Infinity });
}

const repeated = [
  '[',
  '![',
  '__',
  '**a',
  '<!--',
  '(',
  '`',
  '- a\n',
  '| a |\n',
  '```json\n',
  '---\n',
  'a\n=\n',
];

/** Returns descriptors that try to exhaust or mislead a parser, keyed by the kind of attack. */
function hostileTexts(good: string): Readonly<Record<string, string>> {
  const head = (yaml: string): string => `---\n${yaml}\n---\n\n# title\n\nSome text.\n`;
  const keys = Array.from({ length: 20_000 }, (_, index) => `key${index}: value`).join('\n');
  const laughs = Array.from(
    { length: 30 },
    (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`,
  ).join('\n');
  const deepJson = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  return {
    'an empty text': '',
    'only a byte order mark': '\ufeff',
    'only NUL bytes': '\u0000'.repeat(100),
    'NUL bytes in every line': good.replaceAll('\n', '\u0000\n'),
    '20,000 keys': head(keys),
    'frontmatter of 1 MB': head(`description: ${'x'.repeat(1_000_000)}`),
    'maps 1,000 deep': head(`metadata: ${'{a: '.repeat(1000)}1${'}'.repeat(1000)}`),
    'lists 1,000 deep': head(`metadata: ${'['.repeat(1000)}${']'.repeat(1000)}`),
    'JSON text 10,000 deep': head(`metadata: '${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}'`),
    'aliases that double thirty times': head(`a0: &a0 x\n${laughs}`),
    'keys that reach a prototype': head(
      '__proto__: {polluted: true}\nconstructor: {prototype: {polluted: true}}\ndescription: x',
    ),
    'JSON keys that reach a prototype': head(`metadata: '{"__proto__": {"polluted": true}}'\ndescription: x`),
    'a json fence that reaches a prototype': withFences(
      good,
      '{"type": "object", "__proto__": {"polluted": true}}',
    ),
    'a json fence 20,000 deep': withFences(good, deepJson),
    'a json fence with numbers past range': withFences(
      good,
      '{"type": "number", "maximum": 1e999, "minimum": -0}',
    ),
    'code in the frontmatter': `---js\nprocess.exit(9)\n---\n${good}`,
    'an executable tag': head('name: !!js/function "function () { process.exit(9) }"\ndescription: x'),
    '5,000 headings': good + '\n## heading\n'.repeat(5000),
    'quotes 5,000 deep': good + '> '.repeat(5000),
    'a line of 200,000 characters': good + '_a*[`('.repeat(33_000),
    'fields of 30,000 underscores': head(
      `name: ${'_'.repeat(30_000)}!\nallowed-tools: A${'_'.repeat(30_000)}!`,
    ),
    ...Object.fromEntries(
      repeated.map((token) => [`${JSON.stringify(token)} 10,000 times`, `${good}\n${token.repeat(10_000)}`]),
    ),
  };
}

/**
 * Replaces the content of every JSON code block in a text, and adds a JSON code block with that content after
 * every second-level heading.
 */
function withFences(text: string, content: string): string {
  const fence = `\`\`\`json\n${content}\n\`\`\``;
  return text
    .replace(/```json\n[^]*?```/g, () => fence)
    .replace(/^## .*$/gm, (heading) => `${heading}\n\n${fence}\n`);
}
