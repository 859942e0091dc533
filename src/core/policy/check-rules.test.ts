import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { builtinSkills } from '../../builtins/index.ts';
import { RecursiveSkilledAgent } from '../../config/preset.ts';
import { builtInTools, faultOfRule } from './check-rules.ts';
import { defineSkill } from '../define-skill.ts';

test('the words of the built-in tools are those that rules can name them by', () => {
  const names = builtinSkills.flatMap(({ name, permission = '' }) => [name, permission]);
  const lower = (list: readonly string[]): readonly string[] => [
    ...new Set(list.map((name) => name.toLowerCase())),
  ];
  assert.deepEqual(lower(builtInTools).toSorted(), lower(names).toSorted());
});

describe('what a rule that forbids may be', () => {
  const right = ['Read', 'bash(rm *)', 'find-skills', 'Web*', '*', 'Skill', 'Skill(any)', 'skill(team/*)'];
  const ofServers = ['mcp__files__read', 'mcp__files__*', 'mcp__*', 'MCP__a__b', 'files.read', 'files.*'];
  for (const rule of [...right, ...ofServers])
    test(`${rule} is one`, () => {
      assert.equal(faultOfRule(rule), undefined);
    });

  const wrong: readonly (readonly [rule: unknown, near: readonly string[], hint: RegExp])[] = [
    ['Bsh(rm *)', ['Bash'], /Did you mean "Bash"/],
    ['delete-file', [], /write Skill\(delete-file\)/],
    ['Skills(x)', ['Skill'], /Did you mean "Skill"/],
    ['Web-Fetch', ['WebFetch'], /Did you mean "WebFetch"/],
    ['Bsx*', [], /^Known tools: Read, /],
    ['mcp__files', [], /mcp__files__\*/],
    ['mcp__files__', [], /mcp__files__\*/],
    ['Bash()', ['Bash'], /such as/],
    ['Bash(', ['Bash'], /such as/],
    ['Skill()', ['Skill'], /such as/],
    ['Read[x]', ['Read'], /such as/],
    ['Bash(a)(b', ['Bash'], /such as/],
    ['Bash (rm)', ['Bash'], /such as/],
    ['', [], /such as/],
    [7, [], /such as/],
    [null, [], /such as/],
    [undefined, [], /such as/],
  ];
  for (const [rule, near, hint] of wrong)
    test(`${String(rule)} is none`, () => {
      const fault = faultOfRule(rule);
      assert.ok(
        near.every((name) => fault?.near.includes(name)),
        JSON.stringify(fault),
      );
      assert.match(fault?.hint ?? '', hint);
    });
});

describe('rules of the constructor', () => {
  test('that deny or ask and cannot mean anything are refused; those that allow must have the form of a rule', () => {
    const make = (permissions: object): unknown => new RecursiveSkilledAgent({ permissions });
    for (const kind of ['deny', 'ask'])
      for (const rule of ['delete-file', 'Bsh(rm *)', 'Bash(', 7])
        assert.throws(() => make({ [kind]: ['Read', rule] }), {
          code: 'usage.bad-input',
          details: {
            key: `permissions.${kind}.1`,
            rule: String(rule),
            near: [...(faultOfRule(rule)?.near ?? [])],
          },
        });
    assert.throws(() => make({ allow: ['Bash('] }), { code: 'usage.bad-input' });
    make({ allow: ['Raed'] });
  });

  test('may name tools of the program itself, and what is not registered is a diagnostic', async () => {
    const permissions = { deny: ['Deploy(prod)', 'Skill(delete-fiel)'], tools: ['Deploy'] };
    await using agent = new RecursiveSkilledAgent({ permissions, only: true, embeddings: false });
    const unmatched = (): unknown =>
      agent.skills.diagnostics().flatMap(({ code, details }) => (code === 'rule.unmatched' ? [details] : []));
    const skill = { kind: 'deny', rule: 'Skill(delete-fiel)', near: [] };
    assert.deepEqual(unmatched(), [{ kind: 'deny', rule: 'Deploy(prod)', near: [] }, skill]);
    const run = () => ({ status: 'done', text: 'done' }) as const;
    agent.skills.register(defineSkill({ name: 'ship', description: 'Ships.', permission: 'Deploy', run }));
    agent.skills.register(defineSkill({ name: 'delete-file', description: 'Deletes.', run }));
    assert.deepEqual(unmatched(), [{ ...skill, near: ['delete-file'] }]);
  });
});
