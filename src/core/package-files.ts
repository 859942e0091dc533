import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as JsYaml from 'js-yaml';
import type { MarkdownIt } from 'markdown-it';
import type * as Zod from 'zod';

const require = createRequire(import.meta.url);
const isBuilt = !import.meta.url.endsWith('.ts');

/** Loads a package synchronously. A build contains the package in `dist/vendor`. */
export function loadPackage(name: string): unknown {
  if (!isBuilt) return require(name);
  return require(join(packageFolder(), 'dist', 'vendor', `${name.replaceAll('/', '-')}.cjs`));
}

/**
 * Loads a module of this package synchronously, on first use, such as the code of a family whose descriptors
 * are rare. No other module imports it, so `scripts/build.js` builds it as a separate file.
 */
export function loadModule(name: string): unknown {
  const file = isBuilt ? join('dist', `${name}.js`) : join('src', `${name}.ts`);
  return require(join(packageFolder(), file));
}

/** Returns zod, the schema library. It is loaded on first use, because loading it is slow. */
export function zod(): typeof Zod {
  return loadPackage('zod') as typeof Zod;
}

let yaml: typeof JsYaml | undefined;

/** Returns the YAML parser, loaded on first use. Most frontmatter is read without it. */
export function yamlParser(): typeof JsYaml {
  return (yaml ??= loadPackage('js-yaml') as typeof JsYaml);
}

let markdown: MarkdownIt | undefined;

/** Returns the Markdown parser (CommonMark with tables), loaded on first use. */
export function markdownParser(): MarkdownIt {
  return (markdown ??= createMarkdownParser());
}

/**
 * Creates a separate Markdown parser to which the caller can add rules. The parser ignores content that is
 * nested more than 20 levels deep.
 */
export function createMarkdownParser(): MarkdownIt {
  const create = loadPackage('markdown-it') as (options: object) => MarkdownIt;
  return create({ html: true, maxNesting: 20 });
}

/**
 * Returns the absolute path of an entry file, such as `models/minilm-worker`. It is a TypeScript file in
 * `src` and a JavaScript file in `dist`.
 */
export function entryFile(name: string): string {
  return entryFiles(name, []).entry;
}

/**
 * An entry file that is started by its path, and the package files that it needs. A sandbox grants access to
 * no other files of this package.
 */
export interface EntryFiles {
  readonly entry: string;
  /**
   * The absolute paths of the files and folders to read. A built entry file is self-contained; `package.json`
   * declares it as a module.
   */
  readonly read: readonly string[];
}

let builtRoot: string | undefined;

/**
 * Makes entry files load from the build in a folder's `dist`. Tests that run from source call this function
 * to start faster.
 */
export function useBuiltEntries(folder: string): void {
  builtRoot = folder;
}

/**
 * Returns an entry file and the paths that it needs to read. In a build, these paths are the file itself and
 * `package.json`. When running from source, they are `package.json` and the given `folders` of `src`.
 */
export function entryFiles(name: string, folders: readonly string[]): EntryFiles {
  const root = builtRoot ?? packageFolder();
  const isBuilt = builtRoot !== undefined || !import.meta.url.endsWith('.ts');
  const entry = isBuilt ? join(root, 'dist', `${name}.js`) : join(root, 'src', `${name}.ts`);
  const own = isBuilt ? [entry] : folders.map((folder) => join(root, 'src', folder));
  return { entry, read: [join(root, 'package.json'), ...own] };
}

/** Returns this package's folder. Works from any file, because a package can resolve its own name. */
export function packageFolder(): string {
  return dirname(require.resolve('skilled/package.json'));
}
