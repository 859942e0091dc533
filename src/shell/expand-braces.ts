import type { ShellWord } from './shell-word.ts';

/** The words that a word with a list in braces stands for, as `ab ac` for `a{b,c}`; of several lists only the first. */
export function expandBraces(word: ShellWord): readonly ShellWord[] {
  if (word.isLiteral || !word.text.includes(',')) return [word];
  const units: readonly string[] = word.text.match(/\\[^]|\$\{|[^]/g) ?? [];
  const start = units.indexOf('{');
  if (start < 0) return [word];
  const items: string[] = [''];
  let depth = 1;
  let at = start + 1;
  for (; at < units.length; at++) {
    const unit = units[at] ?? '';
    if (unit.endsWith('{') && !unit.startsWith('\\')) depth++;
    if (unit === '}' && --depth === 0) break;
    if (unit === ',' && depth === 1) items.push('');
    else items.push(`${items.pop() ?? ''}${unit}`);
  }
  if (depth > 0 || items.length === 1) return [word];
  const [before, after] = [units.slice(0, start).join(''), units.slice(at + 1).join('')];
  return items.map((item) => ({ ...word, text: before + item + after || "''" }));
}
