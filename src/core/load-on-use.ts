import { createRequire } from 'node:module';
import { join } from 'node:path';
import type * as Zod from 'zod';
import type { MarkdownIt } from 'markdown-it';
import { packageFolder } from './entry-file.ts';

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
