import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { projectFiles, settingsFiles } from '../../../config/paths.ts';
import { settingsSources } from '../../../config/read/settings.ts';
import { addLines, ignoredLines, missingLines, mustStayIn } from '../../../config/skilled-folder.ts';
import { keepTrust } from '../../../config/trust.ts';
import { AgentError, reasonOf } from '../../../core/index.ts';
import {
  oneLine,
  openAgent,
  pasteable,
  printJson,
  type CliCommand,
  type CommonFlags,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { writeNew } from './write-files.ts';

/** `skilled init`: writes what a project begins with and prints the paths; what is there stays as it is. */
export const init: CliCommand = {
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

/** The name of the skill that a new project begins with. */
const sampleName = 'hello';

/** A small skill of the open standard that takes words, to be looked at, run and replaced. */
const sampleText = `---
name: ${sampleName}
description: Greets somebody by name and says what this project is about. Use it to try out skills.
---

# Hello

Greet this person in one sentence: $ARGUMENTS

Then say in one more sentence what this folder is about, going by its README if there is one.
`;

/** Absolute paths: what is new, what got lines added, what was there and stays as it is. */
interface ProjectFiles {
  readonly written: readonly string[];
  readonly changed: readonly string[];
  readonly present: readonly string[];
}

/** Writes what a project begins with and does not have yet; `sample` is a skill by its path from the folder of skills. */
async function writeProject(
  project: string,
  sample: { readonly path: string; readonly text: string } | undefined,
): Promise<ProjectFiles> {
  const own = join(project, '.skilled');
  const skills = join(project, '.agents', 'skills');
  mustStayIn(project, own);
  for (const folder of [own, ...(sample === undefined ? [] : [dirname(skills), skills])]) mustBeFree(folder);
  const skill = sample === undefined ? none : newFile(skills, sample.path, sample.text);
  const settings = await newSettings(project, own);
  const ignored = ignoreFile(own);
  const parts = [settings, ignored, skill];
  return {
    written: parts.flatMap(({ written }) => written),
    changed: parts.flatMap(({ changed }) => changed),
    present: parts.flatMap(({ present }) => present),
  };
}

const none: ProjectFiles = { written: [], changed: [], present: [] };
const hint = 'Check who may write there, or name another folder with --cwd.';

function mustBeFree(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false }) ?? lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return;
  throw new AgentError('usage.bad-input', `${folder} is there and is not a folder.`, {
    hint: 'Move it away, or name another folder with --cwd.',
  });
}

function newFile(folder: string, path: string, text: string): ProjectFiles {
  const file = join(folder, path);
  // What stands first in the path must be new: a folder that somebody began is theirs.
  const [entry = path] = path.split('/');
  if (existsSync(join(folder, entry))) return { ...none, present: [file] };
  return { ...none, written: writeNew(folder, { [path]: text }, hint) };
}

/** A project that was trusted stays so: these settings say nothing. */
async function newSettings(project: string, own: string): Promise<ProjectFiles> {
  const [place] = projectFiles(project);
  if (place === undefined) return none;
  const text = settingsText(project);
  const keep = keepTrust(place, settingsSources(project), () => text);
  const made = newFile(own, 'settings.json', text);
  if (made.written.length > 0) await keep();
  return made;
}

function ignoreFile(own: string): ProjectFiles {
  const file = join(own, '.gitignore');
  if (!existsSync(file)) return newFile(own, '.gitignore', ignoredLines.map((line) => `${line}\n`).join(''));
  try {
    const lines = missingLines(own);
    if (lines.length === 0) return { ...none, present: [file] };
    addLines(own, lines);
    return { ...none, changed: [file] };
  } catch (thrown) {
    throw new AgentError('usage.not-found', `${file} cannot be written: ${reasonOf(thrown)}.`, {
      hint,
      cause: thrown,
    });
  }
}

/** The text of first settings, which say nothing yet; an editor finds their schema where the package is installed. */
function settingsText(project: string): string {
  const [isThere, schema] = schemaFrom(project);
  return `{
  // "skilled config list --all" shows what can be set, "skilled config explain <key>" what it means.
  ${isThere ? '' : '// '}"$schema": "${schema}",
  // "limits": { "depth": 4, "money": 1 },
}
`;
}

const place = ['node_modules', 'skilled', 'schemas', 'settings.json'];

/** From the folder of the settings; where no package is found upwards, the place at which it usually is. */
function schemaFrom(project: string): readonly [isThere: boolean, path: string] {
  const base = join(project, '.skilled');
  for (let dir = project; ; dir = dirname(dir)) {
    const file = join(dir, ...place);
    if (existsSync(file)) return [true, relative(base, file).split(sep).join('/')];
    if (dirname(dir) === dir) return [false, ['..', ...place].join('/')];
  }
}
