import { oneLine } from './text.ts';

/** Text for a label of a Mermaid chart: whatever could mean something to Mermaid or to HTML is written as the number of its character. */
export function mermaidLabel(text: string): string {
  return oneLine(text).replace(/[^\p{L}\p{M}\p{N} _.,/$-]/gu, (letter) => `#${letter.codePointAt(0) ?? 0};`);
}
