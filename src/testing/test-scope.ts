import {
  AgentError,
  type CallOptions,
  type ErrorCode,
  type Json,
  type Message,
  type Model,
  type Output,
  type Question,
  type Scope,
  type Skill,
  type Tier,
  type Wanted,
} from '../core/index.ts';

/** What a skill under test finds around it; everything else is refused. */
export interface TestScopeOptions {
  readonly skill?: Partial<Skill>;
  readonly callable?: readonly Skill[];
  readonly listed?: readonly Skill[];
  readonly readable?: readonly string[];
  readonly isLoadable?: (skill: Skill) => boolean;
  readonly wanted?: Wanted;
  readonly stdin?: string;
  /** The text that skills come to in a prompt; refused unless given. */
  readonly inject?: Scope['skills']['inject'];
  readonly history?: readonly Message[];
  readonly workspace?: string;
  /** What calls come to; a failed output unless given. */
  readonly call?: (name: string, input: Json, options?: CallOptions) => Output | Promise<Output>;
  readonly catalog?: Scope['skills']['catalog'];
  readonly note?: Scope['note'];
  readonly artifact?: Scope['artifact'];
  /** The sandbox; refused unless given. */
  readonly sandbox?: Scope['processes']['sandbox'];
  /** What the skill's own code comes to; refused unless given. */
  readonly runCode?: Scope['processes']['runCode'];
  readonly roles?: readonly string[];
  /** Where records are kept; refused unless given. */
  readonly database?: Scope['resources']['database'];
  readonly servers?: readonly string[];
  /** The servers of tools; refused unless given. */
  readonly server?: Scope['resources']['server'];
  /** What becomes of skills that are provided; none is callable unless given. */
  readonly provide?: Scope['skills']['provide'];
  /** What snippets come to; refused unless given. */
  readonly runSnippet?: Scope['processes']['runSnippet'];
  readonly models?: Readonly<Record<Tier, Model>>;
  /** What a person answers; never unless given. */
  readonly answer?: (question: Question) => Json | Promise<Json>;
  readonly signal?: AbortSignal;
}

/** A scope without a run behind it: steps happen at once and are not kept; for testing a skill or a family alone. */
export function createTestScope(options: TestScopeOptions = {}): Scope {
  const { callable = [], listed = [], workspace, call = refuse, models = {}, answer, signal } = options;
  const values = new Map<string, Json>();
  const steps = new Map<string, Promise<Json>>();
  const refused = (code: ErrorCode, message: string) => (): Promise<never> =>
    Promise.reject(new AgentError(code, message));
  return {
    skill: { ...someSkill, ...options.skill },
    signal: signal ?? new AbortController().signal,
    run: {
      id: 'r_test',
      frameId: 'f_test',
      depth: 1,
      session: 'default',
      roles: options.roles ?? [],
      idempotencyKey: 'r_test.f_test',
    },
    request: { wanted: options.wanted ?? {}, stdin: options.stdin ?? '' },
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
      inject: options.inject ?? refused('skill.not-found', 'There are no skills to inject here.'),
      provide: options.provide ?? (() => []),
    },
    files: { workspace, readable: options.readable ?? [] },
    processes: {
      sandbox: options.sandbox ?? refused('sandbox.unavailable', 'There is no sandbox here.'),
      runCode: options.runCode ?? refused('sandbox.unavailable', 'No code runs here.'),
      runSnippet: options.runSnippet ?? refused('sandbox.unavailable', 'No snippets run here.'),
    },
    resources: {
      open: (_key, _lifetime, open) => open(),
      database: options.database ?? refused('sandbox.unavailable', 'There is no database here.'),
      servers: options.servers ?? [],
      server: options.server ?? refused('usage.bad-settings', 'There is no server here.'),
    },
    memory: {
      get: (key) => Promise.resolve(values.get(key)),
      set: (key, value) => void values.set(key, value),
      delete: (key) => void values.delete(key),
    },
    step: (key, effect) => {
      const begun = steps.get(key) ?? Promise.resolve().then(() => effect(`r_test.${key}`));
      steps.set(key, begun);
      return begun as Promise<never>;
    },
    call: async (name, input, how) => call(name, input, how),
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
  };
}

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
  const message = `There is no skill "${name}".`;
  return { status: 'failed', text: message, error: { code: 'skill.not-found', message } };
}

function nobody(tier: Tier): Model {
  const error = { code: 'model.unavailable', message: `There is no model for the tier "${tier}".` } as const;
  return {
    id: `${tier}/none`,
    async *stream() {
      yield { type: 'end', reason: 'error', usage: { inputTokens: 0, outputTokens: 0 }, error };
    },
  };
}
