import { existsSync, lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectFiles } from '../../../config/paths.ts';
import { settingsSources } from '../../../config/read/settings.ts';
import { addLines, ignoredLines, missingLines, mustStayIn } from '../../../config/skilled-folder.ts';
import { keepTrust } from '../../../config/trust.ts';
import { AgentError, reasonOf } from '../../../core/error.ts';
import { writeNew } from '../../write-new.ts';
import { settingsText } from './settings-text.ts';

/** Absolute paths: what is new, what got lines added, what was there and stays as it is. */
export interface ProjectFiles {
  readonly written: readonly string[];
  readonly changed: readonly string[];
  readonly present: readonly string[];
}

/** Writes what a project begins with and does not have yet; `sample` is a skill by its path from the folder of skills. */
export async function writeProject(
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
