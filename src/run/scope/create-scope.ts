import { optional, type Message, type Scope, type Skill } from '../../core/index.ts';
import type { Invoke } from '../calls/call.ts';
import type { Frame, CallTarget } from '../calls/frame.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { mustBeOutside } from '../log/replay.ts';
import { idempotencyKeyOf } from '../log/sanitize.ts';
import { vouchFor } from '../permissions/attest.ts';
import { callableIn } from '../permissions/callable.ts';
import type { PermittedCall } from '../permissions/permit.ts';
import { believed, readableIn } from '../permissions/skill-files.ts';
import { askQuestion } from '../questions/ask.ts';
import { heardBefore, lastTurns } from '../routing/conversation.ts';
import { runCode, runSnippet } from './code.ts';
import { meteredModel } from './model.ts';
import { createScopeResources } from './resources.ts';
import { openSandbox } from './sandbox.ts';
import { createScopeSkills } from './skills.ts';
import { addArtifact, addNote, createMemory, runStep } from './step.ts';

/** Narrows the runtime to what one call may touch. */
export function createScope(
  execution: Execution,
  frame: Frame,
  target: CallTarget,
  invoke: Invoke,
  permitted: PermittedCall = { versions: new Map() },
): Scope {
  const { skill } = target;
  const { kernel, runId } = execution;
  const outside = <Value>(work: () => Promise<Value>): Promise<Value> => quiet(guarded(frame, work));
  const measured = (what: string, measure: () => number): Promise<number> =>
    outside(() => runStep(execution, frame, frame.occurrence(what), measure) as Promise<number>);
  const ways = (): { enforcesTools: boolean; workspace: string | undefined } => ({
    enforcesTools: kernel.enforcesTools(),
    workspace: kernel.workspace,
  });
  const callable = (): readonly Skill[] => callableIn(execution.registry, frame, ways());
  const listed = (): readonly Skill[] => callableIn(execution.registry, frame.parent, ways());
  return {
    skill,
    signal: frame.signal,
    run: {
      id: runId,
      frameId: frame.id,
      depth: frame.depth,
      session: execution.session,
      roles: execution.state.started?.roles ?? [],
      idempotencyKey: idempotencyKeyOf(runId, frame.id, ''),
    },
    request: {
      wanted: frame.options.wanted ?? {},
      ...optional('isApproved', permitted.isApproved),
      stdin: frame.options.process?.stdin ?? '',
    },
    skills: createScopeSkills({ execution, frame, skill, callable, listed, outside }),
    files: {
      workspace: kernel.workspace,
      get readable() {
        return readableIn(frame.parent, believed(kernel, listed()));
      },
    },
    processes: {
      sandbox: (read = []) =>
        outside(() => frame.busy(() => openSandbox(execution, frame, target, permitted.versions, read))),
      runCode: (call) =>
        outside(() => frame.follow(runCode(execution, frame, target, permitted.versions, call))),
      runSnippet: (snippet) => outside(() => frame.follow(runSnippet(execution, frame, snippet))),
    },
    resources: createScopeResources({ execution, frame, target, permitted, outside }),
    memory: createMemory(execution, frame),
    step: (key, effect, request) =>
      outside(() =>
        runStep(execution, frame, execution.cleanKey(`step:${key}`), effect, request),
      ) as Promise<never>,
    call: (name, input, options) =>
      outside(() => frame.follow(invoke(execution, frame, name, input, options))),
    model: (tier) => meteredModel(execution, frame, tier),
    history: (tokens) => outside(() => history(execution, frame, tokens)),
    ask: (question) => outside(() => askQuestion(execution, frame, question)),
    now: () => measured('now', kernel.now),
    random: () => measured('random', kernel.random),
    note: (message, data) => {
      addNote(execution, frame, message, data);
    },
    artifact: (artifact) => {
      addArtifact(execution, frame, artifact);
    },
    attest: (made) => outside(() => frame.busy(() => vouchFor(execution, target, made))),
  };
}

/** The conversation that a frame is called from, recorded so that a replay sees the same. */
async function history(execution: Execution, frame: Frame, tokens: number): Promise<readonly Message[]> {
  const isFirst = frame.parent === execution.top;
  if (isFirst && execution.state.started?.turn !== true) return [];
  const key = frame.occurrence(`heard:${tokens}`);
  const read = (): unknown =>
    isFirst
      ? heardBefore(execution, tokens)
      : lastTurns(
          (frame.parent?.lastMessages ?? []).map(({ clean }) => clean),
          tokens,
        );
  return (await runStep(execution, frame, key, read)) as unknown as readonly Message[];
}

/** Nothing of it happens inside the effect of a step. */
async function guarded<Value>(frame: Frame, work: () => Promise<Value>): Promise<Value> {
  mustBeOutside(frame);
  return work();
}

/** A promise that nobody has to wait for: a skill may leave it, and the call that it left ends all the same. */
function quiet<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(() => undefined);
  return promise;
}
