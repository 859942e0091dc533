import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The environment variable with the folder of the installed package. */
export const packageVariable = 'SKILLED_BENCH_PACKAGE';

// The public entries as the benchmarks import them, and their files in the package.
const entries: ReadonlyMap<string, string> = new Map(
  [
    ['../src/index.ts', 'index.js'],
    ['../src/server/index.ts', 'server.js'],
  ].map(([source = '', built = '']) => [pathToFileURL(join(import.meta.dirname, source)).href, built]),
);
const packed = process.env[packageVariable];

/*
 * Makes the benchmarks load the library from an installed package, whose folder is in
 * the variable. Benchmarks of single parts, which the package does not export, still load them from
 * the sources.
 */
if (packed !== undefined && packed !== '') {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const built = entries.get(resolved.url);
      if (built === undefined || context.parentURL?.includes('/bench/') !== true) return resolved;
      return { ...resolved, url: pathToFileURL(join(packed, 'dist', built)).href, format: 'module' };
    },
  });
}
