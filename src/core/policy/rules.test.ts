import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { InputParts } from '../policy.ts';
import { namesTool, parseRule, ruleAgainst, rulesCover, type Act, type Rule } from './rules.ts';

const rulesOf = (...texts: readonly string[]): readonly Rule[] =>
  texts.map(parseRule).filter((rule) => rule !== undefined);

function tool(input: string, parts?: Partial<InputParts>): Act {
  const matches = (spec: string, meant: unknown): boolean => spec === meant;
  const taken = { parts: input.split('+'), areAll: true, ...parts };
  return {
    skill: 'lift',
    aliases: ['hoist'],
    permission: { label: 'Lift', matches, ...(parts && { parts: () => taken }) },
    input,
    workspace: '/w',
  };
}

function skill(name: string, ...aliases: readonly string[]): Act {
  return { skill: name, aliases, permission: {}, input: null, workspace: undefined };
}

const covers = (act: Act, ...rules: readonly string[]): boolean => rulesCover(rulesOf(...rules), act);
const against = (act: Act, ...rules: readonly string[]): string | undefined => {
  const rule = ruleAgainst(rulesOf(...rules), act);
  return rule && (rule.spec ?? rule.tool);
};
const isNamed = (act: Act, rule: string): boolean => namesTool(rulesOf(rule)[0]!, act);

test('a tool is named by its word, without regard to case, or by its names', () => {
  for (const rule of ['Lift', 'lift', 'LIFT(x)', 'hoist', 'L*', '*', '*ift(x)']) {
    assert.equal(isNamed(tool('a'), rule), true, rule);
  }
  for (const rule of ['Lif', 'Lifts', 'Skill', 'Skill(*)', 'Skill(l*)']) {
    assert.equal(isNamed(tool('a'), rule), false, rule);
  }
});

test('a skill without a word of its own is named by Skill only', () => {
  for (const rule of [
    'Skill',
    'Skill(*)',
    'Skill(deploy-all)',
    'skill(Deploy All)',
    'Skill(deploy*)',
    'Skill(ship)',
  ]) {
    assert.equal(isNamed(skill('deploy-all', 'ship'), rule), true, rule);
  }
  for (const rule of ['deploy-all', '*', 'd*', 'Skill(deploy)', 'Skill(*x)']) {
    assert.equal(isNamed(skill('deploy-all', 'ship'), rule), false, rule);
  }
});

test('a tool is also named as the skill that it is, but not by a pattern for skills', () => {
  assert.equal(isNamed(tool('a'), 'Skill(lift)'), true);
  assert.equal(isNamed(tool('a'), 'Skill(lif*)'), false);
  assert.equal(covers(tool('a'), 'Skill(lift)'), true);
  assert.equal(against(tool('a'), 'Skill(Hoist)'), 'Hoist');
});

test('the tools of a server are named by a pattern', () => {
  const act = { ...tool('a'), skill: 'files.read', aliases: [], permission: { label: 'mcp__files__read' } };
  for (const rule of ['mcp__files__*', 'mcp__files__read', 'MCP__*']) {
    assert.equal(covers(act, rule), true, rule);
  }
  assert.equal(covers(act, 'files.*'), false, 'a name can be that of another tool, so it allows nothing');
  assert.equal(against(act, 'files.*'), 'files.*');
  for (const rule of ['mcp__file__*', 'files', 'files*read_', 'mcp__files']) {
    assert.equal(covers(act, rule), false, rule);
  }
});

test('a rule that allows must mean the input, one without brackets means all of them', () => {
  assert.equal(covers(tool('a')), false);
  assert.equal(covers(tool('a'), 'Lift(a)'), true);
  assert.equal(covers(tool('a'), 'Lift(b)'), false);
  assert.equal(covers(tool('a'), 'Lift'), true);
  assert.equal(covers(tool('a', { areAll: false }), 'Lift(*)'), true);
});

test('rules that allow cover every part, together or alone', () => {
  assert.equal(covers(tool('a+b', {}), 'Lift(a)', 'Lift(b)'), true);
  assert.equal(covers(tool('a+b', {}), 'Lift(a)'), false);
  assert.equal(covers(tool('a+b', {}), 'Lift(a+b)'), false);
  assert.equal(covers(tool('a', { areAll: false }), 'Lift(a)'), false);
  assert.equal(covers(tool('a', { parts: [] }), 'Lift(a)'), false);
});

test('what is only suspected needs no approval, and is forbidden all the same', () => {
  const act = tool('a', { suspected: ['c'] });
  assert.equal(covers(act, 'Lift(a)'), true);
  assert.equal(against(act, 'Lift(c)'), 'c');
});

test('a rule that forbids is against any part, and against the whole', () => {
  assert.equal(against(tool('a+b', {}), 'Lift(x)', 'Lift(b)'), 'b');
  assert.equal(against(tool('a+b', {}), 'Lift(a+b)'), 'a+b');
  assert.equal(against(tool('a+b', { areAll: false }), 'Lift(a)'), 'a');
  assert.equal(against(tool('a+b', {}), 'Lift(c)', 'Other', 'Skill'), undefined);
  assert.equal(against(tool('a'), 'Lift'), 'Lift');
  assert.equal(against(tool('a')), undefined);
});

test('a rule that forbids is against what could be touched, one that allows is not enlarged by that', () => {
  const mayTouch = (spec: string, input: unknown): boolean => spec.startsWith(String(input));
  const plain = tool('a+b', {});
  const act = { ...plain, permission: { ...plain.permission, mayTouch } };
  assert.equal(against(act, 'Lift(c)', 'Lift(b/deep)'), 'b/deep');
  assert.equal(covers(act, 'Lift(a)', 'Lift(b/deep)'), false);
  assert.equal(covers(act, 'Lift(a)', 'Lift(b)'), true);
});

test('the parts of an input are those in its workspace', () => {
  const plain = tool('a');
  const parts = (input: unknown, workspace: string): InputParts => ({
    parts: [`${workspace}/${String(input)}`],
    areAll: true,
  });
  const act = { ...plain, permission: { ...plain.permission, parts } };
  assert.equal(covers(act, 'Lift(/w/a)'), true);
  assert.equal(covers(act, 'Lift(a)'), false);
  assert.equal(against(act, 'Lift(/w/a)'), '/w/a');
  assert.equal(against(act, 'Lift(a)'), 'a');
});

test('whatever was not read may be forbidden, and is not allowed', () => {
  const act = tool('a', { isUnread: true, areAll: false });
  assert.equal(against(act, 'Lift(x)'), 'x');
  assert.equal(against(act, 'Other(x)'), undefined);
  assert.equal(covers(act, 'Lift(a)'), false);
});

test('brackets mean nothing to a tool that does not read them', () => {
  const act = { ...tool('a'), permission: { label: 'Lift' } };
  assert.equal(covers(act, 'Lift(a)'), false);
  assert.equal(covers(act, 'Lift'), true);
});

test('a name in a group is another name than one with a hyphen', () => {
  assert.equal(isNamed(skill('deploy', 'team/deploy', 'project:deploy'), 'Skill(team-deploy)'), false);
  assert.equal(isNamed(skill('deploy', 'team/deploy', 'project:deploy'), 'Skill(project-deploy)'), false);
  assert.equal(isNamed(skill('deploy', 'team/deploy', 'project:deploy'), 'Skill(Team/Deploy)'), true);
});

test('a rule is a tool, or a tool and what is meant of it', () => {
  assert.deepEqual(parseRule('Bash'), { tool: 'Bash' });
  assert.deepEqual(parseRule(' Bash( git add * ) '), { tool: 'Bash', spec: 'git add *' });
  assert.deepEqual(parseRule('Bash(echo (a) b)'), { tool: 'Bash', spec: 'echo (a) b' });
  assert.deepEqual(parseRule('Skill(my skill)'), { tool: 'Skill', spec: 'my skill' });
  assert.deepEqual(parseRule('mcp__server__*'), { tool: 'mcp__server__*' });
  assert.deepEqual(parseRule('server.*'), { tool: 'server.*' });
  assert.deepEqual(parseRule('*'), { tool: '*' });
});

test('a star between the brackets means the whole tool', () => {
  for (const text of ['Bash(*)', 'Bash( * )']) assert.deepEqual(parseRule(text), { tool: 'Bash' });
});

test('what is not a rule is none', () => {
  const garbage = [
    '',
    ' ',
    '()',
    '(x)',
    'Bash(',
    'Bash)',
    'Bash()',
    'Bash( )',
    'Bash (x)',
    'Bash(x) y',
    'Bash:*',
  ];
  const more = ['a b', 'Bash(a\nb)', 'Bash(a\0)', 'Bash\nRead', '-', '.', 'Bäsh', 'Bash,Read', '{}'];
  for (const text of [...garbage, ...more]) assert.equal(parseRule(text), undefined, JSON.stringify(text));
});
