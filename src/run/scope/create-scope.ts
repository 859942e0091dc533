import {
  acceptCallOptions,
  optional,
  withEarlierNames,
  type HistoryOptions,
  type Message,
  type Scope,
  type Skill,
} from '../../core/index.ts';
import type { Invoke } from '../calls/call.ts';
import type { Frame, CallTarget } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { mustBeOutside } from '../log/replay.ts';
import { idempotencyKeyOf } from '../log/sanitize.ts';
import { attest } from '../permissions/attest.ts';
import { callableIn, type CallableOptions } from '../permissions/callable.ts';
import type { PermittedCall } from '../permissions/permit.ts';
import { filterTrusted, readableIn } from '../permissions/skill-files.ts';
import { askQuestion } from '../questions/ask.ts';
import { isConversation, readHistory } from '../routing/conversation.ts';
import { limitTurns, turnsIn } from '../routing/limit-turns.ts';
import { createBackground } from './background.ts';
import { offerClientTools } from './client-tools.ts';
import { runCode, runSnippet } from './code.ts';
import { createContext } from './context.ts';
import { createMemory } from './memory.ts';
import { meteredModel } from './model.ts';
import { createScopeResources } from './resources.ts';
import { openSandbox } from './sandbox.ts';
import { createScopeSkills } from './skills.ts';
import { addArtifact, addNote, readStep, runStep } from './step.ts';

/**
 * Creates the scope of a call. The scope gives access only to the data and functions that the call may use.
 */
export function createScope(
  execution: Execution,
  frame: Frame,
  target: CallTarget,
  invoke: Invoke,
  permitted: PermittedCall = { versions: new Map() },
): Scope {
  const { skill } = target;
  const { kernel, runId } = execution;
  offerClientTools(execution, frame);
  const outside = <Value>(work: () => Promise<Value>): Promise<Value> => quiet(runOutsideStep(frame, work));
  const measured = (what: string, measure: () => number): Promise<number> =>
    outside(() => readStep(execution, frame, frame.occurrence(what), measure) as Promise<number>);
  const ways = (): CallableOptions => ({
    enforcesTools: kernel.enforcesTools(),
    exposesInternals: kernel.routing.exposesInternals,
    workspace: kernel.workspace,
  });
  const callable = (): readonly Skill[] => callableIn(execution.registry, frame, ways());
  const listed = (): readonly Skill[] => callableIn(execution.registry, frame.parent, ways());
  const memory = createMemory(execution, frame);
  const ask: Scope['ask'] = (question) => outside(() => askQuestion(execution, frame, question));
  const note: Scope['note'] = (message, data) => {
    addNote(execution, frame, message, data);
  };
  return withEarlierNames({
    skill,
    get signal() {
      return frame.signal;
    },
    run: {
      id: runId,
      frameId: frame.id,
      depth: frame.depth,
      session: execution.session,
      roles: execution.state.started?.roles ?? [],
      idempotencyKey: idempotencyKeyOf(runId, frame.id, ''),
    },
    request: {
      overrides: frame.options.overrides ?? {},
      ...optional('isApproved', permitted.isApproved),
      ...(isPrompt(execution, frame) ? { isPrompt: true } : {}),
      stdin: frame.options.process?.stdin ?? '',
    },
    skills: createScopeSkills({ execution, frame, skill, callable, listed, outside }),
    files: {
      workspace: kernel.workspace,
      get readable() {
        return readableIn(frame.parent, filterTrusted(kernel, listed()));
      },
    },
    processes: {
      sandbox: (read = []) =>
        outside(() => frame.busy(() => openSandbox(execution, frame, target, permitted.versions, read))),
      background: createBackground({ execution, frame, target, permitted: permitted.versions }),
      runCode: (call) =>
        outside(() => frame.follow(runCode(execution, frame, target, permitted.versions, call))),
      runSnippet: (snippet) => outside(() => frame.follow(runSnippet(execution, frame, snippet))),
    },
    resources: createScopeResources({ execution, frame, target, permitted, outside }),
    context: createContext(execution, frame, { memory, ask, note, outside }),
    memory,
    step: (key, effect, request) =>
      outside(() =>
        runStep(execution, frame, execution.cleanKey(`step:${key}`), effect, request),
      ) as Promise<never>,
    call: (name, input, options) =>
      outside(() => frame.follow(invoke(execution, frame, name, input, acceptCallOptions(options)))),
    model: (tier) => meteredModel(execution, frame, tier),
    history: (tokens, options) => outside(() => history(execution, frame, tokens, options)),
    ask,
    now: () => measured('now', kernel.now),
    random: () => measured('random', kernel.random),
    note,
    artifact: (artifact) => {
      addArtifact(execution, frame, artifact);
    },
    attest: (generated) => outside(() => frame.busy(() => attest(execution, target, generated))),
  });
}

/** Whether a frame's input is the run's prompt, and the frame's skill was selected for that prompt. */
function isPrompt({ journal, top }: Execution, frame: Frame): boolean {
  if (frame.parent !== top) return false;
  const selected = journal.events.find((event) => event.type === 'skill.selected');
  return selected?.type === 'skill.selected' && selected.by !== 'name';
}

/** Returns the conversation from which a frame was called. Records it for replay. */
async function history(
  execution: Execution,
  frame: Frame,
  tokens: number,
  options: HistoryOptions = {},
): Promise<readonly Message[]> {
  const isFirst = frame.parent === execution.top;
  if (isFirst && !isConversation(execution)) return [];
  const key = frame.occurrence(`heard:${tokens}`);
  const read = (): unknown =>
    isFirst
      ? readHistory(execution, tokens, options)
      : limitTurns(turnsIn((frame.parent?.lastMessages ?? []).map(({ clean }) => clean)), tokens);
  return (await readStep(execution, frame, key, read)) as unknown as readonly Message[];
}

/** Runs `work`. Throws if called inside a step's effect. */
async function runOutsideStep<Value>(frame: Frame, work: () => Promise<Value>): Promise<Value> {
  mustBeOutside(frame);
  return work();
}

/**
 * Marks a promise's rejection as handled, so that a call can end normally even if its skill ignores the
 * promise.
 */
function quiet<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}
