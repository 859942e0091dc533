import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
