import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import type { Parsed } from '../../core/family.ts';
import type { OrchestratorDefinition } from './parse.ts';
import { parse } from './parse.ts';

const fixture = (name: string): string =>
  readFileSync(new URL(`fixtures/${name}/oskill.md`, import.meta.url), 'utf8');
const read = (text: string): Parsed<OrchestratorDefinition> => parse(bundleOfText(text, nowhere));
const codesOf = (text: string): readonly string[] =>
  read(text).issues.map((issue) => `${issue.code}:${issue.line}`);
const withSections = (sections: string): string => `# a\n\n## Description\n\nDoes a.\n\n${sections}`;

describe('the allow list of an oskill.md', () => {
  test('is absent when not written', () => {
    const { card, definition } = read(fixture('open-door'));
    assert.ok(!('allowedSkills' in card));
    assert.ok(
      definition !== undefined && !('allowedSkills' in definition) && !('allowedPrepSkills' in definition),
    );
  });

  test('is empty when its section is empty, or holds a lone dash', () => {
    const { card, definition, issues } = read(fixture('locked-room'));
    assert.deepEqual(card.allowedSkills, []);
    assert.deepEqual(definition?.allowedSkills, []);
    assert.deepEqual(definition?.allowedPrepSkills, []);
    assert.deepEqual(
      issues.map(({ code, line }) => `${code}:${line}`),
      ['field.blank:7'],
    );
  });

  for (const [what, written] of Object.entries({
    'a lone dash': '-',
    'a dash and a blank': '- ',
    'a comment': '<!-- none yet -->',
    'blank lines': '\n\n',
  })) {
    test(`is empty with ${what}`, () => {
      assert.deepEqual(
        read(withSections(`## Skills\n\n${written}\n\n## Help\n\nx\n`)).card.allowedSkills,
        [],
      );
    });
  }

  for (const heading of [
    'Allowed Skills',
    'Allowed-Skills',
    'allowed_skills',
    'Skill-Allowlist',
    'Skill Allow List',
    'Skills',
  ]) {
    test(`may be headed "${heading}"`, () => {
      assert.deepEqual(read(withSections(`## ${heading}\n\n- a\n`)).card.allowedSkills, ['a']);
    });
  }

  test('has the line of each name, also where other lines hold the same text', () => {
    const inSections =
      '# a\n\nBeta is here.\n\n## Preparation\n\nbeta\n\n## Skills\n\n<!-- beta -->\n- Álpha One\n- beta\n' +
      '\n## Allowed Prep Skills\n\n- beta\n- gamma\n\n## Skills\n\n- delta\n- !\n';
    const { card, issues } = read(inSections);
    assert.deepEqual(card.allowedSkills, ['álpha-one', 'beta', 'delta', 'gamma']);
    assert.deepEqual(card.allowedSkillLines, [12, 13, 22, 18]);
    assert.deepEqual(
      issues.filter(({ code }) => code === 'list.name').map(({ line }) => line),
      [23],
    );
    const block = 'allowed-skills:\n  - "Beta"\n  # gamma\n  - a # gamma\n\n  - gamma\ntags: [delta]';
    assert.deepEqual(read(`---\ndescription: beta\n${block}\n---\n`).card.allowedSkillLines, [4, 6, 8]);
    const flow = 'allowed-skills: [ab, a,\n  b]';
    assert.deepEqual(read(`---\ndescription: a\n${flow}\n---\n`).card.allowedSkillLines, [3, 3, 4]);
  });

  test('takes one name a line with or without a bullet, normalised, each once', () => {
    const text = withSections(
      '## Allowed Skills\n\n1. First Skill\n2) second_skill\n+ `third`\nFOURTH\n- fourth\n',
    );
    assert.deepEqual(read(text).card.allowedSkills, ['first-skill', 'second_skill', 'third', 'fourth']);
    assert.deepEqual(codesOf(text), []);
  });

  test('drops what is not a name, with an issue', () => {
    const text = withSections('## Allowed Skills\n\n- ***\n- a\n');
    assert.deepEqual(read(text).card.allowedSkills, ['a']);
    assert.deepEqual(codesOf(text), ['list.name:9']);
  });

  test('does not end at a heading inside a fence', () => {
    const text = withSections('## Instructions\n\n```\n## Allowed Skills\n- a\n```\n');
    assert.ok(!('allowedSkills' in read(text).card));
    assert.deepEqual(codesOf(text), []);
  });

  for (const [written, names] of [
    ['[]', []],
    ['""', []],
    ['[a, B c]', ['a', 'b-c']],
    ['a, b', ['a', 'b']],
    ['\n  - a\n  - project:b', ['a', 'project:b']],
    ['\n  -', []],
  ] as const) {
    test(`in frontmatter as ${JSON.stringify(written)} names ${names.length}`, () => {
      const { card, issues } = read(`---\ndescription: d\nallowed-skills: ${written}\n---\n`);
      assert.deepEqual(card.allowedSkills, names);
      assert.deepEqual(issues, []);
    });
  }

  test('allows nothing when it cannot be read', () => {
    const text = '---\ndescription: d\nallowed-skills: {a: b}\n---\n';
    assert.deepEqual(read(text).card.allowedSkills, []);
    assert.deepEqual(codesOf(text), ['field.type:3']);
  });

  test('allows nothing when nothing is after its field, with an issue; null is absent', () => {
    const text = '---\ndescription: d\nallowed-skills:\n---\n';
    assert.deepEqual(read(text).card.allowedSkills, []);
    assert.deepEqual(codesOf(text), ['field.blank:3']);
    assert.equal(read('---\ndescription: d\nallowed-skills: ~\n---\n').card.allowedSkills, undefined);
  });
});

describe('the preparation of an oskill.md', () => {
  for (const heading of ['Preparation', 'Prep', 'Context-Prep']) {
    test(`may be headed "${heading}"`, () => {
      assert.equal(read(withSections(`## ${heading}\n\nLook.\n`)).definition?.preparation, 'Look.');
    });
  }

  for (const heading of ['Allowed Prep Skills', 'Allowed-Preparation-Skills', 'Prep-Skills']) {
    test(`may have its list headed "${heading}"`, () => {
      const text = withSections(`## Prep\n\nLook.\n\n## ${heading}\n\n- A\n`);
      assert.deepEqual(read(text).definition?.allowedPrepSkills, ['a']);
    });
  }

  test('may call what its list has, so that is on the card; where everything is allowed, there is no list', () => {
    const stages = '## Prep\n\nLook.\n\n## Prep Skills\n\n- b\n- a\n';
    assert.deepEqual(read(withSections(`## Skills\n\n- a\n\n${stages}`)).card.allowedSkills, ['a', 'b']);
    assert.deepEqual(read(withSections(`## Skills\n\n${stages}`)).card.allowedSkills, ['b', 'a']);
    assert.ok(!('allowedSkills' in read(withSections(stages)).card));
    const unused = '## Skills\n\n- a\n\n## Prep\n\n## Prep Skills\n\n- b\n';
    assert.deepEqual(read(withSections(unused)).card.allowedSkills, ['a']);
  });

  test('reports a list without a preparation', () => {
    assert.deepEqual(codesOf(withSections('## Prep Skills\n\n- a\n')), ['section.unused:7']);
  });
});
