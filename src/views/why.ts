import type {
  ApprovalResolved,
  CandidatesRanked,
  ErrorCode,
  ErrorData,
  FrameEnded,
  ModelReply,
  RoutingCandidate,
  RunEvent,
  SkillSelected,
} from '../core/index.ts';
import { approvalText, durationText } from './text.ts';

/** Something that was decided in a run, and why. */
export interface Reason {
  readonly at: number;
  /** Where, from the first skill down; empty before there is a frame. */
  readonly path: readonly string[];
  readonly kind:
    | 'skills-ranked'
    | 'skill-selected'
    | 'call-refused'
    | 'approval-asked'
    | 'approval-decided'
    | 'preparation-failed'
    | 'skill-changed'
    | 'question-asked'
    | 'question-answered'
    | 'question-expired'
    | 'message-joined'
    | 'model-failed'
    | 'taken-up';
  /** A sentence. */
  readonly text: string;
  /** Of the failure, if it was one. */
  readonly code?: ErrorCode;
}

/** What was decided in a run and why, in order; pure. */
export function whyOf(events: Iterable<RunEvent>): readonly Reason[] {
  const all = [...events];
  const reasons = createReasons();
  for (const event of all) reasons.hear(event); // a caller may be read after its call
  return all.flatMap((event) => reasons.add(event) ?? []);
}

/** Decisions as they come. */
interface Reasons {
  /** The decision that an event tells of, if it does. */
  add(event: RunEvent): Reason | undefined;
  /** Learns only who calls whom. */
  hear(event: RunEvent): void;
}

/** Reasons for whoever follows a run while it happens. */
export function createReasons(): Reasons {
  const memory: Memory = { frames: new Map(), asked: new Map(), lastAt: 0, waits: false, reuses: false };
  const hear = (event: RunEvent): void => {
    if (event.type !== 'frame.started' || memory.frames.has(event.frameId)) return;
    memory.frames.set(event.frameId, { parent: event.parent, skill: event.skill });
  };
  const add = (event: RunEvent): Reason | undefined => {
    hear(event);
    const path = pathOf(event.frameId, memory);
    const said = reasonIn(event, memory, path);
    if (event.type === 'run.started') memory.reuses = event.rerunOf !== undefined;
    if (event.type === 'run.resumed') memory.reuses = false;
    memory.waits = event.type === 'run.waiting';
    memory.lastAt = event.at;
    return said === undefined ? undefined : { at: event.at, path, ...said };
  };
  return { add, hear };
}

/** What later events refer to. */
interface Memory {
  readonly frames: Map<string, { readonly parent: string; readonly skill: string }>;
  /** The text of each question and the skill of each approval, by type, frame and key. */
  readonly asked: Map<string, string>;
  /** The moment of the event before. */
  lastAt: number;
  /** The event before says that nobody works on the run until a person answers. */
  waits: boolean;
  /** What comes now was taken over from an earlier run. */
  reuses: boolean;
}

type Said = Omit<Reason, 'at' | 'path'>;

function pathOf(frameId: string, { frames }: Memory): readonly string[] {
  const path: string[] = [];
  const seen = new Set<string>();
  for (let id = frameId; !seen.has(id); seen.add(id), id = frames.get(id)?.parent ?? '') {
    const frame = frames.get(id);
    if (frame !== undefined) path.unshift(frame.skill);
  }
  return path;
}

function reasonIn(event: RunEvent, memory: Memory, path: readonly string[]): Said | undefined {
  const { asked } = memory;
  switch (event.type) {
    case 'run.resumed':
      if (memory.reuses) return undefined; // the beginning of a run that reuses another one
      return { kind: 'taken-up', text: takenUpText(event.owner, event.at - memory.lastAt, memory.waits) };
    case 'frame.ended':
      return changeIn(event, path);
    case 'candidates.ranked':
      return { kind: 'skills-ranked', text: rankingText(event) };
    case 'skill.selected':
      return { kind: 'skill-selected', text: selectionText(event) };
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
      return { kind: 'approval-decided', text: decisionText(skill, event) };
    }
    case 'input.requested':
      asked.set(`input ${event.frameId} ${event.key}`, event.question.text);
      return { kind: 'question-asked', text: `${named(path, 'Somebody')} asked: ${event.question.text}` };
    case 'input.resolved': {
      const question = asked.get(`input ${event.frameId} ${event.key}`) ?? event.key;
      if (event.error !== undefined)
        return {
          kind: 'question-expired',
          text: `Nobody answered "${question}" in time.`,
          code: event.error.code,
        };
      return {
        kind: 'question-answered',
        text: `The answer to "${question}" was ${JSON.stringify(event.answer)}.`,
      };
    }
    case 'model.started': {
      const said = (event.joined ?? []).map(({ text }) => JSON.stringify(text)).join(', ');
      return said === '' ? undefined : { kind: 'message-joined', text: `Somebody said meanwhile: ${said}.` };
    }
    case 'model.ended':
      return attemptsIn(event.reply);
    default:
      return undefined;
  }
}

/** Why an answer took more than one attempt, or there is none. */
function attemptsIn({ failed = [], error, model }: ModelReply): Said | undefined {
  const [first] = failed;
  if (first === undefined)
    return error === undefined ? undefined : failure('model-failed', 'The model failed', error);
  const times = failed.length === 1 ? 'once' : `${failed.length} times`;
  const then = error === undefined ? `, then ${model ?? 'it'} answered` : '';
  return failure('model-failed', `${first.model} failed ${times}${then}`, first.error);
}

function takenUpText(owner: string, silence: number, waited: boolean): string {
  return `taken up by ${owner} after ${durationText(silence)} ${waited ? 'of waiting' : 'without a process'}`;
}

function changeIn({ output }: FrameEnded, path: readonly string[]): Said | undefined {
  if (output.status === 'done' || output.error.code !== 'skill.changed') return undefined;
  return failure('skill-changed', `${named(path, 'The skill')} was stopped`, output.error);
}

/** The skill at the end of a path, in quotes. */
function named(path: readonly string[], otherwise: string): string {
  const skill = path.at(-1);
  return skill === undefined ? otherwise : `"${skill}"`;
}

function failure(kind: Reason['kind'], what: string, { code, message }: ErrorData): Said {
  return { kind, text: `${what} (${code}): ${message}`, code };
}

function decisionText(skill: string, { answer, by }: ApprovalResolved): string {
  if (by === 'policy') return `"${skill}" needed no approval any more.`;
  if ('deny' in answer) return `"${skill}" was denied: ${answer.deny}`;
  return answer.allow === 'once'
    ? `"${skill}" was allowed this once.`
    : `"${skill}" was allowed for the rest of the run.`;
}

/** Which skills were weighed for a prompt, how each did and whether one applies, in sentences. Pure. */
function rankingText(ranked: CandidatesRanked): string {
  const { candidates, omitted, threshold, by, abstained } = ranked;
  const kind = kinds[ranked.among];
  if (candidates.length === 0)
    return omitted === 0 ? `There are no ${kind}.` : `Of the ${kind} (${omitted}) none has to do with it.`;
  const more = omitted === 0 ? '' : `, and ${omitted} more`;
  const measure = by === 'words' ? 'words' : 'words and meaning';
  const none = abstained ? '; none does' : '';
  return `Of the ${kind}, by ${measure}: ${candidates.map(candidateText).join(', ')}${more}. One applies from ${scoreText(threshold)} on${none}.`;
}

const kinds = { routers: 'skills that hand prompts on', workers: 'skills that do the work' } as const;

/** A skill, how sure it is, and the words that speak for it. */
function candidateText({ skill, score, words }: RoutingCandidate): string {
  return `"${skill}" ${scoreText(score)}${words.length === 0 ? '' : ` (${words.join(', ')})`}`;
}

function scoreText(score: number): string {
  return score.toFixed(2);
}

/** Which skill answers and who chose it, in a sentence. Pure. */
function selectionText({ skill, by, reason }: SkillSelected): string {
  const choice = by === 'nothing' ? 'Nothing fits' : `"${skill}" ${choices[by]}`;
  return reason === undefined ? `${choice}.` : `${choice}: ${reason}`;
}

const choices = {
  name: 'was chosen by its name',
  ranking: 'was chosen by the ranking',
  session: 'was chosen because it worked last in this session, and the words are for it',
  model: 'was chosen by a model',
  'ad-hoc': 'was made for this prompt, as no skill alone clearly fits',
} as const;
