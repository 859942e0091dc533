import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { agentWith, done, flowFamily, flowsIn, flowText } from '../../test/support/kernel.ts';
import { tree } from '../../test/support/tree.ts';
import type { SkillCard } from '../core/skill.ts';
import { toolReachOf } from './tool-reach.ts';

const tools = ['alpha', 'beta', 'gamma'];

/** Graphs in which skills call each other in any way, including in cycles. */
const graphs = fc.array(
  fc.record({
    calls: fc.uniqueArray(fc.nat(4), { maxLength: 3 }),
    uses: fc.subarray(tools),
    tools: fc.option(fc.subarray(tools), { nil: undefined }),
  }),
  { minLength: 5, maxLength: 5 },
);

test('the tools within reach are those that all lists on some way allow', async () => {
  const forest = fc.sample(graphs, { seed: 11, numRuns: 40 });
  const nameOf = (at: number, node: number): string => `n${at}-${node}`;
  const cards = new Map<string, SkillCard>();
  for (const [at, nodes] of forest.entries())
    for (const [index, node] of nodes.entries())
      cards.set(nameOf(at, index), {
        description: 'A flow.',
        allowedSkills: [...node.calls.map((one) => nameOf(at, one)), ...node.uses],
        ...(node.tools && { toolBound: { rules: node.tools, lines: node.tools.map(() => 1), line: 1 } }),
      });
  using folder = tree(
    Object.fromEntries(
      [...cards.keys()].map((name) => [`.agents/skills/${name}/FLOW.md`, flowText(name, '')]),
    ),
  );
  const family = flowFamily({
    parse: ({ stem }) => ({
      name: stem,
      card: cards.get(stem) ?? { description: '' },
      definition: stem,
      issues: [],
    }),
  });
  const skills = Object.fromEntries(
    tools.map((name) => [name, { permission: name, allowedSkills: [], run: () => done() }]),
  );
  await using agent = agentWith(skills, flowsIn(folder.path, family));
  for (const [at, nodes] of forest.entries()) {
    const expected = new Set<string>();
    const walk = (index: number, left: readonly string[], path: readonly number[]): void => {
      const node = nodes[index];
      if (node === undefined || path.includes(index)) return;
      const here = left.filter((name) => node.tools?.includes(name) !== false);
      for (const name of node.uses) if (here.includes(name)) expected.add(name);
      for (const callee of node.calls) walk(callee, here, [...path, index]);
    };
    walk(0, tools, []);
    const reach = toolReachOf(agent.skills.snapshot(), agent.skills.resolve(nameOf(at, 0)));
    assert.deepEqual(
      reach.tools.map(({ name }) => name),
      [...expected].sort(),
      JSON.stringify(nodes),
    );
  }
});
