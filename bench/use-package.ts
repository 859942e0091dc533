import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The environment variable with the folder of the installed package. */
export const packageVariable = 'SKILLED_BENCH_PACKAGE';

// The public entry as the benchmarks import it.
const entry = pathToFileURL(join(import.meta.dirname, '../src/index.ts')).href;
const packed = process.env[packageVariable];

/*
 * Makes the benchmarks load the library from an installed package, whose folder is in
 * the variable. Benchmarks of single parts, which the package does not export, still load them from
 * the sources.
 */
if (packed !== undefined && packed !== '') {
  const url = pathToFileURL(join(packed, 'dist/index.js')).href;
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const isOurs = resolved.url === entry && context.parentURL?.includes('/bench/') === true;
      return isOurs ? { ...resolved, url, format: 'module' } : resolved;
    },
  });
}
