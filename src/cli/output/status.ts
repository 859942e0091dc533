import { styleText } from 'node:util';
import type { RunStatus, RunSummary, Skill } from '../../core/index.ts';
import type { Terminal } from '../terminal.ts';
import { oneLine } from './text.ts';

/** The colour for each run status. */
export const runColors: Readonly<Record<RunStatus, Color>> = {
  running: 'bold',
  waiting: 'yellow',
  interrupted: 'yellow',
  done: 'green',
  failed: 'red',
  cancelled: 'gray',
};

/** Returns a run in the form that all commands print as JSON, without the fields that only stores use. */
export function runJson({ seq, epoch: _, beatAt: __, ...run }: RunSummary): Record<string, unknown> {
  return { ...run, events: seq };
}

/** The colours and styles that commands use. */
export type Color = 'green' | 'yellow' | 'red' | 'gray' | 'bold';

/** The colour for each skill status. */
export const statusColors = {
  ready: 'green',
  unavailable: 'yellow',
  shadowed: 'gray',
  invalid: 'red',
} as const;

/** Returns a skill's status in one word, with the reason if the skill is not ready. */
export function statusText(skill: Skill): string {
  const missing = skill.missing ?? [];
  if (skill.status !== 'unavailable') return skill.status;
  if (missing.some(({ kind }) => kind === 'disabled')) return 'switched off';
  return oneLine(
    `needs ${missing.map(({ kind, name }) => (kind === 'os' ? `os ${name}` : name)).join(', ')}`,
  );
}

/** Returns a skill's source and, if the skill was copied from a server, the server. */
export function sourceText({ source, server }: Skill): string {
  return server === undefined ? source : `${source} (${server})`;
}

/** Makes text less prominent if the terminal supports colours. */
export function dim(text: string, terminal: Pick<Terminal, 'color'>): string {
  return terminal.color && text !== '' ? styleText('dim', text, { validateStream: false }) : text;
}

/** Colours text if the terminal supports colours. */
export function paint(text: string, color: Color, terminal: Pick<Terminal, 'color'>): string {
  return terminal.color ? styleText(color, text, { validateStream: false }) : text;
}
