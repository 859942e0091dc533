import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { openStand } from '../../../test/support/mcp-clients.ts';
import { mustEnd } from '../../../test/support/must-end.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import { count } from '../../../test/stress/count.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';

after(() => mustEnd());

test('thousands of skills are served whole, as tools and to load', async (context) => {
  const many = count({ small: 300, full: 10_000 });
  const names = Array.from({ length: many }, (_, index) => `skill-${index}`);
  using files = tree(Object.fromEntries(names.map((name) => [`skills/${name}/SKILL.md`, skillText(name)])));
  const agent = await new RecursiveSkilledAgent({
    ...{ additionalSkillRoots: [files.at('skills')], only: true, embeddings: false },
    models: { model: () => undefined },
    limits: { maxCandidatesPerRoot: many * 2, maxSkillsPerSource: many * 2, maxFoldersPerRoot: many * 2 },
  }).ready();
  const begun = performance.now();
  const told = (what: string): void =>
    context.diagnostic(`${many} skills, ${what}: ${Math.round(performance.now() - begun)} ms`);
  await using stand = await openStand(agent);
  told('ready');
  const client = await stand.client('2026-07-28');
  const first = await client.request({ method: 'tools/list', params: {} });
  assert.equal(first.tools.length, 200);
  told('first page');
  assert.equal((await client.listTools()).tools.length, many);
  told('all tools');
  assert.equal((await new SkillsClient(client).list()).skills.length, many);
  told('all skills');
});
