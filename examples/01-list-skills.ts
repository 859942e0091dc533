// Lists the skills of the example workshop, and what is missing where one cannot be used.
// In a project of your own, import from 'skilled'.
import { join } from 'node:path';
import { RecursiveSkilledAgent } from '../src/index.ts';

const agent = new RecursiveSkilledAgent({
  startDir: join(import.meta.dirname, 'workshop'),
  searchUpwards: false,
  settings: true, // a skill of the workspace asks for a value in its settings
});
await agent.ready();

for (const skill of agent.skills.search({ source: 'project' })) {
  const needs = (skill.missing ?? []).map((missing) => missing.hint).join(' ');
  console.log(`${skill.name} (${skill.family}): ${needs === '' ? skill.status : needs}`);
}

const quote = agent.skills.resolve('customers/repair-quote');
console.log(`\n${quote.name} is one of ${agent.skills.list().length} skills. ${quote.card.description}`);

for (const issue of agent.skills.diagnostics()) console.log(`${issue.level}: ${issue.message}`);
await agent.shutdown();
