import type { Token } from 'markdown-it';
import { breakSpans, type StyledSpan, type Style } from './spans.ts';

// Words that many languages share. Colours only help the eye, so no language is parsed.
const keywords =
  /^(?:and|as|async|await|break|case|catch|class|const|continue|def|default|delete|do|done|elif|else|end|enum|esac|export|extends|fi|finally|fn|for|from|func|function|if|impl|implements|import|in|interface|is|lambda|let|match|mut|new|nil|None|not|null|or|package|pass|private|protected|pub|public|raise|readonly|return|self|static|struct|super|switch|then|this|throw|True|False|true|false|try|type|typeof|undefined|use|using|var|void|while|with|yield|SELECT|FROM|WHERE|INSERT|INTO|VALUES|UPDATE|SET|DELETE|CREATE|TABLE|JOIN|ON|GROUP|ORDER|BY)$/;

const parts =
  /(?<comment>\/\/.*|\/\*.*?(?:\*\/|$)|(?:^|(?<=\s))#.*|^\s*--\s.*)|(?<text>"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|`(?:[^`\\]|\\.)*`?)|(?<number>\b\d[\d._]*\b)|(?<word>[A-Za-z_]\w*)/g;

const plainLanguages = ['', 'text', 'txt', 'output', 'console', 'plain'];
const maxLine = 2_000; // A longer line is data rather than code, and is not coloured.

/** Indents code by two columns. A long line is broken where the screen ends, as the terminal would do. */
export function codeLines({ content, info }: Token, width: number): readonly (readonly StyledSpan[])[] {
  const language = (info.trim().split(/\s/)[0] ?? '').toLowerCase();
  const lines = content.replace(/\n$/, '').split('\n');
  return breakSpans(
    lines.map((line) => colorCode(line, language)),
    width - 2,
  ).map((line) => [{ text: '  ' }, ...line]);
}

/** Colours the comments, strings, numbers and keywords of a line of code. A diff is coloured by its signs. */
function colorCode(line: string, language: string): readonly StyledSpan[] {
  if (language === 'diff') return [{ text: line, styles: diffStyles(line) }];
  if (plainLanguages.includes(language) || line.length > maxLine) return [{ text: line }];
  const spans: StyledSpan[] = [];
  let end = 0;
  for (const found of line.matchAll(parts)) {
    const styles = stylesOf(found.groups ?? {});
    if (styles.length === 0) continue;
    if (found.index > end) spans.push({ text: line.slice(end, found.index) });
    spans.push({ text: found[0], styles });
    end = found.index + found[0].length;
  }
  return end < line.length ? [...spans, { text: line.slice(end) }] : spans;
}

function stylesOf({ comment, text, number, word }: Record<string, string | undefined>): readonly Style[] {
  if (comment !== undefined) return ['dim'];
  if (text !== undefined) return ['green'];
  if (number !== undefined) return ['yellow'];
  return word !== undefined && keywords.test(word) ? ['magenta'] : [];
}

function diffStyles(line: string): readonly Style[] {
  if (line.startsWith('+')) return ['green'];
  if (line.startsWith('-')) return ['red'];
  return line.startsWith('@@') ? ['cyan'] : [];
}
