import type { JsonObject } from '../../../core/index.ts';
import type { ChangeFault } from '../records/change.ts';
import type {
  AddRequest,
  Condition,
  DeleteRequest,
  ImportRequest,
  PlainRequest,
  ShowRequest,
  UpdateRequest,
} from '../request/request.ts';

/** A request that is clarified and confirmed in a conversation with the user. */
export type RequestDraft =
  | AddRequest
  | UpdateRequest
  | DeleteRequest
  | ImportRequest
  | ShowRequest
  | Extract<PlainRequest, { readonly operation: 'undo' }>;

/** The reason why a conversation ended without a change. */
export type TalkEnding =
  /** No record matches. */
  | 'none'
  /** The record existed when it was shown, but no longer does. */
  | 'gone'
  /** The records of the last change have been changed since, so it cannot be undone. */
  | 'overtaken'
  /** The records already have the requested values. */
  | 'unchanged'
  | 'cancelled'
  | 'given-up'
  /** The request cannot be carried out, and no user is available to correct it. */
  | 'refused'
  /** Several records match, and no user is available to choose one. */
  | 'several';

/** A question that is waiting for the user's answer. */
interface Asked {
  readonly draft: RequestDraft;
  /** The number of times the question has been asked without a usable answer. */
  readonly tries: number;
  /** A notice to show before the question. */
  readonly notice?: string;
}

/** The state of a conversation. */
export type Talk =
  /** The draft is ready to be planned. */
  | {
      readonly phase: 'plan';
      readonly draft: RequestDraft;
      readonly notice?: string;
      readonly isAgain?: true;
    }
  | ({ readonly phase: 'capture'; readonly missing: readonly string[] } & Asked)
  | ({ readonly phase: 'choose'; readonly page: number; readonly pages: number } & Asked)
  | ({ readonly phase: 'confirm' } & Asked)
  | ({ readonly phase: 'correct'; readonly faults: readonly ChangeFault[] } & Asked)
  | { readonly phase: 'write'; readonly draft: RequestDraft }
  /** The change is written, or the single record to show is found. */
  | { readonly phase: 'done'; readonly draft: RequestDraft }
  | {
      readonly phase: 'ended';
      readonly draft: RequestDraft;
      readonly why: TalkEnding;
      readonly faults: readonly ChangeFault[];
    };

/**
 * The kinds of questions that are enabled. Programs can disable all kinds; settings can disable only
 * confirmation.
 */
export interface Ways {
  readonly asks: boolean;
  readonly confirms: boolean;
}

/** A reply that has the same meaning for every question. */
export type PlainReply = 'yes' | 'no' | 'next' | 'previous' | 'all';

/** The user's reply. */
export type PersonReply =
  | { readonly reply: PlainReply }
  /** The chosen record. */
  | { readonly reply: 'record'; readonly where: Condition }
  /** Corrected or additional values, by declared field name. */
  | { readonly reply: 'values'; readonly set: JsonObject }
  /** An unclear answer. The message is a sentence, or empty. */
  | { readonly reply: 'unclear'; readonly message: string };

/** The result of planning a draft. */
interface Planned {
  /** The number of matching records. */
  readonly found: number;
  /** The names of required fields without a value. */
  readonly missing: readonly string[];
  readonly faults: readonly ChangeFault[];
  /** Whether the request would leave all records unchanged. */
  readonly isUnchanged: boolean;
}

/**
 * The result of planning a draft, as it is recorded and shown to users. It does not contain the records,
 * which are read again. A different `digest` means that the records have changed.
 */
export interface ShownPlan extends Planned {
  readonly faultCount: number;
  readonly leftOut: number;
  readonly digest: string;
  readonly text: string;
}

/** The number of records per page of choices. */
export const choicesPerPage = 10;

/** The maximum number of times a question is asked before the conversation ends. */
export const maxTries = 5;

/** An event that advances a conversation. */
export type Happening =
  | (Planned & { readonly happened: 'planned' })
  | { readonly happened: 'answered'; readonly reply: PersonReply }
  | {
      readonly happened: 'written';
      readonly outcome: 'done' | 'stale' | 'refused';
      readonly faults: readonly ChangeFault[];
    };

/** The state of a conversation that waits for an answer. */
export type Asking = Extract<Talk, { tries: number }>;

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
