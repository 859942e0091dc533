import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import {
  defineSkill,
  loadSkill,
  parseSkill,
  RecursiveSkilledAgent,
  type SkillCard,
} from '../../src/index.ts';
import { call, documentOf, leaveHome } from '../support/command.ts';
import { tree } from '../support/tree.ts';
import { skill } from './skill-text.ts';
import { stage } from './stage.ts';

// Seed 3: the file format, the tables of fields, skills in code, and the registry. Substitution and dynamic
// context are
// in seed-3-rendering, invoking in seed-3-invoking, and what was "captured, not enforced" in seed-3-fields.

leaveHome();

/** Returns the card of a skill with these lines of frontmatter. */
function cardOf(lines: string): SkillCard {
  return parseSkill(skill('subject', 'Do it.', lines)).card;
}

describe('file format', () => {
  test('a folder with a SKILL.md is a skill, and whatever else is in it belongs to it', async () => {
    await using on = stage({
      'skills/my-skill/SKILL.md': skill('my-skill'),
      'skills/my-skill/scripts/run.sh': 'echo a\n',
      'skills/my-skill/references/guide.md': skill('guide'),
      'skills/my-skill/assets/template.md': skill('template'),
    });
    assert.equal(on.agent.skills.get('my-skill')?.dir, on.files.at('skills/my-skill'));
    for (const name of ['guide', 'template']) assert.equal(on.agent.skills.has(name), false);
  });

  for (const name of ['Bad', 'bad_name', '-bad', 'bad-', 'ba--d', 'b'.repeat(65)]) {
    test(`the name ${name} is refused, and so is a name that is not that of the folder`, async () => {
      using files = tree({ [`${name}/SKILL.md`]: skill(name), 'other/SKILL.md': skill(name) });
      const ended = await call(['validate', '--strict', '--json', '--cwd', files.path, `./${name}`]);
      assert.equal(ended.code, 3);
      await assert.rejects(loadSkill(files.at('other')), { code: 'skill.invalid' });
    });
  }

  for (const [row, description, valid] of [
    ['a description of 1024 characters is taken', 'x'.repeat(1024), true],
    ['a description of 1025 characters is refused', 'x'.repeat(1025), false],
    ['a description is required', '', false],
  ] as const) {
    test(row, async () => {
      using files = tree({ 'a/SKILL.md': `---\nname: a\ndescription: ${description}\n---\n\nDo it.\n` });
      const { code } = await call(['validate', '--strict', '--cwd', files.path, 'a']);
      assert.equal(code, valid ? 0 : 3);
    });
  }
});

describe('core fields', () => {
  test('license and compatibility are shown with the skill', async () => {
    using files = tree({
      'skills/a/SKILL.md': skill('a', 'Do it.', 'license: Apache-2.0\ncompatibility: Needs git.\n'),
    });
    const { out } = await call(['show', 'a', '--json', '--cwd', files.path]);
    assert.match(out, /Apache-2\.0/);
    assert.match(out, /Needs git\./);
  });

  test('metadata is a map of texts', () => {
    assert.deepEqual(cardOf('metadata:\n  author: ann\n  version: 1.0\n').metadata, {
      author: 'ann',
      version: '1.0',
    });
  });

  for (const [row, line] of [
    ['a text with blanks', 'allowed-tools: Read Bash(git add *)'],
    ['a text with commas', 'allowed-tools: Read, Bash(git add *)'],
    ['a list', 'allowed-tools:\n  - Read\n  - Bash(git add *)'],
  ] as const) {
    test(`allowed-tools: ${row}`, () => {
      assert.deepEqual(cardOf(`${line}\n`).allowedTools, ['Read', 'Bash(git add *)']);
    });
  }
});

describe('fields of Claude Code', () => {
  const rows: readonly [string, string, Partial<SkillCard>][] = [
    ['when_to_use', 'when_to_use: When a bug is reported.', { whenToUse: 'When a bug is reported.' }],
    ['argument-hint', 'argument-hint: "[issueNumber]"', { argumentHint: '[issueNumber]' }],
    [
      'argument-hint that YAML takes for a list',
      'argument-hint: [issueNumber]',
      { argumentHint: '[issueNumber]' },
    ],
    ['arguments as a text', 'arguments: issue team', { argumentNames: ['issue', 'team'] }],
    ['arguments as a list', 'arguments: [issue, team]', { argumentNames: ['issue', 'team'] }],
    ['disable-model-invocation', 'disable-model-invocation: true', { modelInvocable: false }],
    ['user-invocable', 'user-invocable: false', { userInvocable: false }],
  ];
  for (const [row, line, card] of rows) {
    test(row, () => {
      assert.deepEqual(cardOf(`${line}\n`), { description: 'Does subject.', ...card });
    });
  }

  test('when_to_use is part of what a model is shown', async () => {
    await using on = stage({ 'skills/a/SKILL.md': skill('a', 'Do it.', 'when_to_use: In a storm.\n') });
    assert.match((await on.agent.skills.catalog()).text, /In a storm\./);
  });

  test('argument-hint is shown to people', async () => {
    using files = tree({ 'skills/a/SKILL.md': skill('a', 'Do it.', 'argument-hint: "[issue]"\n') });
    assert.match((await call(['show', 'a', '--cwd', files.path])).out, /\[issue\]/);
  });
});

describe('skills in code', () => {
  const spec = { name: 'triage', description: 'Investigates.', instructions: 'Investigate $issueNumber.' };

  test('defineSkill takes all that a file can say', () => {
    const agent = new RecursiveSkilledAgent({ embeddings: false });
    agent.skills.register(
      defineSkill({
        ...spec,
        input: z.object({ issueNumber: z.number() }),
        allowedTools: ['search', 'read_file'],
        argumentNames: ['issueNumber'],
      }),
    );
    const { card } = agent.skills.resolve('triage');
    assert.deepEqual(card.allowedTools, ['search', 'read_file']);
    assert.deepEqual(Object.keys((card.input?.['properties'] ?? {}) as object), ['issueNumber']);
    assert.equal(agent.render('triage', { args: { issueNumber: 42 } }).text.trim(), 'Investigate 42.');
  });

  for (const [row, wrong] of [
    ['the form of a name', { name: 'Triage' }],
    ['the length of a description', { description: 'x'.repeat(1025) }],
    ['metadata of texts', { metadata: { version: 1 } }],
  ] as const) {
    test(`defineSkill holds to ${row}`, () => {
      const invalidSpec = { ...spec, ...wrong } as typeof spec;
      assert.throws(() => defineSkill(invalidSpec), { code: 'skill.invalid' });
    });
  }

  test('loadSkill reads a folder strictly and a file leniently, and types the arguments', async () => {
    using files = tree({
      'triage/SKILL.md': skill('triage'),
      'wrong/SKILL.md': skill('triage'),
      'notes.md': '---\nname: notes\n---\n\n# Notes\n\nKeeps notes.\n',
    });
    assert.equal((await loadSkill(files.at('triage'))).name, 'triage');
    await assert.rejects(loadSkill(files.at('wrong')), { code: 'skill.invalid' });
    assert.equal((await loadSkill(files.at('notes.md'))).card.description, 'Keeps notes.');
    const typed = await loadSkill(files.at('triage'), { input: z.object({ issueNumber: z.number() }) });
    assert.deepEqual(Object.keys((typed.card.input?.['properties'] ?? {}) as object), ['issueNumber']);
  });

  test('parseSkill reads a text', () => {
    assert.equal(parseSkill(skill('in-memory')).card.description, 'Does in-memory.');
  });
});

describe('the registry', () => {
  const triage = defineSkill({
    name: 'triage',
    description: 'Investigates an issue.',
    instructions: 'Investigate.',
    metadata: { author: 'alice' },
  });

  test('register, get, list, search, loadDir, subscribe', async () => {
    using files = tree({
      'more/summarize/SKILL.md': skill('summarize', 'Do it.', 'metadata: {author: bob}\n'),
    });
    await using agent = new RecursiveSkilledAgent({ embeddings: false });
    const received: (readonly string[])[] = [];
    const end = agent.skills.subscribe((skills) => {
      received.push(skills.filter(({ source }) => source !== 'bundled').map(({ name }) => name));
    });
    agent.skills.register(triage);
    await agent.skills.loadDir(files.at('more'));
    end();
    agent.skills.unregister('triage');
    agent.skills.register(triage);
    assert.deepEqual(received, [['triage'], ['summarize', 'triage']]);
    assert.equal(agent.skills.get('triage')?.status, 'ready');
    const names = agent.skills.list().map(({ name }) => name);
    assert.ok(names.includes('triage') && names.includes('summarize'));
    const found = (query: Parameters<typeof agent.skills.search>[0]): readonly string[] =>
      agent.skills.search(query).map(({ name }) => name);
    assert.ok(found({ query: 'issue' }).includes('triage'));
    assert.deepEqual(found({ metadata: { author: 'alice' } }), ['triage']);
    assert.deepEqual(found({ query: 'triage', metadata: { author: 'alice' } }), ['triage']);
    assert.deepEqual(found({ query: 'triage', metadata: { author: 'bob' } }), []);
  });

  test('the program lists the same skills', async () => {
    using files = tree({ 'skills/a/SKILL.md': skill('a') });
    const { skills } = documentOf(await call(['list', '--json', '--cwd', files.path])) as {
      skills: { name: string }[];
    };
    assert.ok(skills.some(({ name }) => name === 'a'));
  });
});
