import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { shellWord } from '../../src/cli/output/command-text.ts';
import { widthOf } from '../../src/cli/output/text.ts';
import { compileCache } from '../support/compile-cache.ts';
import { installedMain } from '../support/installed.ts';
import { skillText, tree, type Tree } from '../support/tree.ts';

/** The commands whose output is for people. What is printed exactly, such as events, is not among them. */
export const shownCommands: readonly string[] = [
  'list',
  'list --all',
  'show repair-quote',
  'show equipment',
  'show deploy',
  'show daily',
  'find bike repair',
  'find something that no skill can do',
  'catalog',
  'models',
  'doctor',
  'run list all equipment',
  'run /glob *.md',
  'run do something strange',
  'run /nope',
  'approve',
  'runs',
  'runs show last',
  'runs stats',
  'trace last',
  'trace last --why',
  'config list',
  'config explain limits.cost',
  'config path',
  'validate',
  'graph',
  'graph daily',
  'trust',
  'trust grant deploy',
  'audit',
  'mcp list',
  'init',
  'help',
  'nope',
];

const equipment = `# Equipment

## Table Purpose

Machines and tools of the workshop, each with its area and condition.

## Fields

### equipment_id

Identifies the item, as printed on its tag.

#### Primary Key

### status

#### Values

[ok, faulty, in repair]
`;

const daily = `# Daily

Prepares the report of the day from the equipment and the quotes.

## Instructions

Call both.

## Allowed Skills

- equipment
- repair-quote
`;

/** Creates a project with skills, faults, untrusted settings and a run that waits for an approval. */
export function createWideProject(): Tree {
  const project = tree({
    'home/x': '',
    'p/.git/HEAD': 'ref: refs/heads/main\n',
    'p/notes.md': '# Notes\n',
    'p/.mcp.json': JSON.stringify({ mcpServers: { weather: { command: 'node', args: ['weather.mjs'] } } }),
    'p/.skilled/settings.json': JSON.stringify({ limits: { cost: 0.5 }, models: ['openai/gpt-6-astra'] }),
    'p/.agents/skills/repair-quote/SKILL.md': skillText(
      'repair-quote',
      'Quotes the repair of a bike. Use it when someone asks for the price of a bike repair, or how long it takes.',
      'allowed-tools: Read Bash(git *)\nargument-hint: <bike> <damage>\n',
    ),
    'p/.agents/skills/broken/SKILL.md':
      '---\nname: broken\n---\n\nIt has no description, which is a fault.\n',
    'p/.agents/skills/deploy/SKILL.md': `${skillText('deploy', 'Deploys the shop to the servers of the company.')}Run !\`ls -la\` first.\n`,
    'p/.agents/skills/deploy/scripts/run.sh': '#!/bin/sh\necho hi\n',
    'p/.agents/skills/equipment/tskill.md': equipment,
    'p/.agents/skills/daily/oskill.md': daily,
  });
  skilled(project, 'run /bash ls', undefined);
  return project;
}

const isCommand = /^\s*`?(?:npm start -- |npx )?skilled \S/;

/** Runs a command at a terminal of this width. Returns the lines that are too long although they could be broken. */
export function linesTooLong(project: Tree, command: string, columns: number): readonly string[] {
  return skilled(project, command, columns).filter(
    (line) => widthOf(line) > columns && /\S\s+\S/.test(line.trim()) && !isCommand.test(line),
  );
}

/** Fails if a command cuts something in a pipe, where everything must be visible. */
export function checkWhole(project: Tree, command: string): void {
  const cut = skilled(project, command, undefined).filter((line) => /\S…$/.test(line));
  assert.deepEqual(cut, [], `${command} cuts lines in a pipe`);
}

/** Runs a command at a terminal, or in a pipe without a width. */
function skilled(project: Tree, command: string, columns: number | undefined): readonly string[] {
  const program = [process.execPath, installedMain, ...command.split(' ')].map(shellWord).join(' ');
  const script = `stty cols ${columns ?? 80} rows 30; ${program} </dev/null`;
  const [file, args] =
    columns === undefined
      ? ['/bin/sh', ['-c', `${program} 2>&1`]]
      : ['script', ['--quiet', '--flush', '--command', script, '/dev/null']];
  const { stdout } = spawnSync(file, args, {
    cwd: project.at('p'),
    env: {
      HOME: project.at('home'),
      PATH: '/usr/bin:/bin',
      SHELL: '/bin/sh',
      TERM: 'xterm',
      LANG: 'C.UTF-8',
      ...compileCache(),
    },
    input: '',
    encoding: 'utf8',
  });
  const text = stdout.replaceAll('\r\n', '\n').replace(/.*\r/g, ''); // What was drawn meanwhile is gone.
  return stripVTControlCharacters(text).split('\n');
}
