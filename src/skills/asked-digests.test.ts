import assert from 'node:assert/strict';
import { rmSync, utimesSync } from 'node:fs';
import { test } from 'node:test';
import { skillText, tree } from '../../test/support/tree.ts';
import { RecursiveSkilledAgent } from '../config/preset.ts';

test('a reload without a watch notices a change beside a descriptor whose digest someone knows', async () => {
  using base = tree({
    'skills/a/SKILL.md': skillText('a'),
    'skills/a/run.sh': 'echo\n',
    'skills/b/SKILL.md': skillText('b'),
    'skills/b/run.sh': 'echo\n',
  });
  const agent = new RecursiveSkilledAgent({ startDir: base.path, searchUpwards: false });
  const heard: string[] = [];
  agent.skills.subscribe((_skills, { updated }) => heard.push(...updated));
  const digest = (): string | undefined => agent.skills.digest(agent.skills.resolve('a'));
  const before = digest();
  utimesSync(base.at('skills/a/run.sh'), 1, 1);
  await agent.reload();
  assert.deepEqual([heard, digest()], [[], before]);
  base.write('skills/a/run.sh', 'echo 2\n');
  base.write('skills/b/run.sh', 'echo 2\n'); // nobody could tell
  await agent.reload();
  assert.deepEqual(heard, ['a']);
  assert.notEqual(digest(), before);
  rmSync(base.at('skills/a'), { recursive: true });
  await agent.reload();
  assert.equal(agent.skills.has('a'), false);
});
