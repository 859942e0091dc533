import type { WaitingQuestion } from '../../../agent/runs/pending.ts';
import type { LineHistory } from '../../../config/line-history.ts';
import {
  addUsage,
  noUsage,
  type Attachment,
  type Json,
  type RunRequest,
  type OpenQuestion,
  type RunSummary,
  type ShownQuestion,
  type Skill,
  type Usage,
} from '../../../core/index.ts';
import { foldRun, moneyText, tokensText } from '../../../views/index.ts';
import type { Invocation, Lines, RecursiveSkilledAgent } from '../../command-kit.ts';
import { isSameQuestion } from '../../runs/preconditions.ts';

/** Whether the user holds the conversation at a terminal. */
export function isAtTerminal({ invocation }: Pick<Chat, 'invocation'>): boolean {
  return invocation.terminal.ask !== undefined && !invocation.flags.json;
}

const maxWaitingRuns = 100;

/** Returns the conversation's runs that are waiting for the user, oldest first. */
export async function waitingRuns({ agent, session, lastRun }: Chat): Promise<readonly RunSummary[]> {
  if (lastRun === undefined) return []; // There may be no store before the first turn.
  return (await agent.runs.list({ session, status: ['waiting'], limit: maxWaitingRuns })).toReversed();
}

/** Returns the question that the next line answers: the question that was shown last, if it is still open. */
export async function openQuestion({ agent, session, shown }: Chat): Promise<WaitingQuestion | undefined> {
  if (shown === undefined) return undefined;
  const waiting = await agent.runs.waitingIn(session, undefined, shown);
  return isSameQuestion(waiting, shown) ? waiting : undefined;
}

/** Records the conversation's oldest open question as the question that was shown last, and returns it. */
export async function showOldest(chat: Chat): Promise<OpenQuestion | undefined> {
  const waiting = chat.lastRun === undefined ? undefined : await chat.agent.runs.waitingIn(chat.session);
  chat.shown = waiting && { runId: waiting.runId, id: waiting.question.id };
  return waiting?.question;
}

/** Returns the skills that people can call with a slash, ordered by name. */
export function slashSkills({ agent }: Pick<Chat, 'agent'>): readonly Skill[] {
  return agent.skills.list().filter(({ status, card }) => status === 'ready' && card.userInvocable !== false);
}

/** An open conversation. */
export interface Chat {
  readonly agent: RecursiveSkilledAgent;
  readonly invocation: Invocation;
  session: string;
  /** The limits, the user and the model for each turn. */
  bounds: Pick<RunRequest, 'limits' | 'overrides' | 'user' | 'assistant'>;
  bill: Bill;
  /** The lines typed in this conversation and in earlier ones. Absent without a terminal. */
  readonly history?: LineHistory;
  /** The lines that the user types. Absent until the conversation starts. */
  lines?: Lines;
  /** Lines that the user typed during a run and that the run did not take. */
  readonly queued: string[];
  /** The last request, which `/use` and `/assistant` send again. */
  lastRequest?: TurnRequest;
  /** The run that the last turn started or continued, or undefined before the first turn. */
  lastRun: string | undefined;
  /** The question that was shown last. */
  shown?: ShownQuestion | undefined;
}

/** The request of a turn. */
export interface TurnRequest {
  /** The prompt, as the model reads it. */
  readonly prompt: string;
  /** The skill to call, if the prompt does not determine it. */
  readonly skill?: string;
  readonly input?: Json;
  /** Whether the assistant takes the prompt, without selecting a skill for it. */
  readonly toAssistant?: true;
  /** The pictures that the line includes. */
  readonly attachments?: readonly Attachment[];
  /** The name of the skill whose call the user typed completely. This call needs no further approval. */
  readonly typed?: string;
}

/** The output of a chat command: text for people and a document for programs. */
export interface Said {
  readonly text: string;
  readonly document: object;
}

/** A built-in command of the conversation. */
export interface ChatCommand {
  readonly name: string;
  /** The arguments that the command accepts. */
  readonly takes?: string;
  readonly summary: string;
  /** Runs the command, or returns a turn to take. Absent for the command that ends the conversation. */
  readonly answer?: (chat: Chat, args: string) => Promise<Said | TurnRequest>;
}

/** A tracker of the usage of a conversation's runs. */
interface Bill {
  /** Records the latest usage of a run. */
  note(runId: string, used: Usage): void;
  /** Returns the total usage of all runs in the conversation, including runs from before it was reopened. */
  total(): Promise<Total>;
}

/** The total usage of several runs. */
interface Total {
  readonly runs: number;
  readonly used: Usage;
}

const maxBilledRuns = 10_000;

/** Creates a tracker of a session's usage. It reads earlier runs once, on first use. */
export function createBill(agent: RecursiveSkilledAgent, session: string): Bill {
  const noted = new Map<string, Usage>();
  let isRead = false;
  return {
    note: (runId, used) => void noted.set(runId, used),
    async total() {
      if (!isRead) await read();
      isRead = true;
      const all = [...noted.values()];
      return { runs: all.length, used: all.reduce(addUsage, noUsage) };
    },
  };

  async function read(): Promise<void> {
    for (const { id } of await agent.runs.list({ session, limit: maxBilledRuns })) {
      if (!noted.has(id)) noted.set(id, foldRun(await agent.runs.events(id)).totalUsage);
    }
  }
}

/** Formats a number of tokens, and their cost if it is known: `2,310 tok, $0.04`. */
export function usedText(usage: Usage): string {
  const money = usage.cost === undefined ? [] : [moneyText(usage.cost)];
  return [tokensText(usage), ...money].join(', ');
}
