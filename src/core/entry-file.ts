import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** The absolute path of a file that is started by its path, such as `models/minilm-worker`: TypeScript in `src`, JavaScript in `dist`. */
export function entryFile(name: string): string {
  const root = dirname(require.resolve('skilled/package.json')); // the package may name itself, from any depth
  return import.meta.url.endsWith('.ts') ? join(root, 'src', `${name}.ts`) : join(root, 'dist', `${name}.js`);
}
