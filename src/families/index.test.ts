import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtinFamilies } from './index.ts';

test('the families are in the order that decides who owns a bare name', () => {
  assert.deepEqual(
    builtinFamilies.map((family) => family.id),
    ['agent-skill', 'dynamic-code', 'code-skill', 'mcp', 'orchestrator', 'table', 'subagent', 'function'],
  );
});

test('no two families share an id, an alias or a descriptor', () => {
  const ids = builtinFamilies.flatMap(({ id, aliases = [] }) => [...new Set([id, ...aliases])]);
  assert.equal(new Set(ids).size, ids.length);
  const descriptors = builtinFamilies.flatMap(({ descriptor }) =>
    descriptor === undefined ? [] : [descriptor],
  );
  const names = descriptors.map((descriptor) =>
    'file' in descriptor ? descriptor.file : `${descriptor.folder}/`,
  );
  assert.deepEqual(names, [
    'SKILL.md',
    'dcgskill.md',
    'cskill.md',
    'mskill.md',
    'oskill.md',
    'tskill.md',
    'agents/',
  ]);
});
