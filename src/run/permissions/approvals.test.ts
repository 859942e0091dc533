import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  agentWith,
  askAbout,
  codeOf,
  done,
  flowFamily,
  flowText,
  hang,
  ofType,
  said,
  settled,
  until,
  type TestSkill,
  type Run,
} from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import type { AgentOptions } from '../../agent/options.ts';
import type { RecursiveSkilledAgent } from '../../config/preset.ts';
import type { Policy } from '../../core/policy.ts';
import type { Scope } from '../../core/scope.ts';
import type { Store } from '../../core/store.ts';
import { builtinFamilies } from '../../families/index.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { approvalKeys, grantedKey } from './approvals.ts';

const policy: Policy = {
  decide: ({ skill }) =>
    skill === 'act'
      ? { decision: 'ask', reason: 'It acts.', rule: 'Act', each: true }
      : { decision: 'allow' },
};

function actingAgent(store: Store, act: () => Promise<string>): RecursiveSkilledAgent {
  return agentWith(
    {
      act: { allowedSkills: [], run: async () => done(await act()) },
      top: async (_input, scope) => {
        const outputs = [await scope.call('act', 1), await scope.call('act', 2)];
        return done(outputs.map(({ text }) => text).join(' '));
      },
    },
    { store, policy },
  );
}

describe('leave for one execution', () => {
  test('is asked for at every call, also when a person allowed it for the run', async () => {
    await using agent = actingAgent(createMemoryStore(), () => Promise.resolve('acted'));
    let result = await agent.run({ skill: 'top' }).result;
    for (let asked = 1; asked <= 2; asked++) {
      assert.equal(result.question?.asks?.each, true, `${asked}`);
      await agent.runs.approve(result.runId, result.question.id, { allow: 'run' });
      result = await agent.runs.resume(result.runId).result;
    }
    assert.equal(result.text, 'acted acted');
  });

  test('is used up when the process that used it died, and a repeated call asks again', async () => {
    const store = createMemoryStore();
    let begun = 0;
    const first = actingAgent(store, () => {
      begun += 1;
      return hang();
    });
    const asked = await first.run({ skill: 'top' }).result;
    assert.ok(asked.question !== undefined);
    await first.runs.approve(asked.runId, asked.question.id, { allow: 'once' });
    void first.runs.resume(asked.runId).result;
    await until(() => begun === 1);

    await using second = actingAgent(store, () => Promise.resolve('acted'));
    const again = await second.runs.resume(asked.runId, { takeOver: true }).result;
    assert.equal(again.status, 'waiting');
    assert.notEqual(again.question?.id, asked.question.id);
    await second.runs.approve(asked.runId, again.question?.id ?? '', { allow: 'once' });
    const next = await second.runs.resume(asked.runId).result;
    assert.equal(next.question?.asks?.input, 2); // the first call was made, and its approval does not apply to the second
    const events = await second.runs.events(asked.runId);
    assert.equal(ofType(events, 'approval.requested').length, 3);
    await first.shutdown();
  });
});

test('what a skill always asks about is asked each time, although the policy allows it', async () => {
  const makes = 'It makes a repository.';
  await using agent = agentWith({
    act: {
      allowedSkills: [],
      alwaysAsks: (input: unknown) => (input === 'clone' ? makes : undefined),
      run: async (input) => done(String(input)),
    },
    top: async (_input, scope) => {
      const outputs = [];
      for (const input of ['list', 'clone', 'clone']) outputs.push(await scope.call('act', input));
      return done(outputs.map(({ text }) => text).join(' '));
    },
  });
  let result = await agent.run({ skill: 'top' }).result;
  for (let asked = 1; asked <= 2; asked++) {
    assert.ok(result.question?.asks !== undefined, `${asked}`);
    assert.deepEqual([result.question.asks.each, result.question.asks.reason], [true, makes]);
    await agent.runs.approve(result.runId, result.question.id, { allow: 'once' });
    result = await agent.runs.resume(result.runId).result;
  }
  assert.equal(result.text, 'list clone clone');
});

const family = flowFamily({
  execute: async (_definition, _input, scope) => done(said(await scope.call('act', null))),
  permission: { runsCode: () => true },
});

/** Creates an agent for a project whose skill `deploy` contains code and calls the tool `act`. */
function agentOn(startDir: string, store: Store, more: AgentOptions = {}): RecursiveSkilledAgent {
  const act = { permission: 'Act', allowedSkills: [], run: () => done('acted') };
  const families = [...builtinFamilies, family];
  const options = { startDir, searchUpwards: false, store, families, permissions: { ask: [] }, ...more };
  return agentWith({ act }, options);
}

function project(): ReturnType<typeof tree> {
  return tree({ '.agents/skills/deploy/FLOW.md': flowText('deploy', 'Deploys.') });
}

describe('leave for a version of a skill', () => {
  test('trusts its files, outlives the run and the agent, and ends with one changed byte', async () => {
    using files = project();
    const trustFile = files.at('trust.json');
    const store = createMemoryStore();
    const more = { trustFile };
    await using agent = agentOn(files.path, store, more);
    const first = await settled(agent.run({ skill: 'deploy' }).result);
    assert.match(first.question?.asks?.rule ?? '', /^Trust\(deploy@[0-9a-f]{12}\)$/);
    await agent.runs.approve(first.runId, first.question?.id ?? '', { allow: 'version' });
    assert.equal((await settled(agent.runs.resume(first.runId).result)).text, 'acted');
    assert.equal((await settled(agent.run({ skill: 'deploy' }).result)).text, 'acted');

    await using other = agentOn(files.path, createMemoryStore(), more);
    assert.equal((await settled(other.run({ skill: 'deploy' }).result)).text, 'acted');
    writeFileSync(files.at('.agents/skills/deploy/extra.sh'), '');
    assert.equal((await settled(other.run({ skill: 'deploy' }).result)).status, 'waiting');
  });

  test('is refused when the files changed since the question, and the question is asked again', async () => {
    using files = project();
    const store = createMemoryStore();
    await using agent = agentOn(files.path, store);
    const { runId, question } = await settled(agent.run({ skill: 'deploy' }).result);
    const id = question?.id ?? '';
    writeFileSync(files.at('.agents/skills/deploy/extra.sh'), 'x');
    for (const allow of ['once', 'run', 'version'] as const)
      await assert.rejects(agent.runs.approve(runId, id, { allow }), { code: 'skill.changed' });
    const again = await settled(agent.runs.resume(runId).result);
    assert.equal(again.status, 'waiting');
    assert.notEqual(again.question?.id, id);
    await assert.rejects(agent.runs.approve(runId, id, { allow: 'once' }), { code: 'usage.not-found' });
    await agent.runs.approve(runId, again.question?.id ?? '', { allow: 'once' });
    assert.equal((await settled(agent.runs.resume(runId).result)).text, 'acted');
  });

  test('is not given to files that change after somebody decided', async () => {
    using files = project();
    await using agent = agentOn(files.path, createMemoryStore());
    const { runId, question } = await settled(agent.run({ skill: 'deploy' }).result);
    await agent.runs.approve(runId, question?.id ?? '', { allow: 'once' });
    writeFileSync(files.at('.agents/skills/deploy/extra.sh'), 'x');
    assert.equal((await settled(agent.runs.resume(runId).result)).status, 'waiting');
  });

  test('needs a version: a call that a person makes of a skill without files has none', async () => {
    const permissions = { ask: ['Act'], tools: ['Act'] };
    const act = { permission: 'Act', allowedSkills: [], run: () => done('acted') };
    await using agent = agentWith({ act }, { permissions });
    const { runId, question } = await settled(agent.run({ skill: 'act' }).result);
    await assert.rejects(agent.runs.approve(runId, question?.id ?? '', { allow: 'version' }), {
      code: 'usage.bad-input',
    });
  });
});

describe('a decision that no one makes', () => {
  test('cannot be made when its time is over; the caller learns of it', async (context) => {
    using files = project();
    const store = createMemoryStore();
    const approvalHours = 1;
    await using first = agentOn(files.path, store, { approvalHours });
    const { runId, question } = await settled(first.run({ skill: 'deploy' }).result);
    assert.equal(question?.kind, 'approval');
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() + 2 * 3_600_000 });
    await using agent = agentOn(files.path, store, { approvalHours });
    assert.deepEqual(
      (await agent.runs.pending()).map(({ id, expired }) => [id, expired]),
      [[question.id, true]],
    );
    await assert.rejects(agent.runs.approve(runId, question.id, { allow: 'once' }), {
      code: 'policy.expired',
    });
    const result = await settled(agent.runs.resume(runId).result);
    assert.deepEqual([result.status, codeOf(result)], ['failed', 'policy.expired']);
    const [resolved] = ofType(await agent.runs.events(runId), 'approval.resolved');
    assert.deepEqual(resolved?.answer, { deny: 'No decision was made in time.', expired: true });
    assert.deepEqual(await agent.runs.pending(), []);
  });

  test('ends by itself while other work of the run continues', async () => {
    const act = { permission: 'Act', allowedSkills: [], run: () => done('acted') };
    const slow: TestSkill = {
      allowedSkills: [],
      run: async (_input: unknown, { run: { id: runId } }: Scope) => {
        await until(async () => ofType(await agent.runs.events(runId), 'approval.resolved').length > 0);
        return done('slow');
      },
    };
    await using agent = agentWith(
      {
        act,
        slow,
        top: async (_input, scope) =>
          done((await Promise.all([scope.call('act', 1), scope.call('slow', 2)])).map(said).join(' ')),
      },
      { permissions: { ask: ['Act'], tools: ['Act'] }, approvalHours: 0.03 / 3600 },
    );
    assert.equal((await settled(agent.run({ skill: 'top' }).result)).text, 'policy.expired slow');
  });
});

test('leave alone is asked for, and nothing is done', async () => {
  const did: string[] = [];
  const child: Run = (input) => {
    did.push(input as string);
    return done('child');
  };
  const top: Run = async (_input, scope) => {
    const permission = said(await scope.call('child', 'only asked', { permissionOnly: true }));
    return done(`${permission} ${said(await scope.call('child', 'really'))}`);
  };
  const options = { store: createMemoryStore(), policy: askAbout('child') };
  await using agent = agentWith({ top, child }, options);
  const { runId, question } = await settled(agent.run({ skill: 'top' }).result);
  await agent.runs.approve(runId, question?.id ?? '', { deny: 'Never.' });
  const refused = await settled(agent.runs.resume(runId).result);
  assert.equal(refused.status, 'waiting');
  assert.deepEqual(did, []);

  const second = await settled(agent.run({ skill: 'top' }).result);
  await agent.runs.approve(second.runId, second.question?.id ?? '', { allow: 'run' });
  assert.equal((await settled(agent.runs.resume(second.runId).result)).text, 'Allowed. child');
  assert.deepEqual(did, ['really']);
});

const rule = 'Trust(deploy@0123456789ab)';

test('leave for the run about the files of a skill is for those files, however alike their rules look', () => {
  const [one, other] = ['sha256:0123456789ab1', 'sha256:0123456789ab2'].map((digest) =>
    approvalKeys({ skill: 'deploy', rule, version: { skill: 'deploy', digest } }),
  );
  assert.notEqual(one?.run, other?.run);
});

test('leave for the run about a tool is for every caller of the run, leave for a version is not', () => {
  const [one, other] = ['sha256:1', 'sha256:2'].map((digest) =>
    approvalKeys({ skill: 'write', rule: 'Write', version: { skill: 'caller', digest } }),
  );
  assert.equal(one?.run, other?.run);
  assert.notEqual(one?.lasting, other?.lasting);
});

test('what is asked every time approves nothing else', () => {
  assert.equal(grantedKey({ skill: 'x', rule: 'X', each: true }, { allow: 'run' }), undefined);
});
