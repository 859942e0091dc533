import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot as root } from './source-file.ts';

const bundles = new Map<string, Promise<string>>();

/**
 * Bundles a TypeScript program and its project imports into one JavaScript file and returns its path. Each
 * program is bundled once per process; the bundle starts much faster than the sources. Under coverage,
 * returns the source itself.
 */
export function bundled(program: string): Promise<string> {
  if (process.env['NODE_V8_COVERAGE'] !== undefined) return Promise.resolve(program);
  const known = bundles.get(program) ?? bundle(program);
  bundles.set(program, known);
  return known;
}

async function bundle(program: string): Promise<string> {
  const outfile = join((folder ??= makeFolder()), `${bundles.size}`, `${basename(program, '.ts')}.mjs`);
  const { build } = await import('esbuild'); // bundled programs import this file without it
  await build({
    entryPoints: [program],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    packages: 'external',
    logLevel: 'error',
    plugins: [
      {
        name: 'keep-locations', // modules locate files relative to their own source
        setup: ({ onLoad }) => {
          onLoad({ filter: /[\\/](?:src|test)[\\/].*\.ts$/ }, ({ path }) => {
            const url = JSON.stringify(pathToFileURL(path).href);
            const text = readFileSync(path, 'utf8').replaceAll(/\bimport\.meta\.url\b/g, url);
            return { contents: text, loader: 'ts' };
          });
        },
      },
    ],
  });
  return outfile;
}

let folder: string | undefined; // shared by all bundled programs of this process

// The folder is inside node_modules, so that imports resolve to this project's packages.
function makeFolder(): string {
  const cache = join(root, 'node_modules', '.cache', 'bundled');
  mkdirSync(cache, { recursive: true });
  const own = realpathSync(mkdtempSync(join(cache, 'programs-')));
  process.once('exit', () => {
    rmSync(own, { recursive: true, force: true });
  });
  return own;
}
