import { oneLine } from '../../output/text.ts';

/** Facts under each other, the empty ones left out. */
export function factLines(facts: Readonly<Record<string, string>>): string {
  const shown = Object.entries(facts).filter(([, value]) => value !== '');
  const width = Math.max(...shown.map(([key]) => key.length));
  return shown.map(([key, value]) => `${key.padEnd(width)}  ${oneLine(value)}\n`).join('');
}
