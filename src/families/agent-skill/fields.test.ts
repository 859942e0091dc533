import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { bundleOfText, type Place } from '../../core/bundle.ts';
import type { Parsed } from '../../core/family.ts';
import type { AgentSkillDefinition } from './definition.ts';
import { parse } from './parse.ts';

const place: Place = { dir: '/s/demo', file: '/s/demo/SKILL.md', stem: 'demo', loose: false };
const read = (head: string): Parsed<AgentSkillDefinition> =>
  parse(bundleOfText(`---\nname: demo\ndescription: d\n${head}\n---\n\nText.\n`, place));
const found = (head: string): readonly string[] =>
  read(head).issues.map((issue) => `${issue.level} ${issue.code}:${issue.line}`);

test('every field of a full SKILL.md reaches the card or the definition', () => {
  const text = readFileSync(new URL('fixtures/release-notes/SKILL.md', import.meta.url), 'utf8');
  const { name, card, definition, issues } = parse(bundleOfText(text, place));
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
  });
  assert.deepEqual(
    { ...definition, body: undefined },
    {
      body: undefined,
      allowedTools: ['Read', 'Grep', 'Bash(git log *)', 'Bash(git diff:*)'],
      disallowedTools: ['Write', 'WebFetch(domain:example.com)'],
      enforceTools: true,
      model: 'provider/large',
      effort: 'high',
      context: 'fork',
      agent: 'writer',
      background: false,
      shell: 'bash',
      maxTicks: 15,
      hooks: {
        PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './scripts/check.sh' }] }],
      },
      license: 'MIT',
      compatibility: 'Needs git 2.40 or newer.',
    },
  );
});

describe('allowed-tools', () => {
  for (const [written, rules] of [
    ['Read Write', ['Read', 'Write']],
    ['Read, Write', ['Read', 'Write']],
    ['[Read, Write]', ['Read', 'Write']],
    ['\n  - Read\n  - Write', ['Read', 'Write']],
    ['Bash(git add *) Read', ['Bash(git add *)', 'Read']],
    ['Bash(git add *), Bash(git commit -m *)', ['Bash(git add *)', 'Bash(git commit -m *)']],
    ['\n  - Bash(npm run test:*)\n  - "Read"', ['Bash(npm run test:*)', 'Read']],
    ['["Bash(git add *)", Read]', ['Bash(git add *)', 'Read']],
    ['mcp__files__read mcp__files__*', ['mcp__files__read', 'mcp__files__*']],
    ['Skill(deploy *) WebFetch(domain:example.com)', ['Skill(deploy *)', 'WebFetch(domain:example.com)']],
    ['[]', []],
    ['""', []],
    ['\n  -', []],
  ] as const) {
    test(`written as ${JSON.stringify(written)} names ${rules.length}`, () => {
      const { card, definition, issues } = read(`allowed-tools: ${written}`);
      assert.deepEqual(card.allowedTools, rules);
      assert.deepEqual(definition?.allowedTools, rules);
      assert.deepEqual(issues, []);
    });
  }

  test('is absent when not written', () => {
    const { card, definition } = read('license: MIT');
    assert.ok(!('allowedTools' in card) && !('allowedTools' in (definition ?? {})));
  });

  test('is absent when null, and a missing value is reported', () => {
    for (const written of ['', ' null', ' ~']) {
      assert.equal(read(`allowed-tools:${written}`).card.allowedTools, undefined);
      assert.deepEqual(found(`allowed-tools:${written}`), ['warning field.blank:4']);
    }
  });

  for (const entry of ['*', '(x)', '9lives', 'Bash(git', 'Re!d']) {
    test(`reports "${entry}" as an error for that entry, which grants nothing`, () => {
      const head = `allowed-tools: ["${entry}", Read]`;
      assert.deepEqual(read(head).card.allowedTools, ['Read']);
      assert.deepEqual(found(head), ['error field.tool-rule:4']);
    });
  }

  test('grants nothing for what is no text in it', () => {
    assert.deepEqual(read('allowed-tools: {Read: true}').card.allowedTools, []);
    assert.deepEqual(found('allowed-tools: {Read: true}'), ['warning field.type:4']);
    assert.deepEqual(read('allowed-tools: [Read, [Write]]').card.allowedTools, ['Read']);
    assert.deepEqual(found('allowed-tools: [Read, [Write]]'), ['warning field.type:4']);
  });

  test('refuses a long row of underscores at once', () => {
    const started = performance.now();
    assert.deepEqual(read(`allowed-tools: ["A${'_'.repeat(5000)}!"]`).card.allowedTools, []);
    assert.ok(performance.now() - started < 1000);
  });
});

describe('flags', () => {
  for (const word of ['true', 'True', 'YES', 'yes', 'on', 'On', '1', '"true"', "'yes'"]) {
    test(`read ${word} as true`, () => {
      const { card, definition } = read(
        `disable-model-invocation: ${word}\nenforce-tools: ${word}\nallow-dash: ${word}`,
      );
      assert.equal(card.modelInvocable, false);
      assert.equal(definition?.enforceTools, true);
      assert.equal(definition?.allowDash, true);
    });
  }

  for (const word of ['false', 'FALSE', 'no', 'No', 'off', '0', '"off"']) {
    test(`read ${word} as false`, () => {
      const { card, definition } = read(
        `user-invocable: ${word}\ndisable-model-invocation: ${word}\nbackground: ${word}`,
      );
      assert.equal(card.userInvocable, false);
      assert.ok(!('modelInvocable' in card));
      assert.equal(definition?.background, false);
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

  test('that are no schema are left out, with a finding', () => {
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

  test('context is fork or inline', () => {
    assert.equal(read('context: Fork').definition?.context, 'fork');
    assert.deepEqual(found('context: other'), ['warning field.type:4']);
  });

  test('hooks are kept as a map', () => {
    assert.deepEqual(read('hooks: {Stop: [{command: x}]}').definition?.hooks, { Stop: [{ command: 'x' }] });
    assert.deepEqual(found('hooks: x'), ['warning field.type:4']);
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
