// Adds a family of one's own: skills that are checklists, each in a folder with a checklist.md.
// In a project of your own, import from 'skilled'.
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtinFamilies, defineFamily, readHeaded, RecursiveSkilledAgent } from '../src/index.ts';

interface Checklist {
  readonly steps: readonly string[];
}

const checklist = defineFamily<Checklist>({
  id: 'checklist',
  label: 'Checklist',
  descriptor: { file: 'checklist.md' },

  // Name, description and findings are read as for every other family with headed sections.
  parse(bundle) {
    const { name, card, sections, issues, usable } = readHeaded(
      bundle,
      { description: [], steps: ['Items', 'To Do'] },
      ['description'],
    );
    const lines = sections.get('steps')?.text.split('\n') ?? [];
    const steps = lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2).trim());
    if (usable && steps.length === 0) {
      issues.push({
        level: 'error',
        code: 'checklist.empty',
        message: 'The checklist has no steps.',
        line: 1,
      });
    }
    return { name, card, issues, definition: usable && steps.length > 0 ? { steps } : undefined };
  },

  execute: async ({ steps }) => ({ status: 'done', text: steps.join('\n'), value: steps }),
});

const folder = mkdtempSync(join(tmpdir(), 'skilled-example-'));
put('closing-time', '# Closing Time\n\n## Description\n\nThe last round.\n\n## To Do\n\n- Lights\n- Alarm\n');
put('empty', '# Empty\n\n## Description\n\nNothing to do.\n');

const agent = new RecursiveSkilledAgent({
  additionalSkillRoots: [folder],
  only: true,
  families: [...builtinFamilies, checklist],
});
for (const skill of agent.skills.list().filter(({ family }) => family === checklist.id)) {
  const why = skill.issues.map((issue) => ` (${issue.code}: ${issue.message})`).join('');
  console.log(`${skill.name}: ${skill.status}${why}`);
}
console.log(`By its family: ${agent.skills.resolve('closing-time-checklist').card.description}`);
await agent.shutdown();
rmSync(folder, { recursive: true });

function put(name: string, text: string): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, 'checklist.md'), text);
}
