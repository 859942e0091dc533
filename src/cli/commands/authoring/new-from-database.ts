import { resolve } from 'node:path';
import { locateDatabase, isPath } from '../../../config/storage/locations.ts';
import { openExistingDatabase } from '../../../config/storage/open-database.ts';
import {
  AgentError,
  renamedMembers,
  type Database,
  type Family,
  type TemplateSource,
} from '../../../core/index.ts';
import { shellWord, type CommonFlags } from '../../command-kit.ts';

/** The database table that a new skill describes. */
export interface TableOrigin {
  /** The database: a path, an address or `env:NAME`, exactly as the user entered it. */
  readonly location: string;
  readonly what: string;
}

/** Returns the files of a new skill for a database table. Reads the database but never changes it. */
export async function filesFrom(
  family: Family,
  name: string,
  { location, what }: TableOrigin,
  { cwd }: Pick<CommonFlags, 'cwd'>,
): Promise<Readonly<Record<string, string>>> {
  if (family.authoring?.templateFrom === undefined) {
    throw new AgentError('usage.bad-input', `${family.label} skills cannot be created from a database.`, {
      hint: 'Leave out --from.',
    });
  }
  const database = await openExistingDatabase(location, cwd);
  try {
    return await family.authoring.templateFrom(name, templateSource(what, database));
  } finally {
    await database.close();
  }
}

/** A setting that a skill needs to find its database. */
export interface NeededSetting {
  readonly key: string;
  /**
   * The value of the setting. Paths are absolute because the setting applies to all projects. An address that
   * contains a password is replaced with `env:NAME`.
   */
  readonly value: string;
  /** The command that changes the setting. */
  readonly command: string;
  /** A step to run before the command if the address must first be stored in a variable. */
  readonly first?: string;
}

/** Returns the setting that a skill needs to find its database, or undefined if it needs none. */
export function neededSetting(
  name: string,
  location: string,
  { cwd, safe }: Pick<CommonFlags, 'cwd' | 'safe'>,
): NeededSetting | undefined {
  const used = locateDatabase(cwd, { isSafe: safe });
  if (used === location || (isPath(location) && used === resolve(cwd, location))) return undefined;
  const variable = `${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_DATABASE`;
  const isSecret = URL.parse(location)?.password !== undefined && URL.parse(location)?.password !== '';
  const key = `skills.entries.${name}.override.database`;
  const value = isSecret ? `env:${variable}` : isPath(location) ? resolve(cwd, location) : location;
  return {
    key,
    value,
    command: `skilled config set ${shellWord(key)} ${shellWord(value)}`,
    ...(isSecret
      ? { first: `The database address contains a password. Store the address in the variable ${variable}.` }
      : {}),
  };
}

const sourceMembers = renamedMembers({ place: 'location' }, 'from');

/** Creates a template source that also has the property names from release 0.1. */
function templateSource(what: string, database: Database): TemplateSource {
  return Object.defineProperties({ location: database.location, what, database }, sourceMembers);
}
