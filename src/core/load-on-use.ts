import { createRequire } from 'node:module';
import type * as Zod from 'zod';
import type { MarkdownIt } from 'markdown-it';

const require = createRequire(import.meta.url);

/** The schema library, loaded when a schema is first needed: importing it costs more than listing skills. */
export function zod(): typeof Zod {
  return require('zod') as typeof Zod;
}

let markdown: MarkdownIt | undefined;

/** The Markdown parser (CommonMark with tables), loaded when a tree is first needed; deeper nesting than 20 is skipped. */
export function markdownParser(): MarkdownIt {
  markdown ??= (require('markdown-it') as (options: object) => MarkdownIt)({ html: true, maxNesting: 20 });
  return markdown;
}
