import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import {
  agentWith,
  codeOf,
  done,
  flowFamily,
  flowText,
  ofType,
  said,
  settled,
  until,
  type Made,
} from '../../test/support/kernel.ts';
import { tree } from '../../test/support/tree.ts';
import type { AgentOptions } from '../agent/options.ts';
import type { RecursiveSkilledAgent } from '../config/preset.ts';
import type { Scope } from '../core/scope.ts';
import type { Store } from '../core/store.ts';
import { builtinFamilies } from '../families/index.ts';
import { createMemoryStore } from '../stores/memory.ts';

const family = flowFamily({
  runsCode: () => true,
  execute: async (_definition, _input, scope) => done(said(await scope.call('act', null))),
});

/** An agent on a project whose skill `deploy` carries code and calls the tool `act`. */
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

  test('is refused when the files changed since the question, and the question is asked anew', async () => {
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

describe('a decision that nobody makes', () => {
  test('cannot be made when its time is over; the caller hears of it', async (context) => {
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
    assert.deepEqual(resolved?.answer, { deny: 'Nobody decided in time.', expired: true });
    assert.deepEqual(await agent.runs.pending(), []);
  });

  test('ends by itself while other work of the run goes on', async () => {
    const act = { permission: 'Act', allowedSkills: [], run: () => done('acted') };
    const slow: Made = {
      allowedSkills: [],
      run: async (_input: unknown, { runId }: Scope) => {
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
