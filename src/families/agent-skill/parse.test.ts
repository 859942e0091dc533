import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { defineSkill } from '../../core/define-skill.ts';
import {
  bundleOfBytes,
  bundleOfText,
  nowhere,
  type DescriptorLocation,
} from '../../core/descriptor/bundle.ts';
import type { Parsed } from '../../core/family.ts';
import { familyContract } from '../../testing/family-contract.ts';
import { agentSkill } from './index.ts';
import { adopt, parse, type AgentSkillDefinition } from './parse.ts';

const fixture = (path: string): string => readFileSync(new URL(`fixtures/${path}`, import.meta.url), 'utf8');
const folder: DescriptorLocation = { dir: '/s/demo', file: '/s/demo/SKILL.md', stem: 'demo', loose: false };
const read = (text: string, location = folder): Parsed<AgentSkillDefinition> =>
  parse(bundleOfText(text, location));
const found = (text: string): readonly string[] =>
  read(text).issues.map((issue) => `${issue.code}:${issue.line}`);

familyContract(agentSkill, {
  valid: {
    minimal: fixture('minimal/SKILL.md'),
    'release-notes': fixture('release-notes/SKILL.md'),
    'pdf-report': fixture('pdf-report/SKILL.md'),
  },
});

describe('a SKILL.md', () => {
  test('needs no more than a name and a description', () => {
    const { name, card, definition, issues } = read(fixture('minimal/SKILL.md'));
    assert.equal(name, 'minimal');
    assert.deepEqual(card, { description: 'The least a skill needs.' });
    assert.equal(definition?.body(), '\nSay hello.\n');
    assert.deepEqual(Object.keys(definition ?? {}), ['name', 'body', 'bodyLine', 'hasFolder']);
    assert.deepEqual(issues, []);
  });

  test('is read although its head is full of slips, each one named', () => {
    const { name, card, issues } = read(fixture('messy/SKILL.md'));
    assert.equal(name, 'Messy Skill');
    assert.equal(card.description, 'Handles one thing: the other thing');
    assert.deepEqual(
      issues.map((issue) => `${issue.code}:${issue.line}`),
      [
        'frontmatter.late:2',
        'frontmatter.indented-fence:7',
        'frontmatter.repaired:4',
        'field.tool-rule:5',
        'name.form:3',
      ],
    );
  });

  test('without a name, or with one that breaks the rules, says what it is called instead', () => {
    const named = (head: string) =>
      read(`---\n${head}description: d\n---\n\nBody.\n`).issues.map((issue) => issue.code);
    assert.deepEqual(named(''), ['name.derived']);
    assert.deepEqual(named('name: My Skill\n'), ['name.form']);
    assert.deepEqual(named(`name: ${'a'.repeat(65)}\n`), ['name.form']);
    assert.deepEqual(named('name: my-skill\n'), []);
  });

  test('without any text is unusable and says why', () => {
    for (const text of ['', '---\n---\n', '\n\n', '---\nname: x\n---\n\n---\n***\n']) {
      const { definition, issues } = read(text);
      assert.equal(definition, undefined);
      assert.ok(issues.some((issue) => issue.level === 'error' && issue.code === 'descriptor.empty'));
    }
  });

  test('past a limit is unusable, whatever it says', () => {
    const keys = Array.from({ length: 201 }, (_, index) => `k${index}: v`).join('\n');
    const { definition, issues } = read(`---\nname: a\ndescription: b\n${keys}\n---\n`);
    assert.equal(definition, undefined);
    assert.ok(issues.some((issue) => issue.level === 'error' && issue.code === 'frontmatter.limit'));
  });

  test('does not decode its body to be listed', () => {
    const bundle = bundleOfBytes(Buffer.from(fixture('minimal/SKILL.md')), folder);
    const unreadable = Object.defineProperty({ ...bundle, body: '' }, 'body', {
      get: () => assert.fail('the body was read'),
    });
    assert.equal(parse(unreadable).card.description, 'The least a skill needs.');
  });
});

describe('the description of a SKILL.md without one', () => {
  for (const [what, body, description, from, line] of [
    [
      'the first line that is no heading',
      '# Title\n\nDoes **this** thing.\nMore.',
      'Does this thing.',
      'line',
      6,
    ],
    ['a list item', '# Title\n\n- one thing\n- two', 'one thing', 'line', 6],
    ['a quoted line', '> Note the time.', 'Note the time.', 'line', 4],
    ['the heading when there is nothing else', '\n## Only a heading\n', 'Only a heading', 'heading', 5],
    [
      'text behind a rule, a fence mark and a comment',
      '---\n<!-- x -->\n```\ncode\n```\n',
      'code',
      'line',
      7,
    ],
  ] as const) {
    test(`is ${what}, with a finding on its line`, () => {
      const { card, issues } = read(`---\nname: a\n---\n${body}`);
      assert.equal(card.description, description);
      assert.deepEqual(
        issues.map((issue) => `${issue.code}:${issue.line}`),
        [`description.derived:${line}`],
      );
      assert.match(issues[0]?.message ?? '', from === 'line' ? /first line of the body/ : /first heading/);
    });
  }

  test('is made up too when it is blank, null or no text', () => {
    for (const written of ['', ' ""', ' null', ' ~', ' "  "', ' []']) {
      assert.equal(
        read(`---\nname: a\ndescription:${written}\n---\n\nThe body.\n`).card.description,
        'The body.',
      );
    }
  });

  test('is made up from a file without frontmatter', () => {
    const { name, card } = read('# Title\n\nJust text.\n');
    assert.equal(name, '');
    assert.equal(card.description, 'Just text.');
  });

  test('leaves a loose file out of every catalog, but not a folder', () => {
    const text = fixture('loose/shorthand.md');
    assert.equal(read(text, nowhere).card.listed, false);
    assert.notEqual(read(text, nowhere).definition, undefined);
    assert.ok(!('listed' in read(text).card));
    assert.ok(!('listed' in read('---\ndescription: x\n---\n', nowhere).card));
  });
});

describe('a long description', () => {
  test('is kept whole at 1024 characters, counted as people do', () => {
    const text = `---\nname: a\ndescription: ${'😀'.repeat(1024)}\n---\n`;
    assert.equal(Array.from(read(text).card.description).length, 1024);
    assert.deepEqual(found(text), []);
  });

  test('is cut past that, with a finding on its line', () => {
    const text = `---\nname: a\ndescription: ${'x'.repeat(1025)}\n---\n`;
    assert.equal(read(text).card.description.length, 1024);
    assert.deepEqual(found(text), ['description.long:3']);
  });

  test('is cut when it is made up from the body, too', () => {
    const text = `---\nname: a\n---\n\n${'y'.repeat(2000)}\n`;
    assert.equal(read(text).card.description.length, 1024);
    assert.deepEqual(found(text), ['description.derived:5', 'description.long:5']);
  });
});

describe('a skill defined in code', () => {
  test('is adopted when it has instructions', () => {
    const skill = defineSkill({
      name: 'a',
      description: 'b',
      instructions: 'Do it.',
      allowedTools: ['Read'],
      maxTicks: 3,
      license: 'MIT',
      compatibility: 'any',
    });
    const definition = adopt(skill);
    assert.equal(definition?.body(), 'Do it.');
    assert.deepEqual(
      { ...definition, body: undefined },
      {
        name: 'a',
        body: undefined,
        bodyLine: 1,
        hasFolder: false,
        maxTicks: 3,
      },
    );
  });

  test('is left to another family when it is a function', () => {
    const skill = defineSkill({ name: 'a', description: 'b', run: () => ({ status: 'done', text: '' }) });
    assert.equal(adopt(skill), undefined);
  });
});

test('the example in the README parses without a finding', () => {
  const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const example = /^(`{3,})markdown\n([^]*?)^\1$/m.exec(page)?.[2] ?? '';
  const { definition, issues } = read(example);
  assert.notEqual(definition, undefined);
  assert.deepEqual(issues, []);
});
