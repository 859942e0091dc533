import { readFileSync } from 'node:fs';
import {
  AgentError,
  byCodeUnits,
  isJsonObject,
  isSkillName,
  jsonFault,
  optional,
  parseJson,
  reasonOf,
  type Json,
  type JsonObject,
  type Requirements,
} from '../core/index.ts';
import { createBundlePaths, systemCode } from '../files/index.ts';
import type { ResolvedSource } from './tree.ts';

/** The name of the lock, which lists the installed skills of a project or of a user. */
export const lockName = 'skilled-lock.json';

/** An installed skill in a lock. Contains no times and no absolute paths. */
export interface LockedSkill {
  /** The source as a person would type it. Absent if the skill was written here. */
  readonly source?: string;
  readonly resolved?: ResolvedSource;
  /** The skill's folder in the source. Absent for the root. */
  readonly from?: string;
  /** The skill's folder, relative to the folder that contains `.agents`. */
  readonly path: string;
  /** The digest of the folder. Trust depends on the same digest. */
  readonly digest: string;
  /** The digest of each file, by its path in the folder. */
  readonly files: Readonly<Record<string, string>>;
  /** The files that are marked as executable. */
  readonly executables: readonly string[];
  /** The requirements of the skill for the machine that it runs on. */
  readonly requires?: Requirements;
  /** Facts that another program recorded about the origin. */
  readonly provenance?: JsonObject;
}

/** The content of a lock. */
export type SkillLock = ReadonlyMap<string, LockedSkill>;

/** Reads a lock. Returns an empty one if the file is missing. Throws `usage.bad-settings` if it is damaged. */
export function readLock(file: string): SkillLock {
  const text = readText(file);
  if (text === undefined) return new Map();
  const json = parseJson(text);
  if (json === undefined) throw damaged(file, `is not valid JSON (line ${jsonFault(text).line})`);
  if (!isJsonObject(json) || json['version'] !== 1 || !isJsonObject(json['skills']))
    throw damaged(file, 'is not a lock of version 1');
  return new Map(
    Object.entries(json['skills']).map(([name, entry]) => {
      const fault = isSkillName(name) ? entryFault(name, entry) : 'has an invalid name';
      if (fault !== undefined) throw damaged(file, `has a skill ${JSON.stringify(name)} that ${fault}`);
      return [name, entry as unknown as LockedSkill];
    }),
  );
}

/** Returns the text of a lock: sorted, so that equal locks have equal texts. Pure. */
export function lockText(lock: SkillLock): string {
  const skills = [...lock]
    .sort(([a], [b]) => byCodeUnits(a, b))
    .map(([name, entry]) => [name, ordered(entry)]);
  const content = { version: 1, skills: Object.fromEntries(skills) as JsonObject };
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

/** The JSON Schema of a lock. */
export const lockSchema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Installed skills of skilled',
  type: 'object',
  required: ['version', 'skills'],
  properties: {
    $schema: { type: 'string' },
    version: { const: 1 },
    skills: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['path', 'digest', 'files', 'executables'],
        additionalProperties: false,
        properties: {
          source: { type: 'string', description: 'The source as it is typed for `skilled add`.' },
          resolved: {
            type: 'object',
            description: 'The exact version that was fetched.',
            additionalProperties: false,
            properties: {
              commit: { type: 'string', pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$' },
              ref: { type: 'string' },
              version: { type: 'string' },
              integrity: { type: 'string' },
              digest: { $ref: '#/$defs/digest' },
            },
          },
          from: { type: 'string', description: "The skill's folder in the source." },
          path: { type: 'string', description: "The skill's folder, relative to the project." },
          digest: { $ref: '#/$defs/digest' },
          files: { type: 'object', additionalProperties: { $ref: '#/$defs/digest' } },
          executables: { type: 'array', items: { type: 'string' } },
          requires: { type: 'object', description: 'What the skill needs on its machine.' },
          provenance: { type: 'object', description: 'What another program recorded about the origin.' },
        },
      },
    },
  },
  $defs: { digest: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' } },
};

function ordered(entry: LockedSkill): JsonObject {
  const { source, resolved, from, path, digest, files, executables, requires, provenance } = entry;
  const sorted = Object.entries(files).sort(([a], [b]) => byCodeUnits(a, b));
  return {
    ...optional('source', source),
    ...optional('resolved', resolved as JsonObject | undefined),
    ...optional('from', from),
    path,
    digest,
    files: Object.fromEntries(sorted),
    executables: [...executables].sort(byCodeUnits),
    ...optional('requires', requires as JsonObject | undefined),
    ...optional('provenance', provenance),
  };
}

const digestPattern = /^sha256:[0-9a-f]{64}$/;

/** Checks an entry, because a lock can come with a cloned project. */
function entryFault(name: string, entry: Json): string | undefined {
  if (!isJsonObject(entry)) return 'is not an object';
  const { source, from, path, digest, files, executables, resolved = {} } = entry;
  const texts = [source, from].filter((text) => text !== undefined);
  if (!texts.every((text) => typeof text === 'string')) return 'has an invalid source';
  if (path !== skillPath(name)) return `is not in ${skillPath(name)}`;
  if (typeof digest !== 'string' || !digestPattern.test(digest)) return 'has no valid digest';
  if (!isJsonObject(resolved) || !Object.values(resolved).every((value) => typeof value === 'string'))
    return 'has an invalid version';
  if (!isJsonObject(files) || !Array.isArray(executables)) return 'has no files';
  const paths = createBundlePaths();
  for (const [file, sum] of Object.entries(files)) {
    const fault = paths.add(file);
    if (fault !== undefined) return `has a bad file: ${fault}`;
    if (typeof sum !== 'string' || !digestPattern.test(sum)) return 'has a file without a valid digest';
  }
  const areKnown = (executables as readonly Json[]).every(
    (file) => typeof file === 'string' && Object.hasOwn(files, file),
  );
  return areKnown ? undefined : 'has an unknown executable';
}

/** Returns the folder of an installed skill, relative to the folder that contains `.agents`. */
export function skillPath(name: string): string {
  return `.agents/skills/${name}`;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(thrown) ?? '')) return undefined;
    throw damaged(file, `cannot be read: ${reasonOf(thrown)}`);
  }
}

function damaged(file: string, what: string): AgentError {
  return new AgentError('usage.bad-settings', `${file} ${what}.`, {
    hint: 'Restore the file from version control, or move it away and run `skilled lock`.',
  });
}
