import type { AgentOptions } from '../../src/agent/options.ts';
import type { FamilySpec } from '../../src/core/family.ts';
import { agentWith, done, flowFamily, flowsIn, flowText, textOf, type TestSkill } from './kernel.ts';
import { tree, type Tree } from './tree.ts';

/** Creates a folder with one skill that lists pots, and deletes them after a yes or no answer. */
export function potFolder(): Tree {
  return tree({ 'skills/pots/FLOW.md': flowText('pots', 'pots') });
}

/** Returns options for an agent that finds that skill and accepts only yes and no as answers. */
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

/** Creates an agent with that skill and additional ones. */
export function potAgent(
  files: Tree,
  options: AgentOptions = {},
  more: Partial<FamilySpec<string, unknown>> = {},
): ReturnType<typeof agentWith> {
  const echo: TestSkill = { run: (input) => done(`echo: ${textOf(input)}`) };
  return agentWith({ echo }, { ...potOptions(files, more), ...options });
}
