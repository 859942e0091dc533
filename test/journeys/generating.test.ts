import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { openModels } from '../../src/config/models/open-models.ts';
import type { RunResult } from '../../src/core/run.ts';
import { createScriptedModel } from '../../src/models/scripted.ts';
import { openModelServer } from '../../src/testing/model-server/server.ts';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { changedSpec, invoiceFiles, type Language } from '../support/invoice-files.ts';
import { invoiceAgent, invoicePrompt, invoiceTurn } from '../support/invoice-stage.ts';
import { checkRecordedLog } from '../support/stored-log.ts';
import { goodKey, providerKinds } from '../support/provider-stage.ts';
import { shownTree } from '../support/shown-tree.ts';
import { tree, type Tree } from '../support/tree.ts';
import { withoutFolder } from '../support/without-folder.ts';

describe('code that is made of specs, used, left alone and made again', { skip: withoutBubblewrap }, () => {
  test('has the log that was kept: build, use by other code, build of what is there, use after a change', async () => {
    using folder = tree(invoiceFiles('ts'));
    const model = createScriptedModel(invoiceTurn, { id: 'scripted/writer' });
    await using agent = invoiceAgent(folder.path, { models: model });
    const story = await hold(agent, folder, 'ts', () => model.requests.length);
    const logs = await Promise.all(story.map((runId) => agent.runs.events(runId)));
    checkRecordedLog('generating', withoutFolder(logs.flat(), folder.path));
  });

  for (const kind of providerKinds.slice(1)) {
    test(`has the same result with ${kind.name}: texts, trees and bill`, async () => {
      using folder = tree(invoiceFiles('mjs'));
      await using server = await openModelServer(({ body }) => invoiceTurn(body));
      const { options, environment } = kind.setUp(server.url, goodKey);
      await using agent = invoiceAgent(folder.path, { models: openModels(options, { environment }) });
      await hold(agent, folder, 'mjs', () => server.requests.length);
    });
  }
});

const shownOrder = '{"directory":"/project/skills/invoice-total","contract":"##…';
const builtTree = `
✓ invoice-total (build)  3,030 tok  $0.03
└ ✓ mirror-code-generator ${shownOrder}  3,030 tok  $0.03
  ├ · Generating src/parse-lines.ts (1 of 3).
  ├ · Generating src/round-money.ts (2 of 3).
  ├ · Generating src/index.ts (3 of 3).
  ├ + src/parse-lines.ts
  ├ + src/round-money.ts
  └ + src/index.ts`;
const usedTree = `
✓ invoice-desk "Is this invoice right? Two lamps at 3.10 and one at 6.15, …  2,020 tok  $0.02
└ ✓ invoice-check {"lines":"2 x 3.10\\n1 x 6.15","claimed":12.35}
  ├ ✓ invoice-total {"lines":"2 x 3.10\\n1 x 6.15"}
  └ · 12.35 is claimed.`;
const idleTree = `
✓ invoice-total (build)
└ ✓ mirror-code-generator ${shownOrder}`;
const remadeTree = `
✓ invoice-total  2,020 tok  $0.02
└ ✓ mirror-code-generator ${shownOrder}  2,020 tok  $0.02
  ├ · Generating src/round-money.ts (1 of 2).
  ├ · Generating src/index.ts (2 of 2).
  ├ + src/round-money.ts
  └ + src/index.ts`;

/** Builds, asks, builds, changes a spec and asks again. Checks each outcome and returns the runs in order. */
async function hold(
  agent: RecursiveSkilledAgent,
  folder: Tree,
  language: Language,
  asked: () => number,
): Promise<readonly string[]> {
  const check = async (runId: string, expected: string): Promise<void> => {
    const shown = shownTree(withoutFolder(await agent.runs.events(runId), folder.path));
    assert.equal(shown.replaceAll(`.${language}`, '.ts'), expected);
  };
  const build = (): Promise<RunResult> =>
    agent.run({ skill: 'invoice-total', mode: 'build', input: {} }).result;

  const built = await build();
  assert.equal(built.text, 'invoice-total: 3 files generated.', JSON.stringify(built.error));
  await check(built.runId, builtTree);
  assert.equal(asked(), 3);

  const used = await agent.executePrompt(invoicePrompt, { context: { sessionId: 'ann' } });
  assert.equal(used.text, 'It is right.', JSON.stringify(used.error));
  await check(used.runId, usedTree);
  assert.equal(asked(), 5);

  const idle = await build();
  assert.equal(idle.text, 'invoice-total: 3 files up to date.', JSON.stringify(idle.error));
  await check(idle.runId, idleTree);
  assert.equal(asked(), 5);

  folder.write(...changedSpec(language));
  const later = await agent.executePrompt(invoicePrompt, { context: { sessionId: 'ben' } });
  assert.equal(later.text, 'It is wrong.', JSON.stringify(later.error));
  await check(later.runId, usedTree);
  assert.equal(asked(), 9);
  const remade = await remadeBy(agent, later);
  await check(remade, remadeTree);
  return [built.runId, used.runId, idle.runId, remade, later.runId];
}

/** Returns the run that generated the code for a later run. */
async function remadeBy(agent: RecursiveSkilledAgent, { runId }: RunResult): Promise<string> {
  const events = await agent.runs.events(runId);
  const links = events.flatMap((event) => (event.type === 'prepare.started' ? [event.run] : []));
  const preparation = links.at(-1);
  assert.ok(preparation !== undefined);
  return preparation;
}
