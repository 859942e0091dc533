import type { MarkdownIt, StateInline } from 'markdown-it';
import { createMarkdownParser } from '../../../core/package-files.ts';

let parser: MarkdownIt | undefined;

/**
 * A parser whose tree is that of `markdownParser`, but in which a code span that could be a command says in its `meta`
 * where it stands in the text of its block, the bang included.
 */
export function commandParser(): MarkdownIt {
  if (parser === undefined) {
    parser = createMarkdownParser();
    parser.inline.ruler.before('backticks', 'command', readCommand);
  }
  return parser;
}

/** Where a code span stands in the text of its block. */
export interface CommandMark {
  readonly start: number;
  readonly end: number;
}

/** A span of single backticks on one line, behind a bang that begins a line or follows white space. */
function readCommand(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (silent || src.charAt(pos) !== '`' || src.charAt(pos - 1) !== '!' || src.charAt(pos + 1) === '`')
    return false;
  if (pos >= 2 && !/\s/.test(src.charAt(pos - 2))) return false;
  const close = closingBacktick(src, pos + 1);
  if (close === undefined || close >= posMax) return false;
  const content = src.slice(pos + 1, close);
  const token = state.push('code_inline', 'code', 0);
  token.markup = '`';
  token.content = /^ .*[^ ].* $/.test(content) ? content.slice(1, -1) : content;
  token.meta = { start: pos - 1, end: close + 1 } satisfies CommandMark;
  state.pos = close + 1;
  return true;
}

const runOrLineEnd = /`+|\n/g;

/** The next backtick that stands alone, if it is on the same line. */
function closingBacktick(text: string, from: number): number | undefined {
  runOrLineEnd.lastIndex = from;
  for (let found = runOrLineEnd.exec(text); found !== null; found = runOrLineEnd.exec(text)) {
    if (found[0] === '\n') return undefined;
    if (found[0] === '`') return found.index;
  }
  return undefined;
}
