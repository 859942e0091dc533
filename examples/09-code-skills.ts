// Skills that are code: one that was written by hand, one that a model wrote from specs. The code runs in a process of its
// own, in a sandbox; the model is only asked when a spec changes.
// In a project of your own, import from 'skilled', leave `models` out, and set the key of a provider.
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecursiveSkilledAgent } from '../src/index.ts';
import { createScriptedModel } from '../src/testing/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'code-skills-'));
cpSync(join(import.meta.dirname, 'workshop', 'skills'), folder, { recursive: true });
const bundle = join(folder, 'office', 'invoice-number');

// What a model might write once the spec says more; it stands in for one that somebody has to pay.
const before = readFileSync(join(bundle, 'src', 'number.ts'), 'utf8');
const after = before.replace('is not an invoice number.', 'is not an invoice number such as 2026-0147.');
const index = readFileSync(join(bundle, 'src', 'index.ts'), 'utf8');
const code = createScriptedModel([`\`\`\`ts\n${after}\`\`\``, `\`\`\`ts\n${index}\`\`\``]);

await using agent = new RecursiveSkilledAgent({
  additionalSkillRoots: [folder], // folders that you name yourself are trusted; skills of a project are asked about
  only: true,
  models: { code },
  embeddings: false,
});
const skill = agent.skills.resolve('invoice-number');
const stateOf = (): string => agent.inspect(skill)?.status ?? 'unknown';

// Written by hand: no model is needed. A text goes to the only text that the skill asks for.
const tyre = await agent.run({ skill: 'tyre-size', input: '37-622' }).result;
console.log(`tyre-size: ${JSON.stringify(tyre.value)}`);

// Generated, and up to date: no model is needed either.
const invoice = { skill: 'invoice-number', input: { last: '2026-0147', day: '2026-11-15' } };
console.log(`invoice-number (${stateOf()}): ${(await agent.run(invoice).result).text}`);

// A spec changes: it and what depends on it is generated anew, checked, tested and put in place.
appendFileSync(join(bundle, 'specs', 'number.ts.md'), '- The error also shows how a number looks.\n');
console.log(`The spec says more: ${stateOf()}.`);
const build = agent.run({ skill: 'invoice-number', mode: 'build', input: {} });
for await (const event of build.events) if (event.type === 'note.added') console.log(event.message);
const built = await build.result;
console.log(`${built.text} Now it is ${stateOf()}; the model was asked ${code.requests.length} times.`);

// The next call runs the new code, without a restart. What it throws is data, with file and line.
const wrong = await agent.run({ skill: 'invoice-number', input: { last: '2026-0147', day: '2025-01-01' } })
  .result;
console.log(`${wrong.status}: ${wrong.error?.message ?? ''}`);
rmSync(folder, { recursive: true });
