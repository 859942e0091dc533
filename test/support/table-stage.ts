import type { AgentOptions } from '../../src/agent/options.ts';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { Json, JsonObject } from '../../src/core/json.ts';
import type { RunUser } from '../../src/core/policy/run-access.ts';
import type { RunResult } from '../../src/core/run.ts';
import { createScriptedModel, type Script, type ScriptedModel } from '../../src/models/scripted.ts';
import { agentWith, type TestSkill } from './kernel.ts';
import { tree, type Tree } from './tree.ts';

/** A table of areas, which tools refer to. */
export const areasText = `# Areas Skill

## Table Purpose

Places of the workshop.

## Fields

### area_id

Identifies the area.

#### Type: integer

#### Primary Key

### name

What people call it.

#### Required

#### Unique

## Delete Guard

block_if_referenced
`;

/** A table of tools with a given key, a list of values, defaults, bounds, a derived field and a reference. */
export const toolsText = `# Tools Skill

## Table Purpose

Tools of the workshop, each with its condition.

## Fields

### tag

As printed on the tool.

#### Type: varchar(10)

#### Primary Key

#### Pattern

\`^[A-Z]-\\d+$\`

### name

What people call it.

#### Required

### status

Its condition.

#### Values

[ok, faulty, in repair]

#### Default

ok

### price

What it cost.

#### Type: decimal

#### Min: 0

### quantity

How many there are.

#### Type: integer

#### Default: 1

### worth

What all of them cost.

#### Type: decimal

#### Derived

price * quantity

### bought_on

When it was bought.

#### Type: date

### area_id

Where it lies.

#### Type: integer

## Relationships

- Type: many-to-one with areas
- Field: tools.area_id references areas.area_id

## Interactive Fields

- tag
- name

## List Extra Fields

status, price, quantity, area_id
`;

/** The user and session of a message. */
export interface Speaker {
  readonly session?: string;
  readonly user?: RunUser;
}

/** An agent with tables in a folder, and a user who talks to it. */
export interface TableStage extends AsyncDisposable {
  readonly agent: RecursiveSkilledAgent;
  readonly model: ScriptedModel;
  readonly files: Tree;
  /** Sends a plain-language request to a table. */
  ask(words: string, speaker?: Speaker & { readonly skill?: string }): Promise<RunResult>;
  /** Sends a message that names no skill, such as an answer. */
  say(words: string, speaker?: Speaker): Promise<RunResult>;
  /** Calls a table with a typed request. */
  call(input: JsonObject, speaker?: Speaker & { readonly skill?: string }): Promise<RunResult>;
  /** Adds records without approval. */
  fill(records: readonly JsonObject[], skill?: string): Promise<void>;
  /** Returns all records of a table, unchanged. */
  rows(skill?: string): Promise<readonly JsonObject[]>;
}

/** Overrides for a stage. */
export interface TableStageOptions extends Omit<AgentOptions, 'skills'> {
  /** The texts of the `tskill.md` files, keyed by folder. By default, tools and areas. */
  readonly tables?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly script?: Script;
  readonly skills?: Readonly<Record<string, TestSkill>>;
}

/** Opens a stage. By default, its database is in memory. It has a model only if a script is given. */
export function tableStage(given: TableStageOptions = {}): TableStage {
  const {
    tables = { tools: toolsText, areas: areasText },
    files: more = {},
    script,
    skills = {},
    ...options
  } = given;
  const texts = Object.entries(tables).map(
    ([name, text]) => [`.agents/skills/${name}/tskill.md`, text] as const,
  );
  const files = tree({ ...more, ...Object.fromEntries(texts) });
  const model = createScriptedModel(script ?? []);
  const agent = agentWith(skills, {
    startDir: files.path,
    workspace: files.path,
    searchUpwards: false,
    ...(script === undefined ? {} : { models: model }),
    ...options,
  });
  const main = Object.keys(tables)[0] ?? '';
  const call = (
    input: JsonObject,
    { skill = main, ...speaker }: Speaker & { readonly skill?: string } = {},
  ) => agent.run({ skill, input, session: 'a', ...speaker }).result;
  return {
    agent,
    model,
    files,
    call,
    ask: (prompt, { skill = main, ...speaker } = {}) =>
      agent.run({ skill, prompt, session: 'a', ...speaker }).result,
    say: (prompt, speaker = {}) => agent.run({ prompt, session: 'a', ...speaker }).result,
    async fill(records, skill = main) {
      const { ok, text } = await call(
        { operation: 'add', records, confirm: false },
        { skill, session: 'filling' },
      );
      if (!ok) throw new Error(text);
    },
    async rows(skill = main) {
      const { value, text } = await call({ operation: 'list', limit: 1000 }, { skill, session: 'looking' });
      const records = (value as { readonly records?: Json } | undefined)?.records;
      if (!Array.isArray(records)) throw new Error(text);
      return records as readonly JsonObject[];
    },
    async [Symbol.asyncDispose]() {
      await agent.shutdown();
      files[Symbol.dispose]();
    },
  };
}

/** Returns the question of a waiting run. Fails the test if the run is not waiting. */
export function asked({ status, question, text }: RunResult): string {
  if (status !== 'waiting' || question === undefined) throw new Error(`nothing is asked: ${status}, ${text}`);
  return question.text;
}
