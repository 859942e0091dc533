import type { AgentOptions } from '../../src/agent/options.ts';
import type { FamilySpec } from '../../src/core/family.ts';
import { agentWith, done, flowFamily, flowsIn, flowText, textOf, type TestSkill } from './kernel.ts';
import { tree, type Tree } from './tree.ts';

/** A folder with one skill that lists pots, and deletes them when somebody said yes or no. */
export function potFolder(): Tree {
  return tree({ 'skills/pots/FLOW.md': flowText('pots', 'pots') });
}

/** Options by which an agent knows the skill of that folder; only yes and no answer what it asks. */
export function potOptions(files: Tree, more: Partial<FamilySpec<string, unknown>> = {}): AgentOptions {
  const family = flowFamily({
    parse: (bundle) => ({
      name: 'pots',
      card: { description: 'Keeps pots: lists the pots, deletes some pots.' },
      definition: bundle.body.trim(),
      issues: [],
    }),
    async execute(_definition, input, scope) {
      const text = textOf(input);
      if (!text.startsWith('delete')) return done(`did: ${text}`);
      const options = ['yes', 'no'];
      return done(`${text}: ${textOf(await scope.ask({ text: `Really ${text}?`, options }))}`);
    },
    ...more,
    prompts: {
      answers: (definition, { options = [] }, text) =>
        definition === 'pots' && (options.includes(text) || /^\d+$/.test(text)),
      ...more.prompts,
    },
  });
  return flowsIn(files.path, family);
}

/** An agent with the skill of that folder and a few more. */
export function potAgent(
  files: Tree,
  options: AgentOptions = {},
  more: Partial<FamilySpec<string, unknown>> = {},
): ReturnType<typeof agentWith> {
  const echo: TestSkill = { run: (input) => done(`echo: ${textOf(input)}`) };
  return agentWith({ echo }, { ...potOptions(files, more), ...options });
}
