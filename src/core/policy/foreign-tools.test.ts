import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtinSkills } from '../../builtins/index.ts';
import { findForeignTool, foreignTools } from './foreign-tools.ts';

const labels = new Set([...builtinSkills.map(({ permission }) => permission), 'Skill']);

test('every tool of another program has built-in skills in its place, or says what is missing', () => {
  for (const { name, programs, tools, missing, hint } of foreignTools) {
    assert.ok(programs.length > 0, name);
    for (const tool of tools) assert.ok(labels.has(tool), `${name}: ${tool}`);
    assert.equal(tools.length === 0, missing !== undefined, name);
    assert.equal(missing === undefined, hint === undefined, name);
  }
});

test('a name means the same in every program and in every spelling', () => {
  for (const { name, tools } of foreignTools) {
    for (const spelling of [name, name.toLowerCase(), name.replaceAll('_', '-'), name.replaceAll('_', '')])
      assert.deepEqual(findForeignTool(spelling)?.tools, tools, spelling);
  }
  assert.equal(findForeignTool('frobnicate'), undefined);
});

test('no name of a built-in skill means another one', () => {
  for (const { name, permission = '' } of builtinSkills) {
    for (const written of [name, permission]) {
      const found = findForeignTool(written)?.tools;
      assert.ok(found === undefined || (found.length === 1 && found[0] === permission), written);
    }
  }
});
