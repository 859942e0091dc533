import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bundleOfText } from '../../src/core/bundle.ts';
import { builtinFamilies } from '../../src/families/index.ts';
import { createTestScope } from '../../src/testing/test-scope.ts';
import { leaveHome } from '../support/command.ts';
import { commandCases } from './cases/commands.ts';
import { descriptorCases } from './cases/descriptors.ts';
import { keyCases } from './cases/keys.ts';
import { laterCases } from './cases/later.ts';
import { linkCases } from './cases/links.ts';
import { nameCases } from './cases/names.ts';
import { snippetCases } from './cases/snippets.ts';
import { createStage } from './stage.ts';

leaveHome();

const cases = [
  ...[...nameCases, ...linkCases, ...descriptorCases],
  ...[...keyCases, ...commandCases, ...snippetCases],
].toSorted((one, other) => one.id.localeCompare(other.id));

describe('the list that every release passes', () => {
  for (const { id, what, run } of cases) {
    test(`${id} ${what}`, async () => {
      using stage = createStage();
      await stage.check(await run(stage));
    });
  }

  test('has every case once, and leaves out only those whose skills cannot be run', async () => {
    const all = Array.from({ length: 30 }, (_, index) => `P${String(index + 1).padStart(2, '0')}`);
    assert.deepEqual([...cases, ...laterCases].map(({ id }) => id).sort(), all);
    for (const { id, what, needs } of laterCases)
      assert.equal(await canRun(needs), false, `${needs} skills can be run now: write ${id}, ${what}`);
  });
});

/** Whether a family runs a skill that it itself proposes. */
async function canRun(id: string): Promise<boolean> {
  const family = builtinFamilies.find((one) => one.id === id);
  const [[file, text] = ['', '']] = Object.entries(family?.template?.('sample') ?? {});
  const { definition } =
    family?.parse(bundleOfText(text, { dir: '/sample', file, stem: 'sample', loose: false })) ?? {};
  assert.ok(family !== undefined && definition !== undefined, id);
  const output = await family.execute(definition, null, createTestScope());
  return output.status !== 'failed' || output.error.code !== 'skill.not-implemented';
}
