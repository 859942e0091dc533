import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AgentError, isAgentError, reasonOf, type Json } from '../../core/index.ts';
import {
  projectFiles,
  projectFolder,
  settingsFiles,
  type FileLayer,
  type SettingsFile,
  type SettingsPlaces,
} from '../paths.ts';
import { makeSkilledFolder, mustStayIn } from '../skilled-folder.ts';
import { setInJson, unsetInJson } from './edit-json.ts';

/** Writes one value into a settings file, whole or not at all; whatever else stands there stays. A link leads out of the user's folder only. */
export function writeSetting(place: SettingsFile, path: readonly string[], value: Json): void {
  edit(place, (text) => setInJson(text, path, value));
}

/** Takes one value out of a settings file; false when it is not there. */
export function removeSetting(place: SettingsFile, path: readonly string[]): boolean {
  return edit(place, (text) => (text === '' ? text : unsetInJson(text, path)));
}

function edit({ layer, file }: SettingsFile, change: (text: string) => string): boolean {
  try {
    if (layer !== 'user') mustStayIn(dirname(dirname(file)), file);
    const before = readText(file);
    const after = change(before);
    if (after === before) return false;
    if (layer === 'user') mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    else makeSkilledFolder(dirname(file));
    replaceFile(file, after);
    return true;
  } catch (thrown) {
    if (isAgentError(thrown))
      throw new AgentError(thrown.code, `${file}: ${thrown.message}`, {
        ...(thrown.hint === undefined ? {} : { hint: thrown.hint }),
        cause: thrown,
      });
    throw new AgentError('usage.bad-settings', `${file} cannot be written: ${reasonOf(thrown)}.`, {
      hint: 'Check who owns the file and its folder.',
      cause: thrown,
    });
  }
}

function readText(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return '';
  if (stats.isFile()) return readFileSync(file, 'utf8');
  throw new AgentError('usage.bad-settings', 'It is not a regular file.', { hint: 'Move it away first.' });
}

/** A reader sees the old text or the new one; a link stays one, and its target is written. */
function replaceFile(link: string, text: string): void {
  const stats = statSync(link, { throwIfNoEntry: false });
  const file = stats === undefined ? link : realpathSync(link);
  const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}`);
  try {
    const handle = openSync(temporary, 'wx', stats === undefined ? 0o644 : stats.mode & 0o777);
    try {
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw thrown;
  }
}

/** The file into which a setting is written: of the layer that is named, else of the project, else the user's own. */
export function settingsTarget(places: SettingsPlaces, layer: FileLayer | undefined): SettingsFile {
  const project = layer === 'user' ? undefined : targetProject(places, layer !== undefined);
  if (project === undefined) return ownFile(places);
  const target = projectFiles(project).find((file) => file.layer === (layer ?? 'project'));
  const own = settingsFiles(places).find((file) => file.layer === 'user');
  if (target !== undefined && target.file !== own?.file) return target;
  throw new AgentError(
    'usage.bad-input',
    'The settings of your home folder are your own, not those of a project.',
    {
      hint: 'Write --user.',
    },
  );
}

function ownFile(places: SettingsPlaces): SettingsFile {
  const own = settingsFiles(places).find(({ layer }) => layer === 'user');
  if (own !== undefined) return own;
  throw new AgentError('usage.bad-settings', 'There is no home folder for settings of your own.', {
    hint: 'Name a folder in the environment variable SKILLED_HOME.',
  });
}

/** The nearest folder upwards with settings, else with a `.skilled`, else of the repository; else the start folder if it must be one. */
function targetProject({ startDir = '.', home }: SettingsPlaces, mustBeOne: boolean): string | undefined {
  const start = resolve(startDir);
  const signs: readonly ((dir: string) => boolean)[] = [
    (dir) => projectFiles(dir).some(({ file }) => existsSync(file)),
    (dir) => existsSync(join(dir, '.skilled')),
    (dir) => existsSync(join(dir, '.git')),
  ];
  for (const isOne of signs) {
    const found = projectFolder(start, home, isOne);
    if (found !== home && isOne(found)) return found;
  }
  return mustBeOne ? start : undefined;
}
