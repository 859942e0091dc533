import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtinSkills } from '../../builtins/index.ts';
import { buildCard, isKnownEntry, lacksReader, rulesOf, builtinToolNames } from './tool-rules.ts';

test('built-in tools are known by their names in any spelling', () => {
  assert.deepEqual(rulesOf(['read', 'Grep', 'BASH', 'Bash(git add *)']), [
    ...['read', 'Grep', 'BASH', 'Bash(git add *)'],
  ]);
  assert.deepEqual(rulesOf(['ask-user', 'ask_user', 'find-skills', 'web-fetch(example.org)']), [
    ...['AskUser', 'FindSkills', 'WebFetch(example.org)'],
  ]);
});

test('every built-in tool that a file may name is known by its word', () => {
  const names = builtinSkills
    .filter(({ disableModelInvocation }) => disableModelInvocation !== true)
    .map(({ permission }) => permission);
  assert.deepEqual([...names, 'Skill'].sort(), [...builtinToolNames].sort());
});

test('other bare names are tools of the host or skills, and so are subagents in the words of other programs', () => {
  assert.deepEqual(rulesOf(['reviewer', 'Skill(a)', 'Agent(a, b)', 'Task(c)', 'größe']), [
    ...['reviewer', 'Skill(reviewer)', 'Skill(a)', 'Skill(b)', 'Skill(c)', 'größe', 'Skill(größe)'],
  ]);
  assert.deepEqual(rulesOf(['mcp__a__b', 'files.read', 'mcp:files', './x.ts']), [
    ...['mcp__a__b', 'files.read', 'mcp__files__read', 'mcp__files__*', './x.ts'],
  ]);
  assert.deepEqual(rulesOf(['Task']), ['Skill']);
});

test('what cannot be a tool or a skill is distinguished from what may be one', () => {
  const known = [
    'read',
    'Bash(ls)',
    'skill',
    'Skill(x)',
    'Agent',
    'mcp:files',
    'mcp__a__b',
    'files.read',
    '*',
  ];
  assert.deepEqual(
    known.filter((entry) => !isKnownEntry(entry)),
    [],
  );
  for (const entry of ['frobnicate', 'WebSearch', 'Bash(', './tool.ts', '']) {
    assert.equal(isKnownEntry(entry), false, entry);
  }
});

test('a list of tools gets what reads the skills that are only listed, and an empty one stays empty', () => {
  const light = { skills: ['a'], skillInjection: 'light' } as const;
  for (const tools of [['READ', 'bash'], ['Read(docs/**)'], []]) {
    assert.deepEqual(buildCard({ ...light, tools }).allowedTools, tools);
  }
  assert.deepEqual(buildCard({ ...light, tools: ['bash'] }).allowedTools, ['bash', 'Read']);
  assert.equal(buildCard(light).allowedTools, undefined);
});

test('a reader is missing where there are no tools at all, or it is taken away', () => {
  const light = { skills: ['a'], skillInjection: 'light' } as const;
  assert.equal(lacksReader({ ...light, tools: [] }), true);
  assert.equal(lacksReader({ ...light, tools: ['bash', 'glob'] }), false);
  assert.deepEqual(buildCard({ ...light, tools: ['bash', 'glob'] }).allowedTools, ['bash', 'glob', 'Read']);
  assert.equal(lacksReader({ ...light, excludeTools: ['Read'] }), true);
  assert.equal(lacksReader({ ...light, excludeTools: ['Read(secrets/**)'] }), false);
  assert.equal(lacksReader({ ...light, tools: ['bash', 'READ'] }), false);
  assert.equal(lacksReader({ ...light, tools: ['Read(docs/**)'] }), false);
  assert.equal(lacksReader(light), false);
  assert.equal(lacksReader({ ...light, skills: [], tools: ['bash'] }), false);
  assert.equal(lacksReader({ skills: ['a'], tools: [] }), false);
});

test('inherited skills are allowed beside a list that has tools', () => {
  assert.deepEqual(buildCard({ inheritSkills: true, tools: ['read'] }).allowedTools, ['read', 'Skill']);
  assert.deepEqual(buildCard({ inheritSkills: true, tools: ['skill'] }).allowedTools, ['skill']);
  assert.deepEqual(buildCard({ inheritSkills: true, tools: [] }).allowedTools, []);
});

test('times and depths become bounds; without subagents none may be nested', () => {
  assert.deepEqual(buildCard({ timeoutMs: 1500, maxSubagentDepth: 2, excludeTools: ['Bash', 'helper'] }), {
    disallowedTools: ['Bash', 'helper', 'Skill(helper)'],
    limits: { callSeconds: 1.5 },
    nesting: 2,
  });
  assert.deepEqual(buildCard({ maxSubagentDepth: 2, excludeTools: ['Agent'] }), { nesting: 0 });
  assert.deepEqual(buildCard({ timeoutMs: 0 }), {});
});
