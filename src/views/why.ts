import {
  shownSkillName,
  type ApprovalResolved,
  type CandidatesRanked,
  type ChoiceEvidence,
  type ErrorCode,
  type ErrorData,
  type FrameEnded,
  type ModelReply,
  type RoutingCandidate,
  type RunEvent,
  type SkillSelected,
} from '../core/index.ts';
import { approvalText, durationText } from './text.ts';

/** A decision in a run, with its reason. */
export interface RunDecision {
  readonly at: number;
  /** The names of the skills on the call path, outermost first. Empty before the first frame starts. */
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
  /** The decision and its reason, as one sentence. */
  readonly text: string;
  /** The error code, if the decision is a failure. */
  readonly code?: ErrorCode;
}

/** Returns all decisions of a run, in order, with their reasons. Pure. */
export function explainRun(events: Iterable<RunEvent>): readonly RunDecision[] {
  const all = [...events];
  const reasons = createReasons();
  for (const event of all) reasons.observe(event); // The log can contain a caller after its call.
  return all.flatMap((event) => reasons.add(event) ?? []);
}

/** An explainer of the decisions in a run, which processes one event at a time. */
interface Reasons {
  /** Adds an event. Returns the decision that the event reports, or undefined. */
  add(event: RunEvent): RunDecision | undefined;
  /** Records which frame made a call, without explaining a decision. */
  observe(event: RunEvent): void;
}

/** Creates an explainer for following a run in progress. */
export function createReasons(): Reasons {
  const memory: Memory = { frames: new Map(), asked: new Map(), lastAt: 0, waits: false, reuses: false };
  const observe = (event: RunEvent): void => {
    if (event.type !== 'frame.started' || memory.frames.has(event.frameId)) return;
    memory.frames.set(event.frameId, { parent: event.parent, skill: shownSkillName(event.skill) });
  };
  const add = (event: RunEvent): RunDecision | undefined => {
    observe(event);
    const path = pathOf(event.frameId, memory);
    const said = reasonIn(event, memory, path);
    if (event.type === 'run.started') memory.reuses = event.rerunOf !== undefined;
    if (event.type === 'run.resumed') memory.reuses = false;
    memory.waits = event.type === 'run.waiting';
    memory.lastAt = event.at;
    return said === undefined ? undefined : { at: event.at, path, ...said };
  };
  return { add, observe };
}

/** Facts from earlier events that explain later events. */
interface Memory {
  readonly frames: Map<string, { readonly parent: string; readonly skill: string }>;
  /** The text of each question and the skill of each approval request, keyed by event type, frame and key. */
  readonly asked: Map<string, string>;
  /** The time of the previous event, in milliseconds since the Unix epoch. */
  lastAt: number;
  /** Whether the run was waiting for the user after the previous event. */
  waits: boolean;
  /** Whether the current events were copied from an earlier run. */
  reuses: boolean;
}

type Said = Omit<RunDecision, 'at' | 'path'>;

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
      // In a rerun, this event only marks where the new events begin.
      if (memory.reuses) return undefined;
      return { kind: 'taken-up', text: resumedText(event.owner, event.at - memory.lastAt, memory.waits) };
    case 'frame.ended':
      return changeIn(event, path);
    case 'candidates.ranked':
      return { kind: 'skills-ranked', text: rankingText(event) };
    case 'skill.selected':
      return { kind: 'skill-selected', text: selectionText(event) };
    case 'call.refused':
      return failure('call-refused', `The call to "${event.skill}" was refused`, event.error);
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
      return { kind: 'question-asked', text: `${named(path, 'A skill')} asked: ${event.question.text}` };
    case 'input.resolved': {
      const question = asked.get(`input ${event.frameId} ${event.key}`) ?? event.key;
      if (event.error !== undefined)
        return {
          kind: 'question-expired',
          text: `"${question}" was not answered in time.`,
          code: event.error.code,
        };
      return {
        kind: 'question-answered',
        text: `The answer to "${question}" was ${JSON.stringify(event.answer)}.`,
      };
    }
    case 'model.started': {
      const said = (event.joined ?? []).map(({ text }) => JSON.stringify(text)).join(', ');
      return said === ''
        ? undefined
        : { kind: 'message-joined', text: `A message arrived meanwhile: ${said}.` };
    }
    case 'model.ended':
      return attemptsIn(event.reply);
    default:
      return undefined;
  }
}

/** Explains why a reply took several attempts, or why there is no reply. */
function attemptsIn({ failed = [], error, model }: ModelReply): Said | undefined {
  const [first] = failed;
  if (first === undefined)
    return error === undefined ? undefined : failure('model-failed', 'The model failed', error);
  const times = failed.length === 1 ? 'once' : `${failed.length} times`;
  const then = error === undefined ? `, then ${model ?? 'it'} answered` : '';
  return failure('model-failed', `${first.model} failed ${times}${then}`, first.error);
}

function resumedText(owner: string, silence: number, waited: boolean): string {
  return `resumed by ${owner} after ${durationText(silence)} ${waited ? 'of waiting' : 'without a process'}`;
}

function changeIn({ output }: FrameEnded, path: readonly string[]): Said | undefined {
  if (output.status === 'done' || output.error.code !== 'skill.changed') return undefined;
  return failure('skill-changed', `${named(path, 'The skill')} was stopped`, output.error);
}

/** Returns the last skill on a path, in quotes. Returns `otherwise` if the path is empty. */
function named(path: readonly string[], otherwise: string): string {
  const skill = path.at(-1);
  return skill === undefined ? otherwise : `"${skill}"`;
}

function failure(kind: RunDecision['kind'], what: string, { code, message }: ErrorData): Said {
  return { kind, text: `${what} (${code}): ${message}`, code };
}

function decisionText(skill: string, { answer, by }: ApprovalResolved): string {
  if (by === 'policy') return `"${skill}" no longer needed approval.`;
  if ('deny' in answer) return `"${skill}" was denied: ${answer.deny}`;
  return answer.allow === 'once'
    ? `"${skill}" was allowed once.`
    : `"${skill}" was allowed for the rest of the run.`;
}

/**
 * Describes which skills were ranked for a prompt, what their scores are, and whether one of them applies.
 * Pure.
 */
function rankingText(ranked: CandidatesRanked): string {
  const { threshold, by, abstained } = ranked;
  const kind = kinds[ranked.among];
  const total = ranked.candidates.length + ranked.omitted;
  const candidates = ranked.candidates.filter(({ score }) => score > 0).slice(0, maxShown);
  if (candidates.length === 0)
    return total === 0 ? `There are no ${kind}.` : `No match among ${total} ${kind}.`;
  const omitted = total - candidates.length;
  const more = omitted === 0 ? '' : `, and ${omitted} more`;
  const measure = by === 'words' ? 'keywords' : 'keywords and meaning';
  const none = abstained ? '; none reaches it' : '';
  return `Scores of ${kind}, by ${measure}: ${candidates.map(candidateText).join(', ')}${more}. Threshold: ${scoreText(threshold)}${none}.`;
}

const maxShown = 10;
const kinds = { routers: 'orchestrators', workers: 'other skills' } as const;

/** Describes a skill with its score and the words that it shares with the prompt. */
function candidateText({ skill, score, words }: RoutingCandidate): string {
  return `"${skill}" ${scoreText(score)}${words.length === 0 ? '' : ` (${words.join(', ')})`}`;
}

function scoreText(score: number): string {
  return score.toFixed(2);
}

/** Describes which skill was selected and how, in one sentence. Pure. */
function selectionText({ skill, by, reason, evidence }: SkillSelected): string {
  const choice = by === 'nothing' ? 'No skill matches' : `"${shownSkillName(skill)}" ${choices[by]}`;
  const said = reason === undefined || saidAlready.has(by) ? `${choice}.` : `${choice}: ${reason}`;
  return evidence === undefined ? said : `${said} ${evidenceText(evidence)}.`;
}

/** Describes a candidate's score, its lead over the next best and the words that decided, in one line. Pure. */
export function evidenceText({ words, ...rest }: ChoiceEvidence): string {
  return comparisonText({ ...rest, shared: words });
}

/** A candidate's comparison with the next best. `shared` lists what it has in common with the prompt. */
interface Comparison extends Omit<ChoiceEvidence, 'words'> {
  readonly shared: readonly string[];
}

/** Describes how a candidate compares with the next best, in one line. Pure. */
export function comparisonText({ score, margin, next, shared }: Comparison): string {
  const lead =
    next === undefined
      ? 'no other match'
      : `${scoreText(Math.abs(margin))} ${margin < 0 ? 'behind' : 'ahead of'} "${next}"`;
  return `Score ${scoreText(score)}, ${lead}, by ${shared.length === 0 ? 'meaning' : shared.join(', ')}`;
}

const saidAlready: ReadonlySet<string> = new Set(['name', 'session', 'ad-hoc']);
const choices = {
  name: 'was chosen by its name',
  ranking: 'was chosen by the ranking',
  session: 'was chosen because it was last active in this session and the prompt is meant for it',
  model: 'was chosen by a model',
  'ad-hoc': 'was created for this prompt, because no single skill clearly matches',
} as const;
