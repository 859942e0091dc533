import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import createParser, { type Token } from 'markdown-it';
import { projectRoot as root } from './source-file.ts';

export { root };

/** A fenced code block on a documentation page. */
export interface Block {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly language: string;
  /**
   * The words after the language: `run`; `empty` for a page that starts in an empty folder; `packages` for an
   * `npm install` that is shown but not run; `exit=3`; `output`; `screen`; or a descriptor's name.
   */
  readonly attributes: readonly string[];
  readonly content: string;
}

/** A documentation page. */
export interface Page {
  readonly file: string;
  readonly blocks: readonly Block[];
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

/** Reads every handwritten page. */
export function readPages(): readonly Page[] {
  return globSync(
    [
      '*.md',
      'docs/**/*.md',
      'skills/**/*.md',
      'examples/**/*.md',
      'src/*/README.md',
      'src/families/*/README.md',
    ],
    { cwd: root },
  )
    .sort()
    .map((file) => readPage(file));
}

/** Reads one page. The path is relative to the project. */
export function readPage(file: string): Page {
  const tokens = createParser({ html: true }).parse(
    readText(file).replace(/^---\n[^]*?\n---\n/, (head) => '\n'.repeat(head.split('\n').length - 1)),
    {},
  );
  const fences = tokens.filter((token) => token.type === 'fence');
  return {
    file,
    blocks: fences.map(({ info, map, content }) => {
      const [language = '', ...attributes] = info.trim().split(/\s+/);
      return { file, line: (map?.[0] ?? 0) + 1, language, attributes, content };
    }),
    links: tokens
      .flatMap((token) => token.children ?? [])
      .flatMap((token) => (token.type === 'link_open' ? [String(token.attrGet('href'))] : [])),
    anchors: new Set(
      tokens.flatMap((token, index) => (token.type === 'heading_open' ? [anchorOf(tokens[index + 1])] : [])),
    ),
  };
}

/**
 * Returns the block that shows a block's expected output, if there is one: `output` for stdout, or `screen`
 * for both streams without times and ids.
 */
export function outputOf(page: Page, block: Block): Block | undefined {
  const next = page.blocks[page.blocks.indexOf(block) + 1];
  return next?.language === 'text' && ['output', 'screen'].includes(next.attributes[0] ?? '')
    ? next
    : undefined;
}

/** Formats a block's position for messages. */
export function positionOf({ file, line }: Block): string {
  return `${file}:${line}`;
}

/** Reads a project file. */
export function readText(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** Returns the anchor that code hosts generate for a heading. */
function anchorOf(heading: Token | undefined): string {
  const text = (heading?.children ?? []).map((token) => token.content).join('');
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}
