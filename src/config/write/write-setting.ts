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
  type SettingsLocations,
} from '../paths.ts';
import { earlierPath } from '../schema/renamed.ts';
import { makeSkilledFolder, mustStayIn } from '../skilled-folder.ts';
import { setInJson, unsetInJson } from './edit-json.ts';

/**
 * Writes one value to a settings file atomically and preserves the rest of its text. The file may
 * be a symbolic link, but only a link in the user's own folder may point outside its folder.
 */
export function writeSetting(target: SettingsFile, path: readonly string[], value: Json): void {
  edit(target, (text) => withSetting(text, path, value));
}

/** Removes one value from a settings file. Returns false if the value was not set. */
export function removeSetting(target: SettingsFile, path: readonly string[]): boolean {
  return edit(target, (text) => withoutSetting(text, path));
}

/** Sets a value in the text of a settings file and removes the setting's old key. Pure. */
export function withSetting(text: string, path: readonly string[], value: Json): string {
  return setInJson(withoutEarlier(text, path), path, value);
}

/** Removes a value from the text of a settings file, under both its current and its old key. Pure. */
export function withoutSetting(text: string, path: readonly string[]): string {
  return text === '' ? text : unsetInJson(withoutEarlier(text, path), path);
}

function withoutEarlier(text: string, path: readonly string[]): string {
  const earlier = earlierPath(path);
  return text === '' || earlier === undefined ? text : unsetInJson(text, earlier);
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
    throw new AgentError('usage.bad-settings', `${file} could not be written: ${reasonOf(thrown)}.`, {
      hint: 'Check the owner of the file and its folder.',
      cause: thrown,
    });
  }
}

function readText(file: string): string {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return '';
  if (stats.isFile()) return readFileSync(file, 'utf8');
  throw new AgentError('usage.bad-settings', 'The path is not a regular file.', {
    hint: 'Move or rename it, then try again.',
  });
}

/** Replaces a file atomically. If `link` is a symbolic link, replaces its target instead. */
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

/**
 * Returns the settings file to write to. If no layer is given, returns the project's file, or the
 * user's file if there is no project.
 */
export function settingsTarget(locations: SettingsLocations, layer: FileLayer | undefined): SettingsFile {
  const project = layer === 'user' ? undefined : targetProject(locations, layer !== undefined);
  if (project === undefined) return ownFile(locations);
  const target = projectFiles(project).find((file) => file.layer === (layer ?? 'project'));
  const own = settingsFiles(locations).find((file) => file.layer === 'user');
  if (target !== undefined && target.file !== own?.file) return target;
  throw new AgentError(
    'usage.bad-input',
    'The settings in your home folder are user settings, not project settings.',
    {
      hint: 'Add --user.',
    },
  );
}

function ownFile(locations: SettingsLocations): SettingsFile {
  const own = settingsFiles(locations).find(({ layer }) => layer === 'user');
  if (own !== undefined) return own;
  throw new AgentError('usage.bad-settings', 'No home folder was found for your user settings.', {
    hint: 'Set the environment variable SKILLED_HOME to a folder.',
  });
}

/**
 * Returns the nearest enclosing folder that contains settings. If there is none, looks for a
 * `.skilled` folder, and then for a repository. If that also fails, returns the start folder if
 * `mustBeOne` is true, or else undefined.
 */
function targetProject({ startDir = '.', home }: SettingsLocations, mustBeOne: boolean): string | undefined {
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
