import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { bundleOfBytes, bundleOfText, nowhere } from '../../core/descriptor/bundle.ts';
import type { Parsed } from '../../core/family.ts';
import { familyContract } from '../../testing/family-contract.ts';
import type { SubagentDefinition } from './settings.ts';
import { subagent } from './index.ts';

const textOf = (name: string): string =>
  readFileSync(new URL(`fixtures/${name}.md`, import.meta.url), 'utf8');

familyContract(subagent, {
  valid: { 'shell-ops': textOf('shell-ops'), reviewer: textOf('reviewer').slice(1) },
});

function parse(text: string): Parsed<SubagentDefinition> {
  return subagent.parse(bundleOfText(text, nowhere)) as Parsed<SubagentDefinition>;
}

function fixture(name: string): Parsed<SubagentDefinition> {
  const bytes = readFileSync(new URL(`fixtures/${name}.md`, import.meta.url));
  return subagent.parse(bundleOfBytes(bytes, { ...nowhere, stem: name })) as Parsed<SubagentDefinition>;
}

function head(...lines: readonly string[]): Parsed<SubagentDefinition> {
  return parse(['---', 'name: a', 'description: An agent.', ...lines, '---', 'Work.', ''].join('\n'));
}

test('the subagent file of the seed is read whole', () => {
  const { name, card, definition, issues } = fixture('shell-ops');
  assert.deepEqual(issues, []);
  assert.equal(name, 'shell-ops');
  assert.equal(card.description, 'Long-running shell and terminal specialist');
  assert.deepEqual(card.allowedTools, ['read', 'grep', 'glob', 'bash']);
  const { systemPrompt, ...rest } = definition!;
  assert.match(systemPrompt(), /^You look after .*description\.$/s);
  assert.deepEqual(rest, {
    tools: ['read', 'grep', 'glob', 'bash'],
    skills: ['safe-bash', 'tmux', 'chrome-devtools'],
    skillInjection: 'light',
    systemPromptMode: 'replace',
    inheritProjectContext: true,
    inheritSkills: false,
    extra: {},
  });
});

test('BOM, CRLF, other spellings, comments and block values are read', () => {
  const { name, card, definition, issues } = fixture('reviewer');
  assert.ok(issues.every((issue) => issue.level === 'info'));
  assert.equal(name, 'reviewer');
  assert.equal(card.description, 'Reads a change and says what is wrong.');
  assert.deepEqual(definition?.tools, ['Read', 'Grep']);
  assert.equal(definition.maxSubagentDepth, 0);
  assert.equal(definition.defaultContext, 'fork');
  assert.deepEqual(definition.extra, { 'x-color': 'purple' });
  assert.equal(definition.systemPrompt(), 'Be brief.');
});

test('a file that says nothing more gets the defaults', () => {
  const { definition } = head();
  assert.equal(definition?.tools, undefined);
  assert.equal(definition?.skillInjection, 'full');
  assert.equal(definition?.systemPromptMode, 'replace');
  assert.equal(definition?.inheritProjectContext, false);
  assert.equal(definition?.inheritSkills, false);
});

test('a word for thinking that no model knows is reported and passed on', () => {
  for (const level of ['off', 'minimal', 'High', 'xhigh', 'max'])
    assert.deepEqual(head(`thinking: ${level}`).issues, [], level);
  const { definition, issues } = head('thinking: hugely');
  assert.equal(definition?.thinking, 'hugely');
  assert.deepEqual(
    issues.map(({ code, level, line }) => [code, level, line]),
    [['effort.unknown', 'warning', 4]],
  );
});

test('no tools line means the default set, an empty one means none, null means no line', () => {
  assert.equal(head().definition?.tools, undefined);
  assert.equal(head('tools: null').definition?.tools, undefined);
  assert.equal(head('tools: ~').definition?.tools, undefined);
  for (const line of ['tools:', 'tools: ', 'tools: # none', 'tools: []', 'tools: ""', '"Tools":']) {
    assert.deepEqual(head(line).definition?.tools, [], line);
  }
  assert.deepEqual(
    head('tools:').issues.map(({ code, line }) => [code, line]),
    [['field.blank', 4]],
  );
});

test('tools are a comma list, a flow list or a block list; find and ls are glob', () => {
  assert.deepEqual(head('tools: read, Bash(git add *), read').definition?.tools, ['read', 'Bash(git add *)']);
  assert.deepEqual(head('tools: [find, ls, grep]').definition?.tools, ['glob', 'grep']);
  assert.deepEqual(head('tools:', '- LS', '- read').definition?.tools, ['glob', 'read']);
  assert.deepEqual(head('exclude-tools: Find, bash').definition?.excludeTools, ['glob', 'bash']);
  assert.deepEqual(head('disallowedTools: Bash').definition?.excludeTools, ['Bash']);
});

test('a name that is not a known tool is reported by its line, and may be a skill', () => {
  const { card, issues } = head('model: fast', 'tools: read, frobnicate, raed, mcp:files, Skill(x), ./a.ts');
  assert.deepEqual(card.allowedTools, [
    ...[
      'read',
      'frobnicate',
      'Skill(frobnicate)',
      'raed',
      'Skill(raed)',
      'mcp__files__*',
      'Skill(x)',
      './a.ts',
    ],
  ]);
  assert.deepEqual(
    issues.map(({ level, code, line, hint }) => [level, code, line, hint]),
    [
      ['warning', 'subagent.tool', 5, 'If it is a skill, write Skill(frobnicate).'],
      ['warning', 'subagent.tool', 5, 'Did you mean "Read"?'],
      ['warning', 'subagent.tool', 5, 'Use one of these forms: Tool, Tool(pattern) or Skill(name).'],
    ],
  );
  assert.deepEqual(
    head('exclude_tools: Nothing').issues.map(({ code, line }) => [code, line]),
    [['subagent.tool', 4]],
  );
});

test('listed skills that nothing may read are reported', () => {
  for (const line of ['tools: []', 'excludeTools: read']) {
    assert.deepEqual(
      head('skills: a', 'skillInjection: light', line).issues.map((issue) => [
        ...[issue.level, issue.code, issue.line],
      ]),
      [['warning', 'subagent.reader', 6]],
    );
  }
  assert.deepEqual(head('skills: a', 'skillInjection: light', 'tools: bash').issues, []);
  assert.deepEqual(head('skills: a', 'skillInjection: light').issues, []);
});

test('tools, times and depths are on the card', () => {
  const { card } = head('tools: bash', 'excludeTools: Bash(rm *)', 'timeoutMs: 2500', 'maxSubagentDepth: 1');
  const { description: _description, ...rest } = card;
  assert.deepEqual(rest, {
    allowedTools: ['bash'],
    disallowedTools: ['Bash(rm *)'],
    limits: { callSeconds: 2.5 },
    nesting: 1,
  });
});

test('skills are split at commas only; "skill" wins over "skills"', () => {
  assert.deepEqual(head('skills: Safe Bash, tmux, tmux').definition?.skills, ['Safe Bash', 'tmux']);
  assert.deepEqual(head(`skills: '["a","b"]'`).definition?.skills, ['a', 'b']);
  assert.deepEqual(head('skills: "a,b,a"').definition?.skills, ['a', 'b']);
  assert.deepEqual(head('skills: a', 'skill: b').definition?.skills, ['b']);
  assert.deepEqual(head('skillPath: ./my skills, ../more').definition?.skillPath, ['./my skills', '../more']);
});

test('keys are known in any case and with hyphens or underscores', () => {
  for (const key of [
    'skillInjection',
    'SKILLINJECTION',
    'skill-injection',
    'skill_injection',
    'Skill Injection',
  ]) {
    assert.equal(head(`${key}: light`).definition?.skillInjection, 'light', key);
  }
  const both = head('skillInjection: light', 'skill-injection: full');
  assert.equal(both.definition?.skillInjection, 'light');
  assert.deepEqual(
    both.issues.map(({ code, line }) => [code, line]),
    [['frontmatter.repeated', 5]],
  );
});

test('a value that is not one of the words is reported by its line and the default counts', () => {
  const { definition, issues } = head('skillInjection: lazy', 'timeoutMs: soon', 'inherit_skills: maybe');
  assert.equal(definition?.skillInjection, 'full');
  assert.equal(definition?.timeoutMs, undefined);
  assert.equal(definition?.inheritSkills, false);
  assert.deepEqual(issues.map(({ code, line }) => [code, line]).sort(), [
    ['field.type', 4],
    ['field.type', 5],
    ['field.type', 6],
  ]);
  assert.match(issues[0]?.message ?? '', /"skillInjection" should be "full" or "light"/);
});

test('output is a file as text and a schema as a map', () => {
  const file = head('output: report.md');
  assert.deepEqual([file.definition?.output, file.card.output, file.issues], ['report.md', undefined, []]);
  const schema = head('output:', '  type: object');
  assert.deepEqual([schema.definition?.output, schema.card.output], [undefined, { type: 'object' }]);
});

test('a missing description comes from the body, is reported and stays out of catalogs', () => {
  const { card, definition, issues } = parse('---\nname: a\n---\n# Title\n\nChecks links.\n');
  assert.equal(card.description, 'Checks links.');
  assert.equal(card.listed, false);
  assert.ok(definition !== undefined);
  assert.deepEqual(
    issues.map(({ code, line }) => [code, line]),
    [['description.derived', 6]],
  );
});

test('without frontmatter, or without any text, a file is not a subagent', () => {
  assert.equal(parse('# Notes\n\nText.\n').definition, undefined);
  assert.equal(parse('# Notes\n\nText.\n').issues.at(-1)?.code, 'subagent.frontmatter');
  assert.equal(parse('---\nname: a\n---\n').definition, undefined);
  assert.equal(parse('---\nname: a\n---\n').issues.at(-1)?.code, 'descriptor.empty');
});

test('unknown keys are kept as written and not reported', () => {
  const { definition, issues } = head('Color: blue', 'memory:', '  scope: user');
  assert.deepEqual(definition?.extra, { Color: 'blue', memory: { scope: 'user' } });
  assert.deepEqual(issues, []);
});

test('package, aliases and fallbackModels of pi-subagents are read', () => {
  const read = head('package: review', 'aliases: helper, second', 'fallbackModels: [a/b, haiku]');
  assert.deepEqual(read.issues, []);
  assert.equal(read.name, 'review.a');
  assert.deepEqual(read.card.aliases, ['helper', 'second']);
  assert.deepEqual(read.definition?.fallbackModels, ['a/b', 'haiku']);
  assert.deepEqual(read.definition.extra, {});
  assert.deepEqual(head('alias: helper').card.aliases, ['helper']);
  assert.equal('aliases' in head('aliases: []').card, false);
  const unnamed = bundleOfText('---\npackage: review\ndescription: x\n---\n', { ...nowhere, stem: 'scout' });
  assert.equal(subagent.parse(unnamed).name, 'review.scout');
});

test('a long description with examples is shortened to its sentences, without the examples', () => {
  const said = 'Use this agent after a change, to review it.';
  const example = `<example>\\nuser: "Done."\\n${'The assistant calls the agent. '.repeat(60)}</example>`;
  const text = `---\nname: a\ndescription: '${said} ${'It reads all files. '.repeat(20)}Examples: ${example}'\n---\n`;
  const { card, issues } = parse(text);
  assert.match(card.description, /^Use this agent.* It reads all files\.$/s);
  assert.deepEqual(
    issues.map(({ code }) => code),
    ['description.long'],
  );
});
