import assert from 'node:assert/strict';
import { optional } from '../../src/core/collections.ts';
import { readPage, readText, type Block } from './pages.ts';

/** The content of a file before a mistake, or after its correction. */
export interface MistakeFile {
  /** The path relative to the project folder, or to the home folder if it starts with `~/`. */
  readonly path: string;
  readonly text: string;
}

/** A typed command and its expected outcome. */
export interface Typed {
  readonly script: string;
  readonly exit: number;
  /** If the command does not exit by itself, the text after which it is ended. */
  readonly until?: string;
}

/** A section of the troubleshooting page. */
export interface Mistake {
  readonly title: string;
  readonly files: readonly MistakeFile[];
  readonly typed: Typed;
  /** The expected stderr. */
  readonly said: string;
  /** The expected stdout, or undefined if the page does not show it. */
  readonly printed: string | undefined;
  /** The command that fixes the mistake. */
  readonly remedy: Typed | undefined;
  /** The corrected files, if an edit fixes the mistake. Afterwards the same command is typed again. */
  readonly corrected: readonly MistakeFile[];
}

const page = 'docs/troubleshooting.md';

/** Reads the sections of the page. Throws if a section lacks a mistake or a fix. */
export function readMistakes(): readonly Mistake[] {
  const { blocks } = readPage(page);
  const lines = readText(page).split('\n');
  const heads = lines.flatMap((line, index) =>
    line.startsWith('### ') ? [{ line: index + 1, title: line.slice(4) }] : [],
  );
  return heads.map(({ line, title }, index) => {
    const end = heads[index + 1]?.line ?? Infinity;
    return mistakeOf(
      title,
      blocks.filter((block) => block.line > line && block.line < end),
    );
  });
}

function mistakeOf(title: string, blocks: readonly Block[]): Mistake {
  const at = blocks.findIndex((block) => block.attributes.includes('mistake'));
  const typed = blocks[at];
  assert.ok(typed, `"${title}" shows no mistake`);
  const remedy = blocks.find((block) => block.attributes.includes('remedy'));
  const corrected = filesIn(blocks.slice(at));
  assert.ok(remedy !== undefined || corrected.length > 0, `"${title}" shows no way out`);
  return {
    title,
    files: filesIn(blocks.slice(0, at)),
    typed: commandIn(typed),
    said: contentOf(blocks, 'said') ?? '',
    printed: contentOf(blocks, 'printed'),
    remedy: remedy && commandIn(remedy),
    corrected,
  };
}

function commandIn(block: Block): Typed {
  const exit = Number(attributeIn(block, 'exit') ?? 0);
  return { script: block.content.trimEnd(), exit, ...optional('until', attributeIn(block, 'until')) };
}

function attributeIn({ attributes }: Block, name: string): string | undefined {
  return attributes.find((attribute) => attribute.startsWith(`${name}=`))?.slice(name.length + 1);
}

function contentOf(blocks: readonly Block[], attribute: string): string | undefined {
  return blocks.find(({ attributes }) => attributes.includes(attribute))?.content;
}

function filesIn(blocks: readonly Block[]): readonly MistakeFile[] {
  return blocks.flatMap((block) => {
    const path = attributeIn(block, 'file');
    return path === undefined ? [] : [{ path, text: block.content }];
  });
}
