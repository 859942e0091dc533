import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inCode } from '../../../test/support/dynamic-code-stage.ts';
import { done, ofType, valueOf, yesPolicy } from '../../../test/support/kernel.ts';
import { tree } from '../../../test/support/tree.ts';
import { BareAgent } from '../../agent/recursive-skilled-agent.ts';
import { defaultPorts } from '../../config/defaults.ts';
import { defineSkill } from '../../core/define-skill.ts';
import type { SnippetRunner } from '../../core/code.ts';
import { createScriptedModel } from '../../models/scripted.ts';
import { createIsolates } from '../../sandboxes/isolate/runner.ts';
import { createMemoryStore } from '../../stores/memory.ts';
import { everyCrash } from '../../testing/crash-harness.ts';

const text = '# dynamic\n\n## Description\n\nAnswers.\n\n## Allowed Skills\n\n- effect\n';
const answers = [
  inCode('console.log("one"); await call("effect", 1); throw new Error("no")'),
  inCode('console.log("two"); await call("effect", 2); return "done"'),
];

test('a dynamic code skill that is killed at any write has the same outcome, and no code that ended runs again', async () => {
  using files = tree({ '.agents/skills/dynamic/dcgskill.md': text });
  await using isolates = { ...createIsolates(), [Symbol.asyncDispose]: () => isolates.close() };
  let world = { effects: [] as string[], asked: 0, ran: 0 };
  const run: SnippetRunner['run'] = (snippet, signal) => {
    world.ran += 1;
    return isolates.run(snippet, signal);
  };
  const ports = { ...defaultPorts({}), openSnippets: async () => ({ run, close: async () => undefined }) };
  const crashes = await everyCrash(
    {
      open: () => {
        world = { effects: [], asked: 0, ran: 0 };
        return createMemoryStore();
      },
      async live({ store, effect }) {
        const code = createScriptedModel(({ messages }) => {
          world.asked += 1;
          return answers[messages.length === 1 ? 0 : 1];
        });
        const options = { startDir: files.path, searchUpwards: false, policy: yesPolicy, embeddings: false };
        const agent = new BareAgent({ ...options, store, models: { code } }, ports);
        void store.crashed.then(() => agent.shutdown({ drainMs: 0 }));
        agent.skills.register(
          defineSkill({
            name: 'effect',
            description: 'Does something.',
            allowedSkills: [],
            async run(_input, scope) {
              await scope.step('do', (key) => effect(() => world.effects.push(key)));
              return done();
            },
          }),
        );
        const known = (await store.runs()).find(({ seq }) => seq > 0);
        const handle =
          known === undefined
            ? agent.run({ skill: 'dynamic', input: 'Go.' })
            : agent.runs.resume(known.id, { takeOver: true });
        const result = await handle.result;
        const events = await agent.runs.events(handle.id);
        await agent.shutdown();
        return { result, events };
      },
    },
    ({ outcome: { result, events }, lives }) => {
      assert.equal(result.text, 'done', JSON.stringify(result.error));
      assert.equal(valueOf(result), 'done');
      assert.equal(new Set(world.effects).size, 2);
      assert.ok(world.effects.length < 2 + lives, world.effects.join());
      assert.ok(world.asked < 2 + lives && world.ran < 2 + lives, `${world.asked} ${world.ran} ${lives}`);
      const artifacts = ofType(events, 'artifact.created').map(({ name }) => name);
      assert.deepEqual(artifacts, ['snippet.js', 'snippet-2.js']);
      const notes = ofType(events, 'note.added').map(({ message }) => message);
      assert.deepEqual(notes, ['one', 'two']);
      const ended = ofType(events, 'step.ended').filter(({ key }) => key.startsWith('snippet:'));
      assert.equal(ended.length, 2);
    },
  );
  assert.ok(crashes > 20, String(crashes));
});
