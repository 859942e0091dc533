import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot as root } from './source-file.ts';

const bundles = new Map<string, Promise<string>>();

/**
 * The path of one JavaScript file with a TypeScript program and what it imports of this project, made once per process:
 * starting it takes a fraction of the time that the sources take. Coverage is of the sources, so it runs these.
 */
export function bundled(program: string): Promise<string> {
  if (process.env['NODE_V8_COVERAGE'] !== undefined) return Promise.resolve(program);
  const known = bundles.get(program) ?? bundle(program);
  bundles.set(program, known);
  return known;
}

async function bundle(program: string): Promise<string> {
  const outfile = join((folder ??= makeFolder()), `${bundles.size}`, `${basename(program, '.ts')}.mjs`);
  const { build } = await import('esbuild'); // programs that are bundled import this file and need none of it
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
        name: 'keep-locations', // modules find files from where their sources are
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

let folder: string | undefined; // for all programs of this process

// Within node_modules, where imports find the packages of this project.
function makeFolder(): string {
  const cache = join(root, 'node_modules', '.cache', 'bundled');
  mkdirSync(cache, { recursive: true });
  const own = realpathSync(mkdtempSync(join(cache, 'programs-')));
  process.once('exit', () => {
    rmSync(own, { recursive: true, force: true });
  });
  return own;
}
