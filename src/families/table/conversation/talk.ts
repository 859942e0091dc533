import type { ChangeFault } from '../records/change.ts';
import type {
  AddRequest,
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

/** The number of records per page of choices. */
export const choicesPerPage = 10;

/** The maximum number of times a question is asked before the conversation ends. */
export const maxTries = 5;
