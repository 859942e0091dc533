/** A parsed `npx` command. */
export interface NpxCommand {
  /** The package name, without its version. */
  readonly package: string;
  /** The version or tag that follows the name. */
  readonly version?: string;
  /** The name of the package's program, if the command specifies it. */
  readonly program?: string;
  /** The program's arguments. */
  readonly args: readonly string[];
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

/**
 * Parses the arguments of `npx`. Returns undefined unless they specify just one package and the arguments of
 * its program.
 */
export function readNpx(args: readonly string[]): NpxCommand | undefined {
  const [first, ...rest] = args;
  if (first === undefined) return undefined;
  if (flags.has(first)) return readNpx(rest);
  const named = first.startsWith('--package=') ? [first.slice('--package='.length), ...rest] : rest;
  if (first === '-p' || first === '--package' || named !== rest) return readNamed(named);
  if (first.startsWith('-')) return undefined;
  const read = readPackage(first);
  return read && { ...read, args: rest };
}

/** Parses a package name followed by a program name and the program's arguments. */
function readNamed([name = '', ...rest]: readonly string[]): NpxCommand | undefined {
  const read = readPackage(name);
  const [program, ...args] = rest.filter(
    (arg, index) => !(flags.has(arg) && rest.slice(0, index).every((one) => flags.has(one))),
  );
  return read === undefined || program === undefined ? undefined : { ...read, program, args };
}

/**
 * Parses the name and version of an npm package. Returns undefined for URLs, folders and other specifiers.
 */
function readPackage(text: string): { package: string; version?: string } | undefined {
  const [, name, version] =
    /^((?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*)(?:@(.+))?$/i.exec(text) ?? [];
  if (name === undefined) return undefined;
  return { package: name, ...(version === undefined ? {} : { version }) };
}
