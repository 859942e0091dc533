import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { openServerFixture } from '../../../test/support/mcp-clients.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { openLoops } from '../../../test/stress/stress.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';

const { createLoop } = openLoops(import.meta);
const loop = createLoop({ small: 300, full: 10_000 });

test('thousands of skills are served whole, as tools and to load', async () => {
  await loop.sizes(async (many) => {
    const names = Array.from({ length: many }, (_, index) => `skill-${index}`);
    using files = tree(Object.fromEntries(names.map((name) => [`skills/${name}/SKILL.md`, skillText(name)])));
    const agent = await new RecursiveSkilledAgent({
      additionalSkillRoots: [files.at('skills')],
      only: true,
      embeddings: false,
      models: { model: () => undefined },
      limits: { maxCandidatesPerRoot: many * 2, maxSkillsPerSource: many * 2, maxFoldersPerRoot: many * 2 },
    }).ready();
    await using fixture = await openServerFixture(agent);
    const client = await fixture.client('2026-07-28');
    const first = await client.request({ method: 'tools/list', params: {} });
    assert.equal(first.tools.length, 200);
    assert.equal((await client.listTools()).tools.length, many);
    assert.equal((await new SkillsClient(client).list()).skills.length, many);
  });
});
