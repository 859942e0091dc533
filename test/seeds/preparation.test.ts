import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AgentOptions } from '../../src/agent/options.ts';
import { defaultPorts } from '../../src/config/defaults.ts';
import { RecursiveSkilledAgent } from '../../src/config/preset.ts';
import { createScriptedModel, type ScriptedTurn } from '../../src/models/scripted.ts';
import { createMemoryStore } from '../../src/stores/memory.ts';
import { cskillText } from '../support/code-skill-stage.ts';
import { ofType, settled, textOf, yesPolicy } from '../support/kernel.ts';
import { tree, type Tree } from '../support/tree.ts';
import { tableText } from '../support/written-table.ts';

function specs(): Tree {
  return tree({
    'skills/slug/cskill.md': cskillText('slug'),
    'skills/slug/specs/index.mjs.md': '# index\n\nExports action, which makes a slug.\n',
  });
}

const code = '## file: src/index.mjs\n```js\nexport const action = () => "a-title";\n```\n';
const unavailable: ScriptedTurn = { error: { code: 'model.unavailable', message: 'Nobody is there.' } };

function agentOver(folder: Tree, options: AgentOptions): RecursiveSkilledAgent {
  const here = { startDir: folder.path, searchUpwards: false, embeddings: false };
  return new RecursiveSkilledAgent({ ...here, policy: yesPolicy, ...options });
}

async function prepared(agent: RecursiveSkilledAgent): Promise<void> {
  await settled(agent.ready());
  await settled(agent.awaitPreparations());
}

/** Returns the code, level, skill and cause of each diagnostic. */
function diagnosticsOf(agent: RecursiveSkilledAgent): readonly (readonly unknown[])[] {
  return agent.skills
    .diagnostics()
    .map(({ code: of, level, details }) => [of, level, details?.['skill'], details?.['code']]);
}

const unprepared = (cause: string): readonly (readonly unknown[])[] => [
  ['skill.unprepared', 'warning', 'slug', cause],
];

describe('code of a cskill.md that could not be generated early', () => {
  test('is in the diagnostics when there is no model, until a call generates it', async () => {
    using folder = specs();
    let isThere = false;
    const models = createScriptedModel(() => (isThere ? code : unavailable));
    await using agent = agentOver(folder, { models });
    await prepared(agent);
    assert.deepEqual(diagnosticsOf(agent), unprepared('model.unavailable'));
    const [issue] = agent.skills.diagnostics();
    assert.equal(issue?.file, folder.at('skills/slug/cskill.md'));
    assert.equal((await agent.runs.find(textOf(issue?.details?.['runId'] ?? ''))).prepares, 'slug');
    const failed = await settled(agent.executePrompt('/slug A title'));
    assert.equal(failed.error?.code, 'model.unavailable');
    assert.deepEqual(diagnosticsOf(agent), unprepared('model.unavailable'));
    isThere = true;
    for (let call = 0; call < 2; call++) {
      assert.equal((await settled(agent.executePrompt('/slug A title'))).text, 'a-title');
      assert.deepEqual(diagnosticsOf(agent), []);
    }
  });

  test('is in the diagnostics after a bad answer, also of an agent that starts later', async () => {
    using folder = specs();
    const store = createMemoryStore();
    const models = createScriptedModel(() => 'Sorry');
    const runs = new Set<unknown>();
    for (let process = 0; process < 2; process++) {
      await using agent = agentOver(folder, { models, store });
      await prepared(agent);
      assert.deepEqual(diagnosticsOf(agent), unprepared('skill.failed'));
      const [issue] = agent.skills.diagnostics();
      assert.match(issue?.hint ?? '', /`skilled build slug`/);
      assert.equal(issue?.file, folder.at('skills/slug/specs'));
      runs.add(issue.details?.['runId']);
    }
    assert.equal(runs.size, 1);
    const asked = models.requests.length;
    await using agent = agentOver(folder, { models, store });
    assert.equal((await settled(agent.executePrompt('/slug A title'))).ok, false);
    assert.equal(models.requests.length, asked); // Nothing has changed, so no model is asked again.
  });

  test('is not in the diagnostics once its specs are corrected', async () => {
    using folder = specs();
    let answer = 'Sorry';
    await using agent = agentOver(folder, { models: createScriptedModel(() => answer) });
    await prepared(agent);
    assert.deepEqual(diagnosticsOf(agent), unprepared('skill.failed'));
    answer = code;
    folder.write('skills/slug/specs/index.mjs.md', '# index\n\nExports action: a better slug.\n');
    await agent.reload();
    await settled(agent.awaitPreparations());
    assert.deepEqual(diagnosticsOf(agent), []);
    assert.equal((await settled(agent.executePrompt('/slug A title'))).text, 'a-title');
  });
});

test('code for the prose rules of a tskill.md that could not be generated early is in the diagnostics', async () => {
  const fields = { id: 'Primary Key', name: 'Validator: No shouting.' };

  using folder = tree({ 'skills/items/tskill.md': tableText(fields) });
  await using agent = agentOver(folder, { models: createScriptedModel(() => unavailable) });
  await prepared(agent);
  assert.deepEqual(diagnosticsOf(agent), [['skill.unprepared', 'warning', 'items', 'model.unavailable']]);
});

test('mirror-code-generator is registered first, and is called to prepare a cskill.md', async () => {
  using folder = specs();
  assert.equal(defaultPorts().builtins[0]?.name, 'mirror-code-generator');
  await using agent = agentOver(folder, { models: createScriptedModel(() => code) });
  await settled(agent.ready());
  const [pending, ...others] = agent.pendingPreparations;
  assert.deepEqual([pending?.skill, others], ['slug', []]);
  await settled(agent.awaitPreparations());
  const events = await agent.runs.events(pending?.runId ?? '');
  const [own, ...calls] = ofType(events, 'frame.started');
  assert.equal(own?.skill, 'slug');
  assert.deepEqual(
    calls.map(({ skill, parent }) => [skill, parent]),
    [['mirror-code-generator', own.frameId]],
  );
  assert.deepEqual(diagnosticsOf(agent), []);
});
