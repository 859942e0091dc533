import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AgentError } from '../core/error.ts';
import { projectFolder } from './project-folder.ts';
import {
  projectFiles,
  settingsFiles,
  type FileLayer,
  type SettingsFile,
  type SettingsPlaces,
} from './settings-files.ts';

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
