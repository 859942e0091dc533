import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ofType } from '../../../test/support/kernel.ts';
import { call, toolTexts } from '../../../test/support/loop-stage.ts';
import { stageIn, subagentFile, subagentText } from '../../../test/support/subagent-stage.ts';
import { skillText, tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import type { ModelRequest } from '../../core/model.ts';
import type { Script, ScriptedTurn } from '../../models/scripted.ts';

type Head = Readonly<Record<string, string>>;

interface Played {
  /** The codes of the refusals, in order. */
  readonly refused: readonly string[];
  /** The skills that were called, in order. */
  readonly called: readonly string[];
  readonly requests: readonly ModelRequest[];
}

/** Runs the first of some subagents. The system text selects the script that answers each of them. */
async function play(
  subagents: Readonly<Record<string, Head>>,
  parts: Readonly<Record<string, (turn: number) => ScriptedTurn>>,
  {
    first = Object.keys(subagents)[0] ?? '',
    files: more = {},
    ...options
  }: Omit<AgentOptions, 'skills'> & {
    readonly first?: string;
    readonly files?: Readonly<Record<string, string>>;
  } = {},
): Promise<Played> {
  using files = tree(more);
  for (const [name, head] of Object.entries(subagents)) {
    const lines = Object.entries(head).map(([key, value]) => `${key}: ${value}`);
    files.write(subagentFile(name), subagentText(name, lines, name));
  }
  const turns = new Map<string, number>();
  const script: Script = ({ system = '' }) => {
    const name = /^\S+/.exec(system)?.[0] ?? '';
    const turn = (turns.get(name) ?? 0) + 1;
    turns.set(name, turn);
    return parts[name]?.(turn);
  };
  await using stage = stageIn(files, script, options);
  const { agent, model } = stage;
  const { runId } = await agent.run({ skill: first, input: 'Begin.' }).result;
  const events = await agent.runs.events(runId);
  return {
    refused: ofType(events, 'call.refused').map(({ error }) => error.code),
    called: ofType(events, 'frame.started').map(({ skill }) => skill),
    requests: model.requests,
  };
}

/** A script that first delegates its task and then answers. */
const handOn =
  (to: string, input = `for ${to}`) =>
  (turn: number): ScriptedTurn =>
    turn === 1 ? { calls: [call(to, { input })] } : 'done';

describe('how deep subagents may nest', () => {
  const parts = { a: handOn('b'), b: handOn('c'), c: handOn('d'), d: () => 'deep' };
  const four = (a: Head, b: Head = {}): Readonly<Record<string, Head>> => ({ a, b, c: {}, d: {} });
  const table: readonly { readonly head: readonly [Head, Head?]; readonly called: string }[] = [
    { head: [{}], called: 'a b c d' },
    { head: [{ maxSubagentDepth: '2' }], called: 'a b c' },
    { head: [{ maxSubagentDepth: '1' }], called: 'a b' },
    { head: [{ maxSubagentDepth: '2' }, { maxSubagentDepth: '5' }], called: 'a b c' },
    { head: [{ maxSubagentDepth: '5' }, { maxSubagentDepth: '1' }], called: 'a b c' },
  ];
  for (const { head, called } of table) {
    test(`${JSON.stringify(head)} lets ${called} work`, async () => {
      const played = await play(four(...head), parts);
      assert.equal(played.called.join(' '), called);
      assert.deepEqual(played.refused, called === 'a b c d' ? [] : ['limit.depth']);
    });
  }

  test('not at all with a depth of 0, also when a model tries', async () => {
    const { called, requests } = await play(four({ maxSubagentDepth: '0' }), parts);
    assert.deepEqual(called, ['a']);
    assert.ok(!requests[0]?.tools?.some(({ name }) => name === 'b'));
  });
});

test('two subagents that hand one task to each other end with a refusal, and both answer', async () => {
  const { called, refused, requests } = await play(
    { ping: {}, pong: {} },
    { ping: handOn('pong', 'Begin.'), pong: handOn('ping', 'Begin.') },
  );
  assert.deepEqual(called, ['ping', 'pong']);
  assert.deepEqual(refused, ['limit.cycle']);
  assert.match(toolTexts(requests[2])[0] ?? '', /limit\.cycle/);
});

test('two subagents that call each other with ever new tasks end with a refusal', async () => {
  let task = 0;
  const other = (name: string) => (): ScriptedTurn => ({
    calls: [call(name, { input: `task ${(task += 1)}` })],
  });
  const { refused, called } = await play(
    { ping: {}, pong: {} },
    { ping: other('pong'), pong: other('ping') },
    { limits: { frames: 12, depth: 6 } },
  );
  assert.equal(called.length, 12);
  assert.ok(refused.includes('limit.depth'));
  assert.ok(refused.includes('limit.frames'));
});

describe('a subagent never gets more than its caller', () => {
  test('a tool that the caller lacks is not offered, and cannot be called', async () => {
    const { requests, called } = await play(
      { a: { tools: 'read, Skill(b)' }, b: { tools: 'read, bash, write' } },
      {
        a: handOn('b'),
        b: (turn) => (turn === 1 ? { calls: [call('write', { file_path: 'x.txt', content: 'x' })] } : 'done'),
      },
    );
    assert.deepEqual(
      requests[1]?.tools?.map(({ name }) => name),
      ['read'],
    );
    assert.deepEqual(called, ['a', 'b']);
  });

  test('what the caller excludes stays excluded', async () => {
    const { requests } = await play(
      { a: { excludeTools: 'bash' }, b: {} },
      { a: handOn('b'), b: () => 'done' },
    );
    const tools = requests[1]?.tools?.map(({ name }) => name) ?? [];
    assert.ok(tools.includes('read') && !tools.includes('bash'));
  });

  test('listed skills that the caller may not read are an error before the model is asked', async () => {
    const { called, requests } = await play(
      { a: { tools: 'grep, Skill(b)' }, b: { skills: 'tmux', skillInjection: 'light' } },
      { a: handOn('b'), b: () => 'never' },
      { files: { '.agents/skills/tmux/SKILL.md': skillText('tmux') } },
    );
    assert.deepEqual(called, ['a', 'b']);
    assert.equal(requests.length, 2);
    assert.match(toolTexts(requests[1])[0] ?? '', /policy\.denied[^]*read/);
  });

  test('its answer is not written where the caller may not write', async () => {
    const { refused } = await play(
      { a: { tools: 'read, Skill(b)' }, b: { output: 'report.md' } },
      { a: handOn('b'), b: () => 'An answer.' },
    );
    assert.deepEqual(refused, ['policy.denied']);
  });
});

test('it is what "agent" in a SKILL.md names', async () => {
  const skill = '---\nname: check\ndescription: Checks.\ncontext: fork\nagent: a\n---\n\nCheck the links.\n';
  const { requests, called } = await play(
    { a: { tools: '' } },
    { a: () => 'done' },
    { first: 'check', files: { '.agents/skills/check/SKILL.md': skill } },
  );
  assert.deepEqual(called, ['check', 'a']);
  assert.equal(requests[0]?.system, 'a');
  assert.match(requests[0].messages[0]?.text ?? '', /^Check the links\./);
});
