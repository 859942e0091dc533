import type { RecursiveSkilledAgent } from '../../../config/preset.ts';
import type { LineHistory } from '../../../config/line-history.ts';
import type { RunRequest } from '../../../core/run.ts';
import type { Invocation } from '../../command.ts';
import type { Bill } from './bill.ts';

/** A conversation while it is held. */
export interface Chat {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  readonly session: string;
  /** What bounds each of its turns. */
  readonly bounds: Pick<RunRequest, 'limits' | 'wanted' | 'roles'>;
  readonly bill: Bill;
  /** What was typed in this conversation and before; absent where nobody types. */
  readonly history?: LineHistory;
  /** The run that the last turn began or went on with; undefined before the first. */
  lastRun: string | undefined;
}

/** What a command of the conversation answers: for people, and for programs. */
export interface Said {
  readonly text: string;
  readonly document: object;
}

/** Something that can be said to the conversation itself. */
export interface ChatCommand {
  readonly name: string;
  /** What may stand behind the name. */
  readonly takes?: string;
  readonly summary: string;
  /** Answers it; the one that leaves has no answer. */
  readonly answer?: (chat: Chat, words: string) => Promise<Said>;
}
