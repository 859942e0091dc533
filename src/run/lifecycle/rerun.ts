import {
  AgentError,
  optional,
  type EventBody,
  type LimitOptions,
  type RecordedLimits,
  type RunEvent,
  type RunRequest,
  type RunStarted,
  userKey,
} from '../../core/index.ts';
import { amend } from './cancel.ts';
import type { Addition } from '../log/journal.ts';
import type { Kernel } from '../kernel.ts';
import { noSuchRun } from './stop.ts';
import { readLog } from '../log/read-log.ts';

/** Who starts a run again, instead of the earlier run's own user. */
export interface RunAsker extends Pick<RunRequest, 'user' | 'client' | 'access' | 'submitted'> {
  /** The cost and tokens of the new run, if lower than the limits of the earlier run. */
  readonly limits?: Pick<LimitOptions, 'cost' | 'tokens'>;
}

/**
 * Creates a run with the same request as an earlier run. The new run reuses everything that ended before the
 * frame `from` began. The new run is not a turn in a conversation.
 */
export async function startRerun(
  kernel: Kernel,
  runId: string,
  earlier: string,
  from: string | undefined,
  asker: RunAsker = {},
): Promise<void> {
  const events = await readLog(kernel.store, earlier);
  const begin = events.find((event) => event.type === 'run.started');
  if (begin?.type !== 'run.started') throw noSuchRun(earlier);
  const { type, skill, prompt, input, session, roles, limits, through, wanted, io, client, access } = begin;
  const isOwn = from === undefined || versionsIn(events).every((version) => version === kernel.version);
  const started: RunStarted = {
    type,
    skill,
    input,
    session,
    limits: lowerLimits(limits, asker.limits),
    ...optional('prompt', prompt),
    ...optional('roles', roles),
    ...optional('client', client),
    ...optional('access', access),
    ...optional('through', through),
    ...optional('wanted', wanted),
    ...optional('io', io),
    ...optional('version', isOwn ? kernel.version : undefined),
    ...recordAsker(asker),
    rerunOf: earlier,
  };
  const reused =
    from === undefined ? [] : [...choiceIn(events, begin), ...finishedBefore(events, from, earlier)];
  await amend(kernel, runId, (state) =>
    state.started === undefined ? [{ frameId: '', body: started }, ...reused] : [],
  );
}

function lowerLimits(recorded: RecordedLimits, { cost, tokens }: LimitOptions = {}): RecordedLimits {
  const { money = Infinity, tokens: most = Infinity } = recorded;
  const lower = { money: Math.min(money, cost ?? Infinity), tokens: Math.min(most, tokens ?? Infinity) };
  const limited = Object.entries(lower).filter(([, amount]) => amount !== Infinity);
  return { ...recorded, ...Object.fromEntries(limited) };
}

function recordAsker({ user, client, access, submitted }: RunAsker): Partial<RunStarted> {
  const { id, roles } = user ?? {};
  return {
    ...optional('user', userKey(id)),
    ...optional('roles', roles),
    ...optional('client', client),
    ...optional('access', access),
    ...(submitted === true ? { submitted } : {}),
  };
}

/** Returns the program versions that wrote a log. */
function versionsIn(events: readonly RunEvent[]): readonly (string | undefined)[] {
  return events.flatMap((event) =>
    event.type === 'run.started' || event.type === 'run.resumed' ? [event.version] : [],
  );
}

/**
 * Returns the routing events of an earlier run, because its finished calls belong to the skill that was
 * selected then.
 */
function choiceIn(events: readonly RunEvent[], { skill }: RunStarted): readonly Addition[] {
  if (skill !== '') return []; // If the request names a skill, that name is resolved again.
  return events
    .filter(({ type }) => type === 'candidates.ranked' || type === 'skill.selected')
    .map((event) => ({ frameId: event.frameId, body: bodyOf(event) }));
}

/**
 * Returns the calls and steps that ended before the frame with this id began, as events for another run.
 * Approvals are omitted because they applied only to the earlier run.
 */
function finishedBefore(events: readonly RunEvent[], frameId: string, runId: string): readonly Addition[] {
  const index = events.findIndex((event) => event.type === 'frame.started' && event.frameId === frameId);
  if (index < 0) {
    throw new AgentError('usage.not-found', `Run ${runId} has no frame ${frameId}.`, {
      hint: `See its frames: \`skilled trace ${runId} --events\``,
    });
  }
  const before = events.slice(0, index);
  const ended = new Set(before.filter(isEnd).map(thing));
  return before
    .filter((event) => thing(event) !== undefined && ended.has(thing(event)))
    .map((event) => ({ frameId: event.frameId, body: bodyOf(event) }));
}

/**
 * Returns the key that the start and end events of an operation share, or the events of a request and its
 * answer. Returns undefined for other events.
 */
function thing(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'frame.started':
    case 'frame.ended':
      return event.frameId;
    case 'step.started':
    case 'step.ended':
    case 'model.started':
    case 'model.ended':
    case 'input.requested':
    case 'input.resolved':
    case 'call.refused':
      return `${event.frameId}/${event.key}`;
    default:
      return undefined;
  }
}

function isEnd({ type }: RunEvent): boolean {
  return /\.(?:ended|resolved|refused)$/.test(type);
}

/** Returns an event without its envelope. */
function bodyOf(event: RunEvent): EventBody {
  const { v: _v, runId: _run, frameId: _frame, seq: _seq, at: _at, ...body } = event;
  return body;
}
