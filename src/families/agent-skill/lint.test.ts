import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { bundleOfText, type DescriptorLocation } from '../../core/descriptor/bundle.ts';
import type { Issue } from '../../core/issue.ts';
import { lintStandard } from './lint.ts';
import { parse } from './parse.ts';

const locationOf = (stem: string, file = 'SKILL.md'): DescriptorLocation => ({
  dir: `/skills/${stem}`,
  file: `/skills/${stem}/${file}`,
  stem,
  loose: false,
});
const lint = (text: string, location = locationOf('demo')): readonly Issue[] =>
  lintStandard(bundleOfText(text, location));
const found = (text: string, location = locationOf('demo')): readonly string[] =>
  lint(text, location).map((issue) => `${issue.code}:${issue.line}`);
const skill = (head: string): string => `---\n${head}\n---\n\nText.\n`;
const named = (name: string): string => skill(`name: ${name}\ndescription: d`);

/**
 * Returns the issues of parsing and linting that violate the standard, so that a strict client would reject the
 * file.
 */
const refusals = (text: string): readonly string[] => {
  const bundle = bundleOfText(text, locationOf('demo'));
  const issues = [...parse(bundle).issues, ...lintStandard(bundle)];
  return issues.filter((issue) => issue.standard === true).map((issue) => issue.code);
};

describe('the standard accepts', () => {
  test('a minimal skill', () => {
    assert.deepEqual(refusals(named('demo')), []);
  });

  test('a command, which needs no frontmatter', () => {
    assert.deepEqual(found('Fix $1.\n', { ...locationOf('fix', 'fix.md'), loose: true, command: true }), []);
  });

  test('a skill with all six fields', () => {
    const head =
      'name: demo\ndescription: d\nlicense: MIT\ncompatibility: Node 24\nallowed-tools: Read Bash(git add *)\n' +
      'metadata:\n  author: me\n  version: 1.0';
    assert.deepEqual(refusals(skill(head)), []);
  });

  test('flow style, block scalars and --- inside a value', () => {
    assert.deepEqual(refusals(skill('name: demo\ndescription: a --- b\nmetadata: {a: b}')), []);
    assert.deepEqual(refusals(skill('name: demo\ndescription: |\n  a\n  b')), []);
  });

  for (const name of ['a', '7z', 'x-1', '天气', 'навык', 'мой-навык', 'größe', 'n'.repeat(64)]) {
    test(`the name "${name}"`, () => assert.deepEqual(found(named(name), locationOf(name)), []));
  }

  test('a name and a folder that write one accent in two ways', () => {
    const composed = 'caf\u00e9';
    const decomposed = 'cafe\u0301';
    assert.deepEqual(found(named(composed), locationOf(decomposed)), []);
    assert.deepEqual(found(named(decomposed), locationOf(composed)), []);
  });

  test('a description of 1024 and a compatibility of 500 characters', () => {
    assert.deepEqual(
      found(skill(`name: demo\ndescription: ${'x'.repeat(1024)}\ncompatibility: ${'y'.repeat(500)}`)),
      [],
    );
  });

  test('skill.md in lower case', () => {
    assert.deepEqual(found(named('demo'), locationOf('demo', 'skill.md')), []);
  });

  test('a loose file whose name is not its folder', () => {
    assert.deepEqual(found(named('other'), { dir: '/s', file: '/s/x.md', stem: 'x', loose: true }), []);
  });
});

describe('the standard refuses', () => {
  for (const [fault, name] of Object.entries({
    'is not lowercase': 'Demo',
    'is longer than 64 characters': 'n'.repeat(70),
    'starts or ends with a hyphen': '-demo',
    'has two hyphens in a row': 'de--mo',
    'has characters other than letters, digits and hyphens': 'de_mo',
  })) {
    test(`a name that ${fault}`, () => {
      const issues = lint(named(name), locationOf(name));
      assert.deepEqual(
        issues.map((issue) => issue.message),
        [`The name "${name}" ${fault}.`],
      );
      assert.deepEqual(
        issues.map((issue) => issue.line),
        [2],
      );
    });
  }

  test('a trailing hyphen, a blank, a dot, an emoji and a capital in another script', () => {
    for (const name of ['demo-', 'de mo', 'de.mo', 'demo😀', 'Навык']) {
      assert.equal(lint(named(name), locationOf(name)).length, 1, name);
    }
  });

  test('a name that is not the name of its folder', () => {
    assert.match(lint(named('other'))[0]?.message ?? '', /does not match the name of its folder \(demo\)/);
  });

  test('every fault of a name at once, as one issue', () => {
    const [issue, ...more] = lint(named('-My__Skill-'), locationOf('demo'));
    assert.match(issue?.message ?? '', /not lowercase, .* hyphen, .* digits and hyphens and does not match/);
    assert.deepEqual(more, []);
  });

  test('a missing, blank or listed name', () => {
    assert.deepEqual(found(skill('description: d')), ['standard.name:undefined']);
    assert.deepEqual(found(skill('name: " "\ndescription: d')), ['standard.name:2']);
    assert.deepEqual(found(skill('name: [demo]\ndescription: d')), ['standard.name:2']);
  });

  test('a missing, blank, listed or long description', () => {
    assert.deepEqual(found(skill('name: demo')), ['standard.description:undefined']);
    assert.deepEqual(found(skill('name: demo\ndescription: " "')), ['standard.description:3']);
    assert.deepEqual(found(skill('name: demo\ndescription: [d]')), ['standard.description:3']);
    assert.deepEqual(found(skill(`name: demo\ndescription: ${'x'.repeat(1100)}`)), [
      'standard.description:3',
    ]);
  });

  test('a blank or long compatibility', () => {
    assert.deepEqual(found(skill('name: demo\ndescription: d\ncompatibility: ""')), [
      'standard.compatibility:4',
    ]);
    assert.deepEqual(found(skill(`name: demo\ndescription: d\ncompatibility: ${'y'.repeat(550)}`)), [
      'standard.compatibility:4',
    ]);
  });

  test('metadata that is not a map of texts', () => {
    assert.deepEqual(found(skill('name: demo\ndescription: d\nmetadata: x')), ['standard.metadata:4']);
    assert.deepEqual(found(skill('name: demo\ndescription: d\nmetadata:\n  a: {b: c}\n  d: [e]\n  f: g')), [
      'standard.metadata:4',
      'standard.metadata:4',
    ]);
  });

  test('a file of another name', () => {
    assert.deepEqual(found(named('demo'), locationOf('demo', 'Skill.md')), ['standard.file:1']);
  });

  for (const [what, text, code] of [
    ['no frontmatter', '# Demo\n\nText.\n', 'standard.frontmatter'],
    ['an unclosed head', '---\nname: demo\ndescription: d\n', 'frontmatter.unclosed'],
    ['a late head', '\n---\nname: demo\ndescription: d\n---\n', 'frontmatter.late'],
    ['YAML that is none', '---\nname: demo\ndescription: a: b\n---\n', 'frontmatter.repaired'],
    ['a list for a head', '---\n- name\n- demo\n---\n', 'frontmatter.ignored'],
    ['a key twice', '---\nname: demo\nname: demo\ndescription: d\n---\n', 'frontmatter.repeated'],
    ['anchors', '---\nname: &n demo\ndescription: d\n---\n', 'frontmatter.repaired'],
    ['code in the frontmatter', '---js\nname: demo\n---\n', 'frontmatter.language'],
  ] as const) {
    test(what, () => assert.ok(refusals(text).includes(code), refusals(text).join(' ')));
  }
});

describe('a field that is not one of the six', () => {
  const hintOf = (head: string): string | undefined =>
    lint(skill(`name: demo\ndescription: d\n${head}`))[0]?.hint;
  const messageOf = (head: string): string =>
    lint(skill(`name: demo\ndescription: d\n${head}`))[0]?.message ?? '';

  test('is an extension when it is acted on, however it is spelled', () => {
    for (const key of [
      'when_to_use',
      'when-to-use',
      'maxTicks',
      'max-ticks',
      'argument-hint',
      'enforce-tools',
      'Model',
    ]) {
      assert.match(messageOf(`${key}: x`), /is an extension/, key);
    }
  });

  test('is not a warning when it is an extension: a skill that uses what is documented is fine', () => {
    const levels = lint(skill('name: demo\ndescription: d\nmodel: x\nmodle: x')).map(({ level }) => level);
    assert.deepEqual(levels, ['info', 'warning']);
  });

  test('is a misspelling when only its case or hyphen differs', () => {
    assert.equal(messageOf('allowed_tools: Read'), 'The standard spells "allowed_tools" as "allowed-tools".');
    assert.deepEqual(found(skill('Name: demo\nDescription: d')), ['standard.field:2', 'standard.field:3']);
  });

  test('says why a field of another program has no effect', () => {
    assert.match(messageOf('command-dispatch: tool'), /OpenClaw/);
    assert.match(hintOf('command-dispatch: tool') ?? '', /never calls a tool directly/);
  });

  test('is unknown otherwise, with the likely one or another place for it', () => {
    assert.match(messageOf('licence: MIT'), /not a known field/);
    assert.match(hintOf('licence: MIT') ?? '', /"license"/);
    assert.equal(hintOf('zzzz: x'), 'Move the field under "metadata".');
  });

  test('is reported on its line, as a fault of the standard only', () => {
    const issues = lint(skill('name: demo\ndescription: d\nversion: 1.0'));
    assert.deepEqual(
      issues.map(({ level, line, standard }) => ({ level, line, standard })),
      [{ level: 'warning', line: 4, standard: true }],
    );
  });
});

test('our own full example has only extensions and nested metadata against it', () => {
  const text = readFileSync(new URL('fixtures/release-notes/SKILL.md', import.meta.url), 'utf8');
  const issues = lint(text, locationOf('release-notes'));
  assert.deepEqual([...new Set(issues.map((issue) => issue.code))], ['standard.field', 'standard.metadata']);
  assert.ok(issues.every((issue) => issue.code !== 'standard.field' || issue.message.includes('extension')));
});
