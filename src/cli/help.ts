import type { CliCommand } from './command.ts';
import { commands } from './commands.ts';
import { commonHelp } from './input/flags.ts';

/** Returns the program's help text. */
export function overview(): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const lines = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return `skilled runs the skills in any folder.

Usage: skilled <command> [flags]

Commands:
${lines.join('\n')}

${commonHelp}
Runs are stored in .skilled/skilled.db of the project. To use another file or a
postgres:// address, set SKILLED_STORE or the setting "store". Table records are stored
in .skilled/tables.db; SKILLED_DATABASE or the setting "database" changes that.

Exit codes: 0 done, 1 failed, 2 usage, 3 something to fix in skills or settings,
4 a person must decide, 5 limit reached, 6 model or network, 7 sandbox or store,
130 cancelled, 129 and 143 ended by a signal.
`;
}

/** Returns a command's help text. */
export function helpFor(command: CliCommand): string {
  return `${command.summary}\n\n${command.usage}\n\n${commonHelp}`;
}

/**
 * Wraps help text to `width` columns. If a flag or command does not fit on one line with its description, the
 * description moves to the next line. Examples are not wrapped, so that they can be copied. Pure.
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
    const isContinued =
      last?.kind === 'prose' ? piece.kind === 'prose' : piece.kind === 'fixed' && /^ {8,}\S/.test(line);
    if (isContinued && last !== undefined && last.kind !== 'fixed')
      last.text = `${last.text} ${line.trim()}`.trim();
    else pieces.push(piece);
  }
  return pieces;
}

function pieceOf(line: string): Piece {
  if (/^(?:Usage: | {7}skilled )/.test(line)) return { kind: 'usage', text: line };
  const [, head, gap = '  ', text = ''] =
    /^( {2}(?:-[\w-]+(?:, --[\w-]+)?(?: <[^>]+>)?|[a-z]+(?:-[a-z]+)*))(?:( +)(\S.*))?$/.exec(line) ?? [];
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

/** Wraps words into lines. A word that is too long for a line gets its own line. */
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
