import type { SettingsSources } from './settings.ts';
import type { SettingsLayer } from './settings-layer.ts';
import { homeFolder, userFolder } from './user-folders.ts';

/** How the sources of settings differ from the usual ones. */
export interface SourceOptions {
  /** No settings file counts. */
  readonly isSafe?: boolean;
  readonly flags?: readonly SettingsLayer[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Where the settings of a command come from that works in a folder. */
export function settingsSources(cwd: string, options: SourceOptions = {}): SettingsSources {
  const { isSafe = false, flags = [], environment = process.env } = options;
  const home = homeFolder(environment);
  const files = isSafe ? {} : { startDir: cwd, userFolder: userFolder(environment, home), home };
  return { ...files, environment, flags };
}
