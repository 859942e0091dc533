import {
  indexLines,
  isJsonObject,
  jsonFault,
  parseJson,
  type Json,
  type JsonObject,
  type LastingApproval,
  type Pin,
} from '../core/index.ts';

/** A bundle whose code may run as long as its files do not change. */
export interface TrustedBundle {
  readonly digest: string;
  /**
   * The name and folder of the skill at the time of the decision. They are only for display, because trust
   * depends on the digest alone. The folder may be empty.
   */
  readonly name: string;
  readonly dir: string;
  /** The time when the bundle was trusted, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A lasting approval. `at` is the time when it was given, in milliseconds since the Unix epoch. */
export interface StoredApproval extends Omit<LastingApproval, 'pin'> {
  readonly at: number;
}

/** A project whose settings are trusted as long as they do not change. */
export interface TrustedProject {
  /** The real path of the project's folder. */
  readonly folder: string;
  readonly digest: string;
  /** The time when the project was trusted, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/**
 * The definition of an external item, such as a server's tool, as recorded at its first use or last approval.
 * `at` is the time of recording, in milliseconds since the Unix epoch.
 */
export interface StoredPin extends Pin {
  readonly at: number;
}

/** All trust that has not been revoked, oldest first. */
export interface TrustEntries {
  readonly bundles: readonly TrustedBundle[];
  readonly leave: readonly StoredApproval[];
  readonly projects: readonly TrustedProject[];
  /** The pins, at most one per key. */
  readonly pins: readonly StoredPin[];
}

/** An entry of a trust file. */
export type TrustEntry = TrustedBundle | StoredApproval | TrustedProject | StoredPin;

/** The entries of an empty trust file. */
export const noTrust: TrustEntries = { bundles: [], leave: [], projects: [], pins: [] };

/**
 * The entries, or an error with its line number. `fault` completes a sentence that starts with the file's
 * name.
 */
type ReadEntries =
  | { readonly ok: true; readonly entries: TrustEntries }
  | { readonly ok: false; readonly fault: string; readonly line: number };

const texts = {
  bundles: ['digest', 'name', 'dir'],
  leave: ['digest', 'skill', 'rule', 'dir'],
  projects: ['folder', 'digest'],
  pins: ['key', 'hash', 'name'],
} as const;
const withoutPins = ['bundles', 'leave', 'projects'] as const;
const kindsIn = { 1: withoutPins, 2: [...withoutPins, 'pins'] } as const;

/**
 * Parses the text of a trust file. Any deviation from the format is an error, so that nothing is trusted by
 * mistake. Pure.
 */
export function readEntries(text: string): ReadEntries {
  const whole = parseJson(text);
  if (whole === undefined) return { ok: false, fault: 'is not valid JSON', line: jsonFault(text).line };
  if (!isJsonObject(whole)) return { ok: false, fault: 'is not an object', line: 1 };
  const wrong = wrongMember(whole);
  if (wrong !== undefined) return { ok: false, fault: wrong.fault, line: indexLines(text)(wrong.key) ?? 1 };
  const {
    bundles,
    leave,
    projects,
    pins = [],
  } = whole as unknown as Omit<TrustEntries, 'pins'> & {
    readonly pins?: TrustEntries['pins'];
  };
  return { ok: true, entries: { bundles, leave, projects, pins } };
}

/**
 * Returns the text of a trust file with one entry per line. A file without pins has version 1, because older
 * releases reject version 2. Pure.
 */
export function writeEntries(entries: TrustEntries): string {
  const version = entries.pins.length === 0 ? 1 : 2;
  const lists = kindsIn[version].map((kind) => {
    const rows = entries[kind].map((entry) => `\n    ${JSON.stringify(entry)}`);
    return `  "${kind}": [${rows.join(',')}${rows.length === 0 ? '' : '\n  '}]`;
  });
  return `{\n  "version": ${version},\n${lists.join(',\n')}\n}\n`;
}

function wrongMember(whole: JsonObject): { readonly key: string; readonly fault: string } | undefined {
  const { version } = whole;
  if (version !== 1 && version !== 2)
    return { key: 'version', fault: 'has an unknown version; only 1 and 2 are supported' };
  const kinds = kindsIn[version];
  const known: readonly string[] = ['version', ...kinds];
  const strange = Object.keys(whole).find((key) => !known.includes(key));
  if (strange !== undefined) return { key: strange, fault: `has an unknown field "${strange}"` };
  for (const key of kinds) {
    const list = whole[key];
    if (!Array.isArray(list)) return { key, fault: `has no list "${key}"` };
    const index = list.findIndex((entry: Json) => !isEntry(entry, texts[key]));
    if (index >= 0) return { key, fault: `has an invalid entry in "${key}" (number ${index + 1})` };
  }
  return undefined;
}

function isEntry(entry: Json, members: readonly string[]): boolean {
  if (!isJsonObject(entry) || Object.keys(entry).length !== members.length + 1) return false;
  const isWhole = members.every((name) => typeof entry[name] === 'string');
  return isWhole && typeof entry['at'] === 'number';
}
