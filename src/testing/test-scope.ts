import {
  AgentError,
  type CallOptions,
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
  readonly inject?: Scope['inject'];
  readonly heard?: readonly Message[];
  readonly workspace?: string;
  /** What calls come to; a failed output unless given. */
  readonly call?: (name: string, input: Json, options?: CallOptions) => Output | Promise<Output>;
  readonly catalog?: Scope['catalog'];
  readonly note?: Scope['note'];
  readonly artifact?: Scope['artifact'];
  /** What the skill's own code comes to; refused unless given. */
  readonly runCode?: Scope['runCode'];
  readonly roles?: readonly string[];
  /** Where records are kept; refused unless given. */
  readonly database?: Scope['database'];
  readonly servers?: readonly string[];
  /** The servers of tools; refused unless given. */
  readonly server?: Scope['server'];
  /** What becomes of skills that are provided; none is callable unless given. */
  readonly provide?: Scope['provide'];
  /** What snippets come to; refused unless given. */
  readonly runSnippet?: Scope['runSnippet'];
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
  return {
    skill: { ...someSkill, ...options.skill },
    runId: 'r_test',
    frameId: 'f_test',
    depth: 1,
    session: 'default',
    roles: options.roles ?? [],
    signal: signal ?? new AbortController().signal,
    idempotencyKey: 'r_test.f_test',
    callable,
    listed,
    workspace,
    readable: options.readable ?? [],
    wanted: options.wanted ?? {},
    stdin: options.stdin ?? '',
    lookUp: (name) => callable.find((skill) => skill.name === name || skill.aliases.includes(name)),
    isLoadable: options.isLoadable ?? (() => false),
    inject:
      options.inject ??
      ((names) =>
        Promise.reject(new AgentError('skill.not-found', `There is no skill "${names[0] ?? ''}".`))),
    heard: () => Promise.resolve(options.heard ?? []),
    find: (_request, limit) =>
      Promise.resolve(
        listed.slice(0, limit).map(({ name, card }) => ({ name, description: card.description })),
      ),
    catalog:
      options.catalog ??
      (() => Promise.resolve({ text: '', shown: 0, omitted: callable.map(({ name }) => name) })),
    step: (key, effect) => {
      const begun = steps.get(key) ?? Promise.resolve().then(() => effect(`r_test.${key}`));
      steps.set(key, begun);
      return begun as Promise<never>;
    },
    call: async (name, input, how) => call(name, input, how),
    model: (tier) => models[tier] ?? nobody(tier),
    sandbox: () => Promise.reject(new AgentError('sandbox.unavailable', 'There is no sandbox here.')),
    runCode:
      options.runCode ?? (() => Promise.reject(new AgentError('sandbox.unavailable', 'No code runs here.'))),
    runSnippet:
      options.runSnippet ??
      (() => Promise.reject(new AgentError('sandbox.unavailable', 'No snippets run here.'))),
    database:
      options.database ??
      (() => Promise.reject(new AgentError('sandbox.unavailable', 'There is no database here.'))),
    servers: options.servers ?? [],
    server:
      options.server ??
      (() => Promise.reject(new AgentError('usage.bad-settings', 'There is no server here.'))),
    provide: options.provide ?? (() => []),
    keep: (_key, _lifetime, open) => open(),
    memory: {
      get: (key) => Promise.resolve(values.get(key)),
      set: (key, value) => void values.set(key, value),
      delete: (key) => void values.delete(key),
    },
    ask: async (question) =>
      answer === undefined
        ? new Promise(() => undefined)
        : answer(typeof question === 'string' ? { text: question } : question),
    now: () => Promise.resolve(Date.now()),
    random: () => Promise.resolve(Math.random()),
    note: options.note ?? (() => undefined),
    artifact: options.artifact ?? (() => undefined),
    vouch: () => Promise.resolve(),
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
