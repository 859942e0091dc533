import type { Section } from '../../../core/sections.ts';
import type { Prose } from './definition.ts';

/** One line of a section without bullet, heading, bold and code marks; white space is single blanks. */
export interface PlainLine {
  readonly text: string;
  readonly line: number;
  readonly isHeading: boolean;
  readonly isBullet: boolean;
}

/** The lines of a section that hold something. */
export function plainLines(section: Section): readonly PlainLine[] {
  return section.text
    .split('\n')
    .map((line, index) => ({
      text: line
        .trim()
        .replace(/^(?:#{1,6}|[-*+]|\d+[.)])\s+/, '')
        .replace(/\*\*|`/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
      line: section.textLine + index,
      isHeading: /^\s*#{1,6}\s/.test(line),
      isBullet: /^\s*(?:[-*+]|\d+[.)])\s/.test(line),
    }))
    .filter((line) => line.text !== '');
}

/** The rules of a section, each a bullet or a paragraph, with the line it starts on. */
export function proseItems(section: Section): readonly Prose[] {
  const items: { text: string; readonly line: number }[] = [];
  let isOpen = false;
  for (const [index, line] of section.text.split('\n').entries()) {
    const text = line.replace(/^(?:[-*+]|\d+[.)]|#{1,6})\s+/, '').trim();
    const startsItem = text !== line.trim() || (!isOpen && !/^\s/.test(line));
    const last = items.at(-1);
    if (text === '') isOpen = false;
    else if (startsItem || last === undefined) items.push({ text, line: section.textLine + index });
    else last.text += `\n${text}`;
    if (text !== '') isOpen = true;
  }
  return items;
}
