import { isDeepStrictEqual } from 'node:util';
import {
  familyOf,
  optional,
  toErrorData,
  type Family,
  type GeneratedCode,
  type Rendering,
  type RunHandle,
  type RunOptions,
  type RunRequest,
  type RunResult,
  type SessionMemory,
  type SessionStats,
  type Skill,
} from '../core/index.ts';
import type { Root } from '../skills/discover/listing.ts';
import type { Binaries } from '../skills/eligibility/eligibility.ts';
import type { SkillLimits } from '../skills/limits.ts';
import { LazyRanking } from '../skills/rank/lazy-ranking.ts';
import { definitionOf, inspectGeneratedCode } from '../skills/registry/definition.ts';
import type { Skills } from '../skills/skills.ts';
import { createSkills } from './agent-skills.ts';
import { Discovery } from './discovery.ts';
import type { AgentOptions, Ports } from './options.ts';
import type { PromptOptions } from './prompt-options.ts';
import { Preparations, type PendingPreparation } from './preparations.ts';
import { ProjectInstructions } from './project-instructions.ts';
import { renderSkill, type RenderOptions } from './render-skill.ts';
import { promptRun, withStepLimit } from './runs/prompt-run.ts';
import { resultWithout, type RunServices } from './runs/run-handle.ts';
import { RunHistory } from './runs/run-history.ts';
import { LazyRunServices } from './runs/run-services.ts';
import { currentRequest, startRun, type LocalOptions } from './runs/start-run.ts';
import { LazyMounts } from './servers/mounts.ts';
import { AgentSessions } from './sessions/agent-sessions.ts';
import {
  currentSessionOptions,
  openSession,
  type AgentSession,
  type SessionOptions,
} from './sessions/session.ts';
import { binariesOf, distinctFamilies, setUpOf, type AgentContext, type SetUp } from './setup.ts';
import { streamed, type StreamHandle } from './streams/answer-text.ts';
import { ownSkills } from './tools.ts';

/** The runtime's entry point. Finds skills, keeps them in one registry and runs them. */
export class BareAgent {
  readonly families: readonly Family[];
  readonly skills: Skills;
  /** The limits for reading skills, fixed for the agent's lifetime. */
  readonly limits: SkillLimits;
  /** The history of runs in the store. */
  readonly runs: RunHistory;
  /** The project's instructions for the assistant, such as `AGENTS.md`. */
  readonly instructions: ProjectInstructions;
  readonly #options: AgentOptions;
  readonly #ports: Ports;
  readonly #binaries: Binaries;
  readonly #ranking: LazyRanking;
  readonly #context: AgentContext;
  readonly #services: LazyRunServices;
  readonly #preparations: Preparations;
  readonly #discovery: Discovery;
  readonly #mounts: LazyMounts;
  readonly #sessions: AgentSessions;
  #setUp: SetUp;

  constructor(options: AgentOptions, ports: Ports) {
    this.#options = options;
    this.#ports = ports;
    this.families = distinctFamilies(options.families ?? ports.families);
    this.#setUp = setUpOf(options, ports);
    this.limits = this.#setUp.limits;
    this.#binaries = binariesOf(ports);
    this.#discovery = new Discovery({
      options,
      ports,
      families: this.families,
      limits: this.limits,
      setUp: () => this.#setUp,
      skills: () => this.skills,
      mounts: () => this.#mounts.current,
    });
    this.#ranking = new LazyRanking({
      limits: this.limits,
      openEmbedder: options.embeddings === false ? undefined : ports.openEmbedder,
      cacheFolder: this.#discovery.cacheFolder(),
      indexFile: () => this.#discovery.indexFile(),
    });
    const setUp = (): SetUp => this.#setUp;
    this.skills = createSkills({
      options,
      ports,
      families: this.families,
      binaries: this.#binaries,
      ranking: this.#ranking,
      discovery: this.#discovery,
      setUp,
      context: () => this.#context,
      mounts: () => this.#mounts,
      preparations: () => this.#preparations,
    });
    for (const skill of ownSkills(options)) this.skills.register(skill);
    const { skills } = this;
    this.instructions = new ProjectInstructions(() => this.#context);
    this.#context = {
      options,
      ports,
      skills,
      instructions: this.instructions,
      get setUp() {
        return setUp();
      },
    };
    this.#mounts = new LazyMounts({
      context: this.#context,
      families: this.families,
      cacheFolder: () => this.#discovery.cacheFolder(),
      onChanged: () => {
        this.skills.refresh();
      },
    });
    this.#services = new LazyRunServices(this.#context, () => this.#mount());
    const open = (): Promise<RunServices> => this.#services.open();
    this.runs = new RunHistory(open, options.io);
    this.#sessions = new AgentSessions(this.#services);
    this.#preparations = new Preparations({
      skills,
      definitionOf: (skill, family) => definitionOf(skill, family, this.limits, setUp().settings.skills),
      open,
    });
  }

  /** Starts a run of a skill or of a prompt: immediately, or after the earlier turns of its session. */
  run({ io, ...request }: RunOptions): RunHandle {
    return this.#start(currentRequest(request), optional('io', io));
  }

  /** Executes a prompt as a turn in its session. Returns failures as results instead of throwing them. */
  async executePrompt(prompt: string, options: PromptOptions = {}): Promise<RunResult> {
    try {
      return await this.#prompt(prompt, options).result;
    } catch (thrown) {
      return resultWithout('', '', toErrorData(thrown));
    }
  }

  /** Executes a prompt as a turn in its session, and streams the text of the answer. */
  stream(prompt: string, options: PromptOptions = {}): StreamHandle {
    return streamed(this.#prompt(prompt, options));
  }

  /** Opens a session for calls of skills and shell commands. Without an id, opens the default session. */
  session(id?: string | null, options?: SessionOptions): AgentSession;
  /** @deprecated Pass the user as `{ user: { id, roles } }`. */
  session(id: string | undefined, user: string | undefined, roles?: readonly string[]): AgentSession;
  session(
    id?: string | null,
    given: SessionOptions | string | null = {}, // Untyped programs can pass null.
    roles?: readonly string[],
  ): AgentSession {
    const options = currentSessionOptions(given ?? {}, roles);
    const start = this.#start.bind(this);
    return openSession(id, options, { context: this.#context, runs: this.runs, start });
  }

  /** The skills that are being prepared before their first call. Empty until the agent is ready. */
  get pendingPreparations(): readonly PendingPreparation[] {
    return this.#preparations.pending;
  }

  /** Resolves when no skill is being prepared; never rejects. */
  awaitPreparations(): Promise<void> {
    return this.#preparations.settled();
  }

  /** The default session's memory. It has the methods of a `Map`, but they return promises. */
  get sessionMemory(): SessionMemory {
    return this.getSessionMemory();
  }

  /** Returns a session's memory. Values set by skills have keys of the form `<skill>/<key>`. */
  getSessionMemory(id?: string | null): SessionMemory {
    return this.#sessions.memory(id);
  }

  /** After the session's earlier turns, clears its memory and conversation and cancels its waiting runs. */
  clearSessionMemory(id?: string | null): Promise<void> {
    return this.#sessions.clear(id);
  }

  /** Deletes a session and its waiting questions, but keeps its runs. The default session is only cleared. */
  deleteSession(id?: string | null): Promise<boolean> {
    return this.#sessions.delete(id);
  }

  /** Resolves to true if the session exists. The default session always exists. */
  hasSession(id?: string | null): Promise<boolean> {
    return this.#sessions.has(id);
  }

  /** Returns the ids of the sessions, least recently used first, without the default session. */
  getActiveSessions(): Promise<readonly string[]> {
    return this.#sessions.active();
  }

  /** Resolves to the timestamps and sizes of all sessions. */
  getSessionStats(): Promise<SessionStats> {
    return this.#sessions.stats();
  }

  /** Removes sessions that were idle for too long or exceed the limit, and returns how many were removed. */
  cleanupSessions(): Promise<number> {
    return this.#sessions.cleanUp();
  }

  /** Stops the cleanup timer. Sessions then expire only when `cleanupSessions` is called. */
  stopCleanupTimer(): Promise<void> {
    return this.#sessions.stopCleanup();
  }

  /** Renders a skill's text without running its commands. Throws `usage.bad-input` if there is no text. */
  render(name: string, options: RenderOptions = {}): Rendering {
    return renderSkill(this.#context, name, options);
  }

  /** Returns the code generated from a skill, or undefined if its family generates none. Never throws. */
  inspect(skill: Skill): GeneratedCode | undefined {
    const family = familyOf(this.families, skill);
    if (family === undefined) return undefined;
    return inspectGeneratedCode(skill, family, this.limits, this.#setUp.settings.skills);
  }

  /**
   * Resolves when the skills are loaded and, with `watch`, being watched. Schedules the preparation of skills
   * that need it, but does not wait for it.
   */
  async ready(): Promise<this> {
    await this.#mount();
    if (this.#options.watch === true) this.#discovery.watch();
    this.skills.snapshot();
    this.#prepareEarly();
    await this.#discovery.watched();
    return this;
  }

  /** Reloads the settings, servers and skills. Leaves the registry unchanged if nothing has changed. */
  async reload(): Promise<void> {
    const before = this.#setUp;
    this.#setUp = setUpOf(this.#options, this.#ports);
    this.#binaries.forget();
    const isMoved = await this.#mounts.again();
    await this.#discovery.again(!isMoved && isDeepStrictEqual(before, this.#setUp));
  }

  /** Folders outside every root that symbolic links may point to. */
  get allowSymlinkTargets(): readonly string[] {
    return this.#setUp.allowSymlinkTargets;
  }

  /** Returns the roots in order of precedence, including those that do not exist. */
  roots(): readonly Root[] {
    return this.#discovery.roots(this.skills.extraRoots).roots;
  }

  /** Waits up to `drainMs` (default 10,000) for runs to end, then shuts down. Unfinished runs can resume. */
  async shutdown({ drainMs }: { readonly drainMs?: number } = {}): Promise<void> {
    this.#preparations.stop();
    this.#mounts.stop();
    await Promise.all([this.#discovery.close(), this.#ranking.close(), this.#services.close(drainMs)]);
    await this.#mounts.close();
  }

  /** Shuts the agent down when an `await using` scope ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  #mount(): Promise<void> | undefined {
    return this.#mounts.once(() => {
      this.#discovery.lookAgain();
    });
  }

  #start(request: RunRequest, local: LocalOptions = {}): RunHandle {
    if (request.mode !== 'build') this.#prepareEarly(); // A build must not start preparing other skills.
    const own = { ...optional('io', this.#options.io), ...local };
    return startRun(() => this.#services.open(), withStepLimit(request, this.#setUp.runLimits), own);
  }

  #prompt(prompt: string, options: PromptOptions): RunHandle {
    const { request, local } = promptRun(prompt, options, () => this.awaitPreparations());
    return this.#start(request, local);
  }

  #prepareEarly(): void {
    if (this.#options.preparesEarly !== false) this.#preparations.begin();
  }
}
