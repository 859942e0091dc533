import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  agentWith,
  done,
  flowFamily,
  flowsIn,
  flowText,
  said,
  type Made,
  type Run,
} from '../../test/support/kernel.ts';
import { tree, type Tree } from '../../test/support/tree.ts';
import type { AgentOptions } from '../agent/options.ts';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { Family, FamilySpec } from '../core/family.ts';
import type { PermissionRequest, Policy } from '../core/policy.ts';
import type { SkillCard } from '../core/skill.ts';
import type { Store } from '../core/store.ts';
import { createMemoryStore } from '../stores/memory.ts';

/** A family whose skills can be loaded; the body of a file is its card as JSON. */
const guides: Family = flowFamily({
  parse(bundle) {
    const parsed = flowFamily().parse(bundle) as ReturnType<FamilySpec<string>['parse']>;
    const card = JSON.parse(bundle.body) as Partial<SkillCard>;
    return { ...parsed, card: { ...parsed.card, ...card } };
  },
  load: async () => done('loaded'),
});

const file = '.agents/skills/guide/FLOW.md';

function guide(card: Partial<SkillCard>): string {
  return flowText('guide', JSON.stringify(card));
}

const tools: Readonly<Record<string, Made>> = {
  red: { run: () => done(), permission: 'Red' },
  blue: { run: () => done(), permission: 'Blue' },
};

/** Loads the guide, waits for a person, then calls both tools. */
const top: Run = async (_input, scope) => {
  await scope.call('guide', null, { through: 'load' });
  await scope.ask('On?');
  const called = [said(await scope.call('red', null)), said(await scope.call('blue', null))];
  const isOffered = scope.callable.some(({ name }) => name === 'red');
  return done(`${called.join(' ')} ${isOffered ? 'offered' : 'withheld'}`);
};

function agentOn(files: Tree, store: Store, more: AgentOptions = {}): RecursiveSkilledAgent {
  return agentWith({ top, ...tools }, { ...flowsIn(files.path, guides), store, ...more });
}

/** What a run comes to that one agent began and another goes on with, after something changed on the disk. */
async function goOn(
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

  test('stays forbidden when the skill is gone before the run goes on', async () => {
    const text = await goOn(card, (files) => rmSync(files.at('.agents/skills/guide'), { recursive: true }));
    assert.equal(text, 'policy.denied ok withheld');
  });

  test('stays forbidden when its file says something else by then', async () => {
    const text = await goOn(card, (files) => files.write(file, guide({ disallowedTools: ['Blue'] })));
    assert.equal(text, 'policy.denied ok withheld');
  });

  test('stays forbidden when its list was the whole list', async () => {
    const whole = { allowedTools: ['Blue'], enforceTools: true } as const;
    const text = await goOn(whole, (files) => files.write(file, guide({})));
    assert.equal(text, 'policy.denied ok withheld');
  });
});

describe('what a loaded skill allows', () => {
  async function activeFor(change: (files: Tree) => void): Promise<readonly string[]> {
    const seen: PermissionRequest[] = [];
    const policy: Policy = {
      decide: (request) => {
        seen.push(request);
        return { decision: 'allow' };
      },
    };
    await goOn({ allowedTools: ['Red'] }, change, policy);
    const red = seen.find(({ skill }) => skill === 'red');
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
    const before = scope.callable.some(({ name }) => name === 'guide');
    const output = said(await scope.call('open', 'a.ts'));
    return done([before, output, scope.callable.some(({ name }) => name === 'guide')].join(' '));
  };

  test('bring up the skills that are for them', async () => {
    using files = tree({ [file]: gated });
    const open: Made = { run: () => done(), touches: (path: never) => [path] };
    await using agent = agentWith({ offers, open }, flowsIn(files.path, guides));
    assert.equal((await agent.run({ skill: 'offers' }).result).text, 'false ok true');
  });

  test('that it cannot tell do not make a call fail that went well', async () => {
    using files = tree({ [file]: gated });
    const open: Made = {
      run: () => done(),
      touches: () => {
        throw new Error('broken');
      },
    };
    await using agent = agentWith({ offers, open }, flowsIn(files.path, guides));
    assert.equal((await agent.run({ skill: 'offers' }).result).text, 'false ok false');
  });

  test('do not matter any more when the tool cannot be used where the run goes on', async () => {
    const store = createMemoryStore();
    const open: Made = { run: () => done(), touches: () => ['a.ts'] };
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
    const lists: Run = (_input, scope) => done(scope.listed.map(({ name }) => name).join(' '));
    await using agent = agentWith({ lists }, flowsIn(files.path, guides));
    assert.match((await agent.run({ skill: 'lists' }).result).text, /\bguide\b/);
  });
});
