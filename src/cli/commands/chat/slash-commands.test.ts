import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { skillText, tree } from '../../../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../../../config/preset.ts';
import { chatCommands, completer } from './slash-commands.ts';

const files = tree({
  'deploy/SKILL.md': skillText('deploy', 'Ships.', 'argument-hint: <where>\n'),
  'deploy-all/SKILL.md': skillText('deploy-all'),
  'hidden/SKILL.md': skillText('hidden', 'For models.', 'user-invocable: false\n'),
  'tree/SKILL.md': skillText('tree', 'Draws a tree.', 'argument-hint: <kind>\n'),
});
after(() => files[Symbol.dispose]());
const agent = new RecursiveSkilledAgent({ additionalSkillRoots: [files.path], only: true });
const complete = completer({ agent }, chatCommands);

const rows: readonly (readonly [typed: string, lines: readonly string[], hint?: string])[] = [
  ['/de', ['/deploy', '/deploy-all']],
  ['/deploy-', ['/deploy-all ']],
  ['/deploy ', [], '  /deploy <where>'],
  ['/hid', []],
  ['/sk', ['/skills ']],
  ['/skills', ['/skills '], '  /skills [words]'],
  ['/tr', ['/tree ']],
  ['@tree', ['@tree '], '  @tree <kind>'],
  ['@he', []],
  ['/deploy here', []],
  ['say /de', []],
  ['', []],
];

for (const [typed, lines, hint] of rows)
  test(`"${typed}" is completed`, () => {
    assert.deepEqual(complete(typed), hint === undefined ? { lines } : { lines, hint });
  });
