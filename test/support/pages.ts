import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import createParser, { type Token } from 'markdown-it';
import { projectRoot as root } from './source-file.ts';

export { root };

/** A fenced piece of code on a page. */
export interface Block {
  readonly file: string;
  /** One-based. */
  readonly line: number;
  readonly language: string;
  /** What follows the language: `run`, `empty` where a page begins in an empty folder, `packages` for an `npm install` that is shown and not run, `exit=3`, `output`, `screen`, the name of a descriptor. */
  readonly attributes: readonly string[];
  readonly content: string;
}

/** A page of the documentation. */
export interface Page {
  readonly file: string;
  readonly blocks: readonly Block[];
  readonly links: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

/** Every page that is written for people, by file. */
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

/** One page; the file is relative to the project. */
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

/** What a page says that a block puts out, if it says so: `output` is stdout, `screen` both streams without times and ids. */
export function outputOf(page: Page, block: Block): Block | undefined {
  const next = page.blocks[page.blocks.indexOf(block) + 1];
  return next?.language === 'text' && ['output', 'screen'].includes(next.attributes[0] ?? '')
    ? next
    : undefined;
}

/** For messages. */
export function positionOf({ file, line }: Block): string {
  return `${file}:${line}`;
}

/** The text of a file of the project. */
export function readText(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** The anchor that code hosts give a heading. */
function anchorOf(heading: Token | undefined): string {
  const text = (heading?.children ?? []).map((token) => token.content).join('');
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');
}
