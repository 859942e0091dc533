import type { Section } from '../../../core/index.ts';

/** A line of a section, without Markdown markers. Runs of whitespace become one space. */
export interface PlainLine {
  readonly text: string;
  readonly line: number;
  readonly isHeading: boolean;
  readonly isBullet: boolean;
}

/** Returns a section's non-blank lines. */
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
