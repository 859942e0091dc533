import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { applySkillsPromptLimits, parseSkill, type CatalogEntry } from '../../src/index.ts';
import { call, documentOf, leaveHome } from '../support/command.ts';
import { tree } from '../support/tree.ts';

// The tests of the open standard's reference validator, applied to `skilled validate --strict`.

leaveHome();

interface Verdict {
  readonly exit: number | null;
  /** The codes of the errors, in order. */
  readonly errors: readonly string[];
}

/** Runs `validate --strict` for a path in a folder with these files. */
async function strict(files: Readonly<Record<string, string | Uint8Array>>, path: string): Promise<Verdict> {
  using folder = tree(files);
  const ended = await call(['validate', '--strict', '--json', '--cwd', folder.path, path]);
  const { results } = documentOf(ended) as {
    results: { issues: { level: string; code: string }[] }[];
  };
  const errors = results.flatMap(({ issues }) => issues).filter(({ level }) => level === 'error');
  return { exit: ended.code, errors: errors.map(({ code }) => code) };
}

interface Row {
  readonly row: string;
  readonly folder?: string;
  readonly head?: string;
  /** The expected error code. Absent if the file is valid. */
  readonly error?: string;
}

const described = 'description: Does it.\n';

const validator: readonly Row[] = [
  { row: 'a minimal skill is valid', head: `name: subject\n${described}` },
  {
    row: 'a skill with all six fields is valid',
    head: `name: subject\n${described}license: MIT\ncompatibility: Needs git.\nmetadata:\n  author: ann\nallowed-tools: Bash(git *) Read\n`,
  },
  {
    row: 'an upper-case name is refused',
    folder: 'Subject',
    head: `name: Subject\n${described}`,
    error: 'standard.name',
  },
  {
    row: 'a name of 70 characters is refused',
    folder: 'a'.repeat(70),
    head: `name: ${'a'.repeat(70)}\n${described}`,
    error: 'standard.name',
  },
  {
    row: 'a name with a leading hyphen is refused',
    folder: '-subject',
    head: `name: -subject\n${described}`,
    error: 'standard.name',
  },
  {
    row: 'a name with two hyphens in a row is refused',
    folder: 'sub--ject',
    head: `name: sub--ject\n${described}`,
    error: 'standard.name',
  },
  {
    row: 'a name with an underscore is refused',
    folder: 'sub_ject',
    head: `name: sub_ject\n${described}`,
    error: 'standard.name',
  },
  {
    row: 'a name that is not that of the folder is refused',
    head: `name: another\n${described}`,
    error: 'standard.name',
  },
  {
    row: 'a field that the standard does not know is refused',
    head: `name: subject\n${described}colour: red\n`,
    error: 'standard.field',
  },
  {
    row: 'allowed-tools is a field of the standard',
    head: `name: subject\n${described}allowed-tools: Read\n`,
  },
  { row: 'a Chinese name is valid', folder: '发布', head: `name: 发布\n${described}` },
  { row: 'a Cyrillic name is valid', folder: 'навык', head: `name: навык\n${described}` },
  {
    row: 'a Cyrillic name with a hyphen is valid',
    folder: 'мой-навык',
    head: `name: мой-навык\n${described}`,
  },
  {
    row: 'an upper-case Cyrillic name is refused',
    folder: 'НАВЫК',
    head: `name: НАВЫК\n${described}`,
    error: 'standard.name',
  },
  {
    row: 'a description of 1100 characters is refused',
    head: `name: subject\ndescription: ${'x'.repeat(1100)}\n`,
    error: 'standard.description',
  },
  {
    row: 'compatibility in a sentence is valid',
    head: `name: subject\n${described}compatibility: Needs git.\n`,
  },
  {
    row: 'compatibility of 550 characters is refused',
    head: `name: subject\n${described}compatibility: ${'x'.repeat(550)}\n`,
    error: 'standard.compatibility',
  },
  {
    row: 'a decomposed folder and a composed name are the same',
    folder: 'cafe\u0301',
    head: `name: caf\u00e9\n${described}`,
  },
  { row: 'a missing name is refused', head: described, error: 'standard.name' },
  { row: 'a missing description is refused', head: 'name: subject\n', error: 'standard.description' },
];

describe('validator', () => {
  for (const { row, folder = 'subject', head = '', error } of validator) {
    test(row, async () => {
      const { exit, errors } = await strict(
        { [`${folder}/SKILL.md`]: `---\n${head}---\n\nDo it.\n` },
        `./${folder}`,
      );
      assert.equal(exit, error === undefined ? 0 : 3, errors.join());
      assert.deepEqual(errors.includes(error ?? ''), error !== undefined, errors.join());
    });
  }

  const paths: readonly (Omit<Row, 'head'> & { files: Record<string, string | Uint8Array>; path: string })[] =
    [
      { row: 'an absent path is refused', files: {}, path: 'nothing', error: 'validate.nothing' },
      {
        row: 'a file that is no descriptor is refused',
        files: { 'notes.txt': 'x' },
        path: 'notes.txt',
        error: 'validate.nothing',
      },
      {
        row: 'a folder without a descriptor is refused',
        files: { 'subject/notes.txt': 'x' },
        path: 'subject',
        error: 'validate.nothing',
      },
      {
        row: 'the path of a SKILL.md itself is taken',
        files: { 'subject/SKILL.md': `---\nname: subject\n${described}---\n\nDo it.\n` },
        path: 'subject/SKILL.md',
      },
      {
        row: 'a file called skill.md is taken',
        files: { 'subject/skill.md': `---\nname: subject\n${described}---\n\nDo it.\n` },
        path: 'subject',
      },
    ];
  for (const { row, files, path, error } of paths) {
    test(row, async () => {
      const { exit, errors } = await strict(files, path);
      assert.deepEqual([exit, errors], error === undefined ? [0, []] : [3, [error]]);
    });
  }

  test('all faults of the fields are reported at once', async () => {
    const head = `name: Sub_ject\ndescription: ${'x'.repeat(1100)}\ncolour: red\n`;
    const { errors } = await strict({ 'subject/SKILL.md': `---\n${head}---\n\nDo it.\n` }, 'subject');
    for (const code of ['standard.name', 'standard.description', 'standard.field'])
      assert.ok(errors.includes(code), code);
  });

  // The reference silently converts metadata to text. Here, other types violate the standard.
  test('nested metadata is refused', async () => {
    const head = `name: subject\n${described}metadata:\n  inner:\n    deep: x\n`;
    const { errors } = await strict({ 'subject/SKILL.md': `---\n${head}---\n\nDo it.\n` }, 'subject');
    assert.deepEqual(errors, ['standard.metadata']);
  });
});

describe('parser', () => {
  const heads: readonly { row: string; text: string }[] = [
    { row: 'a file without frontmatter is refused', text: '# Subject\n\nDo it.\n' },
    { row: 'frontmatter that never ends is refused', text: `---\nname: subject\n${described}\nDo it.\n` },
    { row: 'frontmatter that is no YAML is refused', text: '---\nname: [subject\n---\n\nDo it.\n' },
    { row: 'frontmatter that is no map is refused', text: '---\n- name\n- subject\n---\n\nDo it.\n' },
  ];
  for (const { row, text } of heads) {
    test(row, async () => {
      const { exit, errors } = await strict({ 'subject/SKILL.md': text }, 'subject');
      assert.equal(exit, 3, errors.join());
    });
  }

  test('metadata 1.0 is the text "1.0"', () => {
    const { card } = parseSkill(`---\nname: subject\n${described}metadata:\n  version: 1.0\n---\n\nDo it.\n`);
    assert.deepEqual(card.metadata, { version: '1.0' });
  });

  test('of SKILL.md and skill.md the first counts', async () => {
    const files = {
      'subject/SKILL.md': `---\nname: subject\n${described}---\n\nDo it.\n`,
      'subject/skill.md': '# Nothing\n',
    };
    using folder = tree(files);
    const ended = await call(['show', 'subject', '--json', '--skills', '.', '--cwd', folder.path]);
    const { skill } = documentOf(ended) as { skill: { file: string } };
    assert.equal(skill.file, folder.at('subject/SKILL.md'));
  });
});

// Defects of the reference that do not occur here.
describe('what the reference gets wrong', () => {
  const rows: readonly { row: string; text: string | Uint8Array; path?: string; exit?: number }[] = [
    {
      row: 'three dashes inside a value do not end the head',
      text: `---\nname: subject\ndescription: Before --- after.\n---\n\nDo it.\n`,
    },
    {
      row: 'a head in flow style is read',
      text: '---\n{name: subject, description: Does it.}\n---\n\nDo it.\n',
    },
    {
      row: 'bytes that are no UTF-8 are no crash',
      text: Buffer.concat([
        Buffer.from(`---\nname: subject\n${described}---\n\n`),
        Buffer.from([0xff, 0xfe]),
      ]),
    },
    {
      row: 'the folder itself can be named as a dot',
      text: `---\nname: subject\n${described}---\n\nDo it.\n`,
      path: '.',
    },
  ];
  for (const { row, text, path = '../subject' } of rows) {
    test(row, async () => {
      using folder = tree({ 'subject/SKILL.md': text });
      const ended = await call(['validate', '--strict', '--cwd', folder.at('subject'), path]);
      assert.equal(ended.code, 0, ended.out);
    });
  }
});

describe('prompt', () => {
  const one: CatalogEntry = { name: 'alpha', description: 'Does alpha.', location: '/skills/alpha/SKILL.md' };
  const two: CatalogEntry = { name: 'beta', description: 'Does beta.', location: '/skills/beta/SKILL.md' };

  // The reference prints an empty wrapper. Here, there is no text if there is nothing to list.
  test('without skills, there is no text', () => {
    assert.deepEqual(applySkillsPromptLimits([]).text, '');
  });

  for (const [row, entries] of [
    ['one skill is one element', [one]],
    ['two skills are two elements', [one, two]],
  ] as const) {
    test(row, () => {
      const { text } = applySkillsPromptLimits(entries);
      assert.equal(text.match(/<skill>/g)?.length, entries.length);
      for (const { name, location } of entries) {
        assert.ok(text.includes(`<name>${name}</name>`));
        assert.ok(text.includes(`<location>${location}</location>`));
      }
      assert.ok(text.includes('<available_skills>') && text.includes('</available_skills>'));
    });
  }

  test('what means something in XML is escaped', () => {
    const { text } = applySkillsPromptLimits([{ ...one, description: 'Takes <a> & "b".' }]);
    assert.ok(text.includes('Takes &lt;a&gt; &amp; '));
    assert.ok(!text.includes('<a>'));
  });
});
