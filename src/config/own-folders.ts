import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { optional } from '../core/collections.ts';
import { projectFolder } from './project-folder.ts';
import { cacheFolder, homeFolder, userFolder } from './user-folders.ts';

/** The folders in which we write by ourselves; those that are not there are absent. */
export interface OwnFolders {
  /** The `.skilled` of the project, and whether that lies in a repository. */
  readonly project?: { readonly folder: string; readonly isInRepository: boolean };
  readonly user?: string;
  readonly cache?: string;
}

/** Our own folders for a command that works in a folder; with `isSafe` none of a project. */
export function ownFolders(
  cwd: string,
  {
    isSafe = false,
    environment = process.env,
  }: {
    readonly isSafe?: boolean;
    readonly environment?: Readonly<Record<string, string | undefined>>;
  } = {},
): OwnFolders {
  const home = homeFolder(environment);
  const user = existing(userFolder(environment, home));
  const above = (name: string): string =>
    join(
      projectFolder(cwd, home, (dir) => existsSync(join(dir, name))),
      name,
    );
  const folder = isSafe ? undefined : existing(above('.skilled'));
  const isProject = folder !== undefined && folder !== user;
  return {
    ...(isProject ? { project: { folder, isInRepository: existsSync(above('.git')) } } : {}),
    ...optional('user', user),
    ...optional('cache', existing(cacheFolder(environment, home))),
  };
}

function existing(folder: string | undefined): string | undefined {
  return folder !== undefined && existsSync(folder) ? folder : undefined;
}
