import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { skillText, tree } from '../../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { completer } from './completion.ts';
import { chatCommands } from './slash-commands.ts';

const files = tree({
  'deploy/SKILL.md': skillText('deploy', 'Ships.', 'argument-hint: <where>\n'),
  'deploy-all/SKILL.md': skillText('deploy-all'),
  'hidden/SKILL.md': skillText('hidden', 'For models.', 'user-invocable: false\n'),
  'tree/SKILL.md': skillText('tree', 'Draws a tree.', 'argument-hint: <kind>\n'),
});
after(() => files[Symbol.dispose]());
const agent = new RecursiveSkilledAgent({ additionalSkillRoots: [files.path], only: true });
const complete = completer({ agent }, chatCommands, files.at('deploy'));

const rows: readonly (readonly [typed: string, lines: readonly string[], hint?: string])[] = [
  ['/de', ['/deploy', '/deploy-all']],
  ['/deploy-', ['/deploy-all ']],
  ['/deploy ', [], '  /deploy <where>'],
  ['/hid', []],
  ['/ski', ['/skills ']],
  ['/skills', ['/skills '], '  /skills [words]'],
  ['/tre', ['/tree ']],
  ['@tree', ['@tree '], '  @tree <kind>'],
  ['@he', []],
  ['/deploy here', []],
  ['say /de', []],
  ['', []],
];

for (const [typed, lines, hint] of rows)
  test(`"${typed}" is completed`, () => {
    const completion = complete(typed);
    assert.deepEqual([completion.lines, completion.hint], [lines, hint]);
  });

test('a name that is typed shows the skills that fit, with what they take and do', () => {
  assert.deepEqual(complete('/depl').suggestions, [
    '  /deploy <where>  Ships.',
    '  /deploy-all  Does deploy-all.',
  ]);
});

test('a path after an at sign is completed, one folder at a time', () => {
  using project = tree({ 'notes.md': '', 'notes/a.md': '', '.env': '', 'other.md': '' });
  const inProject = completer({ agent }, chatCommands, project.path);
  assert.deepEqual(inProject('look at @no').lines, ['look at @notes/', 'look at @notes.md']);
  assert.deepEqual(inProject('look at @notes/').lines, ['look at @notes/a.md ']);
  assert.deepEqual(inProject('@ot').lines, ['@other.md ']);
  assert.deepEqual(inProject('@').suggestions?.includes('  @.env'), false);
  assert.deepEqual(inProject('ann@no').lines, []);
});
