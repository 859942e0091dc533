import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { agentWith, codeOf, flowFamily, flowsIn, flowText, settled } from '../../test/support/kernel.ts';
import { tree } from '../../test/support/tree.ts';

test('a descriptor that changed is not used as the one that was registered, even if their checksums are equal', async () => {
  const [before, after] = twoOfOneChecksum();
  using files = tree({ 'skills/deploy/FLOW.md': before });
  await using agent = agentWith({}, flowsIn(files.path, flowFamily()));
  assert.equal((await settled(agent.run({ skill: 'deploy' }).result)).status, 'done');
  writeFileSync(files.at('skills/deploy/FLOW.md'), after);
  assert.equal(codeOf(await settled(agent.run({ skill: 'deploy' }).result)), 'skill.changed');
});

function twoOfOneChecksum(): readonly [string, string] {
  const known = new Map<number, string>();
  for (let number = 0; ; number++) {
    const text = flowText('deploy', `Version ${number.toString(36)}${(number * 7919).toString(36)}.`);
    const twin = known.get(crc32(text));
    if (twin !== undefined) return [twin, text];
    known.set(crc32(text), text);
  }
}
