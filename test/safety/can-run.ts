import assert from 'node:assert/strict';
import { bundleOfText } from '../../src/core/bundle.ts';
import { builtinFamilies } from '../../src/families/index.ts';
import { createTestScope } from '../../src/testing/test-scope.ts';

/** Whether a family runs a skill that it itself proposes. */
export async function canRun(id: string): Promise<boolean> {
  const family = builtinFamilies.find((one) => one.id === id);
  const [[file, text] = ['', '']] = Object.entries(family?.template?.('sample') ?? {});
  const { definition } =
    family?.parse(bundleOfText(text, { dir: '/sample', file, stem: 'sample', loose: false })) ?? {};
  assert.ok(family !== undefined && definition !== undefined, id);
  const output = await family.execute(definition, null, createTestScope());
  return output.status !== 'failed' || output.error.code !== 'skill.not-implemented';
}
