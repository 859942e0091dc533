import { join } from 'node:path';
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { isStepCount, tool, ToolLoopAgent } from 'ai';
import { z } from 'zod';
import { defineSkill, fromAiSdk, loopOutput, RecursiveSkilledAgent, runLoop } from '../src/index.ts';
import { piLoop } from './loop-of-pi.ts';
import { alternate, processorTime, type Row, type Timing } from './measure.ts';

const steps = 1_000;
const rounds = 5;

/**
 * Measures one step of a model loop with a model that answers immediately: this project's loop with and
 * without a database, and the loops of other projects.
 */
export async function loop(folder: string, withPeers: boolean): Promise<readonly Row[]> {
  const pi = withPeers ? await piLoop() : undefined;
  let files = 0;
  const things: Record<string, () => Promise<unknown>> = {
    ours: () => ownLoop(),
    sqlite: () => ownLoop(join(folder, `loop-${(files += 1)}.db`)),
    reading: () => ownLoop(join(folder, `loop-${(files += 1)}.db`), true),
    stream: () => sdkLoop(true),
    generate: () => sdkLoop(false),
    ...(pi === undefined ? {} : { pi: () => pi(steps) }),
  };
  const times = await alternate(rounds, things, processorTime);
  const perStep = ({ median, min }: Timing): string =>
    `${(median / steps).toFixed(2)} ms (min ${(min / steps).toFixed(2)})`;
  const { ours, sqlite, reading, stream, generate } = times as Record<
    'ours' | 'sqlite' | 'reading' | 'stream' | 'generate',
    Timing
  >;
  const ratio = Math.min(ours.median / stream.median, ours.min / stream.min);
  return [
    {
      id: 'E1',
      what: `CPU time of a step of a loop of ${steps}, in memory, against ToolLoopAgent of ai 7 (stream)`,
      figure: `${ratio.toFixed(2)} ×: ${perStep(ours)} against ${perStep(stream)}`,
      target: '≤ 0.5 ×',
      met: ratio <= 0.5,
    },
    sqliteRow('the same, logged in SQLite', sqlite),
    sqliteRow('the same with a read-only tool', reading),
    { id: 'E1', what: 'ToolLoopAgent of ai 7, without streaming', figure: perStep(generate) },
    ...(times['pi'] === undefined
      ? []
      : [{ id: 'E1', what: 'agentLoop of pi 0.87.1', figure: perStep(times['pi']) }]),
  ];
}

function sqliteRow(what: string, { median, min }: Timing): Row {
  const figure = `${(median / steps).toFixed(2)} ms (min ${(min / steps).toFixed(2)})`;
  return { id: 'E1', what, figure, target: '≤ 0.9 ms', met: Math.min(median, min) / steps <= 0.9 };
}

async function ownLoop(store?: string, readOnly = false): Promise<void> {
  await using agent = new RecursiveSkilledAgent({
    models: fromAiSdk(instantModel()),
    limits: { steps: steps + 1, leafCalls: steps, callSeconds: 600, runSeconds: 600 },
    ...(store === undefined ? {} : { store }),
  });
  agent.skills.register(
    defineSkill({
      name: 'add',
      description: 'Adds a number.',
      allowedSkills: [],
      readOnly,
      input: z.object({ n: z.number() }),
      run: ({ n }) => ({ status: 'done', text: `sum ${n}` }),
    }),
  );
  agent.skills.register(
    defineSkill({
      name: 'think',
      description: 'Thinks.',
      allowedSkills: ['add'],
      run: async (_input, scope) =>
        loopOutput(await runLoop(scope, { prompt: 'Go.', maxSteps: steps + 1, compactAt: Infinity })),
    }),
  );
  const { text, error } = await agent.run({ skill: 'think' }).result;
  if (text !== 'Done.') throw new Error(error?.message ?? text);
}

async function sdkLoop(isStreamed: boolean): Promise<void> {
  const agent = new ToolLoopAgent({
    model: instantModel(),
    tools: {
      add: tool({
        description: 'Adds a number.',
        inputSchema: z.object({ n: z.number() }),
        execute: async ({ n }) => `sum ${n}`,
      }),
    },
    stopWhen: isStepCount(steps + 2),
  });
  const prompt = 'Go.';
  const text = isStreamed
    ? await (
        await agent.stream({ prompt })
      ).text
    : (await agent.generate({ prompt })).text;
  if (text !== 'Done.') throw new Error(text);
}

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

/**
 * Returns a model that implements the provider specification of the AI SDK. It calls `add` the given number
 * of times and then finishes.
 */
function instantModel(): LanguageModelV4 {
  let turn = 0;
  const callOf = (): { type: 'tool-call'; toolCallId: string; toolName: string; input: string } => ({
    type: 'tool-call',
    toolCallId: `c${turn}`,
    toolName: 'add',
    input: JSON.stringify({ n: turn }),
  });
  const finish = (): { unified: 'tool-calls' | 'stop'; raw: undefined } => ({
    unified: turn <= steps ? 'tool-calls' : 'stop',
    raw: undefined,
  });
  return {
    specificationVersion: 'v4',
    provider: 'instant',
    modelId: 'model',
    supportedUrls: {},
    async doStream() {
      turn += 1;
      const said: LanguageModelV4StreamPart[] =
        turn <= steps
          ? [callOf()]
          : [
              { type: 'text-start', id: '1' },
              { type: 'text-delta', id: '1', delta: 'Done.' },
              { type: 'text-end', id: '1' },
            ];
      const parts: LanguageModelV4StreamPart[] = [
        { type: 'stream-start', warnings: [] },
        ...said,
        { type: 'finish', finishReason: finish(), usage },
      ];
      return { stream: ReadableStream.from<LanguageModelV4StreamPart>(parts) };
    },
    async doGenerate() {
      turn += 1;
      const content = turn <= steps ? [callOf()] : [{ type: 'text' as const, text: 'Done.' }];
      return { content, finishReason: finish(), usage, warnings: [] };
    },
  };
}
