import assert from 'node:assert/strict';
import { test } from 'node:test';
import { registryOf } from '../../../test/support/registry.ts';
import { skillsAt } from '../../../test/support/skills.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { defineSkill } from '../../core/define-skill.ts';
import { catalogEntries } from './entries.ts';
import type { CatalogEntry } from './entry.ts';

const namesIn = (entries: readonly { readonly name: string }[]): readonly string[] =>
  entries.map(({ name }) => name);

/** What entries say, read field by field. */
const toldBy = (entries: readonly CatalogEntry[]): readonly CatalogEntry[] =>
  entries.map(({ name, description, whenToUse, location, always }) => {
    return { name, description, whenToUse, location, always };
  });

test('an entry says what the card says, and where the descriptor is', () => {
  using files = tree({
    'skills/a/SKILL.md': skillText(
      'a',
      'Does a.',
      'when_to_use: Often.\nmetadata: {skilled: {always: true}}\n',
    ),
  });
  assert.deepEqual(toldBy(catalogEntries(skillsAt(files.path).list())), [
    {
      name: 'a',
      description: 'Does a.',
      whenToUse: 'Often.',
      location: files.at('skills/a/SKILL.md'),
      always: true,
    },
  ]);
});

test('skills that models may not choose, that are not listed, not usable or shadowed are left out', () => {
  using files = tree({
    'skills/free/SKILL.md': skillText('free'),
    'skills/manual/SKILL.md': skillText('manual', 'Does it.', 'disable-model-invocation: true\n'),
    'skills/lacking/SKILL.md': skillText(
      'lacking',
      'Does it.',
      'metadata: {skilled: {requires: {bins: [no-such]}}}\n',
    ),
    'skills/unsaid.md': '---\nname: unsaid\n---\n\nText.\n',
    'skills/broken/SKILL.md': '',
    'skills/z/SKILL.md': skillText('free', 'Comes second.'),
  });
  const skills = skillsAt(files.path);
  assert.equal(skills.resolve('manual').status, 'ready');
  assert.equal(skills.resolve('unsaid').card.listed, false);
  assert.deepEqual(namesIn(catalogEntries(skills.list())), ['free']);
});

test('the package’s own tools are no entries unless asked for; skills made in code are', () => {
  const skills = skillsAt(undefined, {
    builtins: [defineSkill({ name: 'tool', description: 'A tool.', instructions: 'x' })],
  });
  skills.register(defineSkill({ name: 'made', description: 'Made in code.', instructions: 'x' }));
  const entry = { name: 'made', description: 'Made in code.', location: 'skill:made' };
  assert.deepEqual(toldBy(catalogEntries(skills.list())), [
    { ...entry, whenToUse: undefined, always: undefined },
  ]);
  assert.deepEqual(namesIn(catalogEntries(skills.list(), { internals: true })), ['made', 'tool']);
});

test('two families under one name are listed by names that reach each of them', () => {
  const { skills, lookup } = registryOf([
    { name: 'twin' },
    { name: 'twin', family: 'code-skill', file: '/skills/twin/cskill.md' },
    { name: 'twin', family: 'table', source: 'user', file: '/home/twin/table.md', root: '/home' },
    { name: 'single' },
  ]);
  const entries = catalogEntries(skills);
  assert.deepEqual(namesIn(entries).toSorted(), ['project:twin', 'project:twin:2', 'single', 'user:twin']);
  for (const { name, location } of entries) assert.equal(lookup.find(name)?.file, location);
});

test('a skill is qualified when its bare name reaches one that is not listed', () => {
  using files = tree({
    'skills/twin/SKILL.md': skillText('twin', 'Does it.', 'disable-model-invocation: true\n'),
    'skills/twin/cskill.md': '# twin\n\n## Description\n\nCounts.\n\n## Input Format\n\nText.\n',
  });
  const skills = skillsAt(files.path);
  const [entry, ...others] = catalogEntries(skills.list());
  assert.deepEqual(others, []);
  assert.equal(skills.get(entry?.name ?? '')?.file, files.at('skills/twin/cskill.md'));
  assert.notEqual(entry?.name, 'twin');
});
