import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import type { Parsed } from '../../core/family.ts';
import { familyContract } from '../../testing/family-contract.ts';
import { codeSkill } from './index.ts';
import { codeLimits, parse, type CodeSkillDefinition } from './parse.ts';

const names = ['data-normalizer', 'slugify', 'greeter'] as const;
const fixture = (name: (typeof names)[number]): string =>
  readFileSync(new URL(`fixtures/${name}/cskill.md`, import.meta.url), 'utf8');
const read = (text: string): Parsed<CodeSkillDefinition> => parse(bundleOfText(text, nowhere));
const codesOf = (text: string): readonly string[] =>
  read(text).issues.map((issue) => `${issue.level} ${issue.code}:${issue.line}`);
const none: CodeSkillDefinition = { name: '', description: '' };
const withInput = (input: string): string =>
  `# a\n\n## Description\n\nDoes a.\n\n## Input Format\n\n${input}\n`;

familyContract(codeSkill, { valid: Object.fromEntries(names.map((name) => [name, fixture(name)])) });

describe('a cskill.md', () => {
  test('gives a typed card and its prose', () => {
    const { name, card, definition, issues } = read(fixture('data-normalizer'));
    assert.equal(name, 'Data Normalizer');
    assert.equal(card.description, 'Turns rows from many sources into one shape.');
    assert.deepEqual(card.input?.['required'], ['rows']);
    assert.deepEqual(card.output, { type: 'array', items: { type: 'object' } });
    assert.match(definition?.inputFormat ?? '', /^A list of rows/);
    assert.match(definition?.outputFormat ?? '', /^```json/);
    assert.equal(definition?.constraints, '- Never change the order of rows.');
    assert.equal(definition?.examples, '`{"rows": [{"A": 1}]}` gives `[{"a": 1}]`.');
    assert.equal(definition?.help, 'Ask for "normalise these rows".');
    assert.deepEqual(issues, []);
  });

  test('may give its input as a schema in the frontmatter, and then needs no section', () => {
    const { card, definition, issues } = read(fixture('slugify'));
    assert.deepEqual(card.input, {
      type: 'object',
      properties: { title: { type: 'string', maxLength: 200 } },
      required: ['title'],
    });
    assert.ok(definition !== undefined && !('inputFormat' in definition));
    assert.deepEqual(issues, []);
  });

  test('goes by the frontmatter schema when a fence says otherwise', () => {
    const text =
      '---\ndescription: d\ninput: {type: string}\n---\n\n## Input Format\n\n```json\n{"type": "number"}\n```\n';
    assert.deepEqual(read(text).card.input, { type: 'string' });
  });

  test('takes prose for its input, which stays untyped', () => {
    const { card, definition, issues } = read(fixture('greeter'));
    assert.ok(!('input' in card));
    assert.equal(definition?.inputFormat, 'The name of the person, as plain text.');
    assert.deepEqual(
      issues.map((issue) => issue.code),
      ['description.derived'],
    );
  });

  test('is called by its canonical name, so that a message can name a command', () => {
    assert.equal(read('# Rack Finder\n\n## Description\n\nFinds.\n').definition?.name, 'rack-finder');
  });

  test('without an input format is usable, with a warning that execution needs it', () => {
    const { definition, issues } = read('# a\n\n## Description\n\nDoes a.\n');
    assert.deepEqual(definition, { name: 'a', description: 'Does a.' });
    assert.deepEqual(
      issues.map(({ level, code }) => ({ level, code })),
      [{ level: 'warning', code: 'section.missing' }],
    );
    assert.match(issues[0]?.message ?? '', /cannot run without it/);
  });

  test('with an empty input format is warned about on the line of its heading', () => {
    assert.deepEqual(codesOf(withInput('')), ['warning section.empty:7']);
    assert.equal(read(withInput('')).definition?.inputFormat, '');
  });
});

describe('the limits in a cskill.md', () => {
  const withLimits = (head: string): string => `---\ndescription: d\ninput: {type: string}\n${head}---\n`;

  test('are whole numbers, in the frontmatter or in sections', () => {
    const text = `${withLimits('timeout: 5\n')}\n## Memory\n\n128\n`;
    const { definition, issues } = read(text);
    assert.deepEqual([definition?.timeout, definition?.memory, issues], [5, 128, []]);
    assert.deepEqual(codeLimits(definition ?? none), { timeoutMs: 5000, memoryBytes: 128 * 2 ** 20 });
  });

  test('are a minute and 512 MiB unless said', () => {
    assert.deepEqual(codeLimits(none), { timeoutMs: 60_000, memoryBytes: 512 * 2 ** 20 });
  });

  for (const head of [
    'timeout: 0',
    'timeout: 3601',
    'timeout: 5s',
    'timeout: -1',
    'memory: 63',
    'memory: 8193',
  ])
    test(`do not count where they are nonsense, with a warning on their line: ${head}`, () => {
      const { definition } = read(withLimits(`${head}\n`));
      assert.deepEqual([definition?.timeout, definition?.memory], [undefined, undefined]);
      assert.deepEqual(codesOf(withLimits(`${head}\n`)), ['warning field.range:4']);
    });
});

describe('a json fence in a cskill.md', () => {
  test('that is not JSON is a warning on its line, and the input stays untyped', () => {
    const text = withInput('Some prose.\n\n```json\n{"type": "object",}\n```');
    assert.deepEqual(codesOf(text), ['warning schema.json:11']);
    assert.ok(!('input' in read(text).card));
  });

  for (const content of ['[1, 2]', '"text"', '7', 'null']) {
    test(`that is ${content} is a warning on its line`, () => {
      assert.deepEqual(codesOf(withInput(`\`\`\`json\n${content}\n\`\`\``)), ['warning schema.type:9']);
    });
  }

  test('that is an example instead of a schema is only a remark', () => {
    const text = withInput('```json\n{"type": "book", "title": "Dune"}\n```');
    assert.deepEqual(codesOf(text), ['info schema.example:9']);
    assert.ok(!('input' in read(text).card));
  });

  for (const schema of [
    '{"properties": {"a": {}}}',
    '{"$ref": "#/x"}',
    '{"anyOf": []}',
    '{"type": ["string", "null"]}',
  ]) {
    test(`is a schema when it reads ${schema}`, () => {
      assert.deepEqual(read(withInput(`\`\`\`json\n${schema}\n\`\`\``)).card.input, JSON.parse(schema));
    });
  }

  test('of another language is prose', () => {
    assert.deepEqual(codesOf(withInput('```yaml\ntype: object\n```')), []);
  });

  test('in the output format is held to the same rules', () => {
    const text = `${withInput('text')}\n## Output Format\n\n\`\`\`json\nno\n\`\`\`\n`;
    assert.deepEqual(codesOf(text), ['warning schema.json:13']);
  });

  test('loses keys that reach a prototype', () => {
    const { input } = read(
      withInput('```json\n{"type": "object", "__proto__": {"x": 1}, "constructor": 1}\n```'),
    ).card;
    assert.deepEqual(input, { type: 'object' });
  });
});

test('the example in the README parses without a finding', () => {
  const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const example = /^(`{3,})markdown\n([^]*?)^\1$/m.exec(page)?.[2] ?? '';
  const { definition, issues } = read(example);
  assert.notEqual(definition, undefined);
  assert.deepEqual(issues, []);
});
