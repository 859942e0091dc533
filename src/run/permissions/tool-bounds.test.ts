import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  agentWith,
  askAbout,
  done,
  flowFamily,
  flowsIn,
  ofType,
  said,
  settled,
  type TestSkill,
} from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { isJsonObject, type Json } from '../../core/json.ts';
import type { Family } from '../../core/family.ts';
import type { Scope } from '../../core/scope.ts';
import type { SkillCard } from '../../core/skill.ts';

/** Creates a family whose skills list tools in the field `tools`, and execute `run`. */
function bounding(run: (scope: Scope, input: Json) => Promise<Json>, more: Partial<SkillCard> = {}): Family {
  return flowFamily({
    parse({ head, body }) {
      const name = head.fields.get('name');
      const tools = head.fields.get('tools');
      const rules = Array.isArray(tools) ? tools.map(String) : undefined;
      const line = head.lineOf('tools') ?? 1;
      const bound = rules && { toolBound: { rules, lines: rules.map(() => line), line } };
      return {
        name: typeof name === 'string' ? name : '',
        card: { description: 'A flow.', ...bound, ...more },
        definition: body,
        issues: [],
      };
    },
    execute: async (_definition, input, scope) => done('', await run(scope, input)),
  });
}

function flow(name: string, tools?: readonly string[]): string {
  const list = tools === undefined ? '' : `tools: ${JSON.stringify(tools)}\n`;
  return `---\nname: ${name}\n${list}---\n\nCalls.\n`;
}

const tool = (label: string): TestSkill => ({
  permission: label,
  allowedSkills: [],
  matches: (spec: string, input: Json) => spec === input,
  run: () => done(label),
});

const names = ['alpha', 'beta', 'gamma', 'delta'];
const tools = Object.fromEntries(names.map((name) => [name, tool(`Tool${name}`)]));
const rulesOf = (picked: readonly string[]): readonly string[] => picked.map((name) => `Tool${name}`);

interface TreeNode {
  readonly parent: number;
  readonly tools: readonly string[] | undefined;
}

const trees = fc.array(
  fc.record({
    parent: fc.nat(1000),
    tools: fc.option(fc.subarray(names, { minLength: 1 }), { nil: undefined, freq: 3 }),
  }),
  { minLength: 2, maxLength: 8 },
);

describe('the lists of tools that bound trees', () => {
  test('leave a leaf exactly the tools of all lists above it, in random trees', async () => {
    const forest = fc
      .sample(trees, { seed: 7, numRuns: 30 })
      .map((nodes) =>
        nodes.map(({ parent, tools }, index): TreeNode => ({ parent: index && parent % index, tools })),
      );
    const files = forest.flatMap((nodes, at) =>
      nodes.map((node, index) => {
        const name = `n${at}-${index}`;
        return [`.agents/skills/${name}/FLOW.md`, flow(name, node.tools && rulesOf(node.tools))];
      }),
    );
    using folder = tree(Object.fromEntries(files) as Record<string, string>);
    const usable = new Map<string, readonly string[]>();
    const shown = new Map<string, readonly string[]>();
    const family = bounding(async (scope) => {
      const [at = 0, index = 0] = scope.skill.name.slice(1).split('-').map(Number);
      const children = (forest[at] ?? []).flatMap((node, child) =>
        child > 0 && node.parent === index ? [`n${at}-${child}`] : [],
      );
      for (const child of children) assert.equal((await scope.call(child, null)).status, 'done', child);
      const outputs = await Promise.all(names.map((name) => scope.call(name, null)));
      usable.set(
        scope.skill.name,
        names.filter((_, position) => outputs[position]?.status === 'done'),
      );
      const callable = new Set(scope.skills.callable.map(({ name }) => name));
      shown.set(
        scope.skill.name,
        names.filter((name) => callable.has(name)),
      );
      return null;
    });
    await using agent = agentWith(tools, {
      ...flowsIn(folder.path, family),
      limits: { depth: 16, callSeconds: 120, runSeconds: 120 },
    });
    for (const [at, nodes] of forest.entries()) {
      await settled(agent.run({ skill: `n${at}-0` }).result);
      for (const [index, node] of nodes.entries()) {
        const path = [node];
        for (let one = index; one > 0;) path.push(nodes[(one = nodes[one]?.parent ?? 0)] ?? node);
        const expected = names.filter((name) => path.every(({ tools }) => tools?.includes(name) !== false));
        assert.deepEqual(usable.get(`n${at}-${index}`), expected, `tree ${at}, skill ${index}`);
        assert.deepEqual(shown.get(`n${at}-${index}`), expected);
      }
    }
  });

  const call = async (
    lists: Readonly<Record<string, readonly string[] | undefined>>,
    path: readonly string[],
    input: Json = null,
  ) => {
    using folder = tree(
      Object.fromEntries(
        Object.entries(lists).map(([name, list]) => [`.agents/skills/${name}/FLOW.md`, flow(name, list)]),
      ),
    );
    const family = bounding(async (scope) => {
      const next = path[path.indexOf(scope.skill.name) + 1] ?? '';
      const output = await scope.call(next, input, { asWritten: true });
      if (output.status === 'failed') return output.error as unknown as Json;
      return output.value ?? output.text;
    });
    await using agent = agentWith(tools, flowsIn(folder.path, family));
    const result = await settled(agent.run({ skill: path[0] ?? '' }).result);
    const refused = ofType(await agent.runs.events(result.runId), 'call.refused');
    const value = result.status === 'done' ? result.value : undefined;
    return { value, refused, codes: agent.skills.diagnostics() };
  };

  test('name the list, its file and line in a refusal, which is recorded', async () => {
    const { value, refused } = await call({ top: ['ToolAlpha'], low: undefined }, ['top', 'low', 'beta']);
    assert.ok(isJsonObject(value));
    const { code, details, hint } = value;
    assert.equal(code, 'policy.denied');
    assert.ok(isJsonObject(details));
    assert.deepEqual([details['skill'], details['line'], details['tool']], ['top', 3, 'Toolbeta']);
    const { file } = details;
    assert.ok(typeof file === 'string' && typeof hint === 'string');
    assert.match(file, /top\/FLOW\.md$/);
    assert.ok(hint.includes(`${file}:3`));
    assert.deepEqual(
      refused.map(({ skill, error }) => [skill, error.code]),
      [['beta', 'policy.denied']],
    );
  });

  const cases: readonly (readonly [
    what: string,
    lists: Readonly<Record<string, readonly string[] | undefined>>,
    path: readonly string[],
    isAllowed: boolean,
  ])[] = [
    ['bound calls that the file itself writes', { top: ['ToolAlpha'] }, ['top', 'beta'], false],
    ['allow a tool by the name of its skill', { top: ['alpha'] }, ['top', 'alpha'], true],
    ['allow nothing if empty', { top: [] }, ['top', 'alpha'], false],
    ['leave skills to the lists of skills', { top: [], low: undefined }, ['top', 'low', 'alpha'], false],
    ['bound skills if they name some', { top: ['Skill(other)'], low: undefined }, ['top', 'low'], false],
    ['bound skills by plain names', { top: ['alpha', 'low'], low: undefined }, ['top', 'low', 'alpha'], true],
  ];
  for (const [what, lists, path, isAllowed] of cases)
    test(what, async () => {
      const { value } = await call(lists, path);
      assert.equal(typeof value === 'string', isAllowed, JSON.stringify(value));
    });

  test('apply to the details of a call', async () => {
    const list = { top: ['Toolalpha(a)'], low: ['Toolalpha'] };
    assert.equal((await call(list, ['top', 'low', 'alpha'], 'a')).value, 'Toolalpha');
    assert.ok(isJsonObject((await call(list, ['top', 'low', 'alpha'], 'b')).value));
  });

  test('report entries that name neither a tool nor a skill, with their line', async () => {
    const { codes } = await call({ top: ['Toolalpha', 'Tolbeta', 'Skill(nope)', 'mcp__x__y'] }, [
      'top',
      'alpha',
    ]);
    const found = codes.filter(({ code }) => code === 'list.unknown-tool');
    assert.deepEqual(
      found.map(({ line, file = '' }) => [line, file.endsWith('top/FLOW.md')]),
      [
        [3, true],
        [3, true],
      ],
    );
  });

  test('apply to a run that another agent resumes', async () => {
    using folder = tree({
      '.agents/skills/top/FLOW.md': flow('top', ['Toolalpha', 'Toolbeta']),
      '.agents/skills/low/FLOW.md': flow('low', ['Toolalpha', 'Toolgamma']),
    });
    const family = bounding(async (scope) => {
      if (scope.skill.name === 'top') {
        const output = await scope.call('low', null);
        return output.status === 'done' ? (output.value ?? null) : output.error.code;
      }
      const outputs = [];
      for (const name of names) outputs.push(said(await scope.call(name, null)));
      return outputs;
    });
    const options = {
      ...flowsIn(folder.path, family),
      store: createMemoryStore(),
      policy: askAbout('alpha'),
    };
    const first = agentWith(tools, options);
    const { runId, question } = await settled(first.run({ skill: 'top' }).result);
    await first.runs.approve(runId, question?.id ?? '', { allow: 'once' });
    await first.shutdown();
    await using second = agentWith(tools, options);
    const result = await settled(second.runs.resume(runId).result);
    const denied = 'policy.denied';
    assert.deepEqual(result.status === 'done' && result.value, ['Toolalpha', denied, denied, denied]);
    const refused = ofType(await second.runs.events(runId), 'call.refused');
    const lists = refused.map(({ error: { details } }) => isJsonObject(details) && details['skill']);
    assert.deepEqual(lists, ['low', 'top', 'top']);
  });

  test('bound a call that is not awaited, and a call through a plan', async () => {
    using folder = tree({ '.agents/skills/top/FLOW.md': flow('top', ['Toolalpha', 'RunSop']) });
    const family = bounding(async (scope) => {
      const open = scope.call('beta', null);
      const plan = await scope.call('run-sop', { script: '@x gamma "now"' });
      return [said(await open), said(plan)];
    });
    await using agent = agentWith(tools, flowsIn(folder.path, family));
    const { runId } = await settled(agent.run({ skill: 'top' }).result);
    const refused = ofType(await agent.runs.events(runId), 'call.refused');
    assert.deepEqual(refused.map(({ skill }) => skill).sort(), ['beta', 'gamma']);
  });

  test('let a skill generate its own code, and bound everything else that prepares it', async () => {
    using folder = tree({ '.agents/skills/top/FLOW.md': flow('top', ['Toolalpha']) });
    const attempt = async (scope: Scope): Promise<Json> => [
      said(await scope.call('maker', scope.skill.dir)),
      said(await scope.call('maker', '/elsewhere')),
      said(await scope.call('beta', null)),
    ];
    const family: Family = {
      ...bounding(attempt),
      generation: { prepare: (_definition, scope) => attempt(scope) },
    };
    const prepared: Json[] = [];
    const execute: Family['execute'] = async (value, _input, scope) => {
      prepared.push(value as Json);
      return done('', await attempt(scope));
    };
    const maker: TestSkill = {
      permission: 'Maker',
      allowedSkills: [],
      isOwn: (input: Json, dir: string) => input === dir,
      run: () => done('Maker'),
    };
    await using agent = agentWith({ ...tools, maker }, flowsIn(folder.path, { ...family, execute }));
    const result = await settled(agent.run({ skill: 'top' }).result);
    const denied = 'policy.denied';
    assert.deepEqual(prepared, [['Maker', denied, denied]]);
    assert.deepEqual(result.status === 'done' && result.value, [denied, denied, denied]);
  });
});
