import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { agentWith, done, flowFamily, flowsIn, type TestSkill } from '../../test/support/kernel.ts';
import { skillText, tree } from '../../test/support/tree.ts';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import { defineFamily } from '../core/family.ts';
import type { SkillCard } from '../core/skill.ts';
import { callGraphOf, type CallEdge, type CallGraph } from './call-graph.ts';

function graphOf(agent: RecursiveSkilledAgent): CallGraph {
  return callGraphOf(agent.skills.snapshot());
}

function from(graph: CallGraph, name: string): readonly CallEdge[] {
  return graph.edges.filter((edge) => edge.from === name);
}

/** Returns the skills that a skill may call according to the graph, with groups expanded. */
function calleesIn({ nodes, edges }: CallGraph, name: string): readonly string[] {
  const callees = edges
    .filter((edge) => edge.from === name)
    .flatMap(({ to, group }) =>
      group === undefined ? [to] : nodes.filter((node) => group.has(node.name)).map((node) => node.name),
    );
  return callees.sort();
}

const leaf: TestSkill = { allowedSkills: [], run: () => done() };

describe('the graph of calls', () => {
  test('an explicit list is the whole list, and no list means every other skill, as one edge', async () => {
    await using agent = agentWith({
      boss: { allowedSkills: ['a', 'A', 'nope', 'boss'], run: () => done() },
      free: () => done(),
      a: leaf,
    });
    const graph = graphOf(agent);
    assert.deepEqual(from(graph, 'boss'), [
      { from: 'boss', to: 'a' },
      { from: 'boss', to: 'boss' },
      { from: 'boss', to: 'nope' },
    ]);
    assert.deepEqual(from(graph, 'a'), []);
    const [edge, second] = from(graph, 'free');
    assert.deepEqual([edge?.to, second], ['*', undefined]);
    const others = graph.nodes.filter(({ name }) => edge?.group?.has(name) === true).map(({ name }) => name);
    assert.ok(others.includes('boss') && others.includes('read'));
    assert.ok(!others.includes('free') && !others.includes('nope'));
    assert.equal(edge?.group?.count, others.length);
    assert.deepEqual(
      graph.nodes.find(({ name }) => name === 'nope'),
      { kind: 'missing', name: 'nope' },
    );
  });

  test('says what a run may call, whatever the lists', async () => {
    const cards: Readonly<Record<string, Partial<SkillCard>>> = {
      plain: {},
      hidden: { modelInvocable: false },
      unlisted: { listed: false },
      listed: { allowedSkills: ['skill-a', 'read', 'gone'] },
      none: { allowedSkills: [] },
      reader: { allowedTools: ['Read', 'Bash(git diff *)'] },
      'tool-less': { allowedTools: [] },
      'by-name': {
        allowedTools: ['Skill(skill-a)', 'Skill(Skill B)', 'Skill(hidden)', 'Skill(by-name)', 'what?'],
      },
      'all-skills': { allowedTools: ['Skill', 'Read'] },
      'some-skills': { allowedTools: ['Skill(skill-*)', 'Skill(skill-a)', 'W*'] },
      'not-bash': { disallowedTools: ['Bash', 'Skill(skill-a)', 'Read(secrets/**)'] },
      'not-named-so': { disallowedTools: ['read', 'w*', 'skill(skill-*)'] },
      both: { allowedTools: ['Skill', 'Read', 'Write'], disallowedTools: ['Write', 'Skill(skill-b)'] },
      'all-three': {
        allowedSkills: ['read', 'write', 'skill-a'],
        allowedTools: ['Read', 'Skill'],
        disallowedTools: ['Skill(skill-a)'],
      },
    };
    const family = flowFamily({
      parse: ({ stem }) => ({
        name: stem,
        card: { description: stem, ...cards[stem] },
        definition: stem,
        issues: [],
      }),
      execute: async (_prepared, _input, { skills: { callable } }) =>
        done('', callable.map(({ name }) => name).sort()),
    });
    using files = tree(
      Object.fromEntries(Object.keys(cards).map((name) => [`skills/${name}/FLOW.md`, '---\n---\n'])),
    );
    await using agent = agentWith({ 'skill-a': leaf, 'skill-b': leaf }, flowsIn(files.path, family));
    const graph = graphOf(agent);
    for (const name of Object.keys(cards)) {
      const { value } = await agent.run({ skill: name }).result;
      const said = calleesIn(graph, name).filter((callee) => callee !== 'gone');
      assert.deepEqual(said, value, name);
      const group = from(graph, name).find((edge) => edge.group !== undefined)?.group;
      const members = graph.nodes.filter((node) => group?.has(node.name) === true);
      assert.equal(group?.count ?? 0, members.length, name);
    }
    const { rules, except } = from(graph, 'both').at(-1)?.group ?? {};
    assert.deepEqual([rules, except], [['Skill'], ['Write', 'Skill(skill-b)']]);
  });

  test('unavailable and shadowed skills are in it if a list names them, under distinct names', async () => {
    const needs = 'metadata: {skilled: {requires: {env: [NO_SUCH_VARIABLE]}}}\n';
    using files = tree({
      'skills/far/SKILL.md': skillText('far', 'Far.', needs),
      'skills/lost/SKILL.md': skillText('lost', 'Lost.', needs),
      'skills/read/SKILL.md': skillText('read'),
    });
    await using agent = agentWith(
      { boss: { allowedSkills: ['far', 'project:read', 'read'], run: () => done() } },
      { startDir: files.path, searchUpwards: false },
    );
    const graph = graphOf(agent);
    assert.deepEqual(calleesIn(graph, 'boss'), ['far', 'read', 'read-agent-skill']);
    const states = graph.nodes.map((node) => [node.name, node.kind === 'skill' ? node.status : '']);
    assert.deepEqual(
      states.filter(([, status]) => status !== 'ready'),
      [
        ['far', 'unavailable'],
        ['read-agent-skill', 'shadowed'],
      ],
    );
  });

  test('tells through whom prompts reach what a router has for itself', async () => {
    const orchestrator = defineFamily<string>({
      id: 'route',
      label: 'Route',
      descriptor: { file: 'ROUTE.md' },
      parse: ({ stem }) => ({
        name: stem,
        card: { description: stem, allowedSkills: ['mine', 'read'] },
        definition: stem,
        issues: [],
      }),
      execute: async () => done(),
      prompts: { assistant: ({ goal }) => goal },
    });
    using files = tree({ 'skills/way/ROUTE.md': '---\n---\n' });
    await using agent = agentWith(
      { mine: leaf, boss: { allowedSkills: ['read'], run: () => done() } },
      flowsIn(files.path, orchestrator),
    );
    const owned = graphOf(agent).nodes.flatMap((node) =>
      node.kind === 'skill' && node.onlyThrough !== undefined ? [[node.name, node.onlyThrough]] : [],
    );
    assert.deepEqual(owned, [['mine', ['way']]]);
  });
});
