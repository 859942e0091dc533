// The runs that an earlier release wrote: fixtures/earlier-release/make.ts records them and
// earlier-release.test.ts resumes them. This file imports only types from `src`, so that both releases can
// use it.
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import type { DefinedSkill, SkillSpec } from '../../src/core/define-skill.ts';
import type { RunHandle } from '../../src/core/event.ts';
import type { Json } from '../../src/core/json.ts';
import type { collect, Usage } from '../../src/core/model.ts';
import type { OpenQuestion, RunRequest, RunResult } from '../../src/core/run.ts';
import type { Scope } from '../../src/core/scope.ts';
import type { ScriptedReply } from '../../src/models/scripted.ts';

/**
 * The state in which a run was recorded. It ended, or it waits for an answer, for trust in its skill's files
 * or for approval of a call, or its process was killed while it waited for a model.
 */
export type LeftState = 'finished' | 'input' | 'trust' | 'approval' | 'killed';

/** The complete course of one kind of run. */
export interface EarlierFlow {
  readonly request: Pick<RunRequest, 'skill' | 'prompt' | 'input'>;
  /** The model's replies, in order. */
  readonly turns: readonly ScriptedReply[];
  /** The answer to the run's question. The default is `Ann`. */
  readonly answer?: string;
  /** The text of the result, or a pattern if the text comes from this project and may change. */
  readonly text: string | RegExp;
  /** The skills of the completed run's frames, in the order in which they started. */
  readonly frames: readonly string[];
  /** The states in which this run was recorded. Each recording is in a session named `<kind> <state>`. */
  readonly states: readonly LeftState[];
  /** The model turn in which the process was killed, counted from 1. */
  readonly killedIn?: number;
  /**
   * The turns, counted from 1, whose request is identified by a hash of its content. The request contains
   * this project's prompts and has no name.
   */
  readonly knownByContent?: readonly number[];
  /** Set if the run starts processes, which need a sandbox. */
  readonly startsProcess?: true;
}

/** The usage of every model step in these runs. */
export const stepUsage: Usage = { inputTokens: 100, outputTokens: 10, cost: 0.25 };

const note = (file: string): Json => ({ file_path: `${file}.txt`, content: 'Ann' });
const asksWho: Json = { question: 'Who is it for?' };

/** The flows, keyed by the kind of their skill. */
export const earlierFlows: Readonly<Record<string, EarlierFlow>> = {
  'agent skill': {
    request: { skill: 'tyre-advice', input: 'a city bicycle' },
    turns: [says('Take the wide one.')],
    text: 'Take the wide one.',
    frames: ['tyre-advice'],
    states: ['finished', 'killed'],
    killedIn: 1,
  },
  'agent skill with tools': {
    request: { skill: 'stock-check', input: 'bells' },
    turns: [
      calls('a', 'read', { file_path: 'stock.md' }),
      calls('b', 'ask-user', asksWho),
      calls('c', 'write', note('stock')),
      says('Four bells, for Ann.'),
    ],
    text: 'Four bells, for Ann.',
    frames: ['stock-check', 'read', 'ask-user', 'write'],
    states: ['finished', 'input', 'approval', 'killed'],
    killedIn: 2,
  },
  'orchestrator with a loop': {
    request: { skill: 'service-desk', input: 'The brakes squeak.' },
    turns: [
      calls('a', 'price', { input: 'brakes' }),
      calls('b', 'ask-user', asksWho),
      calls('c', 'write', note('service')),
      says('The service costs 15 euros.'),
    ],
    text: 'The service costs 15 euros.',
    frames: ['service-desk', 'price', 'ask-user', 'write'],
    states: ['finished', 'input', 'approval', 'killed'],
    killedIn: 2,
  },
  'orchestrator with a plan': {
    request: { skill: 'tour-desk', input: 'Two of us, on Sunday.' },
    turns: [
      says('@bikes rent two\n@last final_answer $bikes'),
      says(
        '@price price "two bicycles"\n@name ask-user question="Who is it for?"\n' +
          '@note write file_path=tour.txt content=$name\n@last final_answer $price "for" $name when $note',
      ),
    ],
    text: '15 euros for two bicycles for Ann',
    frames: ['tour-desk', 'price', 'ask-user', 'write'],
    states: ['finished', 'input', 'approval', 'killed'],
    killedIn: 2,
  },
  'orchestrator with a script': {
    request: { skill: 'hand-over', input: 'a city bicycle' },
    turns: [says('Take the wide one.')],
    text: 'Take the wide one. Handed over to Ann',
    frames: ['hand-over', 'tyre-advice', 'ask-user', 'write'],
    states: ['finished', 'input', 'approval', 'killed'],
    killedIn: 1,
  },
  'code skill': {
    request: { skill: 'frame-size', input: 'I am 180 cm tall and want a road bicycle.' },
    turns: [says('{"height": 180, "kind": "road"}'), says('0.665'), says('{"size": 57}')],
    text: 'Ann: 57 cm at 180 × 0.665 (done)',
    frames: ['frame-size', 'ask-user', 'write'],
    states: ['finished', 'input', 'trust', 'approval', 'killed'],
    killedIn: 3,
    knownByContent: [1, 3],
    startsProcess: true,
  },
  'dynamic code': {
    request: { skill: 'chain-length', input: { input: '44 teeth in front, 16 behind' } },
    turns: [
      says('It needs about 110 links.'),
      says(
        JSON.stringify({
          mode: 'code',
          code:
            'const name = await call("ask-user", { question: "Who is it for?" });\n' +
            'await call("write", { file_path: "chain.txt", content: name });\n' +
            'return `${(44 + 16) / 2 + 80} links for ${name}`;',
        }),
      ),
    ],
    text: '110 links for Ann',
    frames: ['chain-length', 'ask-user', 'write'],
    states: ['finished', 'input', 'trust', 'approval', 'killed'],
    killedIn: 2,
    knownByContent: [1, 2],
  },
  'MCP skill with a loop': {
    request: { skill: 'parts-desk', input: 'Are there bells?' },
    turns: [
      calls('a', 'shelf-count', { part: 'bell' }),
      calls('b', 'shelf-order', { part: 'bell' }),
      says('Two are there, and one is ordered.'),
    ],
    text: 'Two are there, and one is ordered.',
    frames: ['parts-desk', 'shelf.count', 'shelf.order'],
    states: ['finished', 'trust', 'approval', 'killed'],
    killedIn: 2,
    startsProcess: true,
  },
  'MCP skill with a script': {
    request: { skill: 'parts-list', input: 'bell' },
    turns: [],
    text: '2 on the shelf. Ordered: bell.',
    frames: ['parts-list', 'shelf.count', 'shelf.order'],
    states: ['finished', 'trust'],
    startsProcess: true,
  },
  table: {
    request: { skill: 'parts', prompt: 'We got a new bell.' },
    turns: [says('{"operation": "add"}'), says('{"operation": "add", "records": [{"name": "Bell"}]}')],
    answer: 'yes',
    text: /\bBell\b/,
    frames: ['parts'],
    states: ['finished', 'input', 'killed'],
    killedIn: 2,
    knownByContent: [1, 2],
  },
  'table that exports': {
    request: { skill: 'parts', prompt: 'export parts to parts.csv' },
    turns: [],
    text: /\bparts\.csv\b/,
    frames: ['parts', 'write'],
    states: ['finished', 'approval'],
  },
  subagent: {
    request: { skill: 'buyer', input: 'Buy a lamp.' },
    turns: [
      calls('a', 'read', { file_path: 'stock.md' }),
      calls('b', 'ask-user', asksWho),
      calls('c', 'write', note('lamp')),
      says('A lamp is bought for Ann.'),
    ],
    text: 'A lamp is bought for Ann.',
    frames: ['buyer', 'read', 'ask-user', 'write'],
    states: ['finished', 'input', 'approval', 'killed'],
    killedIn: 2,
  },
  function: {
    request: { skill: 'weigh', input: 'a road bicycle' },
    turns: [says('8'), says('light')],
    text: '8 kg is light, says Ann (done)',
    frames: ['weigh', 'write'],
    states: ['finished', 'input', 'approval', 'killed'],
    killedIn: 2,
  },
  assistant: {
    request: { prompt: 'Xylophone lessons on Tuesday: note down who wants some.' },
    turns: [
      calls('a', 'skill', { name: 'stock-check', args: 'lessons' }),
      calls('b', 'ask-user', asksWho),
      calls('c', 'write', note('lessons')),
      says('Ann wants lessons.'),
    ],
    text: 'Ann wants lessons.',
    frames: ['(assistant)', 'stock-check', 'ask-user', 'write'],
    states: ['finished', 'input', 'approval', 'killed'],
    killedIn: 2,
  },
};

/** Returns the session of the run of this kind that was recorded in this state. */
export function sessionOf(kind: string, state: LeftState): string {
  return `${kind} ${state}`;
}

/** The functions of a release that this file needs. */
interface ReleaseParts {
  readonly defineSkill: (spec: SkillSpec) => DefinedSkill;
  readonly collect: typeof collect;
}

/** Returns the skills that are defined in code. */
export function earlierFunctions({ defineSkill, collect }: ReleaseParts): readonly DefinedSkill[] {
  const ask = async (scope: Scope, text: string, key?: string): Promise<string> => {
    const request = { messages: [{ role: 'user', text } as const], ...(key === undefined ? {} : { key }) };
    return (await collect(scope.model('fast').stream(request, scope.signal))).text;
  };
  const price = defineSkill({
    name: 'price',
    description: 'Says what a service costs.',
    readOnly: true,
    allowedSkills: [],
    run: (what) => ({ status: 'done', text: `15 euros for ${textIn(what)}` }),
  });
  const weigh = defineSkill({
    name: 'weigh',
    description: 'Weighs a bicycle.',
    async run(what, scope) {
      const kilos = await ask(scope, `How heavy is ${textIn(what)}?`, 'kilos');
      const verdict = await ask(scope, `Is that much for ${textIn(what)}?`);
      const weight = await scope.step('weigh', () => `${kilos} kg`);
      const name = await scope.ask('Who is it for?');
      const { status } = await scope.call('write', { file_path: 'weight.txt', content: weight });
      return { status: 'done', text: `${weight} is ${verdict}, says ${textIn(name)} (${status})` };
    },
  });
  return [price, weigh];
}

/** Answers every question and approves every call until the run ends or reaches the state to record. */
export async function carryOn(
  agent: Pick<RecursiveSkilledAgent, 'runs'>,
  { answer = 'Ann' }: Pick<EarlierFlow, 'answer'>,
  handle: RunHandle,
  stopAt?: LeftState,
): Promise<RunResult> {
  for (let result = await handle.result; ;) {
    const { runId, question } = result;
    if (result.status !== 'waiting' || question === undefined || stateOf(question) === stopAt) return result;
    if (question.kind === 'approval') await agent.runs.approve(runId, question.id, { allow: 'run' });
    else await agent.runs.answer(runId, answer, question.id);
    result = await agent.runs.resume(runId).result;
  }
}

/** Returns the state of a run that waits with this question. */
export function stateOf({ kind, asks }: OpenQuestion): LeftState {
  if (kind === 'input') return 'input';
  return asks?.version?.skill === asks?.skill ? 'trust' : 'approval';
}

/** Returns whether a run ended as its flow specifies. */
export function endedAs({ text: expected }: Pick<EarlierFlow, 'text'>, { status, text }: RunResult): boolean {
  return status === 'done' && (typeof expected === 'string' ? text === expected : expected.test(text));
}

function says(text: string): ScriptedReply {
  return { text, usage: stepUsage };
}

/**
 * Returns a model turn with one call. The call id is explicit, because every process counts its turns from 1.
 */
function calls(id: string, name: string, input: Json): ScriptedReply {
  return { calls: [{ id, name, input }], usage: stepUsage };
}

function textIn(value: Json): string {
  if (typeof value === 'string') return value;
  const { input } = value as { readonly input?: Json };
  return typeof input === 'string' ? input : JSON.stringify(value);
}
