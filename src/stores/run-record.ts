import { randomBytes } from 'node:crypto';
import {
  AgentError,
  isJsonObject,
  optional,
  type Epoch,
  type Json,
  type NewEvent,
  type RunQuery,
  type RunStarted,
  type RunStatus,
  type RunSummary,
} from '../core/index.ts';

/** What a batch of events changes of the summary of its run; absent members stay as they are. */
type RunChange = Partial<Pick<RunSummary, 'skill' | 'session' | 'title' | 'prepares'>> & {
  /** As it is stored: nobody writes that a run is interrupted. */
  readonly status?: Exclude<RunStatus, 'interrupted'>;
};

/** The change of the summary that these events make together. Pure. */
export function changeOf(events: readonly NewEvent[]): RunChange {
  return events.reduce<RunChange>((change, event) => ({ ...change, ...changeOfOne(event) }), {});
}

function changeOfOne(event: NewEvent): RunChange {
  switch (event.type) {
    case 'run.started':
      return { status: 'running', ...beginningOf(event) };
    case 'skill.selected':
      return event.skill === '' ? {} : { skill: event.skill };
    case 'run.resumed':
      return { status: 'running' };
    case 'run.waiting':
      return { status: 'waiting' };
    case 'run.ended':
      return { status: event.status };
    default:
      return {};
  }
}

function beginningOf({ skill, session, prompt, input, prepares }: RunStarted): RunChange {
  return { skill, session, title: titleOf(prompt ?? input), ...optional('prepares', prepares) };
}

const longestTitle = 120; // characters

/** The beginning of what was asked on one line, for listings. Pure. */
export function titleOf(input: Json): string {
  const start = textOf(input).slice(0, 2 * longestTitle + 1); // a character has at most two units
  return Array.from(start.replace(/[\p{Cc}\p{Cs}]/gu, ' '))
    .slice(0, longestTitle)
    .join('');
}

function textOf(input: Json): string {
  if (input === null) return '';
  if (typeof input === 'string') return input;
  if (isJsonObject(input)) {
    for (const member of ['input', 'prompt']) {
      const value = Object.hasOwn(input, member) ? input[member] : undefined;
      if (typeof value === 'string') return value;
    }
  }
  return JSON.stringify(input);
}

const usual = 100;
const most = 2 ** 31 - 1; // what every database takes

/** How many runs a query may give: a whole number that every database takes. */
export function runLimitOf({ limit = usual }: RunQuery): number {
  return Math.floor(Math.min(Math.max(limit, 0), most)) || 0; // 0 for what is no number
}

/** A new right to write, which nobody had before, not even to a run of this id that was removed. */
export function newEpoch(): Epoch {
  return randomBytes(16).toString('hex');
}

/** What a writer gets whose right does not hold any more. */
export function overtakenError(runId: string): AgentError {
  return new AgentError('internal.overtaken', `Somebody else works on run ${runId} now, or it was removed.`, {
    hint: 'Stop working on it: nothing of this was written.',
  });
}
