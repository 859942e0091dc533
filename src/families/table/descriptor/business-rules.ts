import type { Section } from '../../../core/index.ts';
import type { Prose } from './definition.ts';

/** The rules of a section, each a bullet or a paragraph, with the line it starts on. */
export function readBusinessRules(section: Section | undefined): readonly Prose[] {
  if (section === undefined) return [];
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
