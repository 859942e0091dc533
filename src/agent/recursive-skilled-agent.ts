import { isDeepStrictEqual } from 'node:util';
import {
  defaultSession,
  familyOf,
  optional,
  toErrorData,
  type Family,
  type JsonObject,
  type Made,
  type Rendering,
  type RunHandle,
  type RunRequest,
  type RunResult,
  type SessionMemory,
  type SessionStats,
  type Skill,
} from '../core/index.ts';
import { discover } from '../skills/discover/discover.ts';
import type { Root } from '../skills/discover/listing.ts';
import { binariesOn, type Binaries, type World } from '../skills/eligibility/eligibility.ts';
import { variable } from '../skills/eligibility/environment.ts';
import type { SkillLimits } from '../skills/limits.ts';
import { SkillRanking } from '../skills/rank/skill-ranking.ts';
import { madeOf } from '../skills/registry/definition.ts';
import type { Registry } from '../skills/registry/registry.ts';
import { Skills } from '../skills/skills.ts';
import { Discovery } from './discovery.ts';
import type { AgentOptions, Ports, PromptOptions } from './options.ts';
import { unmatchedRules } from './policy.ts';
import { Preparations, type PendingPreparation } from './preparations.ts';
import { renderSkill, type RenderOptions } from './render-skill.ts';
import { promptResult, promptRun } from './runs/prompt-run.ts';
import { resultWithout, type RunServices } from './runs/run-handle.ts';
import { RunHistory } from './runs/run-history.ts';
import { LazyRunServices } from './runs/run-services.ts';
import { startRun, type LocalOptions } from './runs/start-run.ts';
import { LazyMounts } from './servers/mounts.ts';
import { sessionMemory, sessionOf, type AgentSession } from './sessions/session.ts';
import { distinctFamilies, setUpOf, type Lender, type SetUp } from './setup.ts';

/** The entry of the runtime: finds skills, keeps them in one registry and runs them. */
export class BareAgent {
  readonly families: readonly Family[];
  readonly skills: Skills;
  /** The guards while skills are read, fixed for the life of the agent. */
  readonly limits: SkillLimits;
  /** The runs that the store knows. */
  readonly runs: RunHistory;
  readonly #options: AgentOptions;
  readonly #ports: Ports;
  readonly #binaries: Binaries;
  readonly #ranking: SkillRanking;
  readonly #lender: Lender;
  readonly #services: LazyRunServices;
  readonly #preparations: Preparations;
  readonly #discovery: Discovery;
  readonly #mounts: LazyMounts;
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
    this.#ranking = new SkillRanking({
      limits: this.limits,
      openEmbedder: options.embeddings === false ? undefined : ports.openEmbedder,
      cacheFolder: this.#discovery.cacheFolder(),
    });
    this.skills = new Skills({
      families: this.families,
      builtins: ports.builtins,
      world: this.#world(),
      ranking: this.#ranking,
      startDir: options.startDir,
      discover: (extraRoots) => this.#discovery.discover(extraRoots),
      scan: (roots) => discover(roots, this.#discovery.scanOptions()),
      onRootAdded: () => this.#discovery.look(),
      issuesOf: (skills) => unmatchedRules(this.#lender, skills),
    });
    const setUp = (): SetUp => this.#setUp;
    const { skills } = this;
    this.#lender = {
      options,
      ports,
      skills,
      get setUp() {
        return setUp();
      },
    };
    this.#mounts = new LazyMounts({
      lender: this.#lender,
      families: this.families,
      cacheFolder: () => this.#discovery.cacheFolder(),
    });
    this.#services = new LazyRunServices(this.#lender, () => this.#mount());
    const open = (): Promise<RunServices> => this.#services.open();
    this.runs = new RunHistory(open);
    this.#preparations = new Preparations({ skills, open });
  }

  /**
   * Calls a skill, or the one that a prompt leads to, as a run of its own, which begins at once; a turn of a session
   * begins when the turns before it are over. An aborted signal begins nothing.
   */
  run(request: RunRequest): RunHandle {
    return this.#start(request);
  }

  /** Carries out a prompt as a turn of its session and resolves with what it came to, failures included. */
  async executePrompt(prompt: string, options: PromptOptions = {}): Promise<RunResult> {
    try {
      const defaults = { prepared: () => this.awaitPreparations(), io: this.#options.io };
      const { request, local, write } = promptRun(prompt, options, defaults);
      return await promptResult(this.#start(request, local), write);
    } catch (thrown) {
      return resultWithout('', '', toErrorData(thrown));
    }
  }

  /** What code does for one user, who has these roles: skills and commands, whose value is awaited and whose failures are thrown. */
  session(id: string = defaultSession, user?: string, roles?: readonly string[]): AgentSession {
    const whose = { ...optional('user', user), ...optional('roles', roles) };
    const begin = (request: RunRequest, registry?: () => Registry): RunHandle =>
      this.#start({ ...request, ...whose }, optional('registry', registry));
    return sessionOf(id, { lender: this.#lender, begin });
  }

  /** Skills that are being prepared before anybody calls them; nothing is before the first execution. */
  get pendingPreparations(): readonly PendingPreparation[] {
    return this.#preparations.pending;
  }

  /** Resolves when no skill is being prepared; never rejects. */
  awaitPreparations(): Promise<void> {
    return this.#preparations.settled();
  }

  /** The values of a session, those of skills under `<skill>/<key>`. */
  getSessionMemory(id: string = defaultSession): SessionMemory {
    return sessionMemory(async () => (await this.#services.open()).sessions.memory(id));
  }

  /** Empties the memory of a session and what was said in it, after the turns that were asked for before. */
  async clearSessionMemory(id: string = defaultSession): Promise<void> {
    await (await this.#services.open()).sessions.clear(id);
  }

  /** Forgets a session and drops the questions that wait in it; its runs stay. The default one is only emptied. Tells whether one is gone. */
  async deleteSession(id: string): Promise<boolean> {
    const { runs, sessions } = await this.#services.open();
    return sessions.delete(id, (runId) => runs.cancel(runId, 'The session was deleted.'));
  }

  /** Whether a session is remembered; the default one always is. */
  async hasSession(id: string): Promise<boolean> {
    return (await this.#services.open()).sessions.has(id);
  }

  /** The ids of the sessions that are remembered, without the default one, least recently used first. */
  async getActiveSessions(): Promise<readonly string[]> {
    return (await this.#services.open()).sessions.active();
  }

  /** All sessions with their times and sizes. */
  async getSessionStats(): Promise<SessionStats> {
    return (await this.#services.open()).sessions.stats();
  }

  /** Forgets the sessions that were idle for too long, and those past the maximum; resolves with how many. */
  async cleanupSessions(): Promise<number> {
    return (await this.#services.open()).sessions.cleanUp();
  }

  /** From now on no session is forgotten because time passes, unless `cleanupSessions` is called. */
  async stopCleanupTimer(): Promise<void> {
    (await this.#services.open()).sessions.stopCleanup();
  }

  /** The text of a skill with everything put in, nothing of it run; throws `usage.bad-input` where it has none. */
  render(name: string, options: RenderOptions = {}): Rendering {
    return renderSkill(this.#lender, name, options);
  }

  /** What was made of the files of a skill, such as generated code; undefined where nothing ever is. Begins nothing, never throws. */
  inspect(skill: Skill): Made | undefined {
    const family = familyOf(this.families, skill);
    if (family === undefined) return undefined;
    return madeOf(skill, family, this.limits, this.#setUp.settings.skills);
  }

  /** Resolves when the skills are known and, if asked for, watched. */
  async ready(): Promise<this> {
    await this.#mount();
    if (this.#options.watch === true) this.#discovery.watch();
    this.skills.snapshot();
    await this.#discovery.watched();
    return this;
  }

  /** Looks at the settings, the servers whose skills are wanted, the disk and the machine again; the registry changes only where they did. */
  async reload(): Promise<void> {
    const before = this.#setUp;
    this.#setUp = setUpOf(this.#options, this.#ports);
    this.#binaries.forget();
    const isMoved = await this.#mounts.again();
    await this.#discovery.again(!isMoved && isDeepStrictEqual(before, this.#setUp));
  }

  /** Folders into which links may lead although they lie outside every root. */
  get allowSymlinkTargets(): readonly string[] {
    return this.#setUp.allowSymlinkTargets;
  }

  /** The roots in order of precedence, missing ones included. */
  roots(): readonly Root[] {
    return this.#discovery.roots(this.skills.extraRoots).roots;
  }

  /**
   * Lets runs end for so many milliseconds, 10,000 unless given, and leaves the others to be resumed; stops watching and
   * learning, and closes everything. The registry stays readable.
   */
  async shutdown({ drainMs }: { readonly drainMs?: number } = {}): Promise<void> {
    this.#preparations.stop();
    this.#mounts.stop();
    await Promise.all([this.#discovery.close(), this.#ranking.close(), this.#services.close(drainMs)]);
    await this.#mounts.close();
  }

  /** Lets `await using` end the agent. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.shutdown();
  }

  #mount(): Promise<void> | undefined {
    return this.#mounts.once(() => {
      this.#discovery.lookAgain();
    });
  }

  #start(request: RunRequest, local: LocalOptions = {}): RunHandle {
    const isBuild = request.through === 'build'; // whoever builds one skill does not want all of them
    if (!isBuild && this.#options.preparesEarly !== false) this.#preparations.begin();
    return startRun(() => this.#services.open(), request, local);
  }

  /** Reads through to the current settings, so that a reload needs no new world. */
  #world(): World {
    const setUp = (): SetUp => this.#setUp;
    return {
      platform: this.#ports.platform,
      environment: this.#ports.environment,
      hasBinary: (name) => this.#binaries.has(name),
      get skills() {
        return setUp().settings.skills ?? {};
      },
      get settings() {
        const { settings } = setUp();
        return settings.all ?? (settings as JsonObject);
      },
    };
  }
}

function binariesOf({ environment, platform }: Ports): Binaries {
  const extensions =
    platform === 'win32' ? (variable(environment, 'PATHEXT') ?? '.EXE;.CMD;.BAT').split(';') : [''];
  return binariesOn(() => variable(environment, 'PATH') ?? '', extensions);
}
