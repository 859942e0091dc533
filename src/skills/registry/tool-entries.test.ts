import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtinSkills } from '../../builtins/index.ts';
import type { Skill } from '../../core/skill.ts';
import { openToolEntry } from './tool-entries.ts';

const builtIn = new Map(builtinSkills.map(({ name, permission }) => [name, permission]));
const others = new Set(['search', 'task-list', 'replace']);

function find(name: string): Skill | undefined {
  const label = builtIn.get(name.toLowerCase());
  if (label === undefined && !others.has(name)) return undefined;
  return { name, card: { description: '', ...(label === undefined ? {} : { label }) } } as unknown as Skill;
}

const cases: readonly (readonly [string, readonly string[]])[] = [
  ['Read', []],
  ['ask-user', ['AskUser']],
  ['web_fetch', ['WebFetch']],
  ['AskUserQuestion', ['AskUser']],
  ['MultiEdit(src/**)', ['Edit(src/**)']],
  ['LS', ['Glob']],
  ['run_shell_command(git *)', ['Bash(git *)']],
  ['run_shell_command(rm)', ['Bash(rm *)']], // Gemini CLI compares only the beginning of a command.
  ['apply_patch', ['Edit', 'Write']],
  ['Task', ['Skill']],
  ['Task(reviewer, tester)', ['Skill(reviewer)', 'Skill(tester)']],
  ['KillShell', ['BashKill']],
  ['search', ['Skill(search)']],
  ['replace', ['Skill(replace)']], // A registered skill comes before the tool of another program.
  ['mcp__files', ['mcp__files__*']],
  ['mcp__files__read', []],
  ['Web*', []],
];

for (const [entry, rules] of cases)
  test(`${entry} in a tool list is ${rules.join(', ') || 'as written'}`, () => {
    const opened = openToolEntry({ find }, entry);
    assert.deepEqual(opened.rules, [entry, ...rules]);
    assert.equal(opened.isKnown, true);
  });

test('a tool that exists nowhere, or only in another program, allows nothing', () => {
  for (const entry of ['WebSearch', 'TodoWrite', 'NotebookEdit', 'google_web_search', 'update_plan']) {
    const { rules, isKnown, foreign } = openToolEntry({ find }, entry);
    assert.deepEqual([rules, isKnown, foreign?.name], [[entry], false, entry]);
  }
  assert.equal(openToolEntry({ find }, 'frobnicate').foreign, undefined);
  assert.equal(openToolEntry({ find }, 'frobnicate').isKnown, false);
});
