import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { bundleOfText, type DescriptorLocation } from '../../core/descriptor/bundle.ts';
import type { Parsed } from '../../core/family.ts';
import type { AgentSkillDefinition } from './parse.ts';
import { parse } from './parse.ts';

const location: DescriptorLocation = { dir: '/s/demo', file: '/s/demo/SKILL.md', stem: 'demo', loose: false };
const read = (head: string): Parsed<AgentSkillDefinition> =>
  parse(bundleOfText(`---\nname: demo\ndescription: d\n${head}\n---\n\nText.\n`, location));
const found = (head: string): readonly string[] =>
  read(head).issues.map((issue) => `${issue.level} ${issue.code}:${issue.line}`);

test('every field of a full SKILL.md reaches the card or the definition', () => {
  const text = readFileSync(new URL('fixtures/release-notes/SKILL.md', import.meta.url), 'utf8');
  const { name, card, definition, issues } = parse(bundleOfText(text, location));
  assert.deepEqual(issues, []);
  assert.equal(name, 'release-notes');
  const { metadata, ...shown } = card;
  assert.equal(metadata?.['version'], '1.10');
  assert.deepEqual(shown, {
    description: 'Writes release notes from the commits since the last tag.',
    whenToUse: 'When a release is about to be published.',
    input: {
      type: 'object',
      properties: { from: { type: 'string', minLength: 1 }, draft: { type: 'boolean', default: false } },
      required: ['from'],
      additionalProperties: false,
    },
    output: { type: 'object', properties: { notes: { type: 'string' } } },
    argumentNames: ['from', 'to'],
    argumentHint: '[from] [to]',
    tags: ['docs', 'release'],
    paths: ['CHANGELOG.md', 'docs/**/*.{md,mdx}'],
    license: 'MIT',
    compatibility: 'Needs git 2.40 or newer.',
    requires: {
      os: ['linux', 'darwin'],
      bins: ['git'],
      anyBins: ['gh', 'hub'],
      env: ['GITHUB_TOKEN'],
      config: ['notes.channel'],
      primaryEnv: 'GITHUB_TOKEN',
      skillKey: 'notes',
    },
    allowedTools: ['Read', 'Grep', 'Bash(git log *)', 'Bash(git diff:*)'],
    allowedToolsLine: 18,
    disallowedTools: ['Write', 'WebFetch(domain:example.com)'],
    enforceTools: true,
    forks: 'awaited',
  });
  const { body, input, ...said } = definition ?? assert.fail('it is usable');
  assert.match(body(), /^\n# Release notes/);
  assert.equal(text.split('\n')[said.bodyLine], '# Release notes');
  assert.equal(input?.(), card.input);
  assert.deepEqual(said, {
    name: 'release-notes',
    bodyLine: said.bodyLine,
    hasFolder: true,
    argumentNames: ['from', 'to'],
    positional: 'declared',
    model: 'provider/large',
    effort: 'high',
    agent: 'writer',
    shell: 'bash',
    maxTicks: 15,
    hooks: [{ moment: 'before', tools: ['bash'], command: './scripts/check.sh', seconds: 60 }],
  });
});

describe('flags', () => {
  for (const value of ['true', 'True', 'YES', 'yes', 'on', 'On', '1', '"true"', "'yes'"]) {
    test(`read ${value} as true`, () => {
      const { card, definition } = read(
        `disable-model-invocation: ${value}\nenforce-tools: ${value}\nallow-dash: ${value}`,
      );
      assert.equal(card.modelInvocable, false);
      assert.equal(card.enforceTools, true);
      assert.equal(definition?.allowDash, true);
    });
  }

  for (const value of ['false', 'FALSE', 'no', 'No', 'off', '0', '"off"']) {
    test(`read ${value} as false`, () => {
      const { card, issues } = read(
        `user-invocable: ${value}\ndisable-model-invocation: ${value}\nbackground: ${value}\nenforce-tools: ${value}`,
      );
      assert.equal(card.userInvocable, false);
      assert.ok(!('modelInvocable' in card));
      assert.ok(!('enforceTools' in card) && !('forks' in card));
      assert.deepEqual(issues, []);
    });
  }

  test('keep their default on anything else, with a finding', () => {
    const { card } = read('user-invocable: perhaps');
    assert.ok(!('userInvocable' in card));
    assert.deepEqual(found('user-invocable: perhaps'), ['warning field.type:4']);
  });
});

describe('names and hints of arguments', () => {
  for (const [written, names] of [
    ['from to', ['from', 'to']],
    ['from, to', ['from', 'to']],
    ['[from, to]', ['from', 'to']],
    ['\n  - from\n  - to', ['from', 'to']],
    ['from', ['from']],
  ] as const) {
    test(`arguments: ${JSON.stringify(written)}`, () => {
      assert.deepEqual(read(`arguments: ${written}`).card.argumentNames, names);
    });
  }

  for (const [written, hint] of [
    ['"[file] [mode]"', '[file] [mode]'],
    ['[file]', '[file]'],
    ['[file, mode]', '[file, mode]'],
    ['<file> [mode]', '<file> [mode]'],
    ['[file] [mode]', '[file] [mode]'],
  ] as const) {
    test(`argument-hint: ${written}`, () => {
      assert.equal(read(`argument-hint: ${written}`).card.argumentHint, hint);
    });
  }
});

describe('input and output', () => {
  test('have numbers and switches where a schema has them, and text elsewhere', () => {
    const { card } = read(
      'input:\n  type: object\n  properties:\n    n: {type: integer, minimum: -0, maximum: 5, default: 3}\n    s: {type: string, default: 3, enum: [1, true]}',
    );
    assert.deepEqual(card.input, {
      type: 'object',
      properties: {
        n: { type: 'integer', minimum: 0, maximum: 5, default: 3 },
        s: { type: 'string', default: '3', enum: ['1', 'true'] },
      },
    });
  });

  test('that are not a schema are left out, with an issue', () => {
    for (const [written, code] of [
      ['a file', 'field.type'],
      ['[a, b]', 'field.type'],
      ['{file: path}', 'field.type'],
      ['{type: paper}', 'field.type'],
    ] as const) {
      const { card, issues } = read(`output: ${written}`);
      assert.ok(!('output' in card));
      assert.deepEqual(
        issues.map((issue) => issue.code),
        [code],
      );
    }
  });
});

describe('other fields', () => {
  test('when_to_use and when-to-use are one field', () => {
    assert.equal(read('when_to_use: Now.').card.whenToUse, 'Now.');
    assert.equal(read('when-to-use: Now.').card.whenToUse, 'Now.');
    assert.equal(read('When_To_Use: Now.').card.whenToUse, 'Now.');
    assert.ok(!('whenToUse' in read('when_to_use: " "').card));
  });

  test('maxTicks is a whole number in either spelling', () => {
    assert.equal(read('maxTicks: 7').definition?.maxTicks, 7);
    assert.equal(read('max-ticks: 7').definition?.maxTicks, 7);
    assert.deepEqual(found('maxTicks: many'), ['warning field.type:4']);
  });

  test('maxTicks is above zero', () => {
    assert.ok(!('maxTicks' in (read('maxTicks: 0').definition ?? {})));
    assert.deepEqual(found('maxTicks: 0'), ['warning field.type:4']);
  });

  test('context is fork or inline, and a fork is awaited unless it works in the background', () => {
    assert.equal(read('context: Fork').card.forks, 'awaited');
    assert.equal(read('context: fork\nbackground: false').card.forks, 'awaited');
    assert.equal(read('context: fork\nbackground: yes').card.forks, 'background');
    assert.ok(!('forks' in read('context: inline').card));
    assert.deepEqual(found('context: other'), ['warning field.type:4']);
  });

  test('background without a fork is reported and has no effect', () => {
    assert.ok(!('forks' in read('background: true').card));
    assert.deepEqual(found('background: true'), ['warning field.unused:4']);
    assert.deepEqual(found('context: inline\nbackground: true'), ['warning field.unused:5']);
  });

  test('effort is a word that models know; another is passed on and reported', () => {
    for (const value of ['low', 'medium', 'High', 'xhigh', 'max']) {
      assert.equal(read(`effort: ${value}`).definition?.effort, value.toLowerCase());
      assert.deepEqual(found(`effort: ${value}`), []);
    }
    assert.equal(read('effort: heroic').definition?.effort, 'heroic');
    assert.deepEqual(found('effort: heroic'), ['warning effort.unknown:4']);
    assert.ok(!('effort' in (read('effort: " "').definition ?? {})));
  });

  test('shell is one of three', () => {
    assert.equal(read('shell: SH').definition?.shell, 'sh');
    assert.equal(read('shell: powershell').definition?.shell, 'powershell');
    assert.deepEqual(found('shell: fish'), ['warning field.type:4']);
  });

  test('a single file has no folder of its own', () => {
    const loose = parse(bundleOfText('---\ndescription: d\n---\nText.', { ...location, loose: true }));
    assert.equal(loose.definition?.hasFolder, false);
    assert.equal(read('license: MIT').definition?.hasFolder, true);
  });
});

describe('metadata', () => {
  test('may be nested, and says what the skill needs', () => {
    const { card } = read(
      'metadata:\n  openclaw:\n    os: linux\n    requires: {bins: [git, jq]}\n    always: true',
    );
    assert.deepEqual(card.requires, { os: ['linux'], bins: ['git', 'jq'], always: true });
  });

  test('may hold the needs as a JSON string, or be one', () => {
    const needs = '{"requires": {"bins": ["git"]}, "emoji": "x"}';
    assert.deepEqual(read(`metadata:\n  openclaw: '${needs}'`).card.requires, { bins: ['git'] });
    assert.deepEqual(read(`metadata: '{"openclaw": ${needs}}'`).card.requires, { bins: ['git'] });
    assert.deepEqual(read(`metadata: {"openclaw": ${needs}}`).card.requires, { bins: ['git'] });
  });

  test('goes by the first namespace that is there', () => {
    const { card } = read(
      'metadata:\n  clawdbot: {requires: {bins: [c]}}\n  skilled: {requires: {bins: [a]}}',
    );
    assert.deepEqual(card.requires, { bins: ['a'] });
  });

  test('that is neither map nor JSON is left out, with a finding', () => {
    assert.ok(!('metadata' in read('metadata: words').card));
    assert.deepEqual(found('metadata: words'), ['warning field.type:4']);
    assert.deepEqual(found("metadata: '{not json}'"), ['warning field.type:4']);
  });
});
