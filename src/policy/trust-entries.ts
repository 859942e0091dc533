import {
  indexLines,
  isJsonObject,
  jsonFault,
  parseJson,
  type Json,
  type JsonObject,
  type LastingLeave,
  type Pin,
} from '../core/index.ts';

/** A bundle whose code may run, as long as none of its bytes changes. */
export interface TrustedBundle {
  readonly digest: string;
  /** The skill and its folder when it was trusted, for people: the digest alone decides. The folder may be empty. */
  readonly name: string;
  readonly dir: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Leave with the moment it was given, in milliseconds since 1970. */
export interface KeptLeave extends Omit<LastingLeave, 'pin'> {
  readonly at: number;
}

/** A project whose settings are believed wholly, as long as none of their bytes changes. */
export interface TrustedProject {
  /** Real path. */
  readonly folder: string;
  readonly digest: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What something from elsewhere was when it was first used, or when somebody last allowed it; since when, in milliseconds since 1970. */
export interface KeptPin extends Pin {
  readonly at: number;
}

/** All that was ever trusted and not revoked, oldest first. */
export interface TrustEntries {
  readonly bundles: readonly TrustedBundle[];
  readonly leave: readonly KeptLeave[];
  readonly projects: readonly TrustedProject[];
  /** One for each key. */
  readonly pins: readonly KeptPin[];
}

/** Any of them. */
export type TrustEntry = TrustedBundle | KeptLeave | TrustedProject | KeptPin;

/** Nothing is trusted. */
export const noTrust: TrustEntries = { bundles: [], leave: [], projects: [], pins: [] };

/** What was read, or what is wrong with the text: the end of a sentence that begins with its file, and the line. */
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

/** Reads the text of a trust file; whatever is not exactly what we write is a fault, so that nothing doubtful is trusted. Pure. */
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
 * The text of a trust file: one entry in each line. It is of version 1, which programs know that have no pins, as long as
 * there are none; of version 2 they believe nothing. Pure.
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
    return { key: 'version', fault: 'has another version than 1 and 2, which are known here' };
  const kinds = kindsIn[version];
  const known: readonly string[] = ['version', ...kinds];
  const strange = Object.keys(whole).find((key) => !known.includes(key));
  if (strange !== undefined) return { key: strange, fault: `has a member "${strange}", which is not known` };
  for (const key of kinds) {
    const list = whole[key];
    if (!Array.isArray(list)) return { key, fault: `has no list "${key}"` };
    const index = list.findIndex((entry: Json) => !isEntry(entry, texts[key]));
    if (index >= 0)
      return { key, fault: `has something that is no entry as number ${index + 1} of "${key}"` };
  }
  return undefined;
}

function isEntry(entry: Json, members: readonly string[]): boolean {
  if (!isJsonObject(entry) || Object.keys(entry).length !== members.length + 1) return false;
  const isWhole = members.every((name) => typeof entry[name] === 'string');
  return isWhole && typeof entry['at'] === 'number';
}
