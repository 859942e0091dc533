import { cutEscaped } from './cut.ts';
import { escapeXml, shownDescription, shownName } from './shown-text.ts';

/** How long the list in a user turn may be. */
export interface RelevantLimits {
  /** 5 unless said. */
  readonly maxSkills?: number | undefined;
  /** UTF-16 units; 1,000 unless said. */
  readonly maxChars?: number | undefined;
}

const longestLine = 160;

/** The skills that fit a later turn, best first, one line each: the catalog before it stays as it was, and so does its cache; pure. */
export function relevantNow(
  entries: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly whenToUse?: string | undefined;
  }[],
  { maxSkills = 5, maxChars = 1000 }: RelevantLimits = {},
): string {
  const [start, end] = ['<relevant_skills>\n', '</relevant_skills>'];
  let lines = '';
  for (const entry of entries.slice(0, Math.max(0, maxSkills))) {
    const name = escapeXml(shownName(entry.name));
    const description = cutEscaped(escapeXml(shownDescription(entry)), longestLine);
    const line = description === '' ? `- ${name}\n` : `- ${name}: ${description}\n`;
    if (!(start.length + lines.length + line.length + end.length <= maxChars)) break;
    lines += line;
  }
  return lines === '' ? '' : start + lines + end;
}
