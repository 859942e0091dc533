import type { CliCommand } from './command.ts';
import { commands } from './commands.ts';
import { commonHelp } from './input/flags.ts';

/** The help of the program. */
export function overview(): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return `skilled reads any folder of skills and runs them.

Usage: skilled <command> [flags]

Commands:
${lines.join('\n')}

${commonHelp}
Runs are kept in .skilled/skilled.db of the project. The environment variable SKILLED_STORE
names another file, or a postgres:// address; so does the setting "store". Records of tables
are kept in .skilled/tables.db, or where SKILLED_DATABASE or the setting "database" says.

Exit codes: 0 done, 1 failed, 2 usage, 3 something to fix in skills or settings,
4 a person must decide, 5 a limit, 6 model or network, 7 sandbox or store, 130 interrupted,
129 and 143 ended by a signal.
`;
}

/** The help of one command. */
export function helpFor(command: CliCommand): string {
  return `${command.summary}\n\n${command.usage}\n\n${commonHelp}`;
}

/**
 * A text of help in lines of at most so many columns. Flags and commands get their meaning below them where both do
 * not fit beside each other; examples stay on one line, so that they can be copied. Pure.
 */
export function wrapHelp(text: string, width: number): string {
  const lines = text.split('\n');
  if (lines.every((line) => line.length <= width)) return text;
  return piecesOf(lines)
    .flatMap((piece) => linesOf(piece, width))
    .join('\n');
}

type Piece =
  | { readonly kind: 'entry'; readonly head: string; readonly gap: string; text: string }
  | { readonly kind: 'prose'; text: string }
  | { readonly kind: 'usage'; text: string }
  | { readonly kind: 'fixed'; readonly text: string };

function piecesOf(lines: readonly string[]): readonly Piece[] {
  const pieces: Piece[] = [];
  for (const line of lines) {
    const last = pieces.at(-1);
    const piece = pieceOf(line);
    const goesOn =
      last?.kind === 'prose' ? piece.kind === 'prose' : piece.kind === 'fixed' && /^ {8,}\S/.test(line);
    if (goesOn && last !== undefined && last.kind !== 'fixed')
      last.text = `${last.text} ${line.trim()}`.trim();
    else pieces.push(piece);
  }
  return pieces;
}

function pieceOf(line: string): Piece {
  if (/^(?:Usage: | {7}skilled )/.test(line)) return { kind: 'usage', text: line };
  const [, head, gap = '  ', text = ''] =
    /^( {2}(?:-[\w-]+(?:, --[\w-]+)?(?: <[^>]+>)?|[a-z]+))(?:( +)(\S.*))?$/.exec(line) ?? [];
  const isEntry = head !== undefined && (head.startsWith('  -') || gap.length > 1);
  if (isEntry) return { kind: 'entry', head, gap, text };
  return { kind: /^\S/.test(line) ? 'prose' : 'fixed', text: line };
}

function linesOf(piece: Piece, width: number): readonly string[] {
  if (piece.kind === 'fixed') return [piece.text];
  if (piece.kind === 'prose') return wrapped(piece.text, '', '', width);
  if (piece.kind === 'usage') return wrapped(piece.text.trim(), indentOf(piece.text), ' '.repeat(9), width);
  const { head, gap, text } = piece;
  const beside = `${head}${gap}${text}`;
  if (beside.length <= width) return [beside.trimEnd()];
  const column = head.length + gap.length;
  const longest = Math.max(...text.split(' ').map((word) => word.length));
  if (column + Math.max(longest, (width * 2) / 3) <= width)
    return wrapped(text, `${head}${gap}`, ' '.repeat(column), width);
  return [head, ...wrapped(text, '      ', '      ', width)];
}

function indentOf(text: string): string {
  return /^ */.exec(text)?.[0] ?? '';
}

/** Words in lines; one that is too long for a line has it to itself. */
function wrapped(text: string, first: string, further: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of text.split(' ')) {
    if (!isEmpty && line.length + 1 + word.length > width) {
      lines.push(line);
      line = further;
      isEmpty = true;
    }
    line += isEmpty ? word : ` ${word}`;
    isEmpty = false;
  }
  return [...lines, line];
}
