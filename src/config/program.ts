import { existsSync, lstatSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AgentError } from '../core/index.ts';

interface Package {
  readonly root: string;
  readonly version: string;
  /** Whether the program runs from TypeScript sources rather than from a build. */
  readonly fromSource: boolean;
}

let found: Package | undefined;

/** Returns the package that this code belongs to, whether it runs from `src` or `dist`. */
export function ownPackage(): Package {
  return (found ??= find());
}

let sourceKey: string | undefined;

/**
 * Returns a key that changes with this package's code. It contains the version and, if the program runs from
 * source, the time of the latest change.
 */
export function codeKey({ root, version, fromSource }: Package): string {
  if (!fromSource) return version;
  return (sourceKey ??= `${version} ${newestIn(join(root, 'src'))}`);
}

/** Returns the time of the latest change below a folder, in milliseconds since the Unix epoch. */
function newestIn(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = [folder, ...entries.map((entry) => join(entry.parentPath, entry.name))];
  return Math.max(...paths.map((path) => lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0));
}

function find(): Package {
  const file = fileURLToPath(import.meta.url);
  for (let dir = dirname(file); dirname(dir) !== dir; dir = dirname(dir)) {
    const manifest = join(dir, 'package.json');
    if (!existsSync(manifest)) continue;
    const { name, version } = JSON.parse(readFileSync(manifest, 'utf8')) as {
      name?: string;
      version?: string;
    };
    if (name === 'skilled')
      return { root: dir, version: version ?? '0.0.0', fromSource: file.endsWith('.ts') };
  }
  throw new Error(`Cannot find skilled's package.json in the parent folders of ${file}.`);
}

/**
 * Returns the command that starts this program: `skilled`, or `npx skilled` if it is not on the PATH.
 * `SKILLED_PROGRAM` overrides both.
 */
export function programName(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const { SKILLED_PROGRAM: given = '', npm_lifecycle_script: script = '' } = environment;
  if (given !== '') return given;
  return callsSkilled.test(script) ? 'npx skilled' : 'skilled';
}

// Matches commands that call `skilled`. npx and `npm run` add `skilled` to the PATH only while they
// run.
const callsSkilled = /(?:^|[\s'"();&|])skilled(?:$|[\s'"();&|])/;

/** Reads from the environment whether to use color: never, always, or only in a terminal. */
export function readColorMode(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): 'never' | 'always' | 'auto' {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  if (isSet('NO_COLOR')) return 'never';
  if (isSet('FORCE_COLOR')) return environment['FORCE_COLOR'] === '0' ? 'never' : 'always';
  return environment['TERM'] === 'dumb' ? 'never' : 'auto';
}

/** Returns whether the terminal can move its cursor. Every terminal can, unless `TERM` is `dumb`. */
export function hasCursor(environment: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return environment['TERM'] !== 'dumb';
}

/** The secret token that HTTP clients of the MCP server must send. */
export interface McpToken {
  readonly text: string;
  /** Whether the token was generated and must therefore be shown to the user. */
  readonly isNew: boolean;
}

const shortest = 16;

/**
 * Returns the token from the environment, or a new one for this process. Throws `usage.bad-input` if the
 * token is too short.
 */
export function mcpToken(environment: Readonly<Record<string, string | undefined>> = process.env): McpToken {
  const given = environment['SKILLED_MCP_TOKEN']?.trim() ?? '';
  if (given === '') return { text: newToken(), isNew: true };
  if (given.length >= shortest) return { text: given, isNew: false };
  throw new AgentError('usage.bad-input', 'The token in SKILLED_MCP_TOKEN is too short.', {
    hint: `Use at least ${shortest} characters, for example from openssl rand -hex 24.`,
  });
}

// Generates a token with the global `crypto`. Importing `node:crypto` would slow down every command by 3 ms.
function newToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url');
}
