import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Family } from '../core/family.ts';
import { builtinFamilies } from '../families/index.ts';
import { descriptorsOf } from './descriptors.ts';

test('each family is asked for its descriptor', () => {
  const { byFile, byFolder, loose } = descriptorsOf(builtinFamilies);
  assert.deepEqual(
    [...byFile].map(([key, { family, file }]) => `${key} ${file} ${family.id}`),
    [
      'skill.md SKILL.md agent-skill',
      'dcgskill.md dcgskill.md dynamic-code',
      'cskill.md cskill.md code-skill',
      'mskill.md mskill.md mcp',
      'oskill.md oskill.md orchestrator',
      'tskill.md tskill.md table',
    ],
  );
  assert.deepEqual(
    [...byFolder].map(([folder, { id }]) => `${folder} ${id}`),
    ['agents subagent'],
  );
  assert.equal(loose?.id, 'agent-skill');
});

test('the earlier family wins a name that two claim, whatever its letter case', () => {
  const [first] = builtinFamilies;
  assert.ok(first !== undefined);
  const rival = (descriptor: Family['descriptor'] & object): Family => ({
    ...first,
    id: 'rival',
    descriptor,
  });
  const families = [
    ...builtinFamilies,
    rival({ file: 'skill.MD', loose: true }),
    rival({ folder: 'agents' }),
    rival({ file: 'Rival.md' }),
  ];
  const { byFile, byFolder, loose } = descriptorsOf(families);
  assert.equal(byFile.get('skill.md')?.file, 'SKILL.md');
  assert.equal(byFile.get('rival.md')?.family.id, 'rival');
  assert.equal(byFolder.get('agents')?.id, 'subagent');
  assert.equal(loose?.id, 'agent-skill');
});
