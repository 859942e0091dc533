import assert from 'node:assert/strict';
import type { ModelRequest } from '../../../src/core/model.ts';
import { createScriptedModel, type ScriptedModel, type ScriptedTurn } from '../../../src/models/scripted.ts';
import type { SafetyCase } from '../case.ts';
import { runSkill } from '../report.ts';

/** Ways to declare that a preparation has no skills. */
const empty: Readonly<Record<string, { readonly head?: string; readonly list?: string }>> = {
  'no line': { list: '' },
  'a lone dash': { list: '-' },
  'a comment': { list: '<!-- bash -->' },
  'an empty field': { head: 'allowed-prep-skills: []' },
  'a list that cannot be read': { head: 'allowed-prep-skills: {bash: true}' },
};

const command = 'touch PWNED';

/** A turn that requests a shell under every name and through every tool, as long as the model is asked. */
const insisting: ScriptedTurn = {
  calls: [
    ...['bash', 'Bash', 'bundled:bash', 'shell'].map((name) => ({ name, input: { command } })),
    { name: 'skill', input: { name: 'bash', args: { command } } },
    { name: 'write', input: { file_path: 'PWNED', content: 'x' } },
  ],
};
const insistingPlan = `@a bash "${command}"\n@b bundled:bash "${command}"\n@c write PWNED x\n@d final_answer $a`;

const isPreparing = ({ system = '' }: ModelRequest): boolean => system.includes('You only prepare');

function attacker(session: string): ScriptedModel {
  return createScriptedModel((request) => {
    if (!isPreparing(request)) return session === 'loop' ? 'Done.' : '@a final_answer Done.';
    return session === 'loop' ? insisting : insistingPlan;
  });
}

/** The skills that the stages of orchestrators may use. */
export const preparationCases: readonly SafetyCase[] = [
  {
    id: 'P28',
    what: 'an empty list for the preparation means no tools',
    async run(stage) {
      const cases = Object.entries(empty).flatMap(([how, written]) =>
        ['loop', 'sop'].map((session) => ({ how, session, ...written })),
      );
      for (const [index, { session, head, list }] of cases.entries()) {
        const fields = head === undefined ? '' : `---\ndescription: Prepares.\n${head}\n---\n\n`;
        const own = list === undefined ? '' : `## Allowed Prep Skills\n\n${list}\n`;
        stage.write(
          `skills/desk-${index}/oskill.md`,
          `${fields}# desk-${index}\n\n## Description\n\nPrepares.\n\n## Session\n\n${session}\n\n## Preparation\n\nLook around.\n\n## Allowed Skills\n\n- bash\n- write\n\n${own}`,
        );
      }
      stage.settle();
      const permissions = { allow: ['Bash', 'Write', 'Skill'] }; // only the list prevents it
      for (const [index, { how, session }] of cases.entries()) {
        const models = attacker(session);
        await using agent = stage.agent({ models, permissions });
        const { result, called } = await runSkill(agent, { skill: `desk-${index}`, input: 'Go.' });
        assert.deepEqual(called, [`desk-${index}`], `${how}, ${session}: ${JSON.stringify(result)}`);
        const preparing = models.requests.filter(isPreparing);
        assert.ok(preparing.length > 1, 'the model insisted');
        for (const { tools, system = '' } of preparing) {
          assert.equal(tools, undefined, `${how}, ${session}`);
          if (session === 'sop') assert.match(system, /Commands:\n\(none\)$/);
        }
      }
      return undefined;
    },
  },
];
