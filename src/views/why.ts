import type { ErrorCode, ErrorData } from '../core/error.ts';
import type { Envelope, FrameEnded, RunEvent } from '../core/event.ts';
import type { Approval } from '../core/policy.ts';
import { approvalText } from './asked-question.ts';

/** Something that was decided in a run, and why. */
export interface Reason {
  readonly at: number;
  /** Where, from the first skill down; empty before there is a frame. */
  readonly path: readonly string[];
  readonly kind:
    | 'skill-selected'
    | 'call-refused'
    | 'approval-asked'
    | 'approval-decided'
    | 'preparation-failed'
    | 'skill-changed'
    | 'question-asked'
    | 'question-answered';
  /** A sentence. */
  readonly text: string;
  /** Of the failure, if it was one. */
  readonly code?: ErrorCode;
}

/** What was decided in a run and why, in order; pure. */
export function whyOf(events: Iterable<RunEvent>): readonly Reason[] {
  const memory: Memory = { paths: new Map([['', []]]), asked: new Map() };
  const reasons: Reason[] = [];
  for (const event of events) {
    const said = reasonIn(event, memory);
    if (said !== undefined) reasons.push({ at: event.at, path: pathOf(event, memory), ...said });
  }
  return reasons;
}

/** What later events refer to. */
interface Memory {
  /** Of each frame. */
  readonly paths: Map<string, readonly string[]>;
  /** The text of each question and the skill of each approval, by type, frame and key. */
  readonly asked: Map<string, string>;
}

type Said = Omit<Reason, 'at' | 'path'>;

function pathOf({ frameId }: Envelope, { paths }: Memory): readonly string[] {
  return paths.get(frameId) ?? [];
}

function reasonIn(event: RunEvent, memory: Memory): Said | undefined {
  const { paths, asked } = memory;
  switch (event.type) {
    case 'frame.started':
      paths.set(event.frameId, [...(paths.get(event.parent) ?? []), event.skill]);
      return undefined;
    case 'frame.ended':
      return changeIn(event, pathOf(event, memory));
    case 'skill.selected':
      return { kind: 'skill-selected', text: `"${event.skill}" was chosen by its ${event.by}.` };
    case 'call.refused':
      return failure('call-refused', `The call of "${event.skill}" was refused`, event.error);
    case 'prepare.ended':
      if (event.error === undefined) return undefined;
      return failure('preparation-failed', `The preparation ${event.run} failed`, event.error);
    case 'approval.requested':
      asked.set(`approval ${event.frameId} ${event.key}`, event.asks.skill);
      return { kind: 'approval-asked', text: approvalText(event.asks) };
    case 'approval.resolved': {
      const skill = asked.get(`approval ${event.frameId} ${event.key}`) ?? event.key;
      return { kind: 'approval-decided', text: decisionText(skill, event.answer) };
    }
    case 'input.requested':
      asked.set(`input ${event.frameId} ${event.key}`, event.question.text);
      return {
        kind: 'question-asked',
        text: `"${pathOf(event, memory).at(-1) ?? ''}" asked: ${event.question.text}`,
      };
    case 'input.resolved': {
      const question = asked.get(`input ${event.frameId} ${event.key}`) ?? event.key;
      return {
        kind: 'question-answered',
        text: `The answer to "${question}" was ${JSON.stringify(event.answer)}.`,
      };
    }
    default:
      return undefined;
  }
}

function changeIn({ output }: FrameEnded, path: readonly string[]): Said | undefined {
  if (output.status === 'done' || output.error.code !== 'skill.changed') return undefined;
  return failure('skill-changed', `"${path.at(-1) ?? ''}" was stopped`, output.error);
}

function failure(kind: Reason['kind'], what: string, { code, message }: ErrorData): Said {
  return { kind, text: `${what} (${code}): ${message}`, code };
}

function decisionText(skill: string, answer: Approval): string {
  if ('deny' in answer) return `"${skill}" was denied: ${answer.deny}`;
  return answer.allow === 'once'
    ? `"${skill}" was allowed this once.`
    : `"${skill}" was allowed for the rest of the run.`;
}
