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

/** The changes that a batch of events makes to a run's summary. Absent fields do not change. */
type RunChange = Partial<Pick<RunSummary, 'skill' | 'session' | 'title' | 'prepares' | 'user'>> & {
  /** The status to store. `interrupted` is never stored, because it is computed when a run is read. */
  readonly status?: Exclude<RunStatus, 'interrupted'>;
};

/** Returns the changes that these events make to a run's summary. Pure. */
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

function beginningOf({ skill, session, prompt, input, prepares, user }: RunStarted): RunChange {
  const title = titleOf(prompt ?? input);
  return { skill, session, title, ...optional('prepares', prepares), ...optional('user', user) };
}

const longestTitle = 120; // The maximum length of a title, in characters.

/** Returns the beginning of a run's input on one line, as the run's title in lists. Pure. */
export function titleOf(input: Json): string {
  // A character consists of at most two UTF-16 code units.
  const start = textOf(input).slice(0, 2 * longestTitle + 1);
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
const most = 2 ** 31 - 1; // The largest integer that every database accepts.

/** Returns the maximum number of runs to list, as an integer that every database accepts. */
export function runLimitOf({ limit = usual }: RunQuery): number {
  return Math.floor(Math.min(Math.max(limit, 0), most)) || 0; // NaN becomes 0.
}

/** Creates an epoch that no other claim has ever had, not even a claim of a removed run with the same id. */
export function newEpoch(): Epoch {
  return randomBytes(16).toString('hex');
}

/** Creates the error for a write that was rejected because another writer had changed the value. */
export function conflictError(key: string): AgentError {
  return new AgentError('skill.conflict', `The value "${key}" was changed after it had been read.`, {
    hint: 'Call the skill again to read the new value.',
    details: { key },
  });
}

/** Creates the error for a write that was rejected because the writer no longer held the claim. */
export function claimLostError(runId: string): AgentError {
  return new AgentError('internal.claim-lost', `Run ${runId} was claimed by another worker or removed.`, {
    hint: 'Stop working on the run. This change was not saved.',
  });
}
