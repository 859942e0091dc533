import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyLocation } from '../ai-sdk/failures.ts';
import { knownProviders, type KnownProvider } from './known.ts';

/** Environment variables, keyed by name. */
export type ProviderEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Looks up a variable in one source. A function rather than an object, so that printing it never reveals a
 * key.
 */
export type VariableLookup = (variable: string, from: KeyLocation['from']) => FoundKey | undefined;

/** The value of a variable, which is a key or an address, and its source. */
export interface FoundKey extends KeyLocation {
  /** The value. It must never be displayed. */
  readonly value: string;
}

/** A provider's key and address. Both come from the same source. */
interface Account {
  readonly key?: FoundKey | undefined;
  readonly address?: FoundKey | undefined;
  /** An address from a different source than the key, so the two may not belong together. */
  readonly stray?: FoundKey | undefined;
}

const most = 1_000_000; // The maximum size of a `.env` file in bytes. Handwritten files are smaller.

/** The sources in order of precedence: the user's environment, then the `.env` file of a trusted project. */
export const variableSources: readonly KeyLocation['from'][] = ['environment', '.env'];

/**
 * Creates a function that looks up variables in the environment and in a trusted project's `.env`, which it
 * reads on demand.
 */
export function createVariableLookup(
  environment: ProviderEnvironment,
  ofProject: () => ReadonlyMap<string, string> = () => new Map(),
): VariableLookup {
  let inFile: ReadonlyMap<string, string> | undefined;
  return (variable, from) => {
    const text = from === 'environment' ? environment[variable] : (inFile ??= ofProject()).get(variable);
    const value = text?.trim() ?? '';
    return value === '' ? undefined : found(variable, from, value);
  };
}

/**
 * Returns a known provider's key and address. Both come from the first source with a key, or else from the
 * first source with an address. If that source has a key but no address, an address from another source is
 * returned as `stray`.
 */
export function accountOf({ keys, urlVariable }: KnownProvider, lookUp: VariableLookup): Account {
  const accounts = variableSources.map((from): Account => ({
    key: keys.map((variable) => lookUp(variable, from)).find((one) => one !== undefined),
    address: urlVariable === undefined ? undefined : lookUp(urlVariable, from),
  }));
  const used =
    accounts.find(({ key }) => key !== undefined) ?? accounts.find(({ address }) => address !== undefined);
  if (used?.key === undefined || used.address !== undefined) return used ?? {};
  const stray = accounts.find(({ key, address }) => key === undefined && address !== undefined);
  return { ...used, stray: stray?.address };
}

/** The variables for the keys and addresses of all known providers. */
export const modelVariables: readonly string[] = knownProviders.flatMap(({ keys, urlVariable }) =>
  urlVariable === undefined ? keys : [...keys, urlVariable],
);

/**
 * Returns the variables in a folder's `.env` file. Returns an empty map if the file is missing or
 * unreadable.
 */
export function readEnvFile(folder: string): ReadonlyMap<string, string> {
  return parseEnvFile(readText(join(folder, '.env')));
}

function found(variable: string, from: KeyLocation['from'], value: string): FoundKey {
  return Object.defineProperty({ variable, from } as FoundKey, 'value', { value, enumerable: false });
}

/**
 * Reads a file. Returns an empty string if the file is missing or unreadable. Skips devices and pipes,
 * because reading them may never end.
 */
function readText(path: string): string {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= most ? readFileSync(path, 'utf8') : '';
  } catch {
    return ''; // Most folders have no `.env` file.
  }
}

/**
 * Parses a `.env` file as a shell does. If a name is repeated, uses its last value. Does not expand
 * `$NAME`. Pure, never throws.
 */
export function parseEnvFile(text: string): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  // With the `m` flag, `^` also matches after U+2028 and U+2029. The leading white space excludes both,
  // because text with many of them would otherwise take quadratic time.
  const begin = /^[^\S\n\u2028\u2029]*(?:export[^\S\n]+)?([A-Za-z_][\w.]*)[^\S\n]*=[^\S\n]*/gm;
  const source = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  for (let found = begin.exec(source); found !== null; found = begin.exec(source)) {
    const { value, end } = readValue(source, begin.lastIndex);
    variables.set(found[1] ?? '', value);
    begin.lastIndex = end;
  }
  return variables;
}

interface Value {
  readonly value: string;
  /** The offset after the value. */
  readonly end: number;
}

/** Parses a value. An unmatched quotation mark is part of the value. */
function readValue(source: string, start: number): Value {
  const quote = source.charAt(start);
  const close = '\'"`'.includes(quote) && quote !== '' ? closingQuote(source, start, quote) : -1;
  const end = endOfLine(source, Math.max(start, close));
  if (close === -1) return { value: withoutComment(source.slice(start, end)), end };
  const inside = source.slice(start + 1, close);
  return { value: quote === '"' ? unescape(inside) : inside, end };
}

function closingQuote(source: string, start: number, quote: string): number {
  for (let at = start + 1; at < source.length; at++) {
    if (source[at] === '\\' && quote === '"') at++;
    else if (source[at] === quote) return at;
  }
  return -1;
}

function endOfLine(source: string, from: number): number {
  const end = source.indexOf('\n', from);
  return end === -1 ? source.length : end;
}

// Removes a trailing comment. A `#` starts a comment only after white space, because a key can contain `#`.
function withoutComment(line: string): string {
  return line.replace(/(?:^|\s)#.*$/, '').trim();
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function unescape(text: string): string {
  return text.replace(/\\([\s\S])/g, (pair, character: string) => {
    return escapes[character] ?? ('"\\$`'.includes(character) ? character : pair);
  });
}
