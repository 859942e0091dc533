import type { WaitingQuestion } from '../../../agent/runs/pending.ts';
import type { LineHistory } from '../../../config/line-history.ts';
import {
  addUsage,
  noUsage,
  type RunRequest,
  type RunSummary,
  type Skill,
  type Usage,
} from '../../../core/index.ts';
import { foldRun, moneyText, tokensText } from '../../../views/index.ts';
import type { Invocation, RecursiveSkilledAgent } from '../../command-kit.ts';

const mostWaitingRuns = 100;

/** The runs of a conversation that wait for a person, the oldest first. */
export async function waitingRuns({ agent, session, lastRun }: Chat): Promise<readonly RunSummary[]> {
  if (lastRun === undefined) return []; // and perhaps nothing was ever kept
  return (await agent.runs.list({ session, status: ['waiting'], limit: mostWaitingRuns })).toReversed();
}

/** The question that the next line answers. */
export async function openQuestion({ agent, session, lastRun }: Chat): Promise<WaitingQuestion | undefined> {
  return lastRun === undefined ? undefined : agent.runs.waitingIn(session);
}

/** The skills that people call by a slash and their name, in the order of their names. */
export function slashSkills({ agent }: Pick<Chat, 'agent'>): readonly Skill[] {
  return agent.skills.list().filter(({ status, card }) => status === 'ready' && card.userInvocable !== false);
}

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

/** What the runs of a conversation used. */
interface Bill {
  /** Notes what a run has used so far. */
  note(runId: string, used: Usage): void;
  /** All runs together, those of earlier times included. */
  total(): Promise<Total>;
}

/** A sum over runs. */
interface Total {
  readonly runs: number;
  readonly used: Usage;
}

const mostBilledRuns = 10_000;

/** The bill of a session; what was there before is read when it is first asked for, and never again. */
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
    for (const { id } of await agent.runs.list({ session, limit: mostBilledRuns })) {
      if (!noted.has(id)) noted.set(id, foldRun(await agent.runs.events(id)).totalUsage);
    }
  }
}

/** Tokens, and money where it is known: `2,310 tok, $0.04`. */
export function usedText(usage: Usage): string {
  const money = usage.cost === undefined ? [] : [moneyText(usage.cost)];
  return [tokensText(usage), ...money].join(', ');
}
