import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defineSkill } from '../../src/core/define-skill.ts';
import type { RunHandle } from '../../src/core/event.ts';
import { runSopSession } from '../../src/engines/sop/session/run-session.ts';
import { sopOutput } from '../../src/engines/sop/session/session.ts';
import type { ServedScript } from '../../src/testing/model-server/script.ts';
import { codeOf } from '../support/kernel.ts';
import { eventsOf, openStage, providerKinds, type ProviderKind } from '../support/provider-stage.ts';

const plan = '@file read a.txt\n@answer final_answer "It says" $file.content';
const bad = '@file reed a.txt';

/** Opens a session that plans with the first model of a provider. */
async function openPlanner(kind: ProviderKind, script: ServedScript) {
  const on = await openStage(kind, script, { alone: true, retries: 0 });
  on.agent.skills.register(
    defineSkill<string>({
      name: 'plans',
      description: 'Plans.',
      allowedSkills: ['read', 'glob'],
      run: async (prompt, scope) => sopOutput(await runSopSession(scope, { prompt })),
    }),
  );
  const ask = (): RunHandle => on.agent.run({ skill: 'plans', input: 'What is in a.txt?' });
  return { on, ask };
}

for (const kind of providerKinds) {
  describe(`a planner through ${kind.name}`, () => {
    const answers: Readonly<Record<string, ServedScript>> = {
      'in many pieces': [{ text: plan, pieces: 30 }],
      'in a fence, with words around it': [`Here it is:\n\n\`\`\`sop\n${plan}\n\`\`\`\n\nDone.`],
      'after thinking aloud': [`<think>\n@x read b.txt\n</think>\n\n${plan}`],
      'after thinking': [{ reasoning: 'I should read it.', text: plan }],
      'at the second attempt': [bad, plan],
      'after an empty answer': ['', plan],
    };
    for (const [how, script] of Object.entries(answers)) {
      test(`is understood ${how}`, async () => {
        const { on, ask } = await openPlanner(kind, script);
        await using _stage = on;
        const result = await ask().result;
        assert.match(result.text, /^It says .*alpha/s, JSON.stringify(result.error));
      });
    }

    test('streams its plan to observers', async () => {
      const { on, ask } = await openPlanner(kind, [{ text: plan, pieces: 10 }]);
      await using _stage = on;
      const pieces: string[] = [];
      for await (const event of ask().events) if (event.type === 'model.delta') pieces.push(event.text);
      assert.ok(pieces.length > 1, pieces.join('|'));
      assert.equal(pieces.join(''), plan);
    });

    const failures: Readonly<Record<string, readonly [ServedScript, RegExp]>> = {
      'that fails': [[{ status: 401, errorMessage: 'The key is wrong.' }], /^model\./],
      'that refuses': [[{ text: '', reason: 'refused' }], /^model\.refused$/],
      'whose plan is cut off': [[{ text: '@file read', reason: 'length' }], /^model\.length$/],
      'that breaks off': [[{ text: plan, endWithoutFinish: true, faultAfter: 2 }], /^model\./],
    };
    for (const [what, [script, code]] of Object.entries(failures)) {
      test(`${what} is reported as it is, and nothing runs`, async () => {
        const { on, ask } = await openPlanner(kind, script);
        await using _stage = on;
        const handle = ask();
        const events = await eventsOf(handle);
        const result = await handle.result;
        assert.match(codeOf(result), code, JSON.stringify(result.error));
        assert.equal(events.filter(({ type }) => type === 'frame.started').length, 1);
      });
    }
  });
}
