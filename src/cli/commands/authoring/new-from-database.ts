import { resolve } from 'node:path';
import { databasePlace, isPath } from '../../../config/storage/locations.ts';
import { openExistingDatabase } from '../../../config/storage/open-database.ts';
import { AgentError, type Family } from '../../../core/index.ts';
import { shellWord, type CommonFlags } from '../../command-kit.ts';

/** What a new skill is to stand for. */
export interface TableOrigin {
  /** A path, an address or `env:NAME`, as it was given. */
  readonly place: string;
  readonly what: string;
}

/** The files of a new skill for something in a database, which is looked at and not changed. */
export async function filesFrom(
  family: Family,
  name: string,
  { place, what }: TableOrigin,
  { cwd }: Pick<CommonFlags, 'cwd'>,
): Promise<Readonly<Record<string, string>>> {
  if (family.authoring?.templateFrom === undefined) {
    throw new AgentError(
      'usage.bad-input',
      `${family.label} skills are not made from what is in a database.`,
      {
        hint: 'Leave out --from.',
      },
    );
  }
  const database = await openExistingDatabase(place, cwd);
  try {
    return await family.authoring.templateFrom(name, { place: database.place, what, database });
  } finally {
    await database.close();
  }
}

/** A setting without which a skill does not find its database. */
export interface NeededSetting {
  readonly key: string;
  /** An absolute path, since it counts for all projects; never holds a password: `env:NAME` stands for an address that does. */
  readonly value: string;
  /** The command that sets it. */
  readonly command: string;
  /** What to do before, where the address must be put into a variable first. */
  readonly first?: string;
}

/** What has to be set so that a skill finds the database it was made from; undefined when it looks there anyway. */
export function neededSetting(
  name: string,
  place: string,
  { cwd, safe }: Pick<CommonFlags, 'cwd' | 'safe'>,
): NeededSetting | undefined {
  const used = databasePlace(cwd, { isSafe: safe });
  if (used === place || (isPath(place) && used === resolve(cwd, place))) return undefined;
  const variable = `${name.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_DATABASE`;
  const isSecret = URL.parse(place)?.password !== undefined && URL.parse(place)?.password !== '';
  const key = `skills.entries.${name}.override.database`;
  const value = isSecret ? `env:${variable}` : isPath(place) ? resolve(cwd, place) : place;
  return {
    key,
    value,
    command: `skilled config set ${shellWord(key)} ${shellWord(value)}`,
    ...(isSecret ? { first: `The address holds a password: put it into the variable ${variable}.` } : {}),
  };
}
