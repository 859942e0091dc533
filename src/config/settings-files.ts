import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { projectFolder } from './project-folder.ts';

/** Where settings may lie. */
export interface SettingsPlaces {
  /** Where project settings are looked for, upwards; without it there are none. */
  readonly startDir?: string | undefined;
  /** The folder of the user's own settings. */
  readonly userFolder?: string | undefined;
  /** A `.skilled` in it is the user's, never a project's. */
  readonly home?: string | undefined;
}

/** Who writes a settings file. */
export type FileLayer = 'user' | 'project' | 'local';

/** A settings file, whether it is there or not. */
export interface SettingsFile {
  readonly layer: FileLayer;
  readonly file: string;
}

/** The settings files that apply, lowest precedence first; missing ones included. */
export function settingsFiles({ startDir, userFolder, home }: SettingsPlaces): readonly SettingsFile[] {
  const own: readonly SettingsFile[] =
    userFolder === undefined ? [] : [{ layer: 'user', file: join(userFolder, 'settings.json') }];
  if (startDir === undefined) return own;
  const hasSettings = (dir: string): boolean => projectFiles(dir).some(({ file }) => existsSync(file));
  const project = projectFolder(resolve(startDir), home, hasSettings);
  return [...own, ...projectFiles(project).filter(({ file }) => file !== own[0]?.file)];
}

/** The settings files of a project, lowest precedence first. */
export function projectFiles(dir: string): readonly SettingsFile[] {
  return [
    { layer: 'project', file: join(dir, '.skilled', 'settings.json') },
    { layer: 'local', file: join(dir, '.skilled', 'settings.local.json') },
  ];
}
