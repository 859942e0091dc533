import type { JsonObject } from '../../../core/index.ts';
import { allOf, type Condition } from '../../../engines/conditions/conditions.ts';
import type { PlainReply } from '../../../engines/phrases/replies.ts';
import type { ChangeFault } from '../records/change.ts';
import type { PlainRequest, TableRequest } from '../request/request.ts';

/** A request that is clarified and confirmed in a conversation with the user. */
export type RequestDraft =
  | Extract<TableRequest, { readonly operation: 'add' | 'update' | 'delete' | 'import' | 'show' }>
  | Extract<PlainRequest, { readonly operation: 'undo' }>;

/**
 * The reason why a conversation ended without a change. `gone`: the record no longer exists. `overtaken`: the
 * records have changed since the change to undo. `refused` and `several`: no user is available to correct the
 * request, or to choose one of several records.
 */
export type TalkEnding =
  'none' | 'gone' | 'overtaken' | 'unchanged' | 'cancelled' | 'given-up' | 'refused' | 'several';

/** A question that is waiting for the user's answer. */
interface Asked {
  readonly draft: RequestDraft;
  /** The number of times the question has been asked without a usable answer. */
  readonly tries: number;
  /** A notice to show before the question. */
  readonly notice?: string;
}

/** The state of a conversation that waits for an answer. */
export type Asking = Asked &
  (
    | { readonly phase: 'capture'; readonly missing: readonly string[] }
    | { readonly phase: 'choose'; readonly page: number; readonly pages: number }
    | { readonly phase: 'confirm' }
    | { readonly phase: 'correct'; readonly faults: readonly ChangeFault[] }
  );

/** The state of a conversation. `done`: the change is written, or the single record to show is found. */
export type Talk =
  | Asking
  | {
      readonly phase: 'plan';
      readonly draft: RequestDraft;
      readonly notice?: string;
      readonly isAgain?: true;
      /** The question that a key answered. It is asked again if no matching record has that key. */
      readonly choosing?: Asking;
    }
  | { readonly phase: 'write'; readonly draft: RequestDraft }
  | { readonly phase: 'done'; readonly draft: RequestDraft }
  | {
      readonly phase: 'ended';
      readonly draft: RequestDraft;
      readonly why: TalkEnding;
      readonly faults: readonly ChangeFault[];
    };

/** The kinds of questions that are enabled. Programs can disable all kinds; settings, only confirmation. */
export interface Ways {
  readonly asks: boolean;
  readonly confirms: boolean;
}

/**
 * The user's reply: a plain one, a record, values by field name, or an unclear answer with a message. A record
 * that the user named by its key may not be among the choices.
 */
export type PersonReply =
  | { readonly reply: PlainReply }
  | { readonly reply: 'record'; readonly where: Condition; readonly isKey?: true }
  | { readonly reply: 'values'; readonly set: JsonObject }
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

/**
 * Returns the next state of a conversation. An event that does not apply to the current state changes
 * nothing. Pure.
 */
export function nextTalk(talk: Talk, happening: Happening, ways: Ways): Talk {
  const { happened } = happening;
  if (happened === 'planned' && talk.phase === 'plan') return afterPlan(talk, happening, ways);
  if (happened === 'answered' && 'tries' in talk) return afterReply(talk, happening.reply);
  if (happened === 'written' && talk.phase === 'write') return afterWrite(talk.draft, happening, ways);
  return talk;
}

function afterPlan(
  { draft, notice, isAgain, choosing }: Extract<Talk, { phase: 'plan' }>,
  { found, missing, faults, isUnchanged }: Planned,
  { asks, confirms }: Ways,
): Talk {
  const asked = { draft, tries: 0, ...(notice === undefined ? {} : { notice }) };
  if (found === 0 && choosing !== undefined) return unanswered(choosing, 'No matching record has this key.');
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
  const { draft, phase } = talk;
  const isChoice = phase === 'choose';
  switch (reply.reply) {
    case 'no':
      return ended(draft, 'cancelled');
    case 'yes':
      return phase === 'confirm' ? { phase: 'write', draft } : unanswered(talk);
    case 'next':
    case 'previous':
      return isChoice ? turned(talk, reply.reply === 'next' ? 1 : -1) : unanswered(talk);
    case 'all': {
      const isChange = draft.operation === 'update' || draft.operation === 'delete';
      return isChoice && isChange ? { phase: 'plan', draft: { ...draft, many: true } } : unanswered(talk);
    }
    case 'record':
      return isChoice && meansOne(draft) ? withRecord(talk, reply) : unanswered(talk);
    case 'values': {
      const corrected = isChoice ? undefined : withValues(talk, reply.set);
      return corrected === undefined ? unanswered(talk) : { phase: 'plan', draft: corrected };
    }
    case 'unclear':
      return unanswered(talk, reply.message);
  }
}

function withRecord(
  talk: Asking,
  { where, isKey }: Extract<PersonReply, { reply: 'record' }>,
): Extract<Talk, { phase: 'plan' }> {
  const { draft } = talk;
  if (isKey !== true) return { phase: 'plan', draft: { ...draft, where } as RequestDraft };
  const filter = 'where' in draft ? [draft.where] : [];
  const chosen = { ...draft, where: allOf([...filter, where]) } as RequestDraft;
  return { phase: 'plan', draft: chosen, choosing: talk };
}

function afterWrite(
  draft: RequestDraft,
  { outcome, faults }: Extract<Happening, { happened: 'written' }>,
  { asks }: Ways,
): Talk {
  if (outcome === 'done') return { phase: 'done', draft };
  if (outcome === 'stale' && draft.operation === 'undo') return ended(draft, 'overtaken');
  if (outcome === 'stale') {
    const notice = 'Someone else changed the data in the meantime, so your change has not been made yet.';
    return { phase: 'plan', draft, isAgain: true, notice };
  }
  if (!asks || !isCorrectable(draft)) return ended(draft, 'refused', faults);
  return { phase: 'correct', draft, faults, tries: 0 };
}

function ended(draft: RequestDraft, why: TalkEnding, faults: readonly ChangeFault[] = []): Talk {
  return { phase: 'ended', draft, why, faults };
}

/** Asks the same question again. Ends the conversation after `maxTries` attempts. */
function unanswered(talk: Asking, message = ''): Talk {
  const tries = talk.tries + 1;
  if (tries >= maxTries) return ended(talk.draft, 'given-up');
  return { ...talk, tries, notice: message === '' ? 'That does not answer the question.' : message };
}

function turned(talk: Extract<Asking, { phase: 'choose' }>, by: number): Talk {
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

/**
 * Adds values to a draft. Values that the user was asked for fill gaps in new records but never replace
 * existing values. Other values are set in every record.
 */
function withValues(talk: Asking, set: JsonObject): RequestDraft | undefined {
  const { draft } = talk;
  if (draft.operation === 'update') return { ...draft, set: { ...draft.set, ...set } };
  if (draft.operation !== 'add') return undefined;
  const missing = talk.phase === 'capture' ? talk.missing : [];
  const isOpen = (record: JsonObject, name: string): boolean =>
    !missing.includes(name) || (record[name] ?? null) === null;
  const records = draft.records.map((record) => ({
    ...record,
    ...Object.fromEntries(Object.entries(set).filter(([name]) => isOpen(record, name))),
  }));
  return { ...draft, records };
}
