import {
  acceptCallOptions,
  acceptRenamed,
  AgentError,
  warnRenamed,
  withEarlierNames,
  type CallOptions,
  type ErrorCode,
  type ErrorData,
  type Json,
  type Message,
  type Model,
  type Output,
  type Question,
  type RunUser,
  type Scope,
  type Skill,
  type Tier,
  type CallOverrides,
} from '../core/index.ts';

/**
 * The resources that a skill under test can access. The scope refuses access to resources that are not set
 * here.
 */
export interface TestScopeOptions {
  readonly skill?: Partial<Skill>;
  readonly callable?: readonly Skill[];
  readonly listed?: readonly Skill[];
  readonly readable?: readonly string[];
  readonly isLoadable?: (skill: Skill) => boolean;
  readonly overrides?: CallOverrides;
  readonly stdin?: string;
  /** Returns the skill texts to add to a prompt. By default, such a request fails. */
  readonly inject?: Scope['skills']['inject'];
  readonly history?: readonly Message[];
  /** @deprecated Use `history`. */
  readonly heard?: readonly Message[];
  /** @deprecated Use `overrides`. */
  readonly wanted?: CallOverrides;
  readonly workspace?: string;
  /** Returns the output of a call to another skill. By default, such a call fails. */
  readonly call?: (name: string, input: Json, options?: CallOptions) => Output | Promise<Output>;
  readonly catalog?: Scope['skills']['catalog'];
  readonly note?: Scope['note'];
  readonly artifact?: Scope['artifact'];
  /** The sandbox. By default, there is none. */
  readonly sandbox?: Scope['processes']['sandbox'];
  /** Runs the skill's code. By default, running code fails. */
  readonly runCode?: Scope['processes']['runCode'];
  /** The background commands. By default, none can be started. */
  readonly background?: Scope['processes']['background'];
  readonly user?: RunUser;
  /** @deprecated Use `user.roles`. */
  readonly roles?: readonly string[];
  /** The id of the session. Defaults to `default`. */
  readonly session?: string;
  /** The database for records. By default, there is none. */
  readonly database?: Scope['resources']['database'];
  readonly servers?: readonly string[];
  /** Opens a connection to a tool server. By default, opening a connection fails. */
  readonly server?: Scope['resources']['server'];
  /** Makes additional skills callable. By default, no skills are added. */
  readonly provide?: Scope['skills']['provide'];
  /** Runs a snippet of code. By default, running a snippet fails. */
  readonly runSnippet?: Scope['processes']['runSnippet'];
  readonly models?: Readonly<Record<Tier, Model>>;
  /** Answers a question in place of the user. By default, questions remain unanswered. */
  readonly answer?: (question: Question) => Json | Promise<Json>;
  readonly signal?: AbortSignal;
}

/**
 * Creates a scope for testing a skill or a family outside a run. Steps run immediately and are not stored.
 */
export function createTestScope(given: TestScopeOptions = {}): Scope {
  const options = acceptRenamed(given, optionNames, 'TestScopeOptions');
  const { callable = [], listed = [], workspace, call = refuse, models = {}, answer, signal } = options;
  const { session = 'default' } = options;
  const roles = rolesIn(options);
  const values = new Map<string, Json>();
  const memory: Scope['memory'] = {
    get: (key) => Promise.resolve(values.get(key)),
    has: (key) => Promise.resolve(values.has(key)),
    set: (key, value) => void values.set(key, value),
    delete: (key) => void values.delete(key),
    entries: () => Promise.resolve(new Map(values)),
  };
  const steps = new Map<string, Promise<Json>>();
  const refused = (code: ErrorCode, message: string) => (): Promise<never> =>
    Promise.reject(new AgentError(code, message));
  return withEarlierNames({
    skill: { ...someSkill, ...options.skill },
    signal: signal ?? new AbortController().signal,
    run: {
      id: 'r_test',
      frameId: 'f_test',
      depth: 1,
      session,
      roles,
      idempotencyKey: 'r_test.f_test',
    },
    request: { overrides: options.overrides ?? {}, stdin: options.stdin ?? '' },
    skills: {
      callable,
      listed,
      lookUp: (name) => callable.find((skill) => skill.name === name || skill.aliases.includes(name)),
      isLoadable: options.isLoadable ?? (() => false),
      find: (_request, limit) =>
        Promise.resolve(
          listed.slice(0, limit).map(({ name, card }) => ({ name, description: card.description })),
        ),
      catalog:
        options.catalog ??
        (() => Promise.resolve({ text: '', shown: 0, omitted: callable.map(({ name }) => name) })),
      inject: options.inject ?? refused('skill.not-found', 'This test scope has no skills to inject.'),
      provide: options.provide ?? (() => []),
    },
    files: { workspace, readable: options.readable ?? [] },
    processes: {
      sandbox: options.sandbox ?? refused('sandbox.unavailable', 'This test scope has no sandbox.'),
      background: options.background ?? {
        start: refused('sandbox.unavailable', 'This test scope runs nothing in the background.'),
        commands: () => Promise.resolve([]),
      },
      runCode: options.runCode ?? refused('sandbox.unavailable', 'This test scope does not run code.'),
      runSnippet:
        options.runSnippet ?? refused('sandbox.unavailable', 'This test scope does not run snippets.'),
    },
    resources: {
      open: (_key, _lifetime, open) => open(),
      database: options.database ?? refused('sandbox.unavailable', 'This test scope has no database.'),
      servers: options.servers ?? [],
      server: options.server ?? refused('usage.bad-settings', 'This test scope has no servers.'),
    },
    context: {
      sessionId: session,
      sessionMemory: memory,
      turns: () => Promise.resolve([]),
      attach: ({ name, mediaType }) => Promise.resolve({ name, mediaType, digest: 'sha256:' }),
      surroundings: () => Promise.resolve({ platform: 'linux', isTurn: false, instructions: [], unused: [] }),
    },
    memory,
    step: (key, effect) => {
      const begun = steps.get(key) ?? Promise.resolve().then(() => effect(`r_test.${key}`));
      steps.set(key, begun);
      return begun as Promise<never>;
    },
    call: async (name, input, how) =>
      how?.refusal === undefined ? call(name, input, acceptCallOptions(how)) : failedWith(how.refusal),
    model: (tier) => models[tier] ?? nobody(tier),
    history: () => Promise.resolve(options.history ?? []),
    ask: async (question) =>
      answer === undefined
        ? new Promise(() => undefined)
        : answer(typeof question === 'string' ? { text: question } : question),
    now: () => Promise.resolve(Date.now()),
    random: () => Promise.resolve(Math.random()),
    note: options.note ?? (() => undefined),
    artifact: options.artifact ?? (() => undefined),
    attest: () => Promise.resolve(),
  });
}

// eslint-disable-next-line @typescript-eslint/no-deprecated -- the name of release 0.1
function rolesIn({ user, roles }: TestScopeOptions): readonly string[] {
  if (roles !== undefined) warnRenamed('TestScopeOptions.roles', 'TestScopeOptions.user.roles');
  return user?.roles ?? roles ?? [];
}

const optionNames = { heard: 'history', wanted: 'overrides' };

const someSkill: Skill = {
  name: 'under-test',
  aliases: [],
  family: 'test',
  card: { description: 'Is tested.' },
  source: 'explicit',
  root: '',
  dir: '',
  file: '',
  status: 'ready',
  issues: [],
};

function refuse(name: string): Output {
  return failedWith({ code: 'skill.not-found', message: `There is no skill "${name}".` });
}

function failedWith(error: ErrorData): Output {
  return { status: 'failed', text: error.message, error };
}

function nobody(tier: Tier): Model {
  const error = { code: 'model.unavailable', message: `No model is set for the tier "${tier}".` } as const;
  return {
    id: `${tier}/none`,
    async *stream() {
      yield { type: 'end', reason: 'error', usage: { inputTokens: 0, outputTokens: 0 }, error };
    },
  };
}
