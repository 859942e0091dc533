import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tree } from '../../test/support/tree.ts';
import type { JsonObject } from '../core/json.ts';
import type { Output } from '../core/run.ts';
import type { DefinedSkill } from '../core/define-skill.ts';
import { adopt } from '../families/function/adopt.ts';
import { createTestScope } from '../testing/test-scope.ts';
import { glob } from './glob.ts';
import { grep } from './grep.ts';

async function run(skill: DefinedSkill, input: JsonObject, readable: readonly string[]): Promise<Output> {
  using workspace = tree({ 'own.txt': 'needle' });
  const scope = createTestScope({ workspace: workspace.path, readable });
  const definition = adopt(skill);
  return (await definition?.run(definition.accept(input) as never, scope)) ?? assert.fail();
}

test('glob and grep search the bundle of a skill, and name its files so that read finds them', async () => {
  using bundle = tree({ 'docs/a.md': 'a needle', 'b.txt': 'none' });
  const found = await run(glob, { pattern: '**/*.md', path: bundle.path }, [bundle.path]);
  assert.deepEqual(found.text, bundle.at('docs/a.md'));
  const lines = { pattern: 'needle', path: bundle.path, output_mode: 'content' };
  assert.equal((await run(grep, lines, [bundle.path])).text, `${bundle.at('docs/a.md')}:1:a needle`);
  const file = { pattern: 'needle', path: bundle.at('docs/a.md') };
  assert.equal((await run(grep, file, [bundle.at('docs/a.md')])).text, bundle.at('docs/a.md'));
  assert.equal((await run(grep, { pattern: 'needle' }, [bundle.path])).text, 'own.txt');
});

test('glob and grep search nothing beside the bundles that a skill may read', async () => {
  using bundle = tree({ 'in/a.md': 'a needle', 'beside.md': 'a needle' });
  for (const path of [bundle.path, bundle.at('beside.md'), `${bundle.at('in')}/..`])
    for (const skill of [glob, grep])
      await assert.rejects(run(skill, { pattern: '.', path }, [bundle.at('in')]), { code: 'policy.denied' });
});
