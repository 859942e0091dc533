import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import { z } from 'zod';
import {
  agentWith,
  done,
  flowFamily,
  flowText,
  flowsIn,
  ofType,
  runProgram,
  said,
  settled,
  valueOf,
  type TestSkill,
  type Run,
} from '../../../test/support/kernel.ts';
import { tree, type Tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import { AgentError } from '../../core/error.ts';
import type { Family, FamilySpec } from '../../core/family.ts';
import type { Json } from '../../core/json.ts';
import type { PermissionRequest, Policy } from '../../core/policy.ts';
import type { Output } from '../../core/run.ts';
import type { SkillCard } from '../../core/skill.ts';
import type { Store } from '../../core/store.ts';
import { createMemoryStore } from '../../stores/memory.ts';

/** Returns the outcome that a caller receives from its callee, and checks that the caller continues. */
async function callOf(
  child: TestSkill,
  input: Json = null,
): Promise<{ readonly output: Output; readonly recorded: Output | undefined }> {
  let output: Output | undefined;
  await using agent = agentWith({
    parent: async (_input, scope) => {
      output = await scope.call('child', input);
      return done(`went on after ${said(output).slice(0, 20)}`);
    },
    child,
  });
  const run = agent.run({ skill: 'parent' });
  const { text } = await settled(run.result);
  assert.ok(output !== undefined);
  assert.equal(text, `went on after ${said(output).slice(0, 20)}`);
  const recorded = ofType(await agent.runs.events(run.id), 'frame.ended').find(
    ({ output: { text: own } }) => own !== text,
  );
  return { output, recorded: recorded?.output };
}

/** Passes a value that is not an output through the type checker. */
function odd(value: unknown): Run {
  return () => value as Output;
}

describe('a caller continues after a child that', () => {
  test('is done', async () => {
    const { output, recorded } = await callOf(() => done('well', { n: 1 }));
    assert.deepEqual(output, { status: 'done', text: 'well', value: { n: 1 } });
    assert.deepEqual(recorded, output);
  });

  test('failed with data', async () => {
    const failed = {
      status: 'failed',
      text: 'no',
      error: { code: 'skill.failed', message: 'no', hint: 'h' },
    } as const;
    const { output, recorded } = await callOf(() => failed);
    assert.deepEqual(output, failed);
    assert.deepEqual(recorded, failed);
  });

  test('throws, an AgentError or anything else', async () => {
    for (const [thrown, code, message] of [
      [new AgentError('usage.not-found', 'gone', { hint: 'look', details: [1] }), 'usage.not-found', 'gone'],
      [new Error('broken'), 'skill.failed', 'broken'],
      ['a word', 'skill.failed', 'a word'],
      [undefined, 'skill.failed', 'undefined'],
      [Symbol('odd'), 'skill.failed', 'Symbol(odd)'],
      [null, 'skill.failed', 'null'],
    ] as const) {
      const { output } = await callOf(() => {
        // eslint-disable-next-line @typescript-eslint/only-throw-error -- anything can be thrown
        throw thrown;
      });
      assert.equal(output.status, 'failed');
      assert.deepEqual([output.error.code, output.error.message], [code, message]);
    }
  });

  test('is not there, and the refusal names the nearest ones', async () => {
    await using agent = agentWith({
      parent: async (_input, scope) => {
        const output = await scope.call('chidl', null);
        return done('went on', output as unknown as Json);
      },
      child: () => done(),
    });
    const run = agent.run({ skill: 'parent' });
    const output = valueOf(await run.result) as unknown as Output;
    assert.equal(said(output), 'skill.not-found');
    const [refused] = ofType(await agent.runs.events(run.id), 'call.refused');
    assert.deepEqual(refused?.error.details, { near: ['child'] });
  });

  test('lacks a program', async () => {
    const { output } = await callOf({ run: () => done(), requires: { bins: ['no-such-program-here'] } });
    assert.equal(said(output), 'skill.unavailable');
    assert.match(output.status === 'failed' ? (output.error.hint ?? '') : '', /no-such-program-here/);
  });

  test('cannot take its input', async () => {
    const child = { input: z.object({ n: z.number() }), run: () => done() } as unknown as TestSkill;
    const { output } = await callOf(child, { n: 'one' });
    assert.equal(said(output), 'usage.bad-input');
    assert.match(output.text, /: n must be /);
  });

  test('returns a plain value, which becomes its value', async () => {
    for (const value of [null, 7, 'text', [], {}, { status: 'done' }, { status: 'ok', text: '' }]) {
      const { output } = await callOf(odd(value));
      assert.equal(output.status, 'done', JSON.stringify(value));
      assert.deepEqual(output.value, value);
    }
  });

  test('returns a failure without an error', async () => {
    for (const error of [undefined, null, 'no', {}, { code: 'skill.failed' }]) {
      const { output } = await callOf(odd({ status: 'failed', text: 'no', error }));
      assert.equal(output.status, 'failed');
      assert.equal(typeof (output.error as unknown), 'object');
      assert.equal(output.error.code, 'skill.failed');
      assert.equal(typeof output.error.message, 'string');
    }
  });

  test('is the first one and returns a failure without an error', async () => {
    const { exitCode, output } = await runProgram(`
      await using agent = agentWith({ top: () => ({ status: 'failed', text: 'no' }) });
      console.log((await agent.run({ skill: 'top' }).result).status);
    `);
    assert.deepEqual([exitCode, output.trim()], [0, 'failed']);
  });

  test('returns values that JSON has no words for', async () => {
    const { output, recorded } = await callOf(
      odd({
        status: 'done',
        text: 't',
        value: { big: 12n, when: new Date(0), gone: undefined, list: [undefined, Number.NaN], minus: -0 },
      }),
    );
    assert.deepEqual(output, {
      status: 'done',
      text: 't',
      value: { big: '12', when: '1970-01-01T00:00:00.000Z', list: [null, null], minus: 0 },
    });
    assert.deepEqual(recorded, output);
  });

  test('returns a circle, or more than is kept', async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    assert.equal(
      said((await callOf(odd({ status: 'done', text: '', value: circle }))).output),
      'skill.failed',
    );
    const large = 'x'.repeat(4_000_001);
    assert.equal(
      said((await callOf(odd({ status: 'done', text: '', value: large }))).output),
      'limit.too-large',
    );
  });

  test('says more than a million characters', async () => {
    const { output, recorded } = await callOf(() => done('x'.repeat(1_000_005)));
    assert.equal(output.text.length, 1_000_000 + '\n[5 more characters were cut off]'.length);
    assert.ok(output.text.endsWith('x\n[5 more characters were cut off]'));
    assert.deepEqual(recorded, output);
  });

  test('says more than a million characters, the last of them a wide one', async () => {
    const { output } = await callOf(() => done(`${'x'.repeat(999_999)}😀 and more`));
    assert.ok(output.text.isWellFormed());
  });

  test('fails with a message that is too long to keep', async () => {
    const { output } = await callOf(() => {
      throw new Error('x'.repeat(5_000_000));
    });
    assert.ok(JSON.stringify(output).length < 4_100_000);
  });

  test('belongs to a family that throws what cannot be kept', async () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    using files = tree({ 'skills/x/FLOW.md': flowText('x', 'x') });
    const family = flowFamily({
      execute: () => Promise.reject(new AgentError('skill.failed', 'no', { details: circle as Json })),
    });
    await using agent = agentWith(
      {
        parent: async (_input, scope) => done(said(await scope.call('x', null).catch(() => done('thrown')))),
      },
      flowsIn(files.path, family),
    );
    const run = agent.run({ skill: 'parent' });
    assert.equal((await settled(run.result)).text, 'skill.failed');
    assert.equal(ofType(await agent.runs.events(run.id), 'frame.ended').length, 2);
  });
});

/** A family whose skills can be loaded. The body of a file is its card as JSON. */
const guides: Family = flowFamily({
  parse(bundle) {
    const parsed = flowFamily().parse(bundle) as ReturnType<FamilySpec<string>['parse']>;
    const card = JSON.parse(bundle.body) as Partial<SkillCard>;
    return { ...parsed, card: { ...parsed.card, ...card } };
  },
  text: { load: async () => done('loaded') },
});

const file = '.agents/skills/guide/FLOW.md';

function guide(card: Partial<SkillCard>): string {
  return flowText('guide', JSON.stringify(card));
}

const tools: Readonly<Record<string, TestSkill>> = {
  red: { run: () => done(), permission: 'Red' },
  blue: { run: () => done(), permission: 'Blue' },
};

/** Loads the guide, waits for a person, then calls both tools. */
const top: Run = async (_input, scope) => {
  await scope.call('guide', null, { mode: 'load' });
  await scope.ask('On?');
  const called = [said(await scope.call('red', null)), said(await scope.call('blue', null))];
  const isOffered = scope.skills.callable.some(({ name }) => name === 'red');
  return done(`${called.join(' ')} ${isOffered ? 'offered' : 'withheld'}`);
};

function agentOn(files: Tree, store: Store, more: AgentOptions = {}): RecursiveSkilledAgent {
  return agentWith({ top, ...tools }, { ...flowsIn(files.path, guides), store, ...more });
}

/** Returns the outcome of a run that one agent starts and another one resumes, after a change on disk. */
async function resumeAfter(
  card: Partial<SkillCard>,
  change: (files: Tree) => void,
  policy?: Policy,
): Promise<string> {
  using files = tree({ [file]: guide(card) });
  const store = createMemoryStore();
  const first = agentOn(files, store);
  const { runId, status } = await first.run({ skill: 'top' }).result;
  assert.equal(status, 'waiting');
  await first.shutdown();
  change(files);
  await using second = agentOn(files, store, policy === undefined ? {} : { policy });
  await second.runs.answer(runId, 'yes');
  return (await second.runs.resume(runId).result).text;
}

describe('what a loaded skill forbids', () => {
  const card = { disallowedTools: ['Red'] };

  test('stays forbidden when the skill is gone before the run continues', async () => {
    const text = await resumeAfter(card, (files) =>
      rmSync(files.at('.agents/skills/guide'), { recursive: true }),
    );
    assert.equal(text, 'policy.denied ok withheld');
  });

  test('stays forbidden when its file says something else by then', async () => {
    const text = await resumeAfter(card, (files) => files.write(file, guide({ disallowedTools: ['Blue'] })));
    assert.equal(text, 'policy.denied ok withheld');
  });

  test('stays forbidden when its list was the whole list', async () => {
    const whole = { allowedTools: ['Blue'], enforceTools: true } as const;
    const text = await resumeAfter(whole, (files) => files.write(file, guide({})));
    assert.equal(text, 'policy.denied ok withheld');
  });
});

describe('what a loaded skill allows', () => {
  async function activeFor(change: (files: Tree) => void): Promise<readonly string[]> {
    const requests: PermissionRequest[] = [];
    const policy: Policy = {
      decide: (request) => {
        requests.push(request);
        return { decision: 'allow' };
      },
    };
    await resumeAfter({ allowedTools: ['Red'] }, change, policy);
    const red = requests.find(({ skill }) => skill === 'red');
    return (red?.active ?? []).map(({ skill }) => skill);
  }

  test('is allowed again after an interruption', async () => {
    assert.deepEqual(await activeFor(() => undefined), ['guide']);
  });

  test('is not allowed by another text than the one that was loaded', async () => {
    const other = guide({ allowedTools: ['Red', 'Blue'] });
    assert.deepEqual(await activeFor((files) => files.write(file, other)), []);
  });
});

describe('files that a tool says it touches', () => {
  const gated = flowText('guide', JSON.stringify({ paths: ['*.ts'] }));
  const offers: Run = async (_input, scope) => {
    const before = scope.skills.callable.some(({ name }) => name === 'guide');
    const output = said(await scope.call('open', 'a.ts'));
    return done([before, output, scope.skills.callable.some(({ name }) => name === 'guide')].join(' '));
  };

  test('bring up the skills that are for them', async () => {
    using files = tree({ [file]: gated });
    const open: TestSkill = { run: () => done(), touches: (path: never) => [path] };
    await using agent = agentWith({ offers, open }, flowsIn(files.path, guides));
    assert.equal((await agent.run({ skill: 'offers' }).result).text, 'false ok true');
  });

  test('that it cannot tell do not make a call fail that went well', async () => {
    using files = tree({ [file]: gated });
    const open: TestSkill = {
      run: () => done(),
      touches: () => {
        throw new Error('broken');
      },
    };
    await using agent = agentWith({ offers, open }, flowsIn(files.path, guides));
    assert.equal((await agent.run({ skill: 'offers' }).result).text, 'false ok false');
  });

  test('do not matter any more when the tool cannot be used where the run continues', async () => {
    const store = createMemoryStore();
    const open: TestSkill = { run: () => done(), touches: () => ['a.ts'] };
    const asks: Run = async (_input, scope) => {
      const output = said(await scope.call('open', null));
      await scope.ask('On?');
      return done(output);
    };
    const entry = (enabled: boolean): AgentOptions => ({
      store,
      settings: { skills: { entries: { open: { enabled } } } },
    });
    const first = agentWith({ asks, open }, entry(true));
    const { runId } = await first.run({ skill: 'asks' }).result;
    await first.shutdown();
    await using second = agentWith({ asks, open }, entry(false));
    await second.runs.answer(runId, 'yes');
    assert.equal((await second.runs.resume(runId).result).text, 'ok');
  });

  test('are no matter where a person asks: all skills are listed for them', async () => {
    using files = tree({ [file]: gated });
    const lists: Run = (_input, scope) => done(scope.skills.listed.map(({ name }) => name).join(' '));
    await using agent = agentWith({ lists }, flowsIn(files.path, guides));
    assert.match((await agent.run({ skill: 'lists' }).result).text, /\bguide\b/);
  });
});
