// Makes a skill in code, with a typed input, and registers it beside the built-in ones.
// In a project of your own, import from 'skilled'.
import { z } from 'zod';
import { defineSkill, isAgentError, RecursiveSkilledAgent } from '../src/index.ts';

const vat = defineSkill({
  name: 'vat',
  description: 'Adds value added tax to a net price.',
  input: z.object({ net: z.number().min(0), percent: z.number().default(19) }),
  run: ({ net, percent }) => {
    const gross = Math.round(net * (100 + percent)) / 100;
    return { status: 'done', text: gross.toFixed(2), value: gross };
  },
});

const agent = new RecursiveSkilledAgent();
agent.skills.register(vat);

const skill = agent.skills.resolve('vat');
console.log(`${skill.name} belongs to the family ${skill.family} and the source ${skill.source}.`);
console.log(`Its input: ${Object.keys(skill.card.input?.['properties'] ?? {}).join(', ')}.`);

try {
  agent.skills.register(vat);
} catch (thrown) {
  if (isAgentError(thrown)) console.log(`${thrown.code}: ${thrown.message} ${thrown.hint ?? ''}`);
}

const greeting = defineSkill({
  name: 'greeting',
  description: 'Greets a customer by name.',
  instructions: 'Greet the customer in one friendly sentence.',
});
agent.skills.register(greeting);
console.log(`${agent.skills.resolve('greeting').family}: instructions instead of a function.`);

console.log(`Removed: ${agent.skills.unregister('vat')}. Still there: ${agent.skills.has('vat')}.`);
await agent.shutdown();
