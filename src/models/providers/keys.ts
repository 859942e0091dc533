import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyPlace } from '../ai-sdk/failures.ts';
import { knownProviders, type KnownProvider } from './known.ts';

/** Variables by name. */
export type ProviderEnvironment = Readonly<Record<string, string | undefined>>;

/** Looks a variable up in one source; a function, so that no key is printed with what holds it. */
export type VariableLookup = (variable: string, from: KeyPlace['from']) => FoundKey | undefined;

/** The value of a variable, a key or an address, and which source it is from. */
export interface FoundKey extends KeyPlace {
  /** Never to be shown. */
  readonly value: string;
}

/** The key and the address of a provider, as far as they are set; both from one source. */
interface Account {
  readonly key?: FoundKey | undefined;
  readonly address?: FoundKey | undefined;
  /** An address from another source than the key: which of the two was meant cannot be decided here. */
  readonly stray?: FoundKey | undefined;
}

const most = 1_000_000; // bytes of a file that anybody wrote by hand

/** The order in which sources are asked: your own environment, then the `.env` of a trusted project. */
export const variableSources: readonly KeyPlace['from'][] = ['environment', '.env'];

/** Looks variables up in the environment and among those of a trusted project, which are read on first use. */
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
 * The account of a known provider: key and address of the first source that has its key, else of the first that has its
 * address. An address without a key beside it is stray where the key is from elsewhere and has no address of its own.
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

/** The variables that hold keys and addresses of known providers. */
export const modelVariables: readonly string[] = knownProviders.flatMap(({ keys, urlVariable }) =>
  urlVariable === undefined ? keys : [...keys, urlVariable],
);

/** The variables in the file `.env` of a folder; none where there is no file. */
export function readEnvFile(folder: string): ReadonlyMap<string, string> {
  return parseEnvFile(readText(join(folder, '.env')));
}

function found(variable: string, from: KeyPlace['from'], value: string): FoundKey {
  return Object.defineProperty({ variable, from } as FoundKey, 'value', { value, enumerable: false });
}

/** A file that is not there, or not to be read, has no keys; a device or a pipe that a link leads to may never end. */
function readText(path: string): string {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= most ? readFileSync(path, 'utf8') : '';
  } catch {
    return ''; // most folders have none
  }
}

/** The variables of a `.env` file as shells and tools read it, the last of a name; nothing is put in place of `$NAME`. Pure, never throws. */
export function parseEnvFile(text: string): ReadonlyMap<string, string> {
  const variables = new Map<string, string>();
  const begin = /^[^\S\n]*(?:export[^\S\n]+)?([A-Za-z_][\w.]*)[^\S\n]*=[^\S\n]*/gm;
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
  /** Where the next variable may begin. */
  readonly end: number;
}

/** A quote that is never closed is a part of the value. */
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

// A hash begins a comment only after white space: it may be a part of a key.
function withoutComment(line: string): string {
  return line.replace(/(?:^|\s)#.*$/, '').trim();
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function unescape(text: string): string {
  return text.replace(/\\([\s\S])/g, (pair, letter: string) => {
    return escapes[letter] ?? ('"\\$`'.includes(letter) ? letter : pair);
  });
}
