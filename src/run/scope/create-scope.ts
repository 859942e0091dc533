import {
  AgentError,
  defineFamily,
  hashOf,
  optional,
  type Database,
  type Family,
  type FoundSkill,
  type Json,
  type Lifetime,
  type Message,
  type ProvidedSkill,
  type Scope,
  type ServerDescription,
  type ShownCatalog,
  type Skill,
} from '../../core/index.ts';
import type { Invoke } from '../calls/call.ts';
import type { Frame, CallTarget } from '../calls/frame.ts';
import { isLoadable } from '../calls/resolve.ts';
import { Keeper } from '../calls/scoped-resources.ts';
import type { Injection } from '../kernel.ts';
import type { Execution } from '../lifecycle/execution.ts';
import { mustBeOutside } from '../log/replay.ts';
import { contentKey, idempotencyKeyOf } from '../log/sanitize.ts';
import { checkedFiles, vouchFor } from '../permissions/attest.ts';
import { callableIn } from '../permissions/callable.ts';
import type { PermittedCall } from '../permissions/permit.ts';
import { believed, readableIn } from '../permissions/skill-files.ts';
import { askQuestion } from '../questions/ask.ts';
import { heardBefore, lastTurns } from '../routing/conversation.ts';
import { runCode, runSnippet } from './code.ts';
import { meteredModel } from './model.ts';
import { openSandbox, runsUncontained } from './sandbox.ts';
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
  const scope: Scope = {
    skill,
    runId,
    frameId: frame.id,
    depth: frame.depth,
    session: execution.session,
    roles: execution.state.started?.roles ?? [],
    signal: frame.signal,
    idempotencyKey: idempotencyKeyOf(runId, frame.id, ''),
    get callable() {
      return callableIn(execution.registry, frame, ways());
    },
    get listed() {
      return callableIn(execution.registry, frame.parent, ways());
    },
    get readable() {
      return readableIn(frame.parent, believed(kernel, scope.listed));
    },
    wanted: frame.options.wanted ?? {},
    ...optional('isApproved', permitted.isApproved),
    stdin: frame.options.process?.stdin ?? '',
    lookUp: (name) => frame.provided.get(name)?.skill ?? execution.registry.lookup.find(name),
    isLoadable: (one) => isLoadable(execution.registry, one),
    workspace: kernel.workspace,
    find: (request, limit) =>
      outside(() => {
        const key = frame.occurrence(contentKey('find', [request, limit]));
        const look = async (): Promise<Json> =>
          (await kernel.find(scope.listed, request, limit)).map(({ name, card }) => ({
            name,
            description: card.description,
          }));
        return runStep(execution, frame, key, look) as unknown as Promise<readonly FoundSkill[]>;
      }),
    catalog: (query = {}) =>
      outside(() => {
        const key = frame.occurrence(contentKey('catalog', query as Json));
        const make = (): Promise<ShownCatalog> => {
          const { callable } = scope;
          return kernel.catalog(
            query.loadable === true ? callable.filter(scope.isLoadable) : callable,
            query,
          );
        };
        return runStep(execution, frame, key, make) as unknown as Promise<ShownCatalog>;
      }),
    inject: (names, how, paths = []) =>
      outside(async () => {
        const key = frame.occurrence(contentKey('inject', [...names, how, ...paths]));
        const { registry, session } = execution;
        const make = (): unknown => kernel.inject(registry, { skill, names, how, paths, session });
        const { text, places } = (await runStep(execution, frame, key, make)) as unknown as Injection;
        for (const place of places) frame.given.add(place);
        return text;
      }),
    heard: (tokens) =>
      outside(async () => {
        if (frame.parent === execution.top && execution.state.started?.turn !== true) return [];
        const key = frame.occurrence(`heard:${tokens}`);
        const hear = (): unknown =>
          frame.parent === execution.top
            ? heardBefore(execution, tokens)
            : lastTurns(
                (frame.parent?.lastMessages ?? []).map(({ clean }) => clean),
                tokens,
              );
        return runStep(execution, frame, key, hear) as unknown as Promise<readonly Message[]>;
      }),
    step: (key, effect, request) =>
      outside(() =>
        runStep(execution, frame, execution.cleanKey(`step:${key}`), effect, request),
      ) as Promise<never>,
    call: (name, input, options) =>
      outside(() => frame.follow(invoke(execution, frame, name, input, options))),
    model: (tier) => meteredModel(execution, frame, tier),
    sandbox: (read = []) =>
      outside(() => frame.busy(() => openSandbox(execution, frame, target, permitted.versions, read))),
    runCode: (call) =>
      outside(() => frame.follow(runCode(execution, frame, target, permitted.versions, call))),
    runSnippet: (snippet) => outside(() => frame.follow(runSnippet(execution, frame, snippet))),
    keep: (key, lifetime, open) =>
      outside(() => {
        const keeper = keeperOf(execution, lifetime);
        return frame.busy(() => keeper.keep(keepKey(skill, lifetime, key), open));
      }),
    database: (place) => outside(() => frame.busy(() => sharedDatabase(execution, place))),
    get servers() {
      return kernel.serverNames();
    },
    server: (which) =>
      outside(() =>
        frame.busy(async () => {
          const mayRunUncontained = await runsUncontained(kernel, target);
          const files =
            typeof which === 'string' ? undefined : await checkedFiles(kernel, skill, permitted.versions);
          const key = serverKey(skill, which, mayRunUncontained, files?.digest);
          return keeperOf(execution, 'session').keep(key, () =>
            kernel.openServer(which, { skill, mayRunUncontained, ...optional('copy', files?.copy) }),
          );
        }),
      ),
    provide: (skills) => {
      mustBeOutside(frame);
      const given = new Set(provideSkills(frame, skills));
      return scope.callable.filter((one) => given.has(one));
    },
    memory: createMemory(execution, frame),
    ask: (question) => outside(() => askQuestion(execution, frame, question)),
    now: () => measured('now', kernel.now),
    random: () => measured('random', kernel.random),
    note: (message, data) => {
      addNote(execution, frame, message, data);
    },
    artifact: (artifact) => {
      addArtifact(execution, frame, artifact);
    },
    vouch: (made) => outside(() => frame.busy(() => vouchFor(execution, target, made))),
  };
  return scope;
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

function keeperOf({ keeper, kernel, session }: Execution, lifetime: Lifetime): Keeper {
  if (lifetime !== 'session') return lifetime === 'run' ? keeper : kernel.keeper;
  const known = kernel.sessionKeepers.get(session) ?? new Keeper();
  kernel.sessionKeepers.set(session, known);
  return known;
}

/** One for all skills: a database is opened once. */
function sharedDatabase({ kernel }: Execution, place: string | undefined): Promise<Database> {
  return kernel.keeper.keep(JSON.stringify(['database', place ?? null]), () => kernel.openDatabase(place));
}

/** One that settings know is shared by all skills, but where nothing contains it only by those for which a person allowed that; what a skill describes is its own, for each version of its files, since it has what that was granted. */
function serverKey(
  { name, source, file }: Skill,
  which: string | ServerDescription,
  isUncontained: boolean,
  digest = '',
): string {
  return typeof which === 'string'
    ? JSON.stringify(['server', which, isUncontained])
    : JSON.stringify(['server', name, source, file, digest, hashOf(which as unknown as Json)]);
}

/** Apart for each skill. */
function keepKey({ name }: Skill, lifetime: Lifetime, key: string): string {
  return JSON.stringify([lifetime, name, key]);
}

/** Puts skills into a frame that are there for it alone; throws `skill.duplicate` for two of one name. */
function provideSkills(frame: Frame, skills: readonly ProvidedSkill[]): readonly Skill[] {
  const provider = frame.skill;
  if (provider === undefined) return [];
  const targets = skills.map((provided) => targetOf(provided, provider));
  const taken = new Set(frame.provided.keys());
  for (const { skill } of targets) {
    if (taken.has(skill.name)) throw twice(provider, skill);
    taken.add(skill.name);
  }
  for (const target of targets) frame.provided.set(target.skill.name, target);
  return targets.map(({ skill }) => skill);
}

function twice(provider: Skill, { name }: Skill): AgentError {
  return new AgentError('skill.duplicate', `"${provider.name}" has two tools of the name "${name}".`, {
    hint: 'Give its servers different names.',
  });
}

function targetOf(provided: ProvidedSkill, { family: id }: Skill): CallTarget {
  const { name, card, digest, source } = provided;
  const skill: Skill = {
    ...{
      name,
      aliases: [],
      family: id,
      source,
      root: '',
      dir: '',
      file: '',
      status: 'ready',
      issues: [],
    },
    card: { ...card, allowedSkills: [] },
    made: provided,
  };
  return { skill, family: familyOf(id), definition: provided, digest, isLeaf: true, isProvided: true };
}

const made = new Map<string, Family>();

/** Stands in for the family of the provider, under its id: a provided skill has no file, and brings its own work. */
function familyOf(id: string): Family {
  const known =
    made.get(id) ??
    defineFamily<ProvidedSkill>({
      id,
      label: id,
      parse: () => ({ name: '', card: { description: '' }, definition: undefined, issues: [] }),
      execute: (provided, input, scope) => provided.run(input, scope),
      permission: { describe: ({ permission }) => permission },
    });
  made.set(id, known);
  return known;
}
