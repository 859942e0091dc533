import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { projectFiles, settingsFiles } from '../../../config/paths.ts';
import { settingsSources } from '../../../config/read/settings.ts';
import { addLines, ignoredLines, missingLines, mustStayIn } from '../../../config/skilled-folder.ts';
import { prepareTrustUpdate } from '../../../config/trust.ts';
import { AgentError, reasonOf } from '../../../core/index.ts';
import {
  oneLine,
  openAgent,
  pasteableRows,
  printJson,
  type CliCommand,
  type CommonFlags,
  type RecursiveSkilledAgent,
} from '../../command-kit.ts';
import { writeNew } from './write-files.ts';

/**
 * `skilled init`: writes a project's first files and prints their paths. Changes no existing file except an
 * ignore file with missing lines.
 */
export const init: CliCommand = {
  summary: 'Set up a project: settings, an ignore file and a first skill.',
  usage: `Usage: skilled init [--cwd <dir>] [--json]

Writes .skilled/settings.json, .skilled/.gitignore and, if the project has no skills yet,
a first one in .agents/skills. Never overwrites a file. This step is optional: skilled
works in any folder.

  skilled init
  skilled init --cwd ~/projects/workshop`,
  async run({ flags, terminal }) {
    await using agent = await openAgent(flags);
    mustBeProject(flags);
    const above = settingsAbove(flags);
    const result = await writeProject(flags.cwd, sampleFor(agent));
    const { written, changed, present } = result;
    if (flags.json) {
      printJson(terminal, { ok: true, ...result });
      return 0;
    }
    terminal.out([...written, ...changed].map((file) => `${oneLine(file)}\n`).join(''));
    if (flags.quiet) return 0;
    if (written.length + changed.length === 0)
      terminal.err(`Nothing to do, these files exist: ${present.map(oneLine).join(', ')}\n`);
    if (above !== undefined && written.some((file) => file.endsWith('settings.json')))
      terminal.err(`In this folder, these settings now replace ${oneLine(above)}\n`);
    await agent.reload();
    for (const line of nextLines(agent, result)) terminal.err(`${pasteableRows(line, terminal)}\n`);
    return 0;
  },
};

/**
 * Throws if the folder cannot be a project. In the home folder, `.skilled` is reserved for the user's own
 * settings.
 */
function mustBeProject({ cwd }: CommonFlags): void {
  const own = settingsFiles(settingsSources(cwd)).find(({ layer }) => layer === 'user');
  if (own === undefined || dirname(own.file) !== join(cwd, '.skilled')) return;
  throw new AgentError(
    'usage.bad-input',
    `${cwd} cannot be a project: its .skilled folder contains your own settings.`,
    {
      hint: 'Create a folder for the project and set it up: `skilled init --cwd <dir>`',
    },
  );
}

function settingsAbove({ cwd, safe }: CommonFlags): string | undefined {
  const found = settingsFiles(settingsSources(cwd, { isSafe: safe })).find(
    ({ layer, file }) => layer === 'project' && dirname(dirname(file)) !== cwd && existsSync(file),
  );
  return found?.file;
}

/**
 * Returns a project's first skill, for the first family whose skills are folders with a descriptor file.
 * Returns undefined if the project already has skills.
 */
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
    '      shows the text that a model gets, without calling one',
    `  \`skilled run /${sample.name} Ann\``,
    '      runs it with a model; `skilled models` lists the available ones',
    '  `skilled new`',
    '      lists the kinds of skills; `skilled new <family> <name>` creates one',
  ];
}

/** The name of a new project's first skill. */
const sampleName = 'hello';

/**
 * A small skill in the open standard's format. It takes an argument and serves as an example to read, run and
 * replace.
 */
const sampleText = `---
name: ${sampleName}
description: Greets someone by name and says what this project is about. Use it to try out skills.
---

# Hello

Greet this person in one sentence: $ARGUMENTS

Then say in one more sentence what this folder is about, based on its README if it has one.
`;

/**
 * The absolute paths of created files, of files that gained lines, and of existing files that were left
 * unchanged.
 */
interface ProjectFiles {
  readonly written: readonly string[];
  readonly changed: readonly string[];
  readonly present: readonly string[];
}

/**
 * Writes the project files that do not exist yet. `sample` is a skill to add; its path is relative to the
 * skills folder.
 */
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
const hint = 'Check the permissions, or choose another folder with --cwd.';

function mustBeFree(folder: string): void {
  const stats = statSync(folder, { throwIfNoEntry: false }) ?? lstatSync(folder, { throwIfNoEntry: false });
  if (stats === undefined || stats.isDirectory()) return;
  throw new AgentError('usage.bad-input', `${folder} exists and is not a folder.`, {
    hint: 'Move or rename the file, or choose another folder with --cwd.',
  });
}

function newFile(folder: string, path: string, text: string): ProjectFiles {
  const file = join(folder, path);
  // The first component of the path must not exist yet, so that an existing folder stays unchanged.
  const [entry = path] = path.split('/');
  if (existsSync(join(folder, entry))) return { ...none, present: [file] };
  return { ...none, written: writeNew(folder, { [path]: text }, hint) };
}

/** Writes an initial settings file without any settings, so that a trusted project stays trusted. */
async function newSettings(project: string, own: string): Promise<ProjectFiles> {
  const [target] = projectFiles(project);
  if (target === undefined) return none;
  const text = settingsText(project);
  const updateTrust = prepareTrustUpdate(target, settingsSources(project), () => text);
  const result = newFile(own, 'settings.json', text);
  if (result.written.length > 0) await updateTrust();
  return result;
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
    throw new AgentError('usage.not-found', `Cannot write ${file}: ${reasonOf(thrown)}.`, {
      hint,
      cause: thrown,
    });
  }
}

/**
 * Returns the text of an initial settings file without any settings. Editors find the schema of the settings
 * if the package is installed.
 */
function settingsText(project: string): string {
  const [isThere, schema] = schemaFrom(project);
  return `{
  // "skilled config list --all" lists all settings, "skilled config explain <key>" describes one.
  ${isThere ? '' : '// '}"$schema": "${schema}",
  // "limits": { "depth": 4, "cost": 1 },
}
`;
}

const schemaPath = ['node_modules', 'skilled', 'schemas', 'settings.json'];

/**
 * Returns the path of the schema relative to the settings folder. If no parent folder has the package,
 * returns the usual path.
 */
function schemaFrom(project: string): readonly [isThere: boolean, path: string] {
  const base = join(project, '.skilled');
  for (let dir = project; ; dir = dirname(dir)) {
    const file = join(dir, ...schemaPath);
    if (existsSync(file)) return [true, relative(base, file).split(sep).join('/')];
    if (dirname(dir) === dir) return [false, ['..', ...schemaPath].join('/')];
  }
}
