import { existsSync, lstatSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AgentError } from '../core/index.ts';

interface Package {
  readonly root: string;
  readonly version: string;
  /** Running from TypeScript sources instead of a build. */
  readonly fromSource: boolean;
}

let found: Package | undefined;

/** The package this code belongs to, whether it runs from `src` or from `dist`. */
export function ownPackage(): Package {
  return (found ??= find());
}

let sourceKey: string | undefined;

/** Changes whenever the code of the package does: with its version, or with its sources where it runs from them. */
export function codeKey({ root, version, fromSource }: Package): string {
  if (!fromSource) return version;
  return (sourceKey ??= `${version} ${newestIn(join(root, 'src'))}`);
}

/** When the latest change below a folder was, in milliseconds. */
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
  throw new Error(`The package.json of skilled is missing above ${file}.`);
}

/** How a person calls this program: `skilled`, or what stands for it where that is not on the path. `SKILLED_PROGRAM` goes first. */
export function programName(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const { SKILLED_PROGRAM: given = '', npm_lifecycle_script: script = '' } = environment;
  if (given !== '') return given;
  return callsSkilled.test(script) ? 'npx skilled' : 'skilled';
}

// npx and npm run put the program on the path only while they run it.
const callsSkilled = /(?:^|[\s'"();&|])skilled(?:$|[\s'"();&|])/;

/** What the environment says about colours: never, always, or as the terminal can. */
export function colorWish(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): 'never' | 'always' | 'auto' {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  if (isSet('NO_COLOR')) return 'never';
  if (isSet('FORCE_COLOR')) return environment['FORCE_COLOR'] === '0' ? 'never' : 'always';
  return environment['TERM'] === 'dumb' ? 'never' : 'auto';
}

/** Whether the terminal can move its cursor, as all but those that call themselves dumb can. */
export function hasCursor(environment: Readonly<Record<string, string | undefined>> = process.env): boolean {
  return environment['TERM'] !== 'dumb';
}

/** The secret that clients over HTTP must know. */
export interface McpToken {
  readonly text: string;
  /** Nobody chose it, so whoever starts the server must be told. */
  readonly isNew: boolean;
}

const shortest = 16;

/** The token that the environment names, else one for this time alone; one that could be guessed is `usage.bad-input`. */
export function mcpToken(environment: Readonly<Record<string, string | undefined>> = process.env): McpToken {
  const given = environment['SKILLED_MCP_TOKEN']?.trim() ?? '';
  if (given === '') return { text: newToken(), isNew: true };
  if (given.length >= shortest) return { text: given, isNew: false };
  throw new AgentError('usage.bad-input', 'The token in SKILLED_MCP_TOKEN is too short.', {
    hint: `Use at least ${shortest} characters, as openssl rand -hex 24 makes.`,
  });
}

// Every command loads this file, and `node:crypto` would cost it 3 ms; the global one is loaded on first use.
function newToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString('base64url');
}
