import assert from 'node:assert/strict';
import { test } from 'node:test';
import { skillsAt } from '../../../test/support/skills.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { defineSkill } from '../../core/define-skill.ts';
import type { SkillQuery } from './search.ts';

using files = tree({
  'skills/triage/SKILL.md': skillText(
    'triage',
    'Sorts issues.',
    'when_to_use: A customer complains.\nmetadata: {author: ann, level: {deep: Nested Value}}\n',
  ),
  'skills/report/SKILL.md': skillText(
    'report',
    'Writes the daily summary.',
    'tags: [office, money]\nmetadata: {author: ann, version: "1.10"}\n',
  ),
  'skills/release/SKILL.md': skillText(
    'release',
    'Makes releases.',
    'metadata: {author: bob, skilled: {requires: {bins: [no-such]}}}\n',
  ),
  'skills/zz/SKILL.md': skillText('report', 'Shadowed.'),
  'skills/broken/SKILL.md': '',
  'skills/jobs/cskill.md': '# jobs\n\n## Description\n\nCounts jobs.\n\n## Input Format\n\nText.\n',
});
const skills = skillsAt(files.path);
skills.snapshot(); // the files are gone when the tests run
skills.register(
  defineSkill({ name: 'made', description: 'Made in code.', instructions: 'x', metadata: { author: 'eve' } }),
);

const cases: readonly (readonly [what: string, query: SkillQuery, names: readonly string[]])[] = [
  ['nothing: all with a name of their own, by name', {}, ['jobs', 'made', 'release', 'report', 'triage']],
  ['an empty query', { query: '' }, ['jobs', 'made', 'release', 'report', 'triage']],
  ['part of a name', { query: 'repo' }, ['report']],
  ['another case', { query: 'TRIAGE' }, ['triage']],
  ['part of a description', { query: 'daily sum' }, ['report']],
  ['when to use', { query: 'complains' }, ['triage']],
  ['a metadata value', { query: 'EVE' }, ['made']],
  ['a nested metadata value', { query: 'nested val' }, ['triage']],
  ['a tag', { query: 'Money' }, ['report']],
  ['no metadata key', { query: 'author' }, []],
  ['exact metadata', { metadata: { author: 'ann' } }, ['report', 'triage']],
  ['metadata in part', { metadata: { author: 'an' } }, []],
  ['two metadata values', { metadata: { author: 'ann', version: '1.10' } }, ['report']],
  ['nested metadata as a whole', { metadata: { level: { deep: 'Nested Value' } } }, ['triage']],
  ['metadata on the prototype', { metadata: { constructor: 'x' } }, []],
  ['query and metadata', { query: 'issues', metadata: { author: 'bob' } }, []],
  ['a family', { family: 'code-skill' }, ['jobs']],
  ['a source', { source: 'explicit' }, ['made']],
  ['query and family', { query: 'jobs', family: 'agent-skill' }, []],
  ['a limit', { limit: 2 }, ['jobs', 'made']],
  ['a limit of none', { limit: 0 }, []],
  ['a limit below none', { limit: -1 }, []],
  ['unavailable skills too', { query: 'release' }, ['release']],
];
for (const [what, query, names] of cases) {
  test(`search finds ${what}`, () => {
    assert.deepEqual(
      skills.search(query).map((skill) => skill.name),
      names,
    );
  });
}
