import assert from 'node:assert/strict';
import { optional } from '../../src/core/collections.ts';
import { readPage, readText, type Block } from './pages.ts';

/** A file as it stands before a mistake, or as it should be. */
export interface MistakeFile {
  /** From the folder of the project, or from the home where it starts with `~/`. */
  readonly path: string;
  readonly text: string;
}

/** What is typed, and what it comes to. */
export interface Typed {
  readonly script: string;
  readonly exit: number;
  /** Where it would go on, what it says before it is ended. */
  readonly until?: string;
}

/** A section of the page about mistakes. */
export interface Mistake {
  readonly title: string;
  readonly files: readonly MistakeFile[];
  readonly typed: Typed;
  /** What stands on stderr. */
  readonly said: string;
  /** What stands on stdout; undefined where the page does not show it. */
  readonly printed: string | undefined;
  /** What is typed then. */
  readonly remedy: Typed | undefined;
  /** What becomes of the files instead, before the same is typed again. */
  readonly corrected: readonly MistakeFile[];
}

const page = 'docs/troubleshooting.md';

/** The sections of the page, each with what it shows; a section without a mistake and a way out is an error. */
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
