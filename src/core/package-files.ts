import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { MarkdownIt } from 'markdown-it';
import type * as Zod from 'zod';

const require = createRequire(import.meta.url);
const isBuilt = !import.meta.url.endsWith('.ts');

/** A package that the build puts into `dist/vendor`, loaded synchronously on first use. */
export function loadPackage(name: string): unknown {
  if (!isBuilt) return require(name);
  return require(join(packageFolder(), 'dist', 'vendor', `${name.replaceAll('/', '-')}.cjs`));
}

/** The schema library, loaded when a schema is first needed: importing it costs more than listing skills. */
export function zod(): typeof Zod {
  return loadPackage('zod') as typeof Zod;
}

let markdown: MarkdownIt | undefined;

/** The Markdown parser (CommonMark with tables), loaded when a tree is first needed. */
export function markdownParser(): MarkdownIt {
  return (markdown ??= createMarkdownParser());
}

/** A Markdown parser of its own, for a caller that adds rules; nesting deeper than 20 is skipped. */
export function createMarkdownParser(): MarkdownIt {
  const create = loadPackage('markdown-it') as (options: object) => MarkdownIt;
  return create({ html: true, maxNesting: 20 });
}

/** The absolute path of a file that is started by its path, such as `models/minilm-worker`: TypeScript in `src`, JavaScript in `dist`. */
export function entryFile(name: string): string {
  return entryFiles(name, []).entry;
}

/** A file that is started by its path, and all that it reads of the package: nothing else is shown to a sandbox. */
export interface EntryFiles {
  readonly entry: string;
  /** Files and folders, absolute. A built entry is self-contained; `package.json` says that it is a module. */
  readonly read: readonly string[];
}

let builtRoot: string | undefined;

/** Takes built files from the `dist` of this folder from now on, for tests that run from sources: they start faster. */
export function useBuiltEntries(folder: string): void {
  builtRoot = folder;
}

/** The same with what it reads: from a build the file itself, from sources the folders of `src` that it imports from. */
export function entryFiles(name: string, folders: readonly string[]): EntryFiles {
  const root = builtRoot ?? packageFolder();
  const isBuilt = builtRoot !== undefined || !import.meta.url.endsWith('.ts');
  const entry = isBuilt ? join(root, 'dist', `${name}.js`) : join(root, 'src', `${name}.ts`);
  const own = isBuilt ? [entry] : folders.map((folder) => join(root, 'src', folder));
  return { entry, read: [join(root, 'package.json'), ...own] };
}

/** The folder of this package, found from any depth because a package may name itself. */
export function packageFolder(): string {
  return dirname(require.resolve('skilled/package.json'));
}
