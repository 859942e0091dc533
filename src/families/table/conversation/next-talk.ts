import type { JsonObject } from '../../../core/index.ts';
import type { ChangeFault } from '../records/change.ts';
import type { PersonReply } from './reply.ts';
import {
  choicesPerPage,
  maxTries,
  type RequestDraft,
  type TalkEnding,
  type Talk,
  type Ways,
} from './talk.ts';

/** An event that advances a conversation. */
export type Happening =
  | {
      readonly happened: 'planned';
      /** The number of matching records. */
      readonly found: number;
      /** The names of required fields without a value. */
      readonly missing: readonly string[];
      readonly faults: readonly ChangeFault[];
      /** Whether the request would leave all records unchanged. */
      readonly isUnchanged: boolean;
    }
  | { readonly happened: 'answered'; readonly reply: PersonReply }
  | {
      readonly happened: 'written';
      readonly outcome: 'done' | 'stale' | 'refused';
      readonly faults: readonly ChangeFault[];
    };

type Planned = Extract<Happening, { happened: 'planned' }>;
type Asking = Extract<Talk, { tries: number }>;

/**
 * Returns the next state of a conversation. An event that does not apply to the current state changes
 * nothing. Pure.
 */
export function nextTalk(talk: Talk, happening: Happening, ways: Ways): Talk {
  switch (happening.happened) {
    case 'planned':
      return talk.phase === 'plan' ? afterPlan(talk, happening, ways) : talk;
    case 'answered':
      return 'tries' in talk ? afterReply(talk, happening.reply) : talk;
    case 'written':
      return talk.phase === 'write' ? afterWrite(talk.draft, happening, ways) : talk;
  }
}

function afterPlan(
  { draft, notice, isAgain }: Extract<Talk, { phase: 'plan' }>,
  { found, missing, faults, isUnchanged }: Planned,
  { asks, confirms }: Ways,
): Talk {
  const asked = { draft, tries: 0, ...(notice === undefined ? {} : { notice }) };
  if (found === 0) return ended(draft, isAgain === true ? 'gone' : 'none');
  if (found > 1 && meansOne(draft)) {
    if (!asks) return ended(draft, 'several');
    return { phase: 'choose', page: 0, pages: Math.ceil(found / choicesPerPage), ...asked };
  }
  if (draft.operation === 'show') return { phase: 'done', draft };
  if (missing.length > 0 && asks) return { phase: 'capture', missing, ...asked };
  if (faults.length > 0) {
    if (!asks || !isCorrectable(draft)) return ended(draft, 'refused', faults);
    return { phase: 'correct', faults, ...asked };
  }
  if (isUnchanged) return ended(draft, 'unchanged');
  return confirms ? { phase: 'confirm', ...asked } : { phase: 'write', draft };
}

function afterReply(talk: Asking, reply: PersonReply): Talk {
  const { draft } = talk;
  switch (reply.reply) {
    case 'no':
      return ended(draft, 'cancelled');
    case 'yes':
      return talk.phase === 'confirm' ? { phase: 'write', draft } : unanswered(talk, '');
    case 'next':
    case 'previous':
      return turned(talk, reply.reply === 'next' ? 1 : -1);
    case 'all':
      return withAll(talk);
    case 'record':
      return withRecord(talk, reply);
    case 'values': {
      const corrected = talk.phase === 'choose' ? undefined : withValues(talk, reply.set);
      return corrected === undefined ? unanswered(talk, '') : { phase: 'plan', draft: corrected };
    }
    case 'unclear':
      return unanswered(talk, reply.message);
  }
}

function afterWrite(
  draft: RequestDraft,
  { outcome, faults }: Extract<Happening, { happened: 'written' }>,
  { asks }: Ways,
): Talk {
  if (outcome === 'done') return { phase: 'done', draft };
  if (outcome === 'stale' && draft.operation === 'undo') return ended(draft, 'overtaken');
  if (outcome === 'stale')
    return {
      phase: 'plan',
      draft,
      isAgain: true,
      notice: 'Someone else changed the data in the meantime, so your change has not been made yet.',
    };
  if (!asks || !isCorrectable(draft)) return ended(draft, 'refused', faults);
  return { phase: 'correct', draft, faults, tries: 0 };
}

function ended(draft: RequestDraft, why: TalkEnding, faults: readonly ChangeFault[] = []): Talk {
  return { phase: 'ended', draft, why, faults };
}

/** Asks the same question again. Ends the conversation after `maxTries` attempts. */
function unanswered(talk: Asking, message: string): Talk {
  const tries = talk.tries + 1;
  if (tries >= maxTries) return ended(talk.draft, 'given-up');
  const { notice: _notice, ...rest } = talk;
  return { ...rest, tries, notice: message === '' ? 'That does not answer the question.' : message };
}

function turned(talk: Asking, by: number): Talk {
  if (talk.phase !== 'choose') return unanswered(talk, '');
  const page = talk.page + by;
  if (page < 0 || page >= talk.pages) return unanswered(talk, 'There are no more pages.');
  const { notice: _notice, ...rest } = talk;
  return { ...rest, page, tries: 0 };
}

/** Whether a draft must refer to a single record. If several records match, the user chooses one of them. */
export function meansOne(draft: RequestDraft): boolean {
  if (draft.operation === 'show') return true;
  return (draft.operation === 'update' || draft.operation === 'delete') && draft.many !== true;
}

/** Whether the user can correct a draft by entering other values. */
function isCorrectable({ operation }: RequestDraft): boolean {
  return operation === 'add' || operation === 'update';
}

function withAll(talk: Asking): Talk {
  const { draft } = talk;
  if (talk.phase !== 'choose' || (draft.operation !== 'update' && draft.operation !== 'delete'))
    return unanswered(talk, '');
  return { phase: 'plan', draft: { ...draft, many: true } };
}

function withRecord(talk: Asking, { where }: Extract<PersonReply, { reply: 'record' }>): Talk {
  const { draft } = talk;
  if (talk.phase !== 'choose' || !meansOne(draft)) return unanswered(talk, '');
  return { phase: 'plan', draft: { ...draft, where } as RequestDraft };
}

/**
 * Adds values to a draft. Values that the user was asked for fill gaps in new records but never replace
 * existing values. Other values are set in every record.
 */
function withValues(talk: Asking, set: JsonObject): RequestDraft | undefined {
  const { draft } = talk;
  if (draft.operation === 'update') return { ...draft, set: { ...draft.set, ...set } };
  if (draft.operation !== 'add') return undefined;
  const missing = talk.phase === 'capture' ? talk.missing : [];
  const records = draft.records.map((record) => ({
    ...record,
    ...Object.fromEntries(
      Object.entries(set).filter(([name]) => !missing.includes(name) || (record[name] ?? null) === null),
    ),
  }));
  return { ...draft, records };
}
