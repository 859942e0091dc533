import { styleText } from 'node:util';
import type { Skill } from '../../core/skill.ts';
import type { Terminal } from '../terminal.ts';

const colors = { ready: 'green', unavailable: 'yellow', shadowed: 'gray', invalid: 'red' } as const;

/** The status of a skill in one word, with its reason where it is not ready. */
export function statusText(skill: Skill): string {
  if (skill.status === 'unavailable') return `needs ${(skill.missing ?? []).map((missing) => missing.name).join(', ')}`;
  return skill.status;
}

/** Text in the colour of a status, where the terminal has colours. */
export function colored(text: string, status: Skill['status'], terminal: Terminal): string {
  return terminal.color ? styleText(colors[status], text, { validateStream: false }) : text;
}
