import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { settingsFiles } from '../../config/paths.ts';
import { settingsSources } from '../../config/read/settings.ts';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AgentError } from '../../core/error.ts';
import type { Command, CommonFlags } from '../command.ts';
import { openAgent } from '../open-agent.ts';
import { printJson } from '../output/json.ts';
import { pasteable } from '../output/pasteable.ts';
import { oneLine } from '../output/text.ts';
import { sampleName, sampleText } from './init/sample-skill.ts';
import { writeProject, type ProjectFiles } from './init/write-project.ts';

/** `skilled init`: writes what a project begins with and prints the paths; what is there stays as it is. */
export const init: Command = {
  summary: 'Begin a project: settings, an ignore file and a first skill.',
  usage: `Usage: skilled init [--cwd <dir>] [--json]

Writes .skilled/settings.json, .skilled/.gitignore and, where the project has no skill yet,
a first one in .agents/skills. Nothing is ever overwritten. No command needs it: skilled
works in any folder.

  skilled init
  skilled init --cwd ~/projects/workshop`,
  async run({ flags, terminal }) {
    await using agent = await openAgent(flags);
    mustBeProject(flags);
    const above = settingsAbove(flags);
    const made = await writeProject(flags.cwd, sampleFor(agent));
    const { written, changed, present } = made;
    if (flags.json) {
      printJson(terminal, { ok: true, ...made });
      return 0;
    }
    terminal.out([...written, ...changed].map((file) => `${oneLine(file)}\n`).join(''));
    if (flags.quiet) return 0;
    if (written.length + changed.length === 0)
      terminal.err(`All is there, nothing was written: ${present.map(oneLine).join(', ')}\n`);
    if (above !== undefined && written.some((file) => file.endsWith('settings.json')))
      terminal.err(`Here these settings now count in the place of ${oneLine(above)}\n`);
    await agent.reload();
    for (const line of nextLines(agent, made)) terminal.err(`${pasteable(line, terminal)}\n`);
    return 0;
  },
};

/** The `.skilled` folder of the home folder holds the settings of a person. */
function mustBeProject({ cwd }: CommonFlags): void {
  const own = settingsFiles(settingsSources(cwd)).find(({ layer }) => layer === 'user');
  if (own === undefined || dirname(own.file) !== join(cwd, '.skilled')) return;
  throw new AgentError('usage.bad-input', `${cwd} is no project: its .skilled has your own settings.`, {
    hint: 'Make a folder for the project, and begin there: `skilled init --cwd <dir>`',
  });
}

function settingsAbove({ cwd, safe }: CommonFlags): string | undefined {
  const found = settingsFiles(settingsSources(cwd, { isSafe: safe })).find(
    ({ layer, file }) => layer === 'project' && dirname(dirname(file)) !== cwd && existsSync(file),
  );
  return found?.file;
}

/** The first family whose skills are folders with a file writes them as the open standard does. */
function sampleFor({
  skills,
  families,
}: RecursiveSkilledAgent): { readonly path: string; readonly text: string } | undefined {
  const isOther = skills.list().some(({ source, name }) => source === 'project' && name !== sampleName);
  if (isOther) return undefined;
  for (const { descriptor } of families) {
    if (descriptor !== undefined && 'file' in descriptor)
      return { path: `${sampleName}/${descriptor.file}`, text: sampleText };
  }
  return undefined;
}

function nextLines({ skills }: RecursiveSkilledAgent, { written, present }: ProjectFiles): readonly string[] {
  const sample = skills.get(sampleName);
  const isReached = sample !== undefined && [...written, ...present].includes(sample.file);
  if (!isReached) return ['Next:', '  `skilled list`'];
  return [
    'Next:',
    `  \`skilled render ${sample.name} Ann\``,
    '      shows what a model gets of it, without a model',
    `  \`skilled run /${sample.name} Ann\``,
    '      runs it with a model; `skilled models` shows what was found',
    '  `skilled new`',
    '      lists the kinds of skills; `skilled new <family> <name>` makes one',
  ];
}
