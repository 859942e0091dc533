import { AgentError, optional, type EventBody, type RunEvent, type RunStarted } from '../../core/index.ts';
import { amend } from './cancel.ts';
import type { Addition } from '../log/journal.ts';
import type { Kernel } from '../kernel.ts';
import { noSuchRun } from './stop.ts';
import { readLog } from '../log/read-log.ts';

/** Makes a run that begins like an earlier one, with all that was finished in that before a frame began. It is no turn of a conversation. */
export async function startRerun(
  kernel: Kernel,
  runId: string,
  earlier: string,
  from: string | undefined,
): Promise<void> {
  const events = await readLog(kernel.store, earlier);
  const begin = events.find((event) => event.type === 'run.started');
  if (begin?.type !== 'run.started') throw noSuchRun(earlier);
  const { type, skill, prompt, input, session, roles, limits, through, wanted } = begin;
  const isOwn = from === undefined || versionsIn(events).every((version) => version === kernel.version);
  const started: RunStarted = {
    type,
    skill,
    input,
    session,
    limits,
    ...optional('prompt', prompt),
    ...optional('roles', roles),
    ...optional('through', through),
    ...optional('wanted', wanted),
    ...optional('version', isOwn ? kernel.version : undefined),
    rerunOf: earlier,
  };
  const reused =
    from === undefined ? [] : [...choiceIn(events, begin), ...finishedBefore(events, from, earlier)];
  await amend(kernel, runId, () => [{ frameId: '', body: started }, ...reused]);
}

/** The versions of the programs that recorded a log. */
function versionsIn(events: readonly RunEvent[]): readonly (string | undefined)[] {
  return events.flatMap((event) =>
    event.type === 'run.started' || event.type === 'run.resumed' ? [event.version] : [],
  );
}

/** What a prompt was found to mean: finished calls belong to the skill that was chosen then. */
function choiceIn(events: readonly RunEvent[], { skill }: RunStarted): readonly Addition[] {
  if (skill !== '') return []; // by its name it is found again
  return events
    .filter(({ type }) => type === 'candidates.ranked' || type === 'skill.selected')
    .map((event) => ({ frameId: event.frameId, body: bodyOf(event) }));
}

/** The calls and steps that ended before a frame began, as events of another run. What a person allowed was for the earlier one. */
function finishedBefore(events: readonly RunEvent[], frameId: string, runId: string): readonly Addition[] {
  const place = events.findIndex((event) => event.type === 'frame.started' && event.frameId === frameId);
  if (place < 0) {
    throw new AgentError('usage.not-found', `Run ${runId} has no frame ${frameId}.`, {
      hint: `See its frames: \`skilled trace ${runId} --events\``,
    });
  }
  const before = events.slice(0, place);
  const ended = new Set(before.filter(isEnd).map(thing));
  return before
    .filter((event) => thing(event) !== undefined && ended.has(thing(event)))
    .map((event) => ({ frameId: event.frameId, body: bodyOf(event) }));
}

/** What an event begins, ends or is, named so that both halves of a pair have one name; undefined for all others. */
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

/** An event without its envelope. */
function bodyOf(event: RunEvent): EventBody {
  const { v: _v, runId: _run, frameId: _frame, seq: _seq, at: _at, ...body } = event;
  return body;
}
