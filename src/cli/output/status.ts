import { styleText } from 'node:util';
import type { RunStatus, RunSummary, Skill } from '../../core/index.ts';
import type { Terminal } from '../terminal.ts';
import { oneLine } from './text.ts';

/** The colour of each status of a run. */
export const runColors: Readonly<Record<RunStatus, Color>> = {
  running: 'bold',
  waiting: 'yellow',
  interrupted: 'yellow',
  done: 'green',
  failed: 'red',
  cancelled: 'gray',
};

/** A run as every command shows it in JSON: its summary without what only stores use. */
export function runJson({ seq, epoch: _, beatAt: __, ...run }: RunSummary): Record<string, unknown> {
  return { ...run, events: seq };
}

/** The colours that mean something here. */
export type Color = 'green' | 'yellow' | 'red' | 'gray' | 'bold';

/** The colour of each status. */
export const statusColors = {
  ready: 'green',
  unavailable: 'yellow',
  shadowed: 'gray',
  invalid: 'red',
} as const;

/** The status of a skill in one word, with its reason where it is not ready. */
export function statusText(skill: Skill): string {
  const missing = skill.missing ?? [];
  if (skill.status !== 'unavailable') return skill.status;
  if (missing.some(({ kind }) => kind === 'disabled')) return 'switched off';
  return oneLine(
    `needs ${missing.map(({ kind, name }) => (kind === 'os' ? `os ${name}` : name)).join(', ')}`,
  );
}

/** Where a skill comes from, with the server that it is a copy from. */
export function sourceText({ source, server }: Skill): string {
  return server === undefined ? source : `${source} (${server})`;
}

/** Text in a colour, where the terminal has colours. */
export function paint(text: string, color: Color, terminal: Pick<Terminal, 'color'>): string {
  return terminal.color ? styleText(color, text, { validateStream: false }) : text;
}
