import { createOpenAI } from '@ai-sdk/openai';
import { BareAgent } from '../../src/agent/recursive-skilled-agent.ts';
import { defaultPorts } from '../../src/config/defaults.ts';
import { openModels } from '../../src/config/models/open-models.ts';
import { optional } from '../../src/core/collections.ts';
import { defineSkill } from '../../src/core/define-skill.ts';
import type { RunEvent, RunHandle } from '../../src/core/event.ts';
import type { ModelOptions, NamedModel, Price } from '../../src/core/model/sources.ts';
import { loopOutput } from '../../src/engines/loop/end.ts';
import { runLoop } from '../../src/engines/loop/run-loop.ts';
import { fromAiSdk } from '../../src/models/ai-sdk/model.ts';
import type { BareLLMAgent } from '../../src/models/llm-agent.ts';
import {
  openModelServer,
  type ModelServer,
  type ModelServerOptions,
} from '../../src/testing/model-server/server.ts';
import type { ServedScript } from '../../src/testing/model-server/script.ts';
import { tree } from './tree.ts';

/** A user's settings and environment for two models on one server. */
export interface ProviderSetUp {
  readonly options: ModelOptions & { readonly models: readonly NamedModel[] };
  readonly environment: Readonly<Record<string, string>>;
}

/** A provider's package and its configuration. */
export interface ProviderKind {
  readonly name: string;
  /** The ids of its two models. */
  readonly ids: readonly [string, string];
  /** Configures the provider with this key, or without one. */
  setUp(url: string, key: string | undefined): ProviderSetUp;
}

/** The price of every model in these tests, in US dollars per million tokens. */
export const price: Price = { input: 10, output: 100, cached: 1, cacheWrite: 20 };

/** The key that these tests use by default. */
export const goodKey = 'sk-test-4f9a8b7c6d5e4f3a2b1c0d9e';

/** The providers, configured by settings, by an AI SDK object and by the environment. */
export const providerKinds: readonly ProviderKind[] = [
  {
    name: '@ai-sdk/openai-compatible',
    ids: ['office/large', 'office/small'],
    setUp: (url, key) => ({
      options: {
        models: ['office/large', 'office/small'],
        providers: { office: { baseUrl: `${url}/v1`, apiKeyEnv: 'OFFICE_KEY' } },
        prices: { 'office/large': price, 'office/small': price },
      },
      environment: key === undefined ? {} : { OFFICE_KEY: key },
    }),
  },
  {
    name: '@ai-sdk/openai',
    ids: ['openai/gpt-6-astra', 'openai/gpt-6-luna'],
    setUp(url, key) {
      const { responses } = createOpenAI({ baseURL: `${url}/v1`, apiKey: key ?? 'none' });
      const models = ['gpt-6-astra', 'gpt-6-luna'].map((name) => fromAiSdk(responses(name), { price }));
      return { options: { models }, environment: {} };
    },
  },
  {
    name: '@ai-sdk/anthropic',
    ids: ['anthropic/claude-sonnet-5-5', 'anthropic/claude-haiku-5-5'],
    setUp: (url, key) => ({
      options: {
        models: ['anthropic/claude-sonnet-5-5', 'anthropic/claude-haiku-5-5'],
        prices: { 'anthropic/claude-sonnet-5-5': price, 'anthropic/claude-haiku-5-5': price },
      },
      environment: { ANTHROPIC_BASE_URL: url, ...(key === undefined ? {} : { ANTHROPIC_API_KEY: key }) },
    }),
  },
];

/** An agent with a model server, a workspace and a skill `think` that runs a model loop. */
export interface ProviderStage extends AsyncDisposable {
  readonly server: ModelServer;
  readonly agent: BareAgent;
  readonly llm: BareLLMAgent;
  think(prompt?: string): RunHandle;
}

/** Overrides for a stage. */
export interface ProviderStageOptions extends Pick<ModelOptions, 'retries'>, ModelServerOptions {
  /** The agent's key, or null for none. */
  readonly key?: string | null;
  /** If set, the agent has only the first model. */
  readonly alone?: true;
}

/** Opens a server with this script, and an agent that uses it. */
export async function openStage(
  kind: ProviderKind,
  script: ServedScript,
  { key = goodKey, retries, alone, ...served }: ProviderStageOptions = {},
): Promise<ProviderStage> {
  const server = await openModelServer(script, served);
  const files = tree({ 'a.txt': 'alpha\n', 'sub/b.txt': 'beta\n' });
  const { options, environment } = kind.setUp(server.url, key ?? undefined);
  const llm = openModels(
    {
      ...options,
      models: alone === true ? options.models.slice(0, 1) : options.models,
      ...optional('retries', retries),
    },
    { environment },
  );
  const agent = new BareAgent(
    { models: llm, workspace: files.path, embeddings: false, limits: { runSeconds: 120 } },
    defaultPorts(environment),
  );
  for (const skill of skillsOf()) agent.skills.register(skill);
  return {
    server,
    agent,
    llm,
    think: (prompt = 'What is in the files?') => agent.run({ skill: 'think', input: prompt }),
    async [Symbol.asyncDispose]() {
      await agent.shutdown();
      await server.close();
      files[Symbol.dispose]();
    },
  };
}

/**
 * Creates the skills. `think` may call `read`, `glob` and `meet`; two calls of `meet` end only after both
 * have started. `recap` soon needs a summary, and `delegate` calls `think`.
 */
function skillsOf(): readonly ReturnType<typeof defineSkill>[] {
  const both = Promise.withResolvers<undefined>();
  let met = 0;
  return [
    defineSkill<string>({
      name: 'think',
      description: 'Thinks.',
      allowedSkills: ['read', 'glob', 'meet'],
      run: async (prompt, scope) =>
        loopOutput(await runLoop(scope, { system: 'Answer from the files.', prompt })),
    }),
    defineSkill<string>({
      name: 'recap',
      description: 'Thinks with a short memory.',
      allowedSkills: ['read', 'glob'],
      run: async (prompt, scope) =>
        loopOutput(await runLoop(scope, { prompt, compactAt: 30, keepRecent: 2 })),
    }),
    defineSkill<string>({
      name: 'delegate',
      description: 'Lets another one think.',
      allowedSkills: ['think'],
      run: async (prompt, scope) => loopOutput(await runLoop(scope, { prompt })),
    }),
    defineSkill<string>({
      name: 'meet',
      description: 'Meets another call.',
      allowedSkills: [],
      async run(name) {
        met += 1;
        if (met === 2) both.resolve(undefined);
        await both.promise;
        return { status: 'done', text: `${name} met` };
      },
    }),
  ];
}

/** Collects all events of a run until it ends. */
export async function eventsOf({ events }: RunHandle): Promise<readonly RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
