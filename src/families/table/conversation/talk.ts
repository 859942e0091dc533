import type { ChangeFault } from '../records/change.ts';
import type {
  AddRequest,
  DeleteRequest,
  ImportRequest,
  PlainRequest,
  ShowRequest,
  UpdateRequest,
} from '../request/request.ts';

/** What is talked about until it is clear and confirmed. */
export type RequestDraft =
  | AddRequest
  | UpdateRequest
  | DeleteRequest
  | ImportRequest
  | ShowRequest
  | Extract<PlainRequest, { readonly operation: 'undo' }>;

/** Why a conversation ended without a change. */
export type TalkEnding =
  /** No record is meant. */
  | 'none'
  /** The record was there when it was shown, and is not any more. */
  | 'gone'
  /** What the last change left was changed since, so it cannot be taken back. */
  | 'overtaken'
  /** All is as it is wanted already. */
  | 'unchanged'
  | 'cancelled'
  | 'given-up'
  /** It cannot be done, and nobody is there to correct it. */
  | 'refused'
  /** Several records fit, and nobody is there to choose. */
  | 'several';

/** Something that a person is asked. */
interface Asked {
  readonly draft: RequestDraft;
  /** How often it was asked without an answer. */
  readonly tries: number;
  /** What is said before the question. */
  readonly notice?: string;
}

/** Where a conversation stands. */
export type Talk =
  /** The next step is to find out what the draft comes to. */
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
  /** It is written, or the one record to be shown is found. */
  | { readonly phase: 'done'; readonly draft: RequestDraft }
  | {
      readonly phase: 'ended';
      readonly draft: RequestDraft;
      readonly why: TalkEnding;
      readonly faults: readonly ChangeFault[];
    };

/** How far people are asked: not at all when a program said so, and not to confirm when settings say so. */
export interface Ways {
  readonly asks: boolean;
  readonly confirms: boolean;
}

/** How many records a page of choices has. */
export const choicesPerPage = 10;

/** How often a question is put before it is given up. */
export const mostTries = 5;
