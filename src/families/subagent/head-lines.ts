import { AgentError } from '../../core/error.ts';
import { splitFrontmatter } from '../../core/descriptor/frontmatter-split.ts';

/** A text cut into the lines of its head and what stands around them; joined again they are the text. */
export interface HeadLines {
  readonly before: string;
  /** Each with its line end. */
  readonly lines: readonly string[];
  readonly after: string;
  readonly lineEnd: string;
}

/** The lines that one key of the head takes up. */
export interface Entry {
  readonly key: string;
  readonly from: number;
  /** Exclusive; blank lines and comments behind the value are not part of it. */
  readonly to: number;
}

/** Finds the head as the reader does; a text without one gets an empty head. */
export function headLinesOf(text: string): HeadLines {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const plain = text.slice(mark.length);
  const lineEnd = /\r?\n/.exec(plain)?.[0] ?? '\n';
  const split = splitFrontmatter(plain);
  if (split.issues.some((issue) => issue.level === 'error')) {
    throw new AgentError('skill.invalid', 'The frontmatter is not YAML, so it cannot be edited.', {
      hint: 'Write a plain --- line as its first line.',
    });
  }
  if (split.head === undefined) {
    return { before: `${mark}---${lineEnd}`, lines: [], after: `---${lineEnd}${plain}`, lineEnd };
  }
  const all = plain.split(/(?<=\n)/);
  const from = split.headLine - 1;
  const to = from + (split.head === '' ? 0 : split.head.replace(/\n$/, '').split('\n').length);
  return {
    before: mark + all.slice(0, from).join(''),
    lines: all.slice(from, to),
    after: all.slice(to).join(''),
    lineEnd,
  };
}

const keyAtStart = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)'|((?!-\s)[^\s#"'].*?)):(?=\s|$)/;

/** The top-level keys of a head and the lines they own, in order. */
export function entriesOf(lines: readonly string[]): readonly Entry[] {
  const indent = indentOf(lines);
  const starts: { readonly key: string; readonly from: number }[] = [];
  for (const [from, line] of lines.entries()) {
    const found = line.startsWith(indent) ? keyAtStart.exec(line.slice(indent.length)) : null;
    if (found !== null) starts.push({ key: (found[1] ?? found[2] ?? found[3] ?? '').trim(), from });
  }
  return starts.map(({ key, from }, index) => {
    let to = starts[index + 1]?.from ?? lines.length;
    while (to > from + 1 && isBlankOrComment(lines[to - 1] ?? '', indent)) to--;
    return { key, from, to };
  });
}

/** The blanks before the top-level keys of a head. */
export function indentOf(lines: readonly string[]): string {
  const first = lines.find((line) => /^\s*[^\s#]/.test(line));
  return /^[ \t]*/.exec(first ?? '')?.[0] ?? '';
}

/** Comments that stand deeper than the keys may be text of a block value, so they stay with it. */
function isBlankOrComment(line: string, indent: string): boolean {
  return line.trim() === '' || line.startsWith('#') || line.startsWith(`${indent}#`);
}
