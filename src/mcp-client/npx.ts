/** What `npx` is asked to run. */
export interface NpxCommand {
  /** The name of the package, without its version. */
  readonly package: string;
  /** The version or the tag behind its name. */
  readonly version?: string;
  /** The program of the package, where it is named apart. */
  readonly program?: string;
  /** What the program gets. */
  readonly words: readonly string[];
}

const flags = new Set([
  '-y',
  '--yes',
  '-q',
  '--quiet',
  '--prefer-offline',
  '--offline',
  '--no-install',
  '--',
]);

/** Reads the words of `npx`; undefined where they are more than a package and what it gets. */
export function readNpx(args: readonly string[]): NpxCommand | undefined {
  const [first, ...rest] = args;
  if (first === undefined) return undefined;
  if (flags.has(first)) return readNpx(rest);
  const named = first.startsWith('--package=') ? [first.slice('--package='.length), ...rest] : rest;
  if (first === '-p' || first === '--package' || named !== rest) return readNamed(named);
  if (first.startsWith('-')) return undefined;
  const read = readPackage(first);
  return read && { ...read, words: rest };
}

/** A package, and then its program with what that gets. */
function readNamed([name = '', ...rest]: readonly string[]): NpxCommand | undefined {
  const read = readPackage(name);
  const [program, ...words] = rest.filter(
    (word, index) => !(flags.has(word) && rest.slice(0, index).every((one) => flags.has(one))),
  );
  return read === undefined || program === undefined ? undefined : { ...read, program, words };
}

/** A package as npm names it; undefined for addresses, folders and whatever else npm would take. */
function readPackage(text: string): { package: string; version?: string } | undefined {
  const [, name, version] =
    /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)(?:@(.+))?$/i.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { package: name, ...(version === undefined ? {} : { version }) };
}
